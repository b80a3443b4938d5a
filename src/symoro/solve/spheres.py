"""Assemblies of platforms whose legs end on spheres: six distances, or three of a platform that only translates.

Where the motor of a leg stands still and its passive joints turn about one point, the leg's end moves on a sphere. Its
centre and radius are found by numbers, from some positions of the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.bind.interface import inputs, parameters
from symoro.bind.symbols import Symbols
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import extract
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.models.geometric.frames import FrameRef, carrier
from symoro.models.geometric.transform import forward_geometry
from symoro.models.parallel.leg import loops_of
from symoro.models.parallel.leg_geometry import END, one_rod
from symoro.models.parallel.mechanism import structure
from symoro.models.parallel.platform import home, moved
from symoro.robot import topology
from symoro.robot.robot import ClosureKind, Robot
from symoro.robot.springs import whole_turn
from symoro.robot.values import evaluate as number
from symoro.solve.continuation import apart
from symoro.solve.study import Member, follow, poses, stored

Array = NDArray[Any]
Follow = Callable[[Member, Member, Array, int], tuple[Array, Array]]
"""What follows the paths of solutions from one platform to another."""
PoseSet = tuple[Array, bool]
"""Poses, and whether they are all."""
_SAMPLES = 7


def by_distances(robot: Robot, q: Array, numbers: Mapping[str, float], along: Follow = follow) -> PoseSet | None:
    """All assemblies of six legs with spherical attachments; None for other robots."""
    spherical = all(a.kind is ClosureKind.SPHERICAL for a in robot.attachments)
    if len(robot.legs) != 6 or not spherical or structure(robot).freedom != 6:
        return None
    balls = _spheres(robot, q, numbers)
    if balls is None:
        return None
    a, lengths = np.array([c for c, _ in balls]), np.array([r for _, r in balls])
    b = np.array([[number(x, numbers) for x in attachment.point] for attachment in robot.attachments])
    return scaled_assemblies(a, b, lengths, along)


def scaled_assemblies(a: Array, b: Array, lengths: Array, along: Follow) -> PoseSet:
    """All assemblies, computed with lengths near 1 about the middle of the base."""
    scale = max(np.abs(a - a.mean(0)).max(), np.abs(b).max(), 1e-9)
    middle = a.mean(0)
    poses, complete = assemblies((a - middle) / scale, b / scale, lengths / scale, along)
    poses[:, :3, 3] = poses[:, :3, 3] * scale + middle
    return poses, complete


def assemblies(a: Array, b: Array, lengths: Array, along: Follow = follow) -> PoseSet:
    """All real poses with |p + R b_i − a_i| = l_i, and whether no path was lost.

    Where legs meet in pairs on the base, base and platform change places: the inverse poses are found.
    """
    order = _in_pairs(b)
    if order is None and (other := _in_pairs(a)) is not None:
        T, complete = _assemblies(b[other], a[other], lengths[other], along, True)
        return _inverse(T), complete
    some = slice(None) if order is None else order
    return _assemblies(a[some], b[some], lengths[some], along, order is not None)


def _assemblies(a: Array, b: Array, lengths: Array, along: Follow, pairs: bool) -> PoseSet:
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
        T = distinct(_polished(poses(ends[usable]), a, b, lengths))
        best = T if len(T) > len(best) else best
        if (usable | gone).all() and apart(ends[usable]):
            return T, True
    return best, False


def _in_pairs(points: Array) -> Array | None:
    """The order that makes neighbours of the legs that meet; None where legs do not meet in three pairs."""
    alike = np.abs(points[:, None] - points).max(-1) <= 1e-12 * np.abs(points).max()
    if (alike.sum(-1) != 2).any():
        return None
    return np.argsort(alike.argmax(-1), kind="stable")


def _inverse(T: Array) -> Array:
    inverse = np.array(T)
    inverse[:, :3, :3] = np.swapaxes(T[:, :3, :3], -1, -2)
    inverse[:, :3, 3] = -(inverse[:, :3, :3] @ T[:, :3, 3, None])[..., 0]
    return inverse


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
    polished: Array = T[np.abs(distance - lengths).max(-1, initial=0.0) <= 1e-9]
    return polished


def _least(D: Array, error: Array) -> Array:
    """D⁻¹ of the errors; where a matrix is singular, the least solution."""
    try:
        solution: Array = np.linalg.solve(D, error[..., None])[..., 0]
        if np.abs(solution).max(initial=0.0) < 1e-3:
            return solution
    except np.linalg.LinAlgError:
        pass
    least: Array = (np.linalg.pinv(D, rcond=1e-13) @ error[..., None])[..., 0]
    return least


def distinct(T: Array) -> Array:
    """Poses that differ, the first of those that are alike."""
    alike = np.abs(T[:, None] - T).max((-1, -2), initial=0.0) <= 1e-7
    differing: Array = T[~np.tril(alike, -1).any(-1)]
    return differing


def by_translation(robot: Robot, q: Array, numbers: Mapping[str, float]) -> PoseSet | None:
    """The two assemblies of a platform with three legs that only translates; None for other robots."""
    legs_structure = structure(robot)
    if len(robot.legs) != 3 or legs_structure.fixed is None or legs_structure.independent != (0, 1, 2):
        return None
    balls = _spheres(robot, q, numbers)
    if balls is None:
        return None
    at = home(robot, numbers)
    b = np.array([[number(x, numbers) for x in attachment.point] for attachment in robot.attachments])
    centres = np.array([c for c, _ in balls]) - b @ at[:3, :3].T
    points = _three_spheres(centres, np.array([r for _, r in balls]))
    poses = np.tile(at, (len(points), 1, 1))
    poses[:, :3, 3] = points
    return poses, True


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


def _spheres(robot: Robot, q: Array, numbers: Mapping[str, float]) -> list[tuple[Array, float]] | None:
    """Centre and radius of the sphere of each leg's end; None where a leg has none."""
    spheres = []
    for i in range(len(robot.legs)):
        motors = [(j, x) for (k, j), x in zip(robot.motors, q, strict=True) if k == i]
        sphere = _sphere(robot, i, dict(motors), numbers)
        if sphere is None:
            return None
        spheres.append(sphere)
    return spheres


def _sphere(
    robot: Robot, i: int, motors: Mapping[int, float], numbers: Mapping[str, float]
) -> tuple[Array, float] | None:
    serial = serial_leg(robot, i)
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


def serial_leg(robot: Robot, i: int) -> tuple[Robot, FrameRef] | None:
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
def end_of(robot: Robot, i: int) -> Program:
    """The pose of a leg's end."""
    serial = serial_leg(robot, i)
    assert serial is not None
    s = Symbols(replace(serial[0], wrenches=()), Graph())
    results = forward_geometry(s, serial[1], False)
    return extract(s.graph, inputs(s, ("q",)), parameters(s), results)


# Assemblies of platforms with three legs whose ends move on circles: in space, and in a plane.
#
# Where the motor of a leg stands still and one hinge is left, the leg's end moves on a circle. A point on a circle has
# two distances from two points of the circle's axis. So three such legs with spherical attachments are six distances of
# a platform on which legs meet in pairs.


_PLANE = (0, 1, 5)


@dataclass(frozen=True)
class Circle:
    """What the end of a leg moves on."""

    centre: Array
    axis: Array
    radius: float


def by_circles(robot: Robot, q: Array, numbers: Mapping[str, float], along: Follow = follow) -> PoseSet | None:
    """All assemblies of three legs with spherical attachments whose ends move on circles; None for other robots."""
    circles = _circles(robot, q, numbers, ClosureKind.SPHERICAL)
    if circles is None:
        return None
    b = _points(robot, numbers)
    h = max(1e-3, *(c.radius for c in circles))
    a = np.array([c.centre + side * h * c.axis for c in circles for side in (1, -1)])
    lengths = np.array([np.hypot(c.radius, h) for c in circles for _ in range(2)])
    return scaled_assemblies(a, np.repeat(b, 2, axis=0), lengths, along)


def in_a_plane(robot: Robot, q: Array, numbers: Mapping[str, float]) -> PoseSet | None:
    """All assemblies, at most six, of a platform in the plane xy with three legs; None for other robots.

    With complex numbers for points, e = exp(iφ) for the rotation, and u from the centre of the first circle to the
    attachment of the first leg:

        |u|² = r1²,   2 Re(conj(w_i) u) = k_i,   w_i = e b_i − c_i,   k_i = r_i² − r1² − |w_i|²   (i = 2, 3)

    where b_i and c_i are seen from those of the first leg. The two linear equations give u = n/d. Then |n|² − r1² d² is
    a polynomial in e and 1/e with powers from −3 to 3: its six roots on the unit circle are the assemblies.
    """
    legs_structure = structure(robot)
    circles = _circles(robot, q, numbers, ClosureKind.REVOLUTE)
    if circles is None or legs_structure.fixed is None or legs_structure.independent != _PLANE:
        return None
    at = home(robot, numbers)
    b = _complex(_points(robot, numbers) @ at[:3, :3].T)
    c, r = _complex(np.array([x.centre for x in circles])), np.array([x.radius for x in circles])
    turns = [e for e in _turns(b[1:] - b[0], c[1:] - c[0], r) if abs(abs(e) - 1) < 1e-7]
    poses = [_pose(at, e / abs(e), b, c, r) for e in turns]
    kept = [T for T in poses if T is not None]
    return np.array(kept).reshape(-1, 4, 4), True


def _linear(e: Array, b: Array, c: Array, r: Array) -> tuple[Array, Array]:
    """n and d of u = n/d, by Cramer's rule."""
    w = e[:, None] * b - c
    k = r[1:] ** 2 - r[0] ** 2 - np.abs(w) ** 2
    n = 1j * (k[:, 1] * w[:, 0] - k[:, 0] * w[:, 1])
    return n, 2 * (np.conj(w[:, 0]) * w[:, 1]).imag


def _turns(b: Array, c: Array, r: Array) -> Array:
    """The roots e of the polynomial, from eight of its values on the unit circle."""
    e = np.exp(2j * np.pi * np.arange(8) / 8)
    n, d = _linear(e, b, c, r)
    powers = np.fft.fft(np.abs(n) ** 2 - r[0] ** 2 * d**2) / 8
    return np.roots([powers[k] for k in (3, 2, 1, 0, -1, -2, -3)])


def _pose(at: Array, e: complex, b: Array, c: Array, r: Array) -> Array | None:
    """The pose with this rotation; None where the lengths do not fit."""
    n, d = _linear(np.array([e]), b[1:] - b[0], c[1:] - c[0], r)
    if abs(d[0]) < 1e-12 * np.abs(n[0]):
        return None
    p = n[0] / d[0] + c[0] - e * b[0]
    if np.abs(np.abs(p + e * b - c) - r).max() > 1e-6 * r.max():
        return None
    T = np.array(at)
    T[:2, 3] = p.real, p.imag
    T[:3, :3] = np.array([[e.real, -e.imag, 0], [e.imag, e.real, 0], [0, 0, 1]]) @ at[:3, :3]
    return T


def _complex(points: Array) -> Array:
    numbers: Array = points[:, 0] + 1j * points[:, 1]
    return numbers


def _points(robot: Robot, numbers: Mapping[str, float]) -> Array:
    return np.array([[number(x, numbers) for x in attachment.point] for attachment in robot.attachments])


def _circles(robot: Robot, q: Array, numbers: Mapping[str, float], kind: ClosureKind) -> list[Circle] | None:
    """The circle of each of three legs' ends; None where an end moves on something else."""
    if len(robot.legs) != 3 or any(a.kind is not kind for a in robot.attachments):
        return None
    circles = []
    for i, leg in enumerate(robot.legs):
        joints = [joint for joint in leg.joints if joint.variable]
        passive = [k for k, joint in enumerate(joints) if not joint.actuated]
        if leg.cuts or len(joints) != 2 or len(passive) != 1 or not joints[passive[0]].revolute:
            return None
        at = np.full((3, 2), next(x for (k, _), x in zip(robot.motors, q, strict=True) if k == i))
        turn = whole_turn(joints[passive[0]], numbers)
        at[:, passive[0]] = 0, turn / 4, turn / 2
        program = end_of(robot, i)
        known = {p.name: numbers[p.name] for p in program.parameters}
        first, side, last = evaluate(program, {"q": at}, known)["T"][:, :3, 3]
        centre = (first + last) / 2
        across = np.cross(first - centre, side - centre)
        radius = float(np.linalg.norm(first - centre))
        if radius < 1e-12:
            return None
        circles.append(Circle(centre, across / radius**2, radius))
    return circles
