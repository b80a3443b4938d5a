"""Sequences of screws about the x and z axes, and their shortest form between the axes of joints."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import atan2, pi

import numpy as np
from numpy.typing import NDArray

from symoro.ir.constant import Constant
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.models.geometric.walk import X, Z

#: An angle, or a length in parts of the arm's, below this is taken as zero.
NEGLIGIBLE = 1e-9


@dataclass(frozen=True, slots=True)
class Screw:
    """A rotation about and a translation along the x or the z axis; `joint` is the joint that moves along it, or 0."""

    axis: int
    turn: Expr
    shift: Expr
    joint: int = 0


def merged(screws: Iterable[Screw]) -> Iterator[Screw]:
    """Neighbours about the same axis are one screw, unless both are joints."""
    last: Screw | None = None
    for screw in screws:
        if last and last.axis == screw.axis and not (last.joint and screw.joint):
            turn, shift = last.turn + screw.turn, last.shift + screw.shift
            last = replace(last, turn=turn, shift=shift, joint=last.joint or screw.joint)
        elif screw.joint or not (screw.turn.is_zero and screw.shift.is_zero):
            if last:
                yield last
            last = screw
    if last:
        yield last


def rounded(screws: Sequence[Screw]) -> Iterator[Screw]:
    """Right angles and zeros in place of numbers that are nearly so."""
    lengths = (screw.shift.constant for screw in screws)
    length = sum(abs(float(x)) for x in lengths if x is not None) or 1.0
    for screw in screws:
        yield replace(screw, turn=_right_angle(screw.turn), shift=_nonzero(screw.shift, length))


def _right_angle(x: Expr) -> Expr:
    if x.constant is None:
        return x
    quarters = round(float(x.constant) * 2 / pi)
    near = abs(float(x.constant) - quarters * pi / 2) <= NEGLIGIBLE
    return x.graph.constant(Constant(Fraction(quarters, 2), pi=quarters != 0)) if near else x


def _nonzero(x: Expr, length: float) -> Expr:
    return x.graph.zero if x.constant is not None and abs(float(x.constant)) <= NEGLIGIBLE * length else x


def straightened(graph: Graph, screws: Iterable[Screw]) -> Iterator[Screw]:
    """Several screws between two joints as three: along the first axis, the common normal, along the second axis.

    Symbols stay as they are: the common normal of a link with a fixed joint has no short formula.
    """
    between: list[Screw] = []
    inside = False
    for screw in screws:
        if not screw.joint:
            between.append(screw)
            continue
        yield from _shortest(graph, between) if inside else between
        yield screw
        between, inside = [], True
    yield from between


def _shortest(graph: Graph, screws: Sequence[Screw]) -> Iterator[Screw]:
    numbers = [(s.axis, s.turn.constant, s.shift.constant) for s in screws]
    if sum(axis == X for axis, _, _ in numbers) < 2:
        yield from screws
        return
    pose = np.eye(4)
    for axis, turn, shift in numbers:
        if turn is None or shift is None:
            yield from screws
            return
        pose = pose @ matrix(axis, float(turn), float(shift))
    for axis, angle, length in common_normal(pose):
        yield Screw(axis, graph.constant(angle), graph.constant(length))


def matrix(axis: int, turn: float, shift: float) -> NDArray[np.float64]:
    """The displacement of a screw."""
    c, s, pose = np.cos(turn), np.sin(turn), np.eye(4)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    pose[j, j] = pose[k, k] = c
    pose[j, k], pose[k, j], pose[axis, 3] = -s, s, shift
    return pose


def common_normal(pose: NDArray[np.float64]) -> Iterator[tuple[int, float, float]]:
    """Rz(a) Tz(b), Rx(α) Tx(d), Rz(c) Tz(e) whose product is the pose; parallel axes have b = 0."""
    axis, point = pose[:3, 2], pose[:3, 3]
    parallel = np.hypot(axis[0], axis[1]) <= NEGLIGIBLE
    a = atan2(point[1], point[0]) if parallel else atan2(axis[0], -axis[1])
    across = np.array([np.cos(a), np.sin(a), 0.0])
    if parallel and np.hypot(point[0], point[1]) <= NEGLIGIBLE:
        a, across = 0.0, np.array([1.0, 0.0, 0.0])
    alpha = atan2(axis @ np.cross([0.0, 0.0, 1.0], across) * -1.0, axis[2])
    d = float(across @ point)
    e = 0.0 if parallel else float((point - d * across) @ np.array([axis[0], axis[1], 0]) / (axis[:2] @ axis[:2]))
    b = float(point[2] - e * axis[2])
    first = matrix(Z, a, b) @ matrix(X, alpha, d)
    last = np.linalg.inv(first) @ pose
    yield Z, a, b
    yield X, alpha, d
    yield Z, atan2(last[1, 0], last[0, 0]), float(last[2, 3])
