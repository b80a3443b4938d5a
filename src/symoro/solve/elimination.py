"""All ways to close loops one after the other, in closed form or by elimination (K97 § 3.4, Raghavan and Roth 1993).

A loop is a chain with the pose 1. With the motors and the joints of earlier loops given, the general method of the
inverse geometry finds its unknown joints, six at most. Robots whose loops all have a closed form do not come here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.graph import Graph
from symoro.model import Model
from symoro.models.geometric.inverse.chain import ScrewChain, ring
from symoro.models.loops.equations import LoopEquations
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.solve.general.numeric import Array, NumericChain
from symoro.solve.general.solve import solve


def loop_modes(robot: Robot) -> Model:
    """Every way to close a robot's loops, in closed form (K97 § 3.4); `NotApplicable` where there is none."""
    from symoro.models.loops import analytic  # closed forms, which most robots with loops are not asked for

    program = analytic.loop_modes(Symbols(robot, Graph()))
    return Model(robot, program, "loop_modes", "Ways to close the loops, in closed form", "K97 § 3.4")


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop as numbers: the joints that are known before it, in the order of r, and all its joints."""

    chain: NumericChain
    known: tuple[int, ...]
    joints: tuple[int, ...]


class Elimination:
    """Closes the loops of a robot one after the other; `NotApplicable` where one has more than six unknown joints."""

    def __init__(self, s: Symbols) -> None:
        self._active, self._variables = tuple(s.active), tuple(s.variables)
        self._loops = tuple(_in_order(s))

    def __call__(self, qa: Array, parameters: Mapping[str, float]) -> Array | None:
        """Every closed configuration (branches, joints); None where a loop can move while the motors stand still."""
        modes = [dict(zip(self._active, map(float, qa), strict=True))]
        for loop in self._loops:
            ways = [_closed(loop, mode, parameters) for mode in modes]
            if None in ways:
                return None
            modes = [{**mode, **one} for mode, more in zip(modes, ways, strict=True) for one in more or ()]
        return np.array([[mode[j] for j in self._variables] for mode in modes]).reshape(-1, len(self._variables))


def _closed(loop: _Loop, mode: Mapping[int, float], parameters: Mapping[str, float]) -> list[dict[int, float]] | None:
    """The joints of a loop, once for each way to close it; None where one of them is free."""
    arm, known = loop.chain.displacements(parameters, loop.known), {j: mode[j] for j in loop.known}
    branches = solve(arm.kinds, arm.at(np.array(list(known.values()))), np.eye(4))
    if branches.continuum:
        return None
    rows = loop.chain.positions(arm.joints, branches.q, known)
    return [dict(zip(loop.joints, map(float, row), strict=True)) for row in rows]


def _in_order(s: Symbols) -> Iterator[_Loop]:
    """Each loop after those that find some of its joints."""
    waiting, known = list(topology.loops(s.robot)), set(s.active)
    while waiting:
        loop = min(waiting, key=lambda one: len(one.unknown(known)))
        waiting.remove(loop)
        arm = ring(s, loop)
        _require_general(arm, loop.unknown(known), 1 + len(LoopEquations(s, loop).rows))
        joints = tuple(sorted(axis.joint for axis in arm.axes))
        yield _Loop(NumericChain(arm), tuple(j for j in joints if j in known), joints)
        known |= set(joints)
    if loose := [j for j in s.variables if j not in known]:
        raise NotApplicable("positions.not_in_loops", robot=s.robot.name, joints=[f"q{j}" for j in loose])


def _require_general(arm: ScrewChain, unknown: Sequence[int], equations: int) -> None:
    """The general method finds six joints at most, three of them sliding, each of which moves by its own variable.

    A planar loop, of three equations, does not determine more than three joints.
    """
    name, unit_slopes = arm.symbols.robot.name, (arm.symbols.graph.one, -arm.symbols.graph.one)
    if not 0 < len(unknown) <= equations:
        raise NotApplicable("positions.many_unknowns", robot=name, count=len(unknown), most=equations)
    if sum(axis.prismatic for axis in arm.axes if axis.joint in unknown) > 3:
        raise NotApplicable("positions.many_sliders", robot=name)
    if any(set(axis.slopes) != {axis.joint} or axis.slopes[axis.joint] not in unit_slopes for axis in arm.axes):
        raise NotApplicable("positions.not_own", robot=name)
