"""Closed loops solved in closed form: every way to assemble them, for given positions of the motors (K97 § 3.4).

The joints of a loop form a chain whose end is its beginning. With the motors and the joints of earlier loops given, its
passive joints are the unknowns of an inverse geometric problem with the pose 1. Loops are taken in an order in which
each has few unknowns; the branches of all loops together are the ways to assemble the robot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from symoro.bind.interface import inputs, parameters
from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.linalg import identity
from symoro.ir.program import Input, Program
from symoro.models.geometric.inverse.branches import CERTIFIED, branches, largest, pose_error, positions
from symoro.models.geometric.inverse.chain import ring
from symoro.models.geometric.inverse.closed import ClosedFormSteps, certified, make_place, solve, value, wanted_goal
from symoro.models.geometric.inverse.probe import Samples
from symoro.models.geometric.inverse.types import at_most, both, either
from symoro.robot import topology


@dataclass(frozen=True, slots=True)
class Mode:
    """The positions of the joints found so far, 1 where they exist, and 1 for each joint where it is free.

    `error` is the largest error of the equations so far.
    """

    q: Mapping[int, Expr]
    ok: Expr
    free: Mapping[int, Expr]
    error: Expr

    @property
    def loose(self) -> Expr:
        """1 where some joint is free."""
        any_free = self.ok.graph.zero
        for condition in self.free.values():
            any_free = either(any_free, condition)
        return any_free


def loop_modes(s: Symbols) -> Program:
    """From qa to q (modes, joints), ok, free, and qc of the cut joints, for every way to close the loops."""
    modes = [Mode({j: s.q[j] for j in s.active}, s.graph.one, {}, s.graph.zero)]
    for closed in loops_in_order(s, s.active):
        modes = [after for mode in modes for after in assembled(closed, mode, {})]
    cuts = [cut.joint for cut in s.robot.cuts]
    q = tuple(mode.q[j] for mode in modes for j in s.variables)
    qc = tuple(mode.q[k] for mode in modes for k in cuts)
    numbers, count = range(1, len(modes) + 1), len(modes)
    results = [
        Result("q", (count, len(s.variables)), q, tuple(f"Q{j}_{n}" for n in numbers for j in s.variables)),
        Result("ok", (count,), tuple(mode.ok for mode in modes), tuple(f"OK{n}" for n in numbers)),
        Result("free", (count,), tuple(mode.loose for mode in modes), tuple(f"FREE{n}" for n in numbers)),
        Result("qc", (count, len(cuts)), qc, tuple(f"QC{k}_{n}" for n in numbers for k in cuts)),
    ]
    motors = [replace(array, name="qa") for array in inputs(s, ("q",), {"q": s.active})]
    return extract(s.graph, motors or [Input("qa", (0,), ())], parameters(s), results)


def loops_in_order(s: Symbols, known: Iterable[int], samples: Samples | None = None) -> Iterator[ClosedFormSteps]:
    """The loops with their steps, each one after those that find some of its joints; `known` are found before."""
    waiting = list(topology.loops(s.robot))
    solved = set(known)
    while waiting:
        steps, reasons = None, []
        for loop in sorted(waiting, key=lambda loop: len(loop.unknown(solved))):
            try:
                arm = ring(s, loop)
                names = {a.joint: f"q{a.joint}" for a in arm.axes if a.joint in solved}
                steps = solve(arm, "pose", (0, 0, 1), names, most=4, samples=samples)
            except NotApplicable as reason:
                reasons.append(reason)
                continue
            waiting.remove(loop)
            solved |= {a.joint for a in arm.axes}
            yield steps
            break
        if steps is None:
            raise reasons[0]
    left = [j for j in s.variables if j not in solved]
    if left:
        raise NotApplicable("loops.undetermined", robot=s.robot.name, joints=[f"q{j}" for j in left])


def assembled(closed: ClosedFormSteps, mode: Mode, near: Mapping[int, Expr]) -> Iterator[Mode]:
    """The ways to close one more loop; `near` are positions for joints that are free, zero where there is none."""
    arm, graph = closed.chain, closed.chain.symbols.graph
    one = identity(graph, 4)
    place = make_place(closed, wanted_goal(closed, one), {j: near.get(j, graph.zero) for j in closed.order})
    known = {j: value(arm, j, mode.q[j]) for j in closed.known}
    for branch in branches(place, closed.steps, known):
        error = pose_error(arm, branch.values, one, certified(closed))
        ok = both(both(mode.ok, branch.ok), at_most(error, CERTIFIED * place.length))
        new = {j: x for j, x in positions(arm, branch.values).items() if j not in mode.q}
        yield Mode({**mode.q, **new}, ok, {**mode.free, **branch.free}, largest([mode.error, error]))
