"""Places the frames of Khalil and Kleinfinger on axes (K97 § 2): zj along axis j, xj along the normal to a child.

Any frame on axis j is allowed, and only the numbers of operations differ. xj is on the common normal of axis j and of
the axis of one child, so that γ of that child is 0: an angle γ that is not a right one costs the rotation of every
vector, the same angle as offset of θ one addition. Along the axis the origin is at the foot of that normal (b = 0) for
a serial robot, as in the tables that people know, and at the foot of the normal from the antecedent (r = 0) for a tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from symoro.formats.tree.lines import PARALLEL, Line, children, outward
from symoro.formats.tree.parameters import Parameters, exact_parameters
from symoro.formats.tree.poses import Array, angle, cross, pose

_RIGHT = 1e-10


@dataclass(frozen=True, slots=True, eq=False)
class Normal:
    """The common normal of two axes: its direction (None if the axes are one), and its feet on them."""

    n: Array | None
    on_first: Array
    on_second: Array
    are_parallel: bool


def normal(o: Array, z: Array, line: Line) -> Normal:
    """The common normal of the axis z through o and of a line.

    The feet are o + z (w × zj)·c / s² and p + zj (w × zi)·c / s² with c = zi × zj and w = p − o, which loses digits as
    1/s; the usual formula with 1 − (zi·zj)² loses them as 1/s².
    """
    c, w = cross(z, line.z), line.p - o
    s = float(np.linalg.norm(c))
    if s > PARALLEL:
        first = o + z * (cross(w, line.z) @ c) / s**2
        second = line.p + line.z * (cross(w, z) @ c) / s**2
        return Normal(c / s, first, second, False)
    across = w - (w @ z) * z
    d = float(np.linalg.norm(across))
    return Normal(across / d if d > PARALLEL else None, o, o + across, True)


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """Frame j at the zero of the file, and the parameters that place it in the frame before it."""

    pose: Array
    parameters: Parameters


def placements(lines: list[Line]) -> list[Placement]:
    """The frame of each line. Each follows from the exact frame before it, so that roundings do not add up."""
    below = children(lines)
    serial = all(len(some) <= 1 for some in below)
    sizes = _sizes(lines, below)
    placed: dict[int, Placement] = {0: Placement(np.eye(4), Parameters())}
    for j in outward(lines):
        before = placed[lines[j].parent].pose
        placed[j] = _place(lines, j, before, below[j], sizes, serial)
    return [placed[j] for j in range(len(lines))]


def _place(lines: list[Line], j: int, before: Array, below: list[int], sizes: list[int], serial: bool) -> Placement:
    line, x, z, o = lines[j], before[:3, 0], before[:3, 2], before[:3, 3]
    up = normal(o, z, line)
    n = x if up.n is None else up.n if up.n @ x > -_RIGHT else -up.n
    foot, along = up.on_second, n
    if below:
        down = normal(foot, line.z, lines[_chosen(lines, j, below, sizes)])
        along = n if down.n is None else _signed(n, down.n, line.z, down)
        if serial and not down.are_parallel:
            foot = down.on_first
    target = pose(np.column_stack([along, cross(line.z, along), line.z]), foot)
    parameters = exact_parameters(before, target, n, up.on_first, up.on_second)
    return Placement(before @ parameters.matrix(), parameters)


def _signed(n: Array, along: Array, z: Array, down: Normal) -> Array:
    """The normal to the child with the sign that makes |θ offset| least, else d of the child positive."""
    offset = abs(angle(n, along, z))
    if abs(offset - pi / 2) < _RIGHT:
        return along if (down.on_second - down.on_first) @ along >= -PARALLEL else -along
    return along if offset < pi / 2 else -along


def _chosen(lines: list[Line], j: int, below: list[int], sizes: list[int]) -> int:
    """The child on whose normal xj is: the one with the most right angles γ of the others, then the largest subtree."""
    if len(below) == 1:
        return below[0]
    z, o = lines[j].z, lines[j].p
    normals = {k: normal(o, z, lines[k]).n for k in below}

    def score(k: int) -> tuple[int, int, int]:
        mine = normals[k]
        others = [n for i, n in normals.items() if i != k and n is not None]
        cosines = [] if mine is None else [abs(float(mine @ n)) for n in others]
        right = sum(min(c, 1 - c) < _RIGHT for c in cosines)
        return right, sizes[k], -k

    return max(below, key=score)


def _sizes(lines: list[Line], below: list[list[int]]) -> list[int]:
    """The number of lines of each subtree."""
    sizes = [1] * len(lines)
    for j in reversed(outward(lines)):
        sizes[lines[j].parent] += sizes[j]
    return sizes


def feet_of(before: Array, target: Array) -> tuple[Array, Array, Array]:
    """The normal between the z axes of two given frames, and its feet on them."""
    up = normal(before[:3, 3], before[:3, 2], Line(-1, target[:3, 3], target[:3, 2]))
    return before[:3, 0] if up.n is None else up.n, up.on_first, up.on_second


# Where the axes of prismatic joints are: only their direction is given, and their place is free.


_MOST = 12


def settled(lines: list[Line]) -> tuple[list[Line], list[Placement]]:
    """The lines with prismatic axes at places that leave the fewest parameters, and the frames on them.

    Places are the origin of the file, a point of the antecedent's axis, and a point of a child's axis, tried one joint
    after the other; of equal ones the first is taken.
    """
    best = placements(lines)
    sliding = [j for j, line in enumerate(lines) if line.slides]
    for j in sliding[:_MOST]:
        for p in list(_places(lines, j)):
            tried = [*lines]
            tried[j] = replace(lines[j], p=p)
            frames = placements(tried)
            if _cost(frames) < _cost(best):
                lines, best = tried, frames
    return lines, best


def _places(lines: list[Line], j: int) -> Iterator[Array]:
    yield lines[lines[j].parent].p
    for child in children(lines)[j]:
        yield lines[child].p


def _cost(frames: list[Placement]) -> int:
    return sum(one.parameters.cost for one in frames)
