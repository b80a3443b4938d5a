"""The axes of joints as lines in space, where all coordinates are at the zero of the file."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from symoro.formats.tree.bodies import MergedBody
from symoro.formats.tree.poses import Array, X, Z, cross, perpendicular

PARALLEL = 1e-10
"""Axes whose angle is smaller are parallel."""
NEAR = 1e-3
"""Axes whose angle is smaller, but which are not parallel, get a bridge: their common normal is too far away."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """The axis of joint j: its antecedent, a point on it, its direction, and whether its place is free (prismatic)."""

    parent: int
    p: Array
    z: Array
    slides: bool = False


def zero_poses(bodies: tuple[MergedBody, ...]) -> list[Array]:
    """The pose of each body's frame where all coordinates are at their zero."""
    poses: dict[int, Array] = {0: np.eye(4)}
    for start in range(1, len(bodies)):
        climb = [start]
        while climb[-1] not in poses:
            climb.append(bodies[climb[-1]].parent)
        for j in reversed(climb[:-1]):
            poses[j] = poses[bodies[j].parent] @ bodies[j].origin
    return [poses[j] for j in range(len(bodies))]


def lines(bodies: tuple[MergedBody, ...], poses: list[Array]) -> list[Line]:
    """The axis of each joint; line 0 is z0 of the base."""
    axes = [Line(-1, np.zeros(3), Z)]
    for body, pose in zip(bodies[1:], poses[1:], strict=True):
        assert body.joint is not None
        z = pose[:3, :3] @ body.joint.axis
        axes.append(Line(body.parent, pose[:3, 3], z / np.linalg.norm(z), body.joint.kind == "prismatic"))
    return axes


def bridged(lines: list[Line]) -> list[Line]:
    """The lines, and at their end one more for each axis that is nearly parallel to the one before it.

    The common normal of such axes is far away, at a distance of about 1/angle, and a frame there would lose the digits
    of the inertia. A fixed frame through the axis, with z perpendicular to the one before, makes two right angles of
    the small one.
    """
    extended = list(lines)
    for j, line in enumerate(lines[1:], 1):
        before = lines[line.parent]
        s = np.linalg.norm(cross(before.z, line.z))
        if PARALLEL < s < NEAR:
            w = line.p - before.p
            across = w - (w @ before.z) * before.z
            far = np.linalg.norm(across) > PARALLEL
            z = across / np.linalg.norm(across) if far else _any(before.z)
            extended[j] = replace(line, parent=len(extended))
            extended.append(Line(line.parent, line.p, z))
    return extended


def _any(z: Array) -> Array:
    return cross(z, perpendicular(z)) if abs(z @ X) < 0.9 else perpendicular(z)


def children(lines: list[Line]) -> list[list[int]]:
    """For each line the lines whose antecedent it is."""
    below: list[list[int]] = [[] for _ in lines]
    for j, line in enumerate(lines[1:], 1):
        below[line.parent].append(j)
    return below


def outward(lines: list[Line]) -> list[int]:
    """The lines from the base to the tips, without the base."""
    below, order, front = children(lines), [], [0]
    while front:
        front = [j for i in front for j in below[i]]
        order += front
    return order
