"""The inverse geometric model of a robot with closed loops: from a pose to all joints, the motors among them.

The chain to the frame is solved as that of an open robot, whichever of its joints have motors. Its joints are then
known in the loops, which give the other ones (K97 § 3.4): each loop is an inverse geometric problem with the pose 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.bind.interface import inputs, parameters
from symoro.bind.symbols import Symbols
from symoro.errors import CannotClose
from symoro.findings import sentence
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import extract
from symoro.ir.linalg import Matrix
from symoro.ir.meaning import Meaning
from symoro.ir.program import Input, Program
from symoro.models.geometric.inverse.branches import BranchPositions, answers, branches, end_pose, pose_error, positions
from symoro.models.geometric.inverse.closed import ClosedFormSteps, certified, make_place, value, variables, wanted_goal
from symoro.models.geometric.inverse.probe import SAMPLES, Array, Samples
from symoro.models.loops.analytic import Mode, assembled, loops_in_order
from symoro.models.loops.assembly import Assembler
from symoro.models.loops.closing import closed_configurations, numeric_assembler, padded
from symoro.models.loops.constraint import Loops
from symoro.models.sampling import numbers_of, sample
from symoro.robot import topology
from symoro.robot.robot import Robot

#: Samples: how many positions of the motors are tried, how far they are from each other, and what is the same.
_TRIES, _AROUND, _SAME = 40, 0.15, 1e-6


@dataclass(frozen=True, slots=True)
class ClosedLoops:
    """The steps that solve the chain to a frame, and then those of each loop."""

    arm: ClosedFormSteps
    loops: tuple[ClosedFormSteps, ...]

    @property
    def order(self) -> tuple[int, ...]:
        """The joints of the answer: all of the tree."""
        return tuple(self.arm.chain.symbols.variables)


def with_loops(arm: ClosedFormSteps, samples: Samples | None) -> ClosedLoops:
    """The loops of the robot, once the joints of the arm are known; an error where they do not determine the others."""
    return ClosedLoops(arm, tuple(loops_in_order(arm.chain.symbols, arm.order, samples)))


def closed_samples(s: Symbols) -> Samples | None:
    """Closed configurations on one branch, that with small passive angles; None where none is found.

    Closed loops can keep a link from turning, so that its poses are special ones: an equation of the chain that has an
    unknown elsewhere can be empty there.
    """
    loops = Loops(s)
    assembler, rng = numeric_assembler(s, loops.every, every_joint=False), np.random.default_rng(2)
    start, rows = _one_closed(s, loops, assembler), []
    for _ in range(_TRIES if start is not None else 0):
        motors = rng.uniform(-_AROUND, _AROUND, len(assembler.active))
        with suppress(CannotClose):
            rows.append(assembler.follow(start, start[list(assembler.active)] + motors))
        if len(rows) == SAMPLES:
            return _with_cuts(s, loops, np.array(rows))
    return None


def _one_closed(s: Symbols, loops: Loops, assembler: Assembler) -> Any:
    """A closed configuration: with the motors near zero, else one at any positions; None where there is none."""
    try:
        return assembler.assemble(np.full(len(assembler.active), _AROUND))
    except CannotClose:
        configurations = closed_configurations(s, loops.every, 1)
        return None if configurations is None else configurations[0]


def _with_cuts(s: Symbols, loops: Loops, q: Array) -> Samples:
    cuts = sample(s, [[loop.cut_position() for loop in loops.loops]], SAMPLES, padded(s, q))[:, 0]
    joints = (*s.variables, *(loop.cut.index for loop in loops.loops))
    return Samples(numbers_of(s), dict(zip(joints, np.hstack([q, cuts]).T, strict=True)))


def covers(closed: ClosedLoops, inverse: Program, samples: Samples) -> bool:
    """Whether the program finds the samples at their poses."""
    chain, s = closed.arm.chain, closed.arm.chain.symbols
    end = end_pose(chain, {a.joint: value(chain, a.joint, s.q[a.joint]) for a in chain.axes})
    forward = extract(s.graph, inputs(s, ("q",)), parameters(s), [end])
    q = np.array([samples.q[j] for j in closed.order]).T
    T = evaluate(forward, {"q": q}, {p.name: samples.numbers[p.name] for p in forward.parameters})["T"]
    arrays = {"T": T, "near": np.zeros_like(q)}
    branches = evaluate(inverse, arrays, {p.name: samples.numbers[p.name] for p in inverse.parameters})
    turning = np.array([bool(s.revolute[j]) for j in closed.order])
    away = branches["q"] - q[:, None]
    away = np.abs(np.where(turning, (away + np.pi) % (2 * np.pi) - np.pi, away)).max(axis=-1)
    return bool((np.where(branches["valid"] > 0.5, away, np.inf).min(axis=1) < _SAME).all())


def end_links(robot: Robot) -> tuple[int, ...]:
    """The links without a successor that are on no loop; all links without a successor where there are none."""
    on_loops = {j.index for loop in topology.loops(robot) for j in (*loop.to_joint, *loop.to_mate)}
    tips = [tip.index for tip in topology.tips(robot)]
    return tuple(tip for tip in tips if tip not in on_loops) or tuple(tips)


def program(closed: ClosedLoops) -> Program:
    """The program of all branches: T and `near` to q, valid, free, error and state."""
    s = closed.arm.chain.symbols
    graph = s.graph
    T = Matrix(graph, ([graph.symbol(s._unused(f"T{i}{k}")) for k in range(1, 5)] for i in range(1, 5)))
    near = {j: graph.symbol(s._unused(f"near{j}")) for j in closed.order}
    modes = _arm_modes(closed.arm, T, near)
    for loop in closed.loops:
        modes = [after for mode in modes for after in assembled(loop, mode, near)]
    results = answers(s, [BranchPositions(mode.q, mode.ok, mode.error, mode.free) for mode in modes], T, closed.order)
    arrays = [
        Input("T", (4, 4), variables(T), meaning=Meaning(sentence("symbols.wanted_pose"))),
        Input("near", (len(near),), variables([near.values()]), True, Meaning(sentence("symbols.near"))),
    ]
    return extract(graph, arrays, parameters(s), results)


def _arm_modes(arm: ClosedFormSteps, T: Matrix, near: Mapping[int, Expr]) -> Sequence[Mode]:
    place = make_place(arm, wanted_goal(arm, T), {j: near[j] for j in arm.order})
    return [
        Mode(positions(arm.chain, b.values), b.ok, b.free, pose_error(arm.chain, b.values, T, certified(arm)))
        for b in branches(place, arm.steps, {})
    ]
