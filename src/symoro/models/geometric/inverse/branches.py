"""From the steps of a derivation to a program: all combinations of roots, each checked by the forward geometry.

A branch is a choice of one root in each step. Branches share what comes before their first different root, because
equal expressions are one node. Nothing inside is undefined: a root that does not exist has a finite value and `ok` 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from symoro.ir.expr import Expr, Op
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Turn, Vector, identity, total
from symoro.models.geometric.inverse.chain import Axis, ScrewChain
from symoro.models.geometric.inverse.exact import CertifiedBranch, RestoredBranch, chosen, mended
from symoro.models.geometric.inverse.steps import SolutionStep, StepContext
from symoro.models.geometric.inverse.tasks import with_room
from symoro.models.geometric.inverse.types import at_most, both

Pair = tuple[Expr, Expr]
Values = Mapping[int, tuple[Expr, ...]]
Improve = Callable[[Values], Values]
#: The largest error of a branch that is returned, in parts of max(1, max|p|).
CERTIFIED = 1e-9
#: How far a pose may be from a rotation.
RIGID = 1e-6


@dataclass(frozen=True, slots=True)
class BranchValues:
    """The values of the joints found so far, whether they exist, and which of them were free."""

    values: Values
    ok: Expr
    free: Mapping[int, Expr] = field(default_factory=dict)


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
    values = with_room(place, step, before.values, before.free)
    for roots in step.roots(place, values):
        ok, free = before.ok, dict(before.free)
        for joint, root in roots.items():
            ok = both(ok, root.ok)
            free |= {joint: both(ok, root.free)} if not root.free.is_zero else {}
        yield BranchValues({**values, **{j: root.value for j, root in roots.items()}}, ok, free)


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
) -> list[Result]:
    """q, valid, free and error of the branches; `rows` are the directions of the frame that are certified."""
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
    return answers(listed, wanted, order)


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


def answers(branches: Sequence[BranchPositions], wanted: Matrix, order: Sequence[int]) -> list[Result]:
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
    return [
        Result("q", (count, n), tuple(q), tuple(f"Q{j}_{k}" for k in numbers for j in order)),
        Result("valid", (count,), tuple(valid), tuple(f"OK{k}" for k in numbers)),
        Result("free", (count, n), free, tuple(f"FREE{j}_{k}" for k in numbers for j in order)),
        Result("error", (count,), tuple(error), tuple(f"ERR{k}" for k in numbers)),
        state_of(wanted, valid, free, error),
    ]


def state_of(wanted: Matrix, valid: Sequence[Expr], free: Sequence[Expr], error: Sequence[Expr]) -> Result:
    """What a caller asks first: is T a pose, how many branches exist, is a joint free, and the smallest error."""
    graph = wanted.graph
    count, least = total(graph, valid), error[0]
    for x in error[1:]:
        least = least if least is x else graph.apply(Op.MIN, least, x)
    some = largest([graph.zero, *(x for x in free if not x.is_zero)])
    return Result("state", (4,), (rigid(wanted), count, some, least), ("RIGID", "COUNT", "FREE", "LEAST"))


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


def positions(chain: ScrewChain, values: Values) -> dict[int, Expr]:
    """q of each joint: angles in (−π, π] where the slope of the joint is 1 or −1."""
    q: dict[int, Expr] = {}
    waiting = list(chain.axes)
    while waiting:
        axis = next(a for a in waiting if all(k in q for k in a.slopes if k != a.joint))
        waiting.remove(axis)
        q[axis.joint] = _position(axis, values, q)
    return q


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
