"""Assemblies of platforms whose legs end on spheres: six distances, or three of a platform that only translates.

Where the motor of a leg stands still and its passive joints turn about one point, the leg's end moves on a sphere. Its
centre and radius are found by numbers, from some positions of the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.interface import inputs, parameters
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.models.continuation import apart
from symoro.models.geometric.frames import FrameRef, carrier
from symoro.models.geometric.transform import forward_geometry
from symoro.models.parallel.legs import loops_of
from symoro.models.parallel.numbers import home, moved
from symoro.models.parallel.parallelogram import END, one_rod
from symoro.models.parallel.structure import structure
from symoro.models.parallel.study import Member, follow, poses, stored
from symoro.robot import topology
from symoro.robot.parallel import AttachmentKind, ParallelRobot
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate as number
from symoro.symbols import Symbols

Array = NDArray[Any]
Follow = Callable[[Member, Member, Array, int], tuple[Array, Array]]
"""What follows the paths of solutions from one platform to another."""
Found = tuple[Array, bool]
"""Poses, and whether they are all."""
_SAMPLES = 7


def by_distances(robot: ParallelRobot, q: Array, numbers: Mapping[str, float], along: Follow = follow) -> Found | None:
    """All assemblies of six legs with spherical attachments; None for other robots."""
    spherical = all(a.kind is AttachmentKind.SPHERICAL for a in robot.attachments)
    if len(robot.legs) != 6 or not spherical or structure(robot).freedom != 6:
        return None
    balls = _spheres(robot, q, numbers)
    if balls is None:
        return None
    a, lengths = np.array([c for c, _ in balls]), np.array([r for _, r in balls])
    b = np.array([[number(x, numbers) for x in attachment.point] for attachment in robot.attachments])
    return scaled_assemblies(a, b, lengths, along)


def scaled_assemblies(a: Array, b: Array, lengths: Array, along: Follow) -> Found:
    """All assemblies, computed with lengths near 1 about the middle of the base."""
    scale = max(np.abs(a - a.mean(0)).max(), np.abs(b).max(), 1e-9)
    middle = a.mean(0)
    found, complete = assemblies((a - middle) / scale, b / scale, lengths / scale, along)
    found[:, :3, 3] = found[:, :3, 3] * scale + middle
    return found, complete


def assemblies(a: Array, b: Array, lengths: Array, along: Follow = follow) -> Found:
    """All real poses with |p + R b_i − a_i| = l_i, and whether no path was lost.

    Where legs meet in pairs on the base, base and platform change places: the inverse poses are found.
    """
    order = _in_pairs(b)
    if order is None and (other := _in_pairs(a)) is not None:
        T, complete = _assemblies(b[other], a[other], lengths[other], along, True)
        return _inverse(T), complete
    some = slice(None) if order is None else order
    return _assemblies(a[some], b[some], lengths[some], along, order is not None)


def _assemblies(a: Array, b: Array, lengths: Array, along: Follow, pairs: bool) -> Found:
    """The same, from the stored platform; with `pairs`, legs 1 and 2, 3 and 4, 5 and 6 meet on the platform.

    A special platform, such as one with all points on circles, has fewer solutions: the others end where e = 0.
    """
    start, x = stored(pairs)
    target = Member.of(a, b, lengths**2)
    best: Array = np.zeros((0, 4, 4))
    for seed in (1, 2, 3, 4):
        with np.errstate(all="ignore"):
            ends, reached = _followed(along, start, target, x, seed, pairs)
            real = np.abs(ends[:, :4]).max(-1) / np.abs(ends).max(-1)
            usable, gone = (reached >= 1) & (real > 1e-7), (reached > 0.99) & (real < 1e-3)
        found = distinct(_polished(poses(ends[usable]), a, b, lengths))
        best = found if len(found) > len(best) else best
        if (usable | gone).all() and apart(ends[usable]):
            return found, True
    return best, False


def _in_pairs(points: Array) -> Array | None:
    """The order that makes neighbours of the legs that meet; None where legs do not meet in three pairs."""
    alike = np.abs(points[:, None] - points).max(-1) <= 1e-12 * np.abs(points).max()
    if (alike.sum(-1) != 2).any():
        return None
    return np.argsort(alike.argmax(-1), kind="stable")


def _inverse(T: Array) -> Array:
    found = np.array(T)
    found[:, :3, :3] = np.swapaxes(T[:, :3, :3], -1, -2)
    found[:, :3, 3] = -(found[:, :3, :3] @ T[:, :3, 3, None])[..., 0]
    return found


def _followed(along: Follow, start: Member, target: Member, x: Array, seed: int, pairs: bool) -> tuple[Array, Array]:
    """The ends of the paths; a further attempt goes around what was in the way, by another random platform."""
    if seed == 1:
        return along(start, target, x.copy(), seed)
    rng = np.random.default_rng(seed)
    a, b = (rng.normal(size=(6, 3)) + 1j * rng.normal(size=(6, 3)) for _ in range(2))
    b = np.repeat(b[:3], 2, axis=0) if pairs else b
    between = Member.of(a, b, rng.normal(size=6) + 1j * rng.normal(size=6))
    middle, there = along(start, between, x.copy(), seed)
    ends, reached = along(between, target, middle, seed)
    return ends, np.where(there >= 1, reached, 0.0)


def _polished(T: Array, a: Array, b: Array, lengths: Array) -> Array:
    """Newton's method on the six lengths, in real numbers; poses that it does not reach are left out."""
    for _ in range(3):
        P = b @ np.swapaxes(T[:, :3, :3], -1, -2)
        u = T[:, None, :3, 3] + P - a
        error = (u * u).sum(-1) - lengths**2
        D = 2 * np.concatenate([u, np.cross(P, u)], axis=-1)
        T = moved(T, -_least(D, error))
    distance = np.linalg.norm(T[:, None, :3, 3] + b @ np.swapaxes(T[:, :3, :3], -1, -2) - a, axis=-1)
    found: Array = T[np.abs(distance - lengths).max(-1, initial=0.0) <= 1e-9]
    return found


def _least(D: Array, error: Array) -> Array:
    """D⁻¹ of the errors; where a matrix is singular, the least solution."""
    try:
        found: Array = np.linalg.solve(D, error[..., None])[..., 0]
        if np.abs(found).max(initial=0.0) < 1e-3:
            return found
    except np.linalg.LinAlgError:
        pass
    least: Array = (np.linalg.pinv(D, rcond=1e-13) @ error[..., None])[..., 0]
    return least


def distinct(T: Array) -> Array:
    """Poses that differ, the first of those that are alike."""
    alike = np.abs(T[:, None] - T).max((-1, -2), initial=0.0) <= 1e-7
    found: Array = T[~np.tril(alike, -1).any(-1)]
    return found


def by_translation(robot: ParallelRobot, q: Array, numbers: Mapping[str, float]) -> Found | None:
    """The two assemblies of a platform with three legs that only translates; None for other robots."""
    found = structure(robot)
    if len(robot.legs) != 3 or found.fixed is None or found.independent != (0, 1, 2):
        return None
    balls = _spheres(robot, q, numbers)
    if balls is None:
        return None
    at = home(robot, numbers)
    b = np.array([[number(x, numbers) for x in attachment.point] for attachment in robot.attachments])
    centres = np.array([c for c, _ in balls]) - b @ at[:3, :3].T
    points = _three_spheres(centres, np.array([r for _, r in balls]))
    made = np.tile(at, (len(points), 1, 1))
    made[:, :3, 3] = points
    return made, True


def _three_spheres(c: Array, r: Array) -> Array:
    """The points at three distances from three points: two, one or none."""
    A = 2 * (c[1:] - c[0])
    right = (c[1:] ** 2).sum(-1) - (c[0] ** 2).sum() - r[1:] ** 2 + r[0] ** 2
    direction = np.cross(A[0], A[1])
    if np.linalg.norm(direction) < 1e-12:
        return np.zeros((0, 3))
    direction = direction / np.linalg.norm(direction)
    foot = np.linalg.solve(np.vstack([A, direction]), np.r_[right, direction @ c[0]])
    rest = r[0] ** 2 - ((foot - c[0]) ** 2).sum()
    if rest < 0:
        return np.zeros((0, 3))
    return np.array([foot + side * np.sqrt(rest) * direction for side in (1, -1)])


# spheres


def _spheres(robot: ParallelRobot, q: Array, numbers: Mapping[str, float]) -> list[tuple[Array, float]] | None:
    """Centre and radius of the sphere of each leg's end; None where a leg has none."""
    found = []
    for i in range(len(robot.legs)):
        motors = [(j, x) for (k, j), x in zip(robot.motors, q, strict=True) if k == i]
        sphere = _sphere(robot, i, dict(motors), numbers)
        if sphere is None:
            return None
        found.append(sphere)
    return found


def _sphere(
    robot: ParallelRobot, i: int, motors: Mapping[int, float], numbers: Mapping[str, float]
) -> tuple[Array, float] | None:
    serial = _serial(robot, i)
    joints = [str(joint.variable) for joint in serial[0].joints if joint.variable] if serial else []
    if len(motors) != 1 or len(joints) != 3:
        return None
    rng = np.random.default_rng(3)
    at = rng.uniform(-3, 3, (_SAMPLES, 3))
    for j, x in motors.items():
        at[:, joints.index(str(robot.legs[i].joint(j).variable))] = x
    program = end_of(robot, i)
    ends = evaluate(program, {"q": at}, {p.name: numbers[p.name] for p in program.parameters})["T"][:, :3, 3]
    rows = np.hstack([2 * ends, np.ones((_SAMPLES, 1))])
    centre, *_ = np.linalg.lstsq(rows, (ends**2).sum(-1), rcond=1e-12)
    distances = np.linalg.norm(ends - centre[:3], axis=1)
    if distances.max() - distances.min() > 1e-9 * max(1.0, distances.max()):
        return None
    return centre[:3], float(distances.mean())


def _serial(robot: ParallelRobot, i: int) -> tuple[Robot, FrameRef] | None:
    """Leg i and its end; of a leg that ends with a parallelogram, the leg with one rod whose end moves alike.

    None where loops determine joints on the way to the end in another way.
    """
    loops, end = loops_of(robot, i), robot.end(i)
    way = topology.path(robot.legs[i], carrier(robot.legs[i], end)[0])
    if not any(joint.index in loops.dependent for joint in way):
        return robot.legs[i], end
    rod = one_rod(robot.legs[i], end, loops)
    return None if rod is None else (rod, END)


@lru_cache(maxsize=64)
def end_of(robot: ParallelRobot, i: int) -> Program:
    """The pose of a leg's end."""
    serial = _serial(robot, i)
    assert serial is not None
    s = Symbols(replace(serial[0], wrenches=()), Graph())
    results = forward_geometry(s, serial[1], False)
    return extract(s.graph, inputs(s, ("q",)), parameters(s), results)
