"""The pose of a platform for given joints of its legs: the forward geometry of one leg, or of as many as it needs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from symoro.bind.binding import bind
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, Tally
from symoro.ir.linalg import Matrix, Vector
from symoro.models.geometric.frames import Pose, compose
from symoro.models.geometric.transform import along
from symoro.models.parallel.leg import LegEnd
from symoro.models.parallel.platform import PoseSymbols
from symoro.models.sampling import numbers_of
from symoro.robot.robot import ClosureKind
from symoro.robot.values import as_value, evaluate, symbols

#: At these attachments the end of a leg turns with the platform.
_TURNING = (ClosureKind.FIXED, ClosureKind.PRISMATIC)
#: Two directions determine an orientation where the sine of their angle is above this.
_APART = 1e-3
#: Pairs of directions are good whose sine is above this part of the largest one; the cheapest of them is taken.
_GOOD = 0.5


class FixedVector(NamedTuple):
    """A vector that is fixed on the platform: in frame 0, in the platform's frame, and there as numbers."""

    seen: Vector
    fixed: Vector
    numbers: NDArray[np.float64]


def platform_pose(legs: Sequence[LegEnd], still: Iterable[int]) -> Pose:
    """The pose of the platform in frame 0, where all legs close; `still` are components of V that are always 0."""
    ends = [compose(along(leg.s, list(leg.path)), leg.B) for leg in legs]
    of = legs[0].of
    R = home_orientation(of) if _turns_not(still) else _orientation(of, legs, ends)
    points = [end[1] - R @ leg.A[1] for leg, end in zip(legs, ends, strict=True) if not _slides(leg)]
    if not points:
        raise NotApplicable("platforms.no_position", robot=of.robot.name)
    return R, min(points, key=lambda p: _cost(of, list(p)))


def is_rigid_by_itself(legs: Sequence[LegEnd], still: Iterable[int]) -> bool:
    """Whether the orientation of the platform is a rotation for open legs, too."""
    return _turns_not(still) or any(leg.attachment.kind in _TURNING for leg in legs)


def _turns_not(still: Iterable[int]) -> bool:
    return {3, 4, 5} <= set(still)


def _slides(leg: LegEnd) -> bool:
    return leg.attachment.kind is ClosureKind.PRISMATIC


def _cost(of: PoseSymbols, elements: Sequence[Expr]) -> tuple[int, ...]:
    return Tally(of.parameter_names)([Result("X", (len(elements),), tuple(elements), ())])


def home_orientation(of: PoseSymbols) -> Matrix:
    """The orientation of a platform that does not turn."""
    known = of.robot.values.numbers()
    rows = [[as_value(evaluate(x, known)) if symbols(x) else x for x in row[:3]] for row in of.robot.home_pose[:3]]
    return Matrix(of.graph, ((bind(of.graph, x, {}) for x in row) for row in rows))


def _orientation(of: PoseSymbols, legs: Sequence[LegEnd], ends: Sequence[Pose]) -> Matrix:
    """R of a leg whose end turns with the platform, or of two directions that legs know."""
    pairs = zip(legs, ends, strict=True)
    orientations = [end[0] @ leg.A[0].T for leg, end in pairs if leg.attachment.kind in _TURNING]
    return min(orientations or _by_directions(of, legs, ends), key=lambda R: _cost(of, [x for row in R for x in row]))


def _by_directions(of: PoseSymbols, legs: Sequence[LegEnd], ends: Sequence[Pose]) -> list[Matrix]:
    """R of each good pair of vectors: axes of revolute attachments, and lines between attachments."""
    pairs = [(a, b, _sine(a.numbers, b.numbers)) for a, b in combinations(_vectors(of, legs, ends), 2)]
    best = max((sine for *_, sine in pairs), default=0.0)
    if best < _APART:
        raise NotApplicable("platforms.no_orientation", robot=of.robot.name)
    return [_of_two(a, b) for a, b, sine in pairs if sine > _GOOD * best]


def _vectors(of: PoseSymbols, legs: Sequence[LegEnd], ends: Sequence[Pose]) -> Iterator[FixedVector]:
    known = numbers_of(of)
    poses = [np.array([[evaluate(x, known) for x in row] for row in leg.attachment.pose]) for leg in legs]
    every = list(zip(legs, ends, poses, strict=True))
    for leg, (R, _), pose in every:
        if leg.attachment.kind is ClosureKind.REVOLUTE:
            yield FixedVector(R.column(2), leg.A[0].column(2), pose[:3, 2])
    for (a, (_, p), first), (b, (_, q), second) in combinations(every, 2):
        yield FixedVector(q - p, b.A[1] - a.A[1], (second - first)[:3, 3])


def _sine(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """That of the angle between two vectors; 0 where one of them is 0."""
    length = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.linalg.norm(np.cross(a, b))) / length if length > 1e-12 else 0.0


def _of_two(a: FixedVector, b: FixedVector) -> Matrix:
    """R = (u (g × w)ᵀ + v (w × f)ᵀ + (u × v) wᵀ) / w², with w = f × g: it turns f to u and g to v."""
    (u, f, _), (v, g, _) = a, b
    w = f.cross(g)
    dual = [x * (1 / w.dot(w)) for x in (g.cross(w), w.cross(f), w)]
    columns = Matrix(u.graph, (u, v, u.cross(v))).T
    return columns @ Matrix(u.graph, dual)
