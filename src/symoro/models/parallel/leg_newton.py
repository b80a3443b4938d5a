"""The joints of a leg without a closed form, by Newton's method in a fixed number of steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from symoro.bind.interface import inputs
from symoro.bind.symbols import Symbols
from symoro.errors import CannotClose, NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.evaluate import evaluate, evaluator
from symoro.ir.expr import Expr
from symoro.ir.extract import Replay, Result, extract
from symoro.ir.graph import Graph
from symoro.ir.jacobian import jacobian
from symoro.ir.program import Input, Program, Variable
from symoro.lazy import lazy
from symoro.models.geometric.inverse.branches import largest
from symoro.models.geometric.inverse.types import at_most, both
from symoro.models.loops.assembly import SAME_WAY, Assembler, Gap
from symoro.models.loops.closing import robot_assembler
from symoro.models.loops.constraint import Loops
from symoro.models.parallel.leg import Leg, leg_at, loops_of, named_leg
from symoro.models.parallel.leg_geometry import LegBranch, constant_part, growth
from symoro.models.parallel.platform import Array, PoseSymbols, has_numbers, home, variables
from symoro.models.results import remembered
from symoro.models.sampling import numbers_of
from symoro.robot import topology
from symoro.robot.link import Inertia
from symoro.robot.parallel import with_legs
from symoro.robot.robot import Robot

# The equations of a leg as functions of its joints q and of the platform's pose T: r(q, T) = 0 where it carries it.
#
# They are those of its closed loops (K97:2) and those of its attachment (K10:63-64).


@dataclass(frozen=True, eq=False)
class LegEquations:
    """The equations of leg `number`, whose joints are symbols."""

    of: PoseSymbols
    number: int

    @lazy
    def _loops(self) -> Loops:
        return Loops(Symbols(named_leg(self.of.robot, self.number), self.of.graph))

    @lazy
    def leg(self) -> Leg:
        """The leg with its joints as symbols."""
        s = self._loops.s
        return leg_at(self.of, self.number, {j: s.q[j] for j in s.variables}, {}, suffix="n")

    @lazy
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
        """1 where axes that the equations compare point the same way."""
        return [*(loop.alignment() for loop in self._loops.loops), *self.leg.alignment]

    def program(self, others: dict[str, list[Expr]], results: dict[str, list[Expr]]) -> Program:
        """The program of some results, a vector each, for T, q and other inputs, which are symbols."""
        vectors = {"q": self.q, **others}
        arrays = [*inputs(self.of, ["T"]), *(Input(n, (len(x),), variables(x)) for n, x in vectors.items())]
        outputs = [Result(n, (len(x),), tuple(x), tuple(f"{n}{k}_" for k in range(len(x)))) for n, x in results.items()]
        return extract(self.of.graph, arrays, map(Variable, self.of.parameter_names), outputs)


@lru_cache(maxsize=64)
def gap_program(robot: Robot, i: int) -> Program:
    """E of all equations of leg i, dE by its joints, and ALIGN."""
    equations = LegEquations(PoseSymbols(robot, Graph()), i)
    E = equations.every
    slopes = jacobian(equations.of.graph, E, equations.q)
    return equations.program({}, {"E": E, "dE": [x for row in slopes for x in row], "ALIGN": equations.alignment})


@lru_cache(maxsize=64)
def row_program(robot: Robot, i: int) -> Program:
    """JG of leg i (K10:56, 63): a row for each row of its attachment."""
    equations = LegEquations(PoseSymbols(robot, Graph()), i)
    return equations.program({}, {"JG": [x for row in equations.leg.JG for x in row]})


@lru_cache(maxsize=64)
def step_program(robot: Robot, i: int, chosen: tuple[int, ...]) -> Program:
    """QN of a step of Newton's method to wanted residuals W; R, the residuals before it, and ALIGN."""
    equations = LegEquations(PoseSymbols(robot, Graph()), i)
    graph = equations.of.graph
    r = equations.square(chosen)
    W = [graph.symbol(equations.of._unused(f"W{k + 1}_{i + 1}n")) for k in range(len(r))]
    steps = solve(graph, jacobian(graph, r, equations.q), [[w - x] for w, x in zip(W, r, strict=True)])
    if steps is None:
        raise NotApplicable("platforms.leg_singular", leg=i + 1, robot=robot.name)
    moved = [x + step for x, (step,) in zip(equations.q, steps, strict=True)]
    return equations.program({"W": W}, {"QN": moved, "R": r, "ALIGN": equations.alignment})


# The joints of a leg without a closed form: Newton's method in a fixed number of steps, from the home pose.
#
# With the equations r(q, T) of the leg and its joints q0 at the home pose, the solution of
#
#     r(q, T) = (1 − t) r(q0, T)
#
# leads from q0, at t = 0, to the joints at T, at t = 1 (E. L. Allgower, K. Georg, Numerical Continuation Methods, 1990,
# chapter 11: global homotopies). So a branch of the leg is a configuration at home and what it becomes on this way.


#: The steps on the way from the home pose, and those of Newton's method at its end.
PARTS, LAST = 8, 4
#: Residuals (metres or radians) of a leg that reaches the platform.
_REACHED = Fraction(1, 10**10)
#: How far the end of a leg may be from the platform at the home pose, whose numbers may be rounded.
_MEETS = 1e-6


# numbers


def geometry_of(robot: Robot) -> Robot:
    """The robot without masses and drives, so that robots that differ in these share what is found for them."""
    legs = tuple(replace(leg, inertias=(), drives=(), wrenches=()) for leg in robot.legs)
    return with_legs(robot, legs, platform=Inertia())


def assembler_at(robot: Robot, i: int, T: Array) -> Assembler:
    """What finds the joints of leg i at a pose of the platform, from arbitrary starts."""
    program, s = gap_program(robot, i), Symbols(_numeric_leg(robot, i), Graph())
    numbers = numbers_of(PoseSymbols(robot, Graph()))
    n, evaluated = len(s.variables), evaluator(program, numbers)

    def gap(q: Array) -> Gap:
        values = evaluated({"T": T, "q": q})
        return Gap(values["E"], values["dE"].reshape(*values["E"].shape, n), values["ALIGN"])

    return robot_assembler(s, gap, numbers, s.variables)


def _numeric_leg(robot: Robot, i: int) -> Robot:
    return topology.without_cuts(named_leg(robot, i))


@lru_cache(maxsize=64)
def joints_at_home(robot: Robot, i: int) -> tuple[tuple[float, ...], ...]:
    """All configurations of leg i that are found to carry the platform at the home pose; those near zero first."""
    if not has_numbers(robot):
        raise NotApplicable("platforms.leg_symbols", leg=i + 1, robot=robot.name)
    assembler = assembler_at(robot, i, home(robot))
    try:
        branches = assembler.branches(())
    except CannotClose:
        raise NotApplicable("platforms.leg_free", leg=i + 1, robot=robot.name) from None
    if not len(branches):
        branches = _nearly_closed(robot, i, assembler)
    order = np.argsort(np.abs(branches).sum(axis=1), kind="stable")
    return tuple(tuple(map(float, row)) for row in branches[order])


def _nearly_closed(robot: Robot, i: int, assembler: Assembler) -> Array:
    """Configurations at a home pose whose numbers are rounded; an error where the leg does not meet the platform."""
    q, _ = assembler.newton(assembler.starts(np.zeros(0), np.random.default_rng(0)))
    sizes = assembler.gap_sizes(q)
    if not (near := sizes < _MEETS * max(1.0, assembler.reach)).any():
        raise NotApplicable("platforms.leg_open", leg=i + 1, robot=robot.name, gap=float(np.nanmin(sizes)))
    kept: list[Array] = []
    for one in q[near]:
        if all(np.abs(assembler.difference(one, other)).max() > 1e-3 for other in kept):
            kept.append(one)
    return np.array(kept)


def rows_at_home(robot: Robot, i: int, branch: int) -> Array:
    """JG of leg i at the home pose."""
    q = joints_at_home(geometry_of(robot), i)[branch]
    letters = PoseSymbols(robot, Graph())
    rows = evaluate(row_program(robot, i), {"T": home(robot), "q": q}, numbers_of(letters))["JG"]
    return rows.reshape(6 - robot.attachments[i].kind.freedoms, -1)


# expressions


@remembered
def newton_branch(letters: PoseSymbols, i: int, branch: int, chosen: tuple[int, ...]) -> LegBranch:
    """A branch of leg i as expressions of the pose: as many steps as above, and NaN where they do not end."""
    graph = letters.graph
    robot = geometry_of(letters.robot)
    program = step_program(robot, i, chosen)
    start = [graph.lift(x) for x in joints_at_home(robot, i)[branch]]
    names = [v.name for array in program.inputs for v in array.variables]
    pose = [x for row in letters.T for x in row]

    def step(q: Sequence[Expr], wanted: Sequence[Expr]) -> dict[str, tuple[Expr, ...]]:
        expressions = dict(zip(names, (*pose, *q, *wanted), strict=True))
        return {result.name: result.elements for result in Replay(program, graph, expressions).results()}

    none = [graph.zero] * len(start)
    first = step(start, none)["R"]
    q: Sequence[Expr] = start
    for k in range(PARTS - 1, 0, -1):
        q = step(q, [Fraction(k, PARTS) * x for x in first])["QN"]
    for _ in range(LAST):
        q = step(q, none)["QN"]
    end = step(q, none)
    ok = at_most(largest(map(abs, end["R"])), graph.constant(_REACHED))
    for x in end["ALIGN"]:
        ok = both(ok, graph.less(graph.constant(Fraction(SAME_WAY)), x))
    return _branch(letters, i, q, ok)


def _branch(letters: PoseSymbols, i: int, q: Sequence[Expr], ok: Expr) -> LegBranch:
    graph = letters.graph
    s = Symbols(topology.without_cuts(letters.robot.legs[i]), graph)
    lost = graph.sqrt(graph.select(ok, graph.zero, graph.lift(-1)))  # NaN where the steps do not end
    known = {j: x + lost for j, x in zip(s.variables, q, strict=True)}
    angles = {j: growth(s, j) * x + constant_part(s, j) for j, x in known.items() if s.revolute[j]}
    turned = {j: (graph.cos(x), graph.sin(x)) for j, x in angles.items()}
    return LegBranch(turned, {j: x for j, x in known.items() if j not in turned}, ok)
