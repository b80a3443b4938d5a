"""Assemblies of platforms with three legs whose ends move on circles: in space, and in a plane.

Where the motor of a leg stands still and one hinge is left, the leg's end moves on a circle. A point on a circle has
two distances from two points of the circle's axis. So three such legs with spherical attachments are six distances of
a platform on which legs meet in pairs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.ir.evaluate import evaluate
from symoro.models.parallel.numbers import home
from symoro.models.parallel.spheres import Follow, Found, end_of, scaled_assemblies
from symoro.models.parallel.structure import structure
from symoro.models.parallel.study import follow
from symoro.robot.parallel import AttachmentKind, ParallelRobot
from symoro.robot.values import evaluate as number

Array = NDArray[Any]
_PLANE = (0, 1, 5)


@dataclass(frozen=True)
class Circle:
    """What the end of a leg moves on."""

    centre: Array
    axis: Array
    radius: float


def by_circles(robot: ParallelRobot, q: Array, numbers: Mapping[str, float], along: Follow = follow) -> Found | None:
    """All assemblies of three legs with spherical attachments whose ends move on circles; None for other robots."""
    circles = _circles(robot, q, numbers, AttachmentKind.SPHERICAL)
    if circles is None:
        return None
    b = _points(robot, numbers)
    h = max(1e-3, *(c.radius for c in circles))
    a = np.array([c.centre + side * h * c.axis for c in circles for side in (1, -1)])
    lengths = np.array([np.hypot(c.radius, h) for c in circles for _ in range(2)])
    return scaled_assemblies(a, np.repeat(b, 2, axis=0), lengths, along)


def in_a_plane(robot: ParallelRobot, q: Array, numbers: Mapping[str, float]) -> Found | None:
    """All assemblies, at most six, of a platform in the plane xy with three legs; None for other robots.

    With complex numbers for points, e = exp(iφ) for the rotation, and u from the centre of the first circle to the
    attachment of the first leg:

        |u|² = r1²,   2 Re(conj(w_i) u) = k_i,   w_i = e b_i − c_i,   k_i = r_i² − r1² − |w_i|²   (i = 2, 3)

    where b_i and c_i are seen from those of the first leg. The two linear equations give u = n/d. Then |n|² − r1² d² is
    a polynomial in e and 1/e with powers from −3 to 3: its six roots on the unit circle are the assemblies.
    """
    found = structure(robot)
    circles = _circles(robot, q, numbers, AttachmentKind.REVOLUTE)
    if circles is None or found.fixed is None or found.independent != _PLANE:
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
    found: Array = points[:, 0] + 1j * points[:, 1]
    return found


def _points(robot: ParallelRobot, numbers: Mapping[str, float]) -> Array:
    return np.array([[number(x, numbers) for x in attachment.point] for attachment in robot.attachments])


def _circles(robot: ParallelRobot, q: Array, numbers: Mapping[str, float], kind: AttachmentKind) -> list[Circle] | None:
    """The circle of each of three legs' ends; None where an end moves on something else."""
    if len(robot.legs) != 3 or any(a.kind is not kind for a in robot.attachments):
        return None
    found = []
    for i, leg in enumerate(robot.legs):
        joints = [joint for joint in leg.joints if joint.variable]
        passive = [k for k, joint in enumerate(joints) if not joint.actuated]
        if leg.cuts or len(joints) != 2 or len(passive) != 1 or not joints[passive[0]].revolute:
            return None
        at = np.full((3, 2), next(x for (k, _), x in zip(robot.motors, q, strict=True) if k == i))
        at[:, passive[0]] = 0, np.pi / 2, np.pi
        program = end_of(robot, i)
        known = {p.name: numbers[p.name] for p in program.parameters}
        first, side, last = evaluate(program, {"q": at}, known)["T"][:, :3, 3]
        centre = (first + last) / 2
        across = np.cross(first - centre, side - centre)
        radius = float(np.linalg.norm(first - centre))
        if radius < 1e-12:
            return None
        found.append(Circle(centre, across / radius**2, radius))
    return found
