"""The loop equations by numbers: an assembler, closed configurations, and the rows that are independent there."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from symoro.bind.binding import value_of
from symoro.bind.interface import robot_numbers
from symoro.bind.symbols import Symbols
from symoro.errors import CannotClose, NotApplicable, ShapeError
from symoro.findings import Finding
from symoro.ir.derive import derivative
from symoro.ir.evaluate import evaluator
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.program import Input, Program, Variable
from symoro.models.constraint import at_variables
from symoro.models.geometric.inverse.branches import common_period
from symoro.models.loops.assembly import OPEN, ROUNDED, Array, Assembler, Gap
from symoro.models.loops.equations import LoopRow
from symoro.models.sampling import Rank, independent_rows, numbers_of, rank_of, sample
from symoro.robot.joint import Limits
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate as evaluate_value
from symoro.robot.values import symbols

# starts of Newton's method, those of its damped form, and how far a small motion goes (radians or metres)
_STARTS, _MORE_STARTS, _NEAR = 32, 128, 0.05
_FEW = 3  # configurations at which rows are compared
_ROUNDING = 1e-16


def numeric_assembler(
    s: Symbols, rows: Sequence[LoopRow], every_joint: bool, parameters: Mapping[str, float] | None = None
) -> Assembler:
    """The assembler of a robot; the reference interpreter evaluates its closure equations.

    `parameters` are the numbers of the parameters; by default the robot's, and arbitrary ones where it has none.
    With `every_joint` the active joints move too when loops are closed.
    """
    numbers = dict(parameters or numbers_of(s))
    closure, slope = (evaluator(program, numbers) for program in closure_programs(s, rows))

    def gap(at: Array) -> Gap:
        values = closure({"q": at})
        return Gap(values["E"], slope({"q": at})["dE_dq"], values["ALIGN"])

    return robot_assembler(s, gap, numbers, s.variables if every_joint else s.passive)


def closure_programs(s: Symbols, rows: Sequence[LoopRow]) -> tuple[Program, Program]:
    """From q to E, the rows, and ALIGN of each loop; and from q to dE_dq."""
    loops = dict.fromkeys(loop for loop, _ in rows)
    E = _vector("E", [loop.gap(row) for loop, row in rows])
    ALIGN = _vector("ALIGN", [loop.alignment() for loop in loops])
    names = tuple(str(s.q[j].node.value) for j in s.variables)
    q = Input("q", (len(names),), tuple(map(Variable, names)))
    program = extract(s.graph, (q,), map(Variable, s.parameter_names), [E, ALIGN])
    return program, derivative(replace(program, outputs=program.outputs[:1]), "q")


def robot_assembler(
    s: Symbols, gap: Callable[[Array], Gap], numbers: Mapping[str, float], passive: Sequence[int]
) -> Assembler:
    """The assembler of a robot for a function that evaluates its closure equations."""
    places = range(len(s.variables))
    known = robot_numbers(s.robot) | dict(numbers)
    return Assembler(
        gap,
        tuple(k for k in places if s.variables[k] not in passive),
        tuple(k for k in places if s.variables[k] in passive),
        tuple(bool(s.revolute[j]) for j in s.variables),
        _reach(s.robot, known),
        tuple(str(s.q[j].node.value) for j in s.variables),
        tuple(_limits(s.robot.joint(j).limits, known) for j in s.variables),
        tuple(_period(s, j, known) for j in s.variables),
        home_of(s),
    )


def home_of(s: Symbols) -> tuple[float, ...] | None:
    """The configuration whose branch is the working mode of closed loops; 0 where a joint has no position in it."""
    known = s.robot.home_positions.numbers()
    return tuple(known.get(str(s.robot.joint(j).variable), 0.0) for j in s.variables) if known else None


def closed_configuration(s: Symbols, rows: Sequence[LoopRow]) -> Array | None:
    """A closed configuration: that of home, which may be rounded, else one that is found; None where none is."""
    if (home := home_of(s)) is not None:
        return np.asarray(closed_at(s, rows, home, ROUNDED)[0], dtype=float)
    closed = closed_configurations(s, rows, count=1)
    return None if closed is None else np.asarray(closed[0], dtype=float)


def _period(s: Symbols, k: int, known: Mapping[str, float]) -> float:
    """The smallest change of a variable that turns all joints by whole turns; 0 where there is none."""
    moved = {j: row[k] for j, row in s.slopes.items() if k in row}
    slopes = [value_of(slope) for slope in moved.values()]
    if not all(s.revolute[j] for j in moved) or not all(symbols(slope) <= known.keys() for slope in slopes):
        return 0.0
    return common_period([evaluate_value(slope, known) for slope in slopes])


def _limits(limits: Limits, known: Mapping[str, float]) -> tuple[float, float]:
    """The lowest and the highest position; infinite where there is no limit or no number for it."""
    low, high = (
        None if value is None or not symbols(value) <= known.keys() else evaluate_value(value, known)
        for value in (limits.lower, limits.upper)
    )
    return -np.inf if low is None else low, np.inf if high is None else high


def _vector(name: str, elements: Sequence[Expr]) -> Result:
    return Result(name, (len(elements),), tuple(elements), tuple(f"{name}{n}" for n in range(1, len(elements) + 1)))


def _reach(robot: Robot, known: Mapping[str, float]) -> float:
    """A length that no prismatic joint exceeds: the sum of all lengths of the robot, at least 1."""
    lengths = (getattr(joint, name) for joint in robot.joints for name in ("b", "d", "r"))
    return max(1.0, sum(abs(evaluate_value(x, known)) for x in lengths if symbols(x) <= known.keys()))


class ClosedSamples(NamedTuple):
    """Closed configurations (n, joints), and the rank of the loop equations there.

    Where families of different rank exist, q is of the largest one and `ranks` has one of each. Where no rank is clear,
    every configuration that was found is singular.
    """

    q: Array
    ranks: tuple[Rank, ...]

    @property
    def why_undecided(self) -> Finding | None:
        """The reason why the configurations do not decide the rank; None where they do."""
        ranks = "; ".join(map(str, self.ranks))
        if not all(one.clear for one in self.ranks):
            return Finding("loops.all_singular", ranks=ranks)
        return Finding("loops.different_ranks", ranks=ranks) if len(self.ranks) > 1 else None


def closed_configurations(s: Symbols, rows: Sequence[LoopRow], count: int = _FEW) -> Array | None:
    """Closed configurations near random ones, active joints moved too, not singular ones; None where none is found."""
    samples = sample_closed(s, rows)
    return None if samples is None else samples.q[:count]


def sample_closed(s: Symbols, rows: Sequence[LoopRow], at: Sequence[float] | None = None) -> ClosedSamples | None:
    """Closed configurations near random ones, or the one at a given one, with the rank of the rows; None without any.

    Newton's method is enough where all configurations that it finds have the same clear rank. Else damped steps from
    more starts find families on which the rows are dependent.
    """
    if at is not None:
        return ClosedSamples(q := closed_at(s, rows, at), _clearest(_ranks(s, rows, q)))
    every, rng = numeric_assembler(s, rows, every_joint=True), np.random.default_rng(2)
    q, closed = every.newton(every.starts(np.zeros(0), rng, _STARTS))
    ranks = _ranks(s, rows, q := q[closed])
    if ranks and all(one.clear and one.rank == ranks[0].rank for one in ranks):
        return ClosedSamples(q, _clearest(ranks))
    more, closed = every.newton(every.starts(np.zeros(0), rng, _MORE_STARTS), damped=True)
    q, ranks = np.vstack([q, more[closed]]), ranks + _ranks(s, rows, more[closed])
    if not any(one.clear for one in ranks):
        return ClosedSamples(q, _clearest(ranks)[-1:]) if ranks else None
    largest = max(one.rank for one in ranks if one.clear)
    smaller = q[[one.clear and one.rank < largest for one in ranks]]
    near, closed = every.newton(smaller + rng.normal(scale=_NEAR, size=smaller.shape), damped=True)
    families = [one for one in _ranks(s, rows, near[closed]) if one.clear and one.rank < largest]  # no singular points
    regular = [n for n, one in enumerate(ranks) if one.clear and one.rank == largest]
    regular.sort(key=lambda n: -ranks[n].kept)
    return ClosedSamples(q[regular], _clearest([*families, *(ranks[n] for n in regular)]))


def _ranks(s: Symbols, rows: Sequence[LoopRow], q: Array) -> list[Rank]:
    return [rank_of(table) for table in sampled_rows(s, rows, q)] if len(q) else []


def _clearest(ranks: Iterable[Rank]) -> tuple[Rank, ...]:
    """Of the results with the same rank the one with the widest gap; the smallest rank first."""
    best: dict[int, Rank] = {}
    for one in ranks:
        best[one.rank] = min(best.get(one.rank, one), one, key=lambda r: max(r.dropped, _ROUNDING) / r.kept)
    return tuple(best[r] for r in sorted(best))


def smallest_gap(s: Symbols, rows: Sequence[LoopRow]) -> float:
    """The smallest residual that a bounded search finds, active joints moved too; 0 where the loops close."""
    every, rng = numeric_assembler(s, rows, every_joint=True), np.random.default_rng(2)
    least = np.inf
    for count in (8, 32, 128):
        q, closed = every.newton(every.starts(np.zeros(0), rng, count))
        if closed.any():
            return 0.0
        least = min(least, float(every.gap_sizes(q).min()))
    return least


def sampled_rows(s: Symbols, rows: Sequence[LoopRow], q: Array | None) -> Array:
    """The rows of K97:11, a column for each joint of the tree, at these configurations; at random ones for None."""
    zero = s.graph.zero
    forms = [at_variables(s, {p: column[row] for p, column in loop.matrix.items()}) for loop, row in rows]
    table = [[form.get(p, zero) for p in s.variables] for form in forms]
    return sample(s, table, 4, None if q is None else padded(s, q))


def padded(s: Symbols, q: Array) -> Array:
    """q with zeros for the cut joints behind it: their variables do not occur in the rows."""
    return np.hstack([q, np.zeros((len(q), len(s.q) - q.shape[1]))])


def closed_at(s: Symbols, rows: Sequence[LoopRow], at: Sequence[float], gap: float = OPEN) -> Array:
    """The closed configuration at a given one, (1, joints); an error where it is open by more than `gap`."""
    q = np.asarray(at, dtype=float)
    if q.shape != (len(s.variables),) or not np.isfinite(q).all():
        raise ShapeError("loops.positions", count=len(s.variables), robot=s.robot.name)
    every = numeric_assembler(s, rows, every_joint=True)
    if every.closed(q[None])[0]:  # a step would leave a closed configuration where the equations are dependent
        return q[None]
    size = np.abs(every.gap(q[None]).E).max(initial=0.0)
    reached, closed = every.newton(q[None], damped=True)
    if size > gap * max(1.0, every.reach) or not closed[0]:
        raise CannotClose("loops.open_there", robot=s.robot.name, gap=size)
    return reached


def independent(s: Symbols, rows: Sequence[LoopRow], wanted: int | None = None) -> tuple[LoopRow, ...]:
    """The rows that those before them do not imply at closed configurations, or at the one that the symbols have.

    Of families of different rank the largest rank decides. `wanted` is the number of rows that determine the passive
    joints: where the largest rank is another one, a smaller one may be meant, and no rank is decided.
    """
    closed = sample_closed(s, rows, s.at)
    largest = None if closed is None else closed.ranks[-1]
    decided = largest is None or (largest.clear and wanted in (None, largest.rank))
    if closed is not None and not decided and (why := closed.why_undecided):
        raise NotApplicable("loops.rank", robot=s.robot.name, reason=why)
    tables = sampled_rows(s, rows, None if closed is None else closed.q[:_FEW])
    return tuple(rows[n] for n in independent_rows(tables, range(len(rows))))


def determined(s: Symbols, rows: Sequence[LoopRow], passive: Sequence[int], springs: Sequence[int]) -> tuple[int, ...]:
    """The passive joints without springs, and the springs that the rows determine beside them."""
    tables = sampled_rows(s, rows, closed_configurations(s, rows))
    first, others = ([s.variables.index(j) for j in passive if (j in springs) == spring] for spring in (False, True))
    chosen = independent_rows(tables.transpose(0, 2, 1), others, first)
    return tuple(j for j in passive if s.variables.index(j) in chosen)
