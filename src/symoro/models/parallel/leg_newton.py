"""The joints of a leg without a closed form: Newton's method in a fixed number of steps, from the home pose.

With the equations r(q, T) of the leg and its joints q0 at the home pose, the solution of

    r(q, T) = (1 − t) r(q0, T)

leads from q0, at t = 0, to the joints at T, at t = 1 (E. L. Allgower, K. Georg, Numerical Continuation Methods, 1990,
chapter 11: global homotopies). So a branch of the leg is a configuration at home and what it becomes on this way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from symoro.errors import CannotClose, NotApplicable
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.replay import Replay
from symoro.models.geometric.inverse.branches import largest
from symoro.models.geometric.inverse.types import at_most, both
from symoro.models.loops.assembly import Assembler, Gap
from symoro.models.loops.closing import robot_assembler
from symoro.models.parallel.leg_branch import LegBranch, constant_part
from symoro.models.parallel.leg_equations import gap_program, row_program, step_program
from symoro.models.parallel.legs import named_leg, tree_of
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.numbers import Array, has_numbers, home, numbers_of
from symoro.models.remembered import remembered
from symoro.robot.link import Inertia
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.symbols import Symbols

#: The steps on the way from the home pose, and those of Newton's method at its end.
PARTS, LAST = 8, 4
#: Residuals (metres or radians) of a leg that reaches the platform.
_REACHED = Fraction(1, 10**10)
#: How far the end of a leg may be from the platform at the home pose, whose numbers may be rounded.
_MEETS = 1e-6


# numbers


def geometry_of(robot: ParallelRobot) -> ParallelRobot:
    """The robot without masses and drives, so that robots that differ in these share what is found for them."""
    legs = tuple(replace(leg, inertias=(), drives=(), wrenches=()) for leg in robot.legs)
    return replace(robot, legs=legs, platform=Inertia())


def assembler_at(robot: ParallelRobot, i: int, T: Array) -> Assembler:
    """What finds the joints of leg i at a pose of the platform, from arbitrary starts."""
    program, s = gap_program(robot, i), Symbols(_numeric_leg(robot, i), Graph())
    numbers = numbers_of(Letters(robot, Graph()))
    n = len(s.variables)

    def gap(q: Array) -> Gap:
        found = evaluate(program, {"T": T, "q": q}, numbers)
        return Gap(found["E"], found["dE"].reshape(*found["E"].shape, n), found["ALIGN"])

    return robot_assembler(s, gap, numbers, s.variables)


def _numeric_leg(robot: ParallelRobot, i: int) -> Robot:
    return tree_of(named_leg(robot, i))


@lru_cache(maxsize=64)
def joints_at_home(robot: ParallelRobot, i: int) -> tuple[tuple[float, ...], ...]:
    """All configurations of leg i that are found to carry the platform at the home pose; those near zero first."""
    if not has_numbers(robot):
        raise NotApplicable(
            f"leg {i + 1} of {robot.name} has no closed form for its joints, and symbols of the geometry without "
            "numbers (allowed: legs with a closed form, or numbers for all lengths and angles)"
        )
    assembler = assembler_at(robot, i, home(robot))
    try:
        found = assembler.branches(())
    except CannotClose:
        raise NotApplicable(
            f"leg {i + 1} of {robot.name} can move while the platform stands still at its home pose: its joints and "
            "its attachment have a freedom too many, as a rod that turns about itself"
        ) from None
    if not len(found):
        found = _nearly_closed(robot, i, assembler)
    order = np.argsort(np.abs(found).sum(axis=1), kind="stable")
    return tuple(tuple(map(float, row)) for row in found[order])


def _nearly_closed(robot: ParallelRobot, i: int, assembler: Assembler) -> Array:
    """Configurations at a home pose whose numbers are rounded; an error where the leg does not meet the platform."""
    q, _ = assembler.newton(assembler.starts(np.zeros(0), np.random.default_rng(0)))
    sizes = assembler.gap_sizes(q)
    if not (near := sizes < _MEETS * max(1.0, assembler.reach)).any():
        raise NotApplicable(
            f"leg {i + 1} of {robot.name} does not reach the home pose: it stays open by {np.nanmin(sizes):.3g} "
            "(m or rad)"
        )
    kept: list[Array] = []
    for one in q[near]:
        if all(np.abs(assembler.difference(one, other)).max() > 1e-3 for other in kept):
            kept.append(one)
    return np.array(kept)


def rows_at_home(robot: ParallelRobot, i: int, branch: int) -> Array:
    """JG of leg i at the home pose."""
    q = joints_at_home(geometry_of(robot), i)[branch]
    letters = Letters(robot, Graph())
    found = evaluate(row_program(robot, i), {"T": home(robot), "q": q}, numbers_of(letters))["JG"]
    return found.reshape(6 - robot.attachments[i].kind.freedoms, -1)


# expressions


@remembered
def newton_branch(letters: Letters, i: int, branch: int, chosen: tuple[int, ...]) -> LegBranch:
    """A branch of leg i as expressions of the pose: as many steps as above, and NaN where they do not end."""
    graph = letters.graph
    robot = geometry_of(letters.robot)
    program = step_program(robot, i, chosen)
    start = [graph.lift(x) for x in joints_at_home(robot, i)[branch]]
    names = [v.name for array in program.inputs[1:] for v in array.variables]

    def step(q: Sequence[Expr], wanted: Sequence[Expr]) -> dict[str, tuple[Expr, ...]]:
        given = dict(zip(names, (*q, *wanted), strict=True))
        return {result.name: result.elements for result in Replay(program, graph, given).results()}

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
        ok = both(ok, graph.less(graph.zero, x))
    return _branch(letters, i, q, ok)


def _branch(letters: Letters, i: int, q: Sequence[Expr], ok: Expr) -> LegBranch:
    graph = letters.graph
    s = Symbols(tree_of(letters.robot.legs[i]), graph)
    lost = graph.sqrt(graph.select(ok, graph.zero, graph.lift(-1)))  # NaN where the steps do not end
    known = {j: x + lost for j, x in zip(s.variables, q, strict=True)}
    angles = {j: x + constant_part(s, j) for j, x in known.items() if s.revolute[j]}
    turned = {j: (graph.cos(x), graph.sin(x)) for j, x in angles.items()}
    return LegBranch(turned, {j: x for j, x in known.items() if j not in turned}, ok)
