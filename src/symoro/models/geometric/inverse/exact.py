"""What makes a branch exact: nearest rotations, Newton steps, branches that rounding lost, whole turns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.ir.expr import Expr, Op
from symoro.ir.linalg import Matrix, Turn, Vector, total
from symoro.models.geometric.frames import Pose
from symoro.models.geometric.inverse.chain import ScrewChain, pose
from symoro.models.geometric.inverse.types import at_most, both, opposite, unit
from symoro.models.geometric.walk import Z
from symoro.robot.robot import Robot
from symoro.robot.values import Value, evaluate, symbols

# The nearest rotation to the orientation of a pose.


Array = NDArray[Any]


def with_nearest_rotation(T: Array) -> Array:
    """The poses with the nearest rotations, U Vᵀ of R = U Σ Vᵀ; the orientation of a pose that is not finite is NaN."""
    finite: Array = np.asarray(np.isfinite(T).all((-2, -1)))
    U, _, Vt = np.linalg.svd(np.where(finite[..., None, None], T, np.eye(4))[..., :3, :3])
    flip = np.linalg.det(U @ Vt)
    U = U * np.stack([np.ones_like(flip), np.ones_like(flip), np.sign(flip)], -1)[..., None, :]
    projected = T.copy()
    projected[..., :3, :3] = np.where(finite[..., None, None], U @ Vt, np.nan)
    return projected


# A step of Newton's method on the pose itself: it restores the digits that the elimination of an unknown can lose.
#
# Where two roots are one to rounding, the branch is taken in the middle, at a singular configuration. There J dq = e
# has no solution, or a far one, because of rounding in the singular direction; in all other directions the step is
# right. Damped least squares leave the singular direction alone (Y. Nakamura and H. Hanafusa, J. Dynamic Systems,
# Measurement, and Control 108, 1986).


Values = Mapping[int, tuple[Expr, ...]]
#: λ², in parts of the trace of JᵀJ: rounding of JᵀJ is smaller, and what J can mend is larger.
_DAMPING = 1e-14


def polished(chain: ScrewChain, goal: Pose, values: Values) -> Values:
    """The values after one step; it is exact up to the square of the error, where the Jacobian is regular.

    With the axes a_j at the points p_j, the pose (R, p) and the wanted one (R*, p*): the step solves
    Σ (a_j × (p − p_j)) dq_j = p* − p and Σ a_j dq_j = ½ Σ r_k × r*_k over the columns r_k of R and r*_k of R*. They
    are J dq = e, of which (JᵀJ + λ²) dq = Jᵀe is solved.
    """
    axes, (R, p) = _axes(chain, values)
    wanted, at = goal
    turn = _half_sum([R.column(k).cross(wanted.column(k)) for k in range(3)])
    columns = []
    for axis, (a, origin) in zip(chain.axes, axes, strict=True):
        columns.append((*a, 0, 0, 0) if axis.prismatic else (*a.cross(p - origin), *a))
    steps = _damped(Matrix(p.graph, columns), Vector(p.graph, (*(at - p), *turn)))
    return {axis.joint: _moved(values[axis.joint], dq) for axis, dq in zip(chain.axes, steps, strict=True)}


def _damped(columns: Matrix, e: Vector) -> list[Expr]:
    """dq of (JᵀJ + λ²) dq = Jᵀe, where λ² is a small part of the trace of JᵀJ."""
    graph, n = e.graph, len(columns.rows)
    square = [[columns.rows[min(i, k)].dot(columns.rows[max(i, k)]) for k in range(n)] for i in range(n)]
    small = _DAMPING * total(graph, [square[k][k] for k in range(n)])
    for k in range(n):
        square[k][k] = square[k][k] + small
    return list(graph.solve(square, [column.dot(e) for column in columns.rows]))


def _half_sum(vectors: list[Vector]) -> Vector:
    graph = vectors[0].graph
    return Vector(graph, (total(graph, parts) / 2 for parts in zip(*vectors, strict=True)))


def _moved(value: tuple[Expr, ...], dq: Expr) -> tuple[Expr, ...]:
    if len(value) == 1:
        return (value[0] + dq,)
    c, s = value
    cosine, sine, _ = unit(c - dq * s, s + dq * c)
    return cosine, sine


def _axes(chain: ScrewChain, values: Values) -> tuple[list[tuple[Vector, Vector]], Pose]:
    """The axis of each joint, a direction and a point, and the pose of the end, all in the frame of U."""
    s = chain.symbols
    A, P = pose(s, ())
    axes = []
    for n, axis in enumerate(chain.axes):
        axes.append((A.column(2), P))
        turn, shift = (axis.constant, values[axis.joint][0]) if axis.prismatic else (None, axis.constant)
        c, sn = (s.graph.cos(turn), s.graph.sin(turn)) if turn is not None else values[axis.joint]
        P = P + A.column(2) * shift
        A = A @ Matrix(s.graph, (Turn(Z, c, sn) @ column for column in pose(s, ())[0].T)).T
        for screw in chain.links[n] if n < len(chain.links) else ():
            link, along = pose(s, (screw,))
            A, P = A @ link, A @ along + P
    return axes, (A, P)


# One branch that rounding lost, mended in the program itself by a step of damped least squares on the pose.
#
# Near a straight wrist, the angles on both sides of it have few digits, and only their sum or difference has all. Where
# a step after the wrist takes a square root, as that of the elbow of a UR5, the arm may not follow their errors: it is
# stretched, and misses the pose by a little more than the certificate allows. The step moves the angles of the wrist
# instead. Of the branches that are lost, the one with the smallest error is mended: it is rare that there are two, and
# a step for each of them would double the operations of the program.


#: Branches with larger errors were not lost to rounding.
ROUNDED = 1e-6
#: Branches that differ less are one.
_ALIKE = 1e-4


@dataclass(frozen=True, slots=True)
class CertifiedBranch:
    """The joints of a branch, whether its roots exist, and the error of its pose."""

    values: Values
    ok: Expr
    error: Expr


@dataclass(frozen=True, slots=True)
class RestoredBranch:
    """A branch that takes the place of a lost one: `here` is 1 for the branch whose place it is."""

    values: Values
    error: Expr
    here: tuple[Expr, ...]


def mended(
    branches: Sequence[CertifiedBranch], limit: Expr, better: Callable[[Values], Values], miss: Callable[[Values], Expr]
) -> RestoredBranch:
    """The best of the branches whose error is above the limit, after a step; `miss` is the error of values.

    It has no place where its error is still above the limit, or where it is like one of the other branches.
    """
    graph = limit.graph
    place, values = _best_lost(branches, limit)
    values = better(values)
    error = miss(values)
    new = at_most(error, limit)
    for branch in branches:
        exists = both(branch.ok, at_most(branch.error, limit))
        new = both(new, opposite(both(exists, _alike(branch.values, values))))
    numbers = map(graph.lift, range(1, len(branches) + 1))
    return RestoredBranch(values, error, tuple(both(new, graph.apply(Op.EQUAL, place, k)) for k in numbers))


def _best_lost(branches: Sequence[CertifiedBranch], limit: Expr) -> tuple[Expr, Values]:
    """The number of the best branch whose error is above the limit, 0 where there is none, and its values."""
    graph = limit.graph
    place, least, values = graph.zero, ROUNDED * graph.one, branches[0].values
    for number, branch in enumerate(branches, 1):
        lost = both(branch.ok, graph.less(limit, branch.error))
        nearer = both(lost, graph.less(branch.error, least))
        place = graph.select(nearer, graph.lift(number), place)
        least = graph.select(nearer, branch.error, least)
        values = chosen(nearer, branch.values, values)
    return place, values


def chosen(condition: Expr, first: Values, second: Values) -> Values:
    """The first values where the condition is 1, else the second ones."""
    select = condition.graph.select
    return {j: tuple(select(condition, a, b) for a, b in zip(first[j], x, strict=True)) for j, x in second.items()}


def _alike(a: Values, b: Values) -> Expr:
    """1 where two branches are one: by Σ 1 − cos Δθ over the angles, and Σ Δr² / 2 over the slides."""
    terms = [_apart(x, b[j]) for j, x in a.items()]
    graph = terms[0].graph
    return at_most(total(graph, terms), _ALIKE**2 / 2 * graph.one)


def _apart(x: tuple[Expr, ...], y: tuple[Expr, ...]) -> Expr:
    if len(x) == 1:
        return (x[0] - y[0]) * (x[0] - y[0]) / 2
    return 1 - (x[0] * y[0] + x[1] * y[1])


# Whole turns: the positions of joints that are one configuration, and which of them is returned.


#: A position that is outside of a limit by less than this is at the limit.
_AT_LIMIT = 1e-12
#: Ratios of slopes are fractions with small denominators; with any other ratio no number of turns is a whole one.
_DENOMINATOR, _EXACT = 1000, 1e-12


def periods(robot: Robot, joints: Sequence[int], numbers: Mapping[str, float]) -> Array:
    """How far each joint moves until every link is where it was; 0 where it never is.

    θ_k = Σ slope_kj q_j + constant, and the same for r_k of a prismatic joint. q_j may change by a common period of its
    angles θ_k, if slope_kj is 0 for every r_k.
    """
    return np.array([_period(robot, str(robot.joint(j).variable), numbers) for j in joints])


def _period(robot: Robot, variable: str, numbers: Mapping[str, float]) -> float:
    slopes = [(joint, _slope(joint.position, variable, robot, numbers)) for joint in robot.joints if joint.movable]
    if any(slope and joint.prismatic for joint, slope in slopes):
        return 0.0
    return common_period([slope for _, slope in slopes if slope])


def common_period(slopes: Sequence[float]) -> float:
    """The smallest change of a variable that turns all angles with these slopes by whole turns; 0 where there is none.

    With the first slope s and a change of 2π t, s t is the smallest whole number that the denominators of all slope / s
    divide.
    """
    ratios = [Fraction(slope / slopes[0]).limit_denominator(_DENOMINATOR) for slope in slopes]
    whole = all(abs(r * slopes[0] - slope) < _EXACT for r, slope in zip(ratios, slopes, strict=True))
    return 2 * pi * lcm(*(r.denominator for r in ratios)) / abs(slopes[0]) if slopes and whole else 0.0


def _slope(position: Value, variable: str, robot: Robot, numbers: Mapping[str, float]) -> float:
    """The slope of a coordinate, which is linear in the variables."""
    if variable not in symbols(position):
        return 0.0
    rest = {str(joint.variable): 0.0 for joint in robot.joints if joint.variable}
    return evaluate(position, {**numbers, **rest, variable: 1.0}) - evaluate(position, {**numbers, **rest})


def in_turn_of(q: Array, period: Array, near: Array) -> Array:
    """The positions (..., joints) in the turn that is nearest to another configuration."""
    turns = np.round((near - q) / np.where(period > 0, period, np.inf))
    moved: Array = q + turns * period
    return moved


def in_limits(q: Array, period: Array, lower: Array, upper: Array, slack: float = _AT_LIMIT) -> tuple[Array, Array]:
    """The positions in the turn of the limits that is nearest to theirs, and which joints are inside (..., joints).

    A joint may be outside of a limit by the slack.
    """
    unit = np.where(period > 0, period, np.inf)
    with np.errstate(invalid="ignore"):
        least, most = np.ceil((lower - q) / unit - slack), np.floor((upper - q) / unit + slack)
        q = q + np.where(period > 0, np.clip(0.0, least, most), 0.0) * period
        inside = np.asarray((q >= lower - slack) & (q <= upper + slack))
    return q, inside
