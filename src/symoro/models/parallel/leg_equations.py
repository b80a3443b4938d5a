"""The equations of a leg as functions of its joints q and of the platform's pose T: r(q, T) = 0 where it carries it.

They are those of its closed loops (K97:2) and those of its attachment (K10:63-64).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.jacobian import jacobian
from symoro.ir.linalg import Vector
from symoro.ir.program import Input, Program, Variable
from symoro.models.loops.constraint import Loops
from symoro.models.parallel.leg import Leg
from symoro.models.parallel.legs import leg_at, loops_of, named_leg
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.numbers import variables
from symoro.robot.parallel import ParallelRobot
from symoro.symbols import Symbols


@dataclass(frozen=True, eq=False)
class LegEquations:
    """The equations of leg `number`, whose joints are symbols."""

    of: Letters
    number: int

    @cached_property
    def _loops(self) -> Loops:
        return Loops(Symbols(named_leg(self.of.robot, self.number), self.of.graph))

    @cached_property
    def leg(self) -> Leg:
        """The leg with its joints as symbols."""
        s = self._loops.s
        return leg_at(self.of, self.number, {j: s.q[j] for j in s.variables}, {}, suffix="n")

    @cached_property
    def q(self) -> list[Expr]:
        return [self.leg.s.q[j] for j in self.leg.s.variables]

    @property
    def every(self) -> list[Expr]:
        """All equations: those of the loops, then those of the attachment."""
        return [*(loop.gap(row) for loop, row in self._loops.every), *self.leg.residual]

    def square(self, chosen: tuple[int, ...]) -> list[Expr]:
        """As many equations as joints: the independent ones of the loops, and the chosen rows of the attachment."""
        rows = loops_of(self.of.robot, self.number).rows
        loops = [self._loops.loops[n].gap(row) for n, row in rows]
        return [*loops, *(self.leg.residual[k] for k in chosen)]

    @property
    def alignment(self) -> list[Expr]:
        """Positive where axes that the equations compare point the same way."""
        return [*(loop.alignment() for loop in self._loops.loops), *self.leg.alignment]

    def program(self, given: dict[str, list[Expr]], results: dict[str, list[Expr]]) -> Program:
        """The program of some results, a vector each, for T, q and other inputs, which are symbols."""
        vectors = {"q": self.q, **given}
        arrays = [Input("T", (4, 4), variables(self.of.T.rows))]
        arrays += [Input(n, (len(x),), variables([Vector(self.of.graph, x)])) for n, x in vectors.items()]
        made = [Result(n, (len(x),), tuple(x), tuple(f"{n}{k}_" for k in range(len(x)))) for n, x in results.items()]
        return extract(self.of.graph, arrays, map(Variable, self.of.parameter_names), made)


@lru_cache(maxsize=64)
def gap_program(robot: ParallelRobot, i: int) -> Program:
    """E of all equations of leg i, dE by its joints, and ALIGN."""
    equations = LegEquations(Letters(robot, Graph()), i)
    E = equations.every
    slopes = jacobian(equations.of.graph, E, equations.q)
    return equations.program({}, {"E": E, "dE": [x for row in slopes for x in row], "ALIGN": equations.alignment})


@lru_cache(maxsize=64)
def row_program(robot: ParallelRobot, i: int) -> Program:
    """JG of leg i (K10:56, 63): a row for each row of its attachment."""
    equations = LegEquations(Letters(robot, Graph()), i)
    return equations.program({}, {"JG": [x for row in equations.leg.JG for x in row]})


@lru_cache(maxsize=64)
def step_program(robot: ParallelRobot, i: int, chosen: tuple[int, ...]) -> Program:
    """QN of a step of Newton's method to wanted residuals W; R, the residuals before it, and ALIGN."""
    equations = LegEquations(Letters(robot, Graph()), i)
    graph = equations.of.graph
    r = equations.square(chosen)
    W = [graph.symbol(equations.of.unused(f"W{k + 1}_{i + 1}n")) for k in range(len(r))]
    steps = solve(graph, jacobian(graph, r, equations.q), [[w - x] for w, x in zip(W, r, strict=True)])
    if steps is None:
        raise NotApplicable(f"leg {i + 1} of {robot.name} is singular in every position")
    moved = [x + step for x, (step,) in zip(equations.q, steps, strict=True)]
    return equations.program({"W": W}, {"QN": moved, "R": r, "ALIGN": equations.alignment})
