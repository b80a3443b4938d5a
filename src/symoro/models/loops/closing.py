"""The loop equations by numbers: an assembler, closed configurations, and the rows that are independent there."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from symoro.binding import value_of
from symoro.errors import CannotClose, ShapeError
from symoro.interface import robot_numbers
from symoro.ir.derive import derivative
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.program import Input, Program, Variable
from symoro.models.constraint import at_variables
from symoro.models.geometric.inverse.turns import common_period
from symoro.models.loops.assembly import OPEN, Array, Assembler, Gap
from symoro.models.loops.equations import LoopRow
from symoro.models.sampling import numbers_of, rank, sample
from symoro.robot.joint import Limits
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate as evaluate_value
from symoro.robot.values import symbols
from symoro.symbols import Symbols


def numeric_assembler(
    s: Symbols, rows: Sequence[LoopRow], every_joint: bool, given: Mapping[str, float] | None = None
) -> Assembler:
    """The assembler of a robot; the reference interpreter evaluates its closure equations.

    `given` are the numbers of the parameters; by default the robot's, and arbitrary ones where it has none.
    With `every_joint` the active joints move too when loops are closed.
    """
    program, slope = closure_programs(s, rows)
    numbers = dict(given or numbers_of(s))

    def gap(at: Array) -> Gap:
        values = evaluate(program, {"q": at}, {p.name: numbers[p.name] for p in program.parameters})
        slopes = evaluate(slope, {"q": at}, {p.name: numbers[p.name] for p in slope.parameters})
        return Gap(values["E"], slopes["dE_dq"], values["ALIGN"])

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
    )


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


def closed_configurations(s: Symbols, rows: Sequence[LoopRow], count: int = 3) -> Array | None:
    """Closed configurations near random ones, active joints moved too; None where none is found."""
    every = numeric_assembler(s, rows, every_joint=True)
    q, closed = every.newton(every.starts(np.zeros(0), np.random.default_rng(2), count=32))
    return q[closed][:count] if closed.any() else None


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
        raise ShapeError(f"q must have {len(s.variables)} positions, one for each variable of {s.robot.name}")
    every = numeric_assembler(s, rows, every_joint=True)
    if every.closed(q[None])[0]:  # a step would leave a closed configuration where the equations are dependent
        return q[None]
    size = np.abs(every.gap(q[None]).E).max(initial=0.0)
    found, closed = every.newton(q[None])
    if size > gap * max(1.0, every.reach) or not closed[0]:
        raise CannotClose(f"the loops of {s.robot.name} are open at the given configuration (gap {size:.3g})")
    return found


def independent(s: Symbols, rows: Sequence[LoopRow]) -> tuple[LoopRow, ...]:
    """The rows that those before them do not imply at closed configurations, or at the one that the symbols have."""
    q = closed_configurations(s, rows) if s.at is None else closed_at(s, rows, s.at)
    tables = sampled_rows(s, rows, q)
    chosen: list[int] = []
    for n in range(len(rows)):
        if max(rank(table[[*chosen, n]]) for table in tables) > len(chosen):
            chosen.append(n)
    return tuple(rows[n] for n in chosen)


def determined(s: Symbols, rows: Sequence[LoopRow], passive: Sequence[int], springs: Sequence[int]) -> tuple[int, ...]:
    """The passive joints without springs, and the springs that the rows determine beside them."""
    tables = sampled_rows(s, rows, closed_configurations(s, rows))
    chosen = [j for j in passive if j not in springs]
    for j in springs:
        columns = [s.variables.index(k) for k in (*chosen, j)]
        if max(rank(table[:, columns]) for table in tables) > len(chosen):
            chosen.append(j)
    return tuple(j for j in passive if j in chosen)
