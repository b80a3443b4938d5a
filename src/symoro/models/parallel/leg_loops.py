"""Closed loops inside a leg: which joints follow from the others, chosen once, by numbers.

A leg with loops is projected first and is then a leg as any other (K10 § 5): its velocities are u = G v, with the
velocities v of the joints that are `left`. In a parallelogram the joints that follow are sums and differences of the
others in every configuration; then G is constant.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import numpy as np

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.lazy import lazy
from symoro.models.constraint import Row
from symoro.models.loops.assembly import Array
from symoro.models.loops.closing import closed_configurations, independent, numeric_assembler, sampled_rows
from symoro.models.loops.constraint import Loops
from symoro.models.loops.equations import LoopRow
from symoro.models.sampling import rank
from symoro.robot import topology
from symoro.robot.arithmetic import times
from symoro.robot.robot import Robot
from symoro.robot.values import PI, Value, as_value, symbols

#: How many closed configurations are tried, and what is the same number.
_TRIES, _SAME = 8, 1e-8


@dataclass(frozen=True, slots=True)
class Following:
    """A joint whose position is a sum of others: q_j = Σ slope_k q_k + rest in every configuration."""

    joint: int
    slopes: tuple[tuple[int, int], ...]
    rest: Value


@dataclass(frozen=True, slots=True)
class LegLoops:
    """The joints that are left and those that follow, by `rows` (number of the loop, row) of the loops' equations.

    `following` is None where the joints that follow are no sums of the others.
    """

    left: tuple[int, ...]
    dependent: tuple[int, ...] = ()
    rows: tuple[tuple[int, int], ...] = ()
    following: tuple[Following, ...] | None = ()


@lru_cache(maxsize=64)
def leg_loops(leg: Robot, end: int) -> LegLoops:
    """The choice for a leg whose link `end` is attached: joints on the way to the end are left where possible."""
    s = Symbols(leg, Graph())
    if not leg.cuts:
        return LegLoops(s.variables)
    every = Loops(s).every
    if not every:
        raise NotApplicable("platforms.loops_lost", leg=leg.name)
    q = closed_configurations(s, every, _TRIES)
    if q is None:
        if missing := _without_numbers(leg):
            raise NotApplicable("platforms.leg_not_closed_without", leg=leg.name, names=missing)
        raise NotApplicable("platforms.leg_not_closed", leg=leg.name)
    rows = independent(s, every)
    tables = sampled_rows(s, rows, q)
    dependent = _dependent(s, tables, end)
    left = tuple(j for j in s.variables if j not in dependent)
    numbers = [loop.loop.cut for loop in Loops(s).loops]
    named = tuple((numbers.index(loop.loop.cut), row) for loop, row in rows)
    return LegLoops(left, dependent, named, _following(s, every, q, tables, left, dependent))


def _without_numbers(leg: Robot) -> list[str]:
    """The symbols of the leg's geometry that have no number."""
    names = {name for j in leg.joints for x in (j.gamma, j.b, j.alpha, j.d, j.theta, j.r) for name in symbols(x)}
    return sorted(names - leg.values.numbers().keys() - {j.variable for j in leg.joints if j.variable})


def _dependent(s: Symbols, tables: Array, end: int) -> tuple[int, ...]:
    """As many joints as equations: those beside the way to the end first, of these without a motor first."""
    way = [joint.index for joint in topology.path(s.robot, end)]
    beside = [j for j in (*reversed(s.passive), *s.active) if j not in way]
    chosen: list[int] = []
    for j in (*beside, *(j for j in reversed(way) if j in s.passive), *(j for j in way if j in s.active)):
        columns = [s.variables.index(k) for k in (*chosen, j)]
        if max(rank(table[:, columns]) for table in tables) > len(chosen):
            chosen.append(j)
    return tuple(sorted(chosen))


# joints that are sums of others


def _following(
    s: Symbols, every: tuple[LoopRow, ...], q: Array, tables: Array, left: tuple[int, ...], dependent: tuple[int, ...]
) -> tuple[Following, ...] | None:
    """The sums, where they close the loops for arbitrary numbers of all symbols; None where there are none."""
    a, b = ([s.variables.index(j) for j in joints] for joints in (left, dependent))
    rng = np.random.default_rng(4)
    numbers = {name: float(x) for name, x in zip(s.parameter_names, rng.uniform(0.3, 1.3, 999), strict=False)}
    assembler = numeric_assembler(s, every, every_joint=True, parameters=numbers)
    for at, C in zip(q, tables, strict=True):
        slopes = -np.linalg.lstsq(C[:, b], C[:, a], rcond=1e-9)[0]
        whole = np.round(slopes)
        if np.abs(slopes - whole).max(initial=0.0) > _SAME or np.abs(whole).max(initial=0.0) > 1:
            continue
        following = tuple(
            Following(j, tuple((k, int(x)) for k, x in zip(left, row, strict=True) if x), _rest(s, j, rest))
            for j, row, rest in zip(dependent, whole, at[b] - whole @ at[a], strict=True)
        )
        tried = rng.uniform(-1.5, 1.5, (3, len(s.variables)))
        tried[:, b] = tried[:, a] @ whole.T + (at[b] - whole @ at[a])
        gap = assembler.gap(tried)
        if np.abs(gap.E).max() < _SAME and gap.ALIGN.min() > 0:
            return following
    return None


def _rest(s: Symbols, j: int, x: float) -> Value:
    """A constant; of an angle, whole parts of a turn are exact."""
    return part_of_turn(float(x), _SAME) if s.revolute[j] else as_value(float(x))


def part_of_turn(angle: float, same: float) -> Value:
    """An angle; exact where it is a multiple of 15 degrees, to `same`."""
    parts = round(angle * 12 / np.pi)
    if abs(angle - parts * np.pi / 12) > same:
        return as_value(angle)
    return times(as_value(Fraction((parts + 12) % 24 - 12, 12)), PI)


# expressions


@dataclass(frozen=True, eq=False)
class LegConstraint(Loops):
    """The loops of a leg whose positions are known, with rows and dependent joints as they were chosen."""

    choice: LegLoops

    @lazy
    def dependent(self) -> tuple[int, ...]:
        return self.choice.dependent

    @lazy
    def chosen(self) -> tuple[LoopRow, ...]:
        return tuple((self.loops[n], row) for n, row in self.choice.rows)

    @lazy
    def determining(self) -> list[list[Expr]]:
        return self.table(self.rows, self.dependent)


def constant_rows(s: Symbols, choice: LegLoops) -> dict[int, Row]:
    """G of a leg whose dependent joints are sums of the others."""
    assert choice.following is not None
    rows: dict[int, Row] = {j: {j: s.graph.one} for j in choice.left}
    return rows | {f.joint: {k: s.graph.lift(x) for k, x in f.slopes} for f in choice.following}
