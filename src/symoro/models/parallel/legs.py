"""The legs of a parallel robot as robots of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.linalg import zeros
from symoro.models.geometric.frames import carrier
from symoro.models.parallel.leg import Leg
from symoro.models.parallel.leg_loops import LegLoops, leg_loops
from symoro.models.parallel.leg_symbols import LegSymbols, Pair
from symoro.models.parallel.letters import Letters
from symoro.robot import topology
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.state import State


def named_leg(robot: ParallelRobot, i: int) -> Robot:
    """Leg i with a name for messages and the numbers of the robot."""
    return replace(robot.legs[i], name=f"leg {i + 1} of {robot.name}", values=robot.values)


def tree_of(leg: Robot) -> Robot:
    """The leg with its loops cut."""
    return replace(leg, joints=topology.tree_joints(leg), cuts=()) if leg.cuts else leg


def loops_of(robot: ParallelRobot, i: int) -> LegLoops:
    """The loops of leg i; an error where a joint does not follow from the motion of its end."""
    leg = robot.legs[i]
    link, _ = carrier(leg, robot.end(i))
    found = leg_loops(named_leg(robot, i), link)
    way = [joint.index for joint in topology.path(leg, link)]
    beside = [f"{j} ({leg.joint(j).name})" for j in found.left if j not in way]
    if beside:
        raise NotApplicable(
            f"leg {i + 1} of {robot.name}: the pose of its end does not determine joint {', '.join(beside)}, which is "
            "not on the way to the end"
        )
    return found


def leg_at(
    letters: Letters,
    i: int,
    q: Mapping[int, Expr],
    turned: Mapping[int, Pair],
    chosen: tuple[int, ...] = (),
    suffix: str = "",
) -> Leg:
    """Leg i at rest with these positions of its joints; `suffix` stands behind the names of its variables."""
    leg, graph = tree_of(letters.robot.legs[i]), letters.graph
    still = {j.index: graph.zero for j in leg.joints}
    none = zeros(graph, 6)
    state = State(q, still, still, none, none, letters.g, {}, f"_{i + 1}{suffix}")
    return Leg(letters, i, LegSymbols(leg, graph, state=state, turned=turned), loops_of(letters.robot, i), chosen)
