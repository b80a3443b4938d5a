"""Closed forms: from a robot to the steps that solve its chain, and to the program of all branches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from symoro.bind.interface import inputs, parameters, robot_numbers
from symoro.errors import NotApplicable
from symoro.findings import sentence
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import extract
from symoro.ir.linalg import Matrix, total
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Program, Variable
from symoro.models.geometric.frames import Pose, compose, invert
from symoro.models.geometric.inverse.branches import Polish, branches, end_pose, polished, results
from symoro.models.geometric.inverse.chain import Axis, ScrewChain
from symoro.models.geometric.inverse.loop import ChainLoop, Goal, Task
from symoro.models.geometric.inverse.paul import StepSearch
from symoro.models.geometric.inverse.probe import Probe, Samples, known
from symoro.models.geometric.inverse.steps import DirectionStep, OneUnknownStep, SolutionStep, StepContext, elbow

Array = NDArray[np.float64]
#: As many as the self-test chooses from, and never at the limits of the workspace.
COUNT = 64


def reachable(closed: ClosedFormSteps, order: Sequence[int], seed: int = 0) -> Mapping[str, Array]:
    """T and the given joints at random configurations, `near` for the joints in `order`.

    Nothing where a parameter has no number.
    """
    points = sampled(closed, COUNT, seed)
    points.pop("q", None)
    return points | {"near": np.zeros((COUNT, len(order)))} if points else {}


def sampled(closed: ClosedFormSteps, count: int, seed: int = 0) -> dict[str, Array]:
    """T and the given joints r at random configurations q of the chain; nothing where a parameter has no number."""
    s = closed.chain.symbols
    pose = end_pose(closed.chain, {a.joint: _at_variables(a, s.q) for a in closed.chain.axes})
    program = extract(s.graph, inputs(s, ("q",)), parameters(s), [pose])
    numbers = robot_numbers(s.robot)
    if any(p.name not in numbers for p in program.parameters):
        return {}
    q = np.random.default_rng(seed).uniform(-1.2, 1.2, (count, len(s.variables)))
    T = evaluate(program, {"q": q}, {p.name: numbers[p.name] for p in program.parameters})["T"]
    held = {"r": q[:, [s.variables.index(j) for j in closed.known]]} if closed.known else {}
    held |= {"r": q[:, :1]} if closed.arm else {}
    return {"T": T, "q": q[:, [s.variables.index(j) for j in closed.order]]} | held


# Closed forms: from a robot to the steps that solve its chain, and to the program of all branches.


Unit = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class ClosedFormSteps:
    """The steps that solve a chain for a task, and what they work on."""

    chain: ScrewChain
    steps: tuple[SolutionStep, ...]
    task: Task
    axis: Unit
    known: Mapping[int, str]
    constants: Mapping[tuple[int, int], float]
    arm: str = ""
    """The name of the arm angle, where it is given."""

    @property
    def order(self) -> tuple[int, ...]:
        """The joints of the answer, in the order of q."""
        return tuple(sorted(axis.joint for axis in self.chain.axes))


def solve(
    chain: ScrewChain,
    task: Task,
    axis: Unit,
    known: Mapping[int, str],
    most: int,
    arm: str = "",
    samples: Samples | None = None,
) -> ClosedFormSteps:
    """The steps, none of which has more than `most` roots; an error that says what is left where there are none.

    They solve poses like those of the `samples`, or of random configurations.
    """
    special = elbow(chain) if arm else None
    probe = Probe(chain, task, axis, samples=samples)
    search = StepSearch(probe, list(known), most)
    steps: list[SolutionStep] = []
    wanted = [a.joint for a in chain.axes]
    while any(j not in search.solved for j in wanted):
        step = search.best() if special is None or not search.solved else special
        special = None if step is special else special
        if step is None:
            raise _not_solved(search, wanted, chain.symbols.robot.name)
        steps.append(step)
        search.advance(step)
    return ClosedFormSteps(chain, tuple(steps), task, axis, dict(known), probe.constants, arm)


def _not_solved(search: StepSearch, wanted: Sequence[int], robot: str) -> NotApplicable:
    """The error that says which joints are left, and why."""
    left = [j for j in wanted if j not in search.solved]
    seen = {j for row in search.every.values() for content in row.values() for j in content.unknowns}
    unseen = [f"q{j}" for j in left if j not in seen]
    if unseen:
        return NotApplicable("geometry.task_depends_not", robot=robot, variables=unseen)
    return NotApplicable("geometry.no_equation", robot=robot, variables=[f"q{j}" for j in left])


def program(closed: ClosedFormSteps, doubts: bool = False, widened: float = 1.0) -> Program:
    """The program of all branches: T, the given joints and `near` to q, valid, free and error.

    With `doubts`, its state also says where a branch may have been lost; `solve/closed.py` looks for it then. With
    `widened`, more joints are taken as free than are: the branches are near the true ones.
    """
    chain, s = closed.chain, closed.chain.symbols
    graph = s.graph
    names = [[s._unused(f"T{i}{k}") for k in range(1, 5)] for i in range(1, 5)]
    T = Matrix(graph, ([graph.symbol(name) for name in row] for row in names))
    near = {j: graph.symbol(s._unused(f"near{j}")) for j in closed.order}
    held = {j: graph.symbol(s._unused(name)) for j, name in closed.known.items()}
    goal = wanted_goal(closed, T)
    angle = graph.symbol(s._unused(closed.arm)) if closed.arm else None
    place = replace(make_place(closed, goal, near, angle), widened=widened)
    solutions = branches(place, closed.steps, {j: value(chain, j, x) for j, x in held.items()})
    every = loses_digits(closed)
    polish = Polish(partial(polished, chain, goal), every) if every or follows_a_wrist(closed) else None
    outputs = results(chain, solutions, T, certified(closed), closed.order, polish, doubts)
    arrays = [Input("T", (4, 4), variables(T), meaning=Meaning(sentence("symbols.wanted_pose")))]
    second = [*held.values(), *([] if angle is None else [angle])]
    if second:
        meaning = Meaning(
            sentence("symbols.given_joints" if held else "symbols.arm_angle"), "rad" if angle is not None else ""
        )
        arrays.append(Input("r", (len(second),), variables([second]), meaning=meaning))
    arrays.append(Input("near", (len(near),), variables([near.values()]), True, Meaning(sentence("symbols.near"))))
    return extract(graph, arrays, parameters(s), outputs)


def loses_digits(closed: ClosedFormSteps) -> bool:
    """Whether a step loses digits, and the Jacobian is square, so that a step of Newton's method restores them."""
    loses = any(isinstance(step, OneUnknownStep) and step.loses_digits for step in closed.steps)
    return loses and closed.task == "pose" and len(closed.chain.axes) == 6 and not closed.known


def follows_a_wrist(closed: ClosedFormSteps) -> bool:
    """Whether a step with several roots comes after two angles that turn a direction: see `exact`."""
    aimed = [n for n, step in enumerate(closed.steps) if isinstance(step, DirectionStep)]
    behind = closed.steps[aimed[0] + 1 :] if aimed else ()
    return closed.task == "pose" and not closed.known and not closed.arm and any(step.branches > 1 for step in behind)


def variables(rows: Iterable[Iterable[Expr]]) -> tuple[Variable, ...]:
    """The variables of an input array whose elements are symbols."""
    return tuple(Variable(str(x.node.value)) for row in rows for x in row)


def certified(closed: ClosedFormSteps) -> Matrix:
    """The directions of the end frame that the task fixes."""
    rows: Sequence[Unit] = {"pose": ((1, 0, 0), (0, 0, 1)), "position": (), "axis": (closed.axis,)}[closed.task]
    return Matrix(closed.chain.symbols.graph, rows)


def make_place(closed: ClosedFormSteps, pose: Pose, near: Mapping[int, Expr], angle: Expr | None = None) -> StepContext:
    """The loop with polynomials, and the wanted pose with the elements that are constant for every reachable pose."""
    chain, graph = closed.chain, closed.chain.symbols.graph
    A, P = pose

    def element(i: int, k: int, x: Expr) -> Expr:
        return graph.constant(closed.constants[i, k]) if (i, k) in closed.constants else x

    R = [[element(i, k, x) for k, x in enumerate(row)] for i, row in enumerate(A)]
    t = [element(i, 3, x) for i, x in enumerate(P)]
    goal: Goal = (tuple(tuple(map(known, row)) for row in R), tuple(map(known, t)))
    shifts = (screw.shift for screws in (*chain.links, chain.exact) for screw in screws)
    length = total(graph, [*dict.fromkeys(abs(x) for x in shifts), *(abs(x) for x in t)])
    loop = ChainLoop(chain, known, closed.task, closed.axis)
    return StepContext(loop, goal, graph.one + length, {j: value(chain, j, x) for j, x in near.items()}, angle)


def wanted_goal(closed: ClosedFormSteps, T: Matrix) -> Pose:
    """U = B⁻¹ T E⁻¹; without an orientation the tool stays."""
    wanted = Matrix(T.graph, (row[:3] for row in T.rows[:3])), T.column(3)[:3]
    without_base = compose(invert(closed.chain.base), wanted)
    return compose(without_base, invert(closed.chain.tool)) if closed.task == "pose" else without_base


def value(chain: ScrewChain, joint: int, q: Expr) -> tuple[Expr, ...]:
    """The unknown of the chain at a position of its joint: (cos θ, sin θ) or (r,)."""
    return _at_variables(chain.axis(joint), {joint: q})


def _at_variables(axis: Axis, q: Mapping[int, Expr]) -> tuple[Expr, ...]:
    """The unknown of an axis where these variables are q and others at zero."""
    x = total(axis.offset.graph, (axis.slopes[k] * q[k] for k in axis.slopes if k in q)) + axis.offset
    return (x,) if axis.prismatic else (x.graph.cos(x), x.graph.sin(x))
