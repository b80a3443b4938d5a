"""Legs whose motors move them through loops, for positions of the motors: serial legs in each way to close the loops.

The motor of a leg may be beside the way to its end, as the crank of a four-bar linkage that moves the first link. With
the motors at given positions, such loops close in finitely many ways. In each way the joints of the loops stand
still, as if each had a motor, and the leg is a serial one. The assemblies of the robot are those of all ways.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from itertools import product

import numpy as np

from symoro.errors import NotApplicable
from symoro.ir.evaluate import evaluate
from symoro.ir.graph import Graph
from symoro.ir.program import Program
from symoro.models.geometric.frames import carrier
from symoro.models.loops.analytic import loop_modes
from symoro.models.parallel.legs import loops_of
from symoro.models.parallel.numbers import Array
from symoro.robot import topology
from symoro.robot.base import Frame
from symoro.robot.joint import GEOMETRY, Joint, JointKind
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.robot.substitute import substituted
from symoro.robot.values import ZERO
from symoro.symbols import Symbols

_END = "end of the way"
Way = dict[int, float]
"""The positions of a leg's joints that motors and loops determine."""


def driven(robot: ParallelRobot, q: Array, numbers: Mapping[str, float]) -> tuple[ParallelRobot, list[Array]] | None:
    """The robot with serial legs, and the positions of its motors in each way to close the loops.

    None where no leg has such loops, or where a closed form of one is not known.
    """
    moved = [i for i in range(len(robot.legs)) if loops_of(robot, i).following is None]
    if not moved:
        return None
    ways = []
    for i, leg in enumerate(robot.legs):
        own = {j: float(x) for (k, j), x in zip(robot.motors, q, strict=True) if k == i}
        found = _ways(leg, own, numbers) if i in moved else [own]
        if found is None:
            return None
        ways.append(found)
    made = _with_serial_legs(robot, tuple(moved))
    chosen = [_motors(robot, i) if i in moved else list(ways[i][0]) for i in range(len(robot.legs))]
    rows = [np.array([way[j] for way, js in zip(one, chosen, strict=True) for j in js]) for one in product(*ways)]
    return made, rows


def _ways(leg: Robot, motors: Way, numbers: Mapping[str, float]) -> list[Way] | None:
    """Every way to close the loops of a leg; None where there is no closed form, or where a joint is free."""
    found = _modes(leg)
    if found is None:
        return None
    program, active, joints = found
    known = {p.name: numbers[p.name] for p in program.parameters}
    modes = evaluate(program, {"qa": np.array([motors[j] for j in active])}, known)
    exist = modes["ok"] > 0.5
    if (modes["free"][exist] > 0.5).any():
        return None
    return [dict(zip(joints, map(float, row), strict=True)) for row in modes["q"][exist]]


@lru_cache(maxsize=64)
def _modes(leg: Robot) -> tuple[Program, tuple[int, ...], tuple[int, ...]] | None:
    """The program of all ways to close the loops, its motors and its joints; joints beside the loops are fixed."""
    inside = _inside(leg)
    joints = tuple(j if j.index in inside or j.actuated else _fixed(j) for j in leg.joints)
    s = Symbols(Robot(leg.name, joints, cuts=leg.cuts, values=leg.values), Graph())
    try:
        return loop_modes(s), tuple(s.active), tuple(s.variables)
    except NotApplicable:
        return None


def _inside(leg: Robot) -> set[int]:
    """The joints of the loops."""
    return {joint.index for loop in topology.loops(leg) for joint in (*loop.to_joint, *loop.to_mate)}


def _fixed(joint: Joint) -> Joint:
    if not joint.movable:
        return joint
    rest = substituted(joint.position, {str(joint.variable): ZERO})
    at = {name: getattr(joint, name) for name in GEOMETRY} | {joint.moving: rest}
    return replace(Joint(joint.index, joint.name, joint.parent, JointKind.FIXED), **at)


def _on_way(robot: ParallelRobot, i: int) -> tuple[Joint, ...]:
    """The joints from the base to the end of leg i; those of its loops have motors."""
    leg = robot.legs[i]
    inside = _inside(leg)
    way = topology.path(leg, carrier(leg, robot.end(i))[0])
    return tuple(replace(j, actuated=j.movable and (j.actuated or j.index in inside)) for j in way)


def _motors(robot: ParallelRobot, i: int) -> list[int]:
    return [joint.index for joint in _on_way(robot, i) if joint.actuated]


@lru_cache(maxsize=32)
def _with_serial_legs(robot: ParallelRobot, moved: tuple[int, ...]) -> ParallelRobot:
    legs, ends = list(robot.legs), list(robot.attachments)
    for i in moved:
        leg, pose = robot.legs[i], carrier(robot.legs[i], robot.end(i))[1]
        chain = [replace(j, index=n, parent=n - 1, elastic=False) for n, j in enumerate(_on_way(robot, i), 1)]
        frame = Frame(_END, len(chain), pose)
        legs[i] = Robot(leg.name, tuple(chain), gravity=leg.gravity, values=leg.values, frames=(frame,))
        ends[i] = replace(ends[i], frame=_END)
    return ParallelRobot(
        robot.platform, legs, ends, robot.name, home=robot.home, gravity=robot.gravity, values=robot.values
    )
