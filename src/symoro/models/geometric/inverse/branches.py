"""The program of all branches of a closed form: the steps, certified poses, and branches that rounding has lost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from math import lcm, pi
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.findings import sentence
from symoro.ir.expr import Expr, Op
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Turn, Vector, identity, total
from symoro.ir.meaning import Meaning
from symoro.models.geometric.frames import Pose
from symoro.models.geometric.inverse.chain import Axis, ScrewChain, pose
from symoro.models.geometric.inverse.steps import SolutionStep, StepContext
from symoro.models.geometric.inverse.tasks import with_roots
from symoro.models.geometric.inverse.types import at_most, both, opposite, unit
from symoro.models.geometric.walk import Z
from symoro.robot.robot import Robot
from symoro.robot.values import Value, evaluate, symbols

# What makes a branch exact: nearest rotations, Newton steps, branches that rounding lost, whole turns.


# The nearest rotation to the orientation of a pose.


Array = NDArray[Any]


def with_nearest_rotation(T: Array) -> Array:
    """The poses with the nearest rotations, U Vᵀ of R = U Σ Vᵀ; NaN for a mirror and for what is not finite."""
    finite: Array = np.asarray(np.isfinite(T).all((-2, -1)))
    U, _, Vt = np.linalg.svd(np.where(finite[..., None, None], T, np.eye(4))[..., :3, :3])
    flip = np.linalg.det(U @ Vt)
    U = U * np.stack([np.ones_like(flip), np.ones_like(flip), np.sign(flip)], -1)[..., None, :]
    finite &= ~(np.linalg.det(np.where(finite[..., None, None], T, np.eye(4))[..., :3, :3]) < 0)  # a mirror has none
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
#: The largest number of variables whose turns are combined.
_TOGETHER = 4


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


def turns_together(robot: Robot, joints: Sequence[int], numbers: Mapping[str, float], period: Array) -> Array:
    """How far joints with coordinates of several variables move together until every link is where it was, (n, joints).

    The first row is zero; turns of single joints, which are the periods, are left out.
    """
    variables = [str(robot.joint(j).variable) for j in joints]
    moving = [joint for joint in robot.joints if joint.movable]
    slopes = np.array([[_slope(joint.position, name, robot, numbers) for name in variables] for joint in moving])
    several = (slopes != 0).sum(axis=1) > 1
    mixed = np.flatnonzero((slopes[several] != 0).any(axis=0))
    rows = (slopes[:, mixed] != 0).any(axis=1)
    S, slides = slopes[np.ix_(rows, mixed)], np.array([joint.prismatic for joint in moving])[rows]
    still = np.zeros((1, len(joints)))
    if not len(mixed) or len(mixed) > _TOGETHER or np.linalg.matrix_rank(S) < len(mixed):
        return still
    chosen: list[int] = []
    for k in range(len(S)):
        if np.linalg.matrix_rank(S[[*chosen, k]]) > len(chosen):
            chosen.append(k)
    whole = np.stack(np.meshgrid(*[np.arange(-2, 3)] * len(mixed), indexing="ij"), -1).reshape(-1, len(mixed))
    by = 2 * pi * np.linalg.solve(S[chosen], (whole * ~slides[chosen]).T).T
    moved = by @ S.T
    turned = np.where(slides, moved, moved - 2 * pi * np.round(moved / (2 * pi)))
    unit = period[mixed]
    by = by[np.abs(turned).max(axis=1) < _EXACT * 100]
    by = by - np.where(unit > 0, np.floor(by / np.where(unit > 0, unit, 1.0) + _EXACT), 0.0) * unit
    every = np.zeros((len(by) + 1, len(joints)))
    every[1:, mixed] = by
    first = np.unique(np.round(every, 9) + 0.0, axis=0, return_index=True)[1]
    return np.asarray(every[np.sort(first)])


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


# From the steps of a derivation to a program: all combinations of roots, each checked by the forward geometry.
#
# A branch is a choice of one root in each step. Branches share what comes before their first different root, because
# equal expressions are one node. Nothing inside is undefined: a root that does not exist has a finite value and `ok` 0.


Pair = tuple[Expr, Expr]
Improve = Callable[[Values], Values]
#: The largest error of the position and of two columns of the rotation, in parts of max(1, max|p|). The third column is
#: their product, whose error is √6 times larger at most: no element is wrong by more than 1e-9.
CERTIFIED = 4e-10
#: How far a pose may be from a rotation.
RIGID = 1e-6


@dataclass(frozen=True, slots=True)
class BranchValues:
    """The values of the joints found so far, whether they exist, which were free, and how often digits were lost."""

    values: Values
    ok: Expr
    free: Mapping[int, Expr] = field(default_factory=dict)
    weak: Expr | None = None


@dataclass(frozen=True, slots=True)
class BranchPositions:
    """Positions of all joints of an answer, 1 where they exist, their error, and 1 for each joint that is free."""

    q: Mapping[int, Expr]
    ok: Expr
    error: Expr
    free: Mapping[int, Expr]


def branches(place: StepContext, steps: Iterable[SolutionStep], start: Values) -> list[BranchValues]:
    """Every combination of the roots of the steps."""
    every = [BranchValues(start, place.length.graph.one)]
    for step in steps:
        every = [after for before in every for after in _next(before, place, step)]
    return every


def _next(before: BranchValues, place: StepContext, step: SolutionStep) -> Iterator[BranchValues]:
    values = with_roots(place, step, before.values, before.free)
    for roots in step.roots(place, values):
        ok, free, weak = before.ok, dict(before.free), before.weak
        for joint, root in roots.items():
            ok = both(ok, root.ok)
            free |= {joint: both(ok, root.free)} if not root.free.is_zero else {}
            if root.weak is not None and not root.weak.is_zero:
                weak = root.weak if weak is None else weak + root.weak
        yield BranchValues({**values, **{j: root.value for j, root in roots.items()}}, ok, free, weak)


@dataclass(frozen=True, slots=True)
class Polish:
    """What improves the values of a branch: used for every branch, or for one that is lost to rounding."""

    better: Improve
    every: bool


def results(
    chain: ScrewChain,
    branches: Sequence[BranchValues],
    wanted: Matrix,
    rows: Matrix,
    order: Sequence[int],
    polish: Polish | None,
    doubts: bool,
) -> list[Result]:
    """q, valid, free and error of the branches; `rows` are the directions of the frame that are certified.

    With `doubts`, the state says that a joint is free also where a branch has lost digits twice.
    """
    miss = partial(pose_error, chain, wanted=wanted, rows=rows)
    certified = [CertifiedBranch(branch.values, branch.ok, miss(branch.values)) for branch in branches]
    if polish is not None and polish.every:
        certified = [_smaller(branch, polish.better(branch.values), miss) for branch in certified]
    free = [branch.free for branch in branches]
    listed = [
        BranchPositions(positions(chain, b.values), b.ok, b.error, f) for b, f in zip(certified, free, strict=True)
    ]
    if polish is not None and not polish.every:
        listed = _with_mended(chain, listed, mended(certified, limit_of(wanted), polish.better, miss))
    weak = [branch.weak for branch in branches if branch.weak is not None] if doubts else []
    twice = [at_most(2 * wanted.graph.one, x) for x in dict.fromkeys(weak)]
    return answers(chain.symbols, listed, wanted, order, twice)


def _with_mended(chain: ScrewChain, answers: Sequence[BranchPositions], new: RestoredBranch) -> list[BranchPositions]:
    """The answers, and the mended branch in the place of one of them."""
    select, q = new.error.graph.select, positions(chain, new.values)
    whole = []
    for here, old in zip(new.here, answers, strict=True):
        moved = {j: select(here, q[j], x) for j, x in old.q.items()}
        whole.append(BranchPositions(moved, old.ok, select(here, new.error, old.error), old.free))
    return whole


def limit_of(wanted: Matrix) -> Expr:
    """The largest error of a branch that is returned."""
    return CERTIFIED * largest([wanted.graph.one, *(abs(wanted[i, 3]) for i in range(3))])


def answers(
    s: Symbols, branches: Sequence[BranchPositions], wanted: Matrix, order: Sequence[int], doubts: Sequence[Expr] = ()
) -> list[Result]:
    """q, valid, free, error and state of the branches for a wanted pose."""
    graph = wanted.graph
    limit = limit_of(wanted)
    q, valid, error = [], [], []
    for number, branch in enumerate(branches, 1):
        q += [graph.name(branch.q[j], f"Q{j}_{number}") for j in order]
        error.append(graph.name(branch.error, f"ERR{number}"))
        valid.append(graph.name(both(branch.ok, at_most(error[-1], limit)), f"OK{number}"))
    free = tuple(branch.free.get(j, graph.zero) for branch in branches for j in order)
    n, count = len(order), len(branches)
    numbers = range(1, count + 1)
    of_q = [Meaning(sentence("symbols.branch_q"), "rad" if s.revolute[j] else "m") for j in order]
    is_valid, is_free, of_error = (Meaning(sentence(f"symbols.branch_{what}")) for what in ("valid", "free", "error"))
    return [
        Result("q", (count, n), tuple(q), tuple(f"Q{j}_{k}" for k in numbers for j in order), (*of_q,) * count),
        Result("valid", (count,), tuple(valid), tuple(f"OK{k}" for k in numbers), (is_valid,) * count),
        Result("free", (count, n), free, tuple(f"FREE{j}_{k}" for k in numbers for j in order), (is_free,) * len(q)),
        Result("error", (count,), tuple(error), tuple(f"ERR{k}" for k in numbers), (of_error,) * count),
        state_of(wanted, valid, (*free, *doubts), error),
    ]


def state_of(wanted: Matrix, valid: Sequence[Expr], free: Sequence[Expr], error: Sequence[Expr]) -> Result:
    """What a caller asks first: is T a pose, how many branches exist, is a joint free, and the smallest error."""
    graph = wanted.graph
    count, least = total(graph, valid), error[0]
    for x in error[1:]:
        least = least if least is x else graph.apply(Op.MIN, least, x)
    some = largest([graph.zero, *(x for x in free if not x.is_zero)])
    names = ("RIGID", "COUNT", "FREE", "LEAST")
    meanings = tuple(Meaning(sentence(f"symbols.state_{name.lower()}")) for name in names)
    return Result("state", (4,), (rigid(wanted), count, some, least), names, meanings)


def _smaller(old: CertifiedBranch, new: Values, miss: Callable[[Values], Expr]) -> CertifiedBranch:
    """The values with the smaller error; at a singular configuration the new ones can be worse, or undefined."""
    error = miss(new)
    smaller = error.graph.less(error, old.error)
    return CertifiedBranch(chosen(smaller, new, old.values), old.ok, error.graph.select(smaller, error, old.error))


def rigid(T: Matrix) -> Expr:
    """1 where T is a rotation and a translation, to 1e-6; 0 where it has a number that is not finite."""
    x, y, z, p = (T.column(k)[:3] for k in range(4))
    terms = [x.dot(x) - 1, y.dot(y) - 1, z.dot(z) - 1, x.dot(y), y.dot(z), z.dot(x), *T[3][:3], T[3, 3] - 1]
    square = total(T.graph, (term * term for term in terms))
    orthogonal = at_most(square, RIGID * RIGID * T.graph.one)
    right_handed = at_most(T.graph.zero, x.cross(y).dot(z))
    finite = at_most(p.dot(p), T.graph.lift(10**100))
    return both(both(orthogonal, right_handed), finite)


def largest(terms: Iterable[Expr]) -> Expr:
    """The largest of some expressions."""
    first, *others = terms
    for x in others:
        first = first if first is x else first.graph.apply(Op.MAX, first, x)
    return first


# from the unknowns of the chain to the variables of the robot


#: Coordinates with slopes of a larger condition number move alike.
_DEPENDENT = 1e9


def positions(chain: ScrewChain, values: Values) -> dict[int, Expr]:
    """q of each joint: angles in (−π, π] where the slope of the joint is 1 or −1."""
    q: dict[int, Expr] = {}
    waiting = list(chain.axes)
    while waiting:
        axis = next((a for a in waiting if all(k in q for k in a.slopes if k != a.joint)), None)
        if axis is None:
            return q | dict(_together(chain, waiting, values, q))
        waiting.remove(axis)
        q[axis.joint] = _position(axis, values, q)
    return q


def _together(
    chain: ScrewChain, axes: Sequence[Axis], values: Values, q: Mapping[int, Expr]
) -> Iterator[tuple[int, Expr]]:
    """q of joints each of which moves with the variables of others: x = S q + offset, with their slopes S."""
    joints = [axis.joint for axis in axes]
    slopes = np.zeros((len(axes), len(axes)))
    moved = []
    for row, axis in zip(slopes, axes, strict=True):
        rest = axis.offset
        for k, slope in axis.slopes.items():
            if k in q:
                rest = rest + slope * q[k]
            elif k in joints:
                assert slope.constant is not None  # see `chain`
                row[joints.index(k)] = float(slope.constant)
            else:
                raise NotApplicable("geometry.follows", robot=chain.symbols.robot.name, joint=axis.joint)
        x = values[axis.joint]
        pair = None if axis.prismatic else _turned_back(x, rest)
        moved.append(x[0] - rest if pair is None else rest.graph.atan2(pair[1], pair[0]))
    if np.linalg.cond(slopes) > _DEPENDENT:
        raise NotApplicable("geometry.follows", robot=chain.symbols.robot.name, joint=joints[-1])
    graph = chain.symbols.graph
    for j, row in zip(joints, np.linalg.inv(slopes), strict=True):
        yield j, total(graph, [float(a) * x for a, x in zip(row, moved, strict=True) if a])


def _position(axis: Axis, values: Values, q: Mapping[int, Expr]) -> Expr:
    slope_of_joint, others = axis.slopes[axis.joint], {k: x for k, x in axis.slopes.items() if k != axis.joint}
    if axis.prismatic:
        rest = values[axis.joint][0] - axis.offset
        for k, slope in others.items():
            rest = rest - slope * q[k]
        return rest / slope_of_joint
    g = slope_of_joint.graph
    pair = _turned_back(values[axis.joint], axis.offset)
    for k, slope in others.items():
        pair = _turned_back(pair, slope * q[k])
    if abs(slope_of_joint) is g.one:
        return g.atan2(pair[1] * slope_of_joint, pair[0])
    return g.atan2(pair[1], pair[0]) / slope_of_joint


def _turned_back(pair: tuple[Expr, ...], angle: Expr) -> Pair:
    """Cosine and sine of an angle less another one."""
    c, s = pair
    cosine, sine = angle.graph.cos(angle), angle.graph.sin(angle)
    return c * cosine + s * sine, s * cosine - c * sine


# the certificate


def pose_error(chain: ScrewChain, values: Values, wanted: Matrix, rows: Matrix) -> Expr:
    """max|T(q) − T| over the position and the directions that the task asks for."""
    columns, position = _end(chain, values, rows)
    differences = [a - b for a, b in zip(position, wanted.column(3), strict=False)]
    for row, column in zip(rows, columns, strict=True):
        target = [wanted[i, 0] * row[0] + wanted[i, 1] * row[1] + wanted[i, 2] * row[2] for i in range(3)]
        differences += [a - b for a, b in zip(column, target, strict=True)]
    return largest([abs(x) for x in differences])


def end_pose(chain: ScrewChain, values: Values) -> Result:
    """T of these values, by the screws of the robot as they are."""
    graph = chain.symbols.graph
    columns, position = _end(chain, values, identity(graph, 3))
    rows = [*zip(*columns, position, strict=True), (graph.zero, graph.zero, graph.zero, graph.one)]
    names = tuple(f"T{i}{k}" for i in range(1, 5) for k in range(1, 5))
    return Result("T", (4, 4), tuple(x for row in rows for x in row), names)


def _end(chain: ScrewChain, values: Values, rows: Matrix) -> tuple[list[Vector], Vector]:
    """Directions of the end frame and its origin, in the world."""
    A, P = chain.end
    columns = [A @ row for row in rows]
    for screw in reversed(chain.exact):
        turn, shift = _motion(chain, screw.joint, values) if screw.joint else (None, None)
        turn = turn or (A.graph.cos(screw.turn), A.graph.sin(screw.turn))
        along = screw.shift if shift is None else shift
        move = Turn(screw.axis, *turn)
        P = move @ (P + Vector(P.graph, (along if k == screw.axis else 0 for k in range(3))))
        columns = [move @ column for column in columns]
    A, start = chain.start
    return [A @ column for column in columns], A @ P + start


def _motion(chain: ScrewChain, joint: int, values: Values) -> tuple[Pair | None, Expr | None]:
    """Cosine and sine of θ, or r, of a joint of the robot as it is."""
    axis = chain.axis(joint)
    screw = next(screw for screw in chain.exact if screw.joint == joint)
    if axis.prismatic:
        return None, values[joint][0] - axis.offset + screw.shift
    if axis.offset is screw.turn:
        return (values[joint][0], values[joint][1]), None
    return _turned_back(values[joint], axis.offset - screw.turn), None
