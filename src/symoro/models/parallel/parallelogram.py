"""A leg that ends with a parallelogram as a leg with one rod: the end moves alike, from another point.

The link across a parallelogram keeps its orientation: joint k, which carries it, turns back by what the rod's joint i
turns. In the frame before joint i the end is at Rz(θ_i) x + e, with the rod x and a constant e. So it is the end of a
rod whose joint is moved by e (the offsets of a Delta robot's parallelograms: R. Clavel, ISIR 1988).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from symoro.models.geometric.frames import FrameRef, carrier
from symoro.models.parallel.leg_loops import LegLoops
from symoro.robot import topology
from symoro.robot.arithmetic import product, total
from symoro.robot.base import Frame, Pose
from symoro.robot.joint import Joint, JointKind
from symoro.robot.parallel import placed_frame, translation
from symoro.robot.robot import Robot
from symoro.robot.substitute import substituted
from symoro.robot.trigonometry import negative
from symoro.robot.values import ZERO, Value, as_value, is_zero

END = "end of the rod"
_QUARTER = as_value("pi/2")


def one_rod(leg: Robot, frame: FrameRef, loops: LegLoops) -> Robot | None:
    """A serial leg whose frame `END` has the same position as the frame; None where it ends with no parallelogram.

    Variables have their names.
    """
    link, pose = carrier(leg, frame)
    way = topology.path(leg, link)
    rest = _turned_back(leg, loops, way[-2], way[-1]) if len(way) > 1 else None
    if rest is None:
        return None
    *before, rod, last = way
    turn = total((_constant(rod), last.gamma, _constant(last), rest))
    e = _origin(product(placed_frame({"gamma": turn}), pose))
    x = _origin(placed_frame({"gamma": last.gamma, "b": last.b, "d": last.d, "r": last.r}))
    fixed: tuple[dict[str, Any], ...] = (
        {"gamma": rod.gamma, "b": rod.b, "alpha": rod.alpha, "d": rod.d},
        {"b": e[2], "d": e[0]},
        {"gamma": _QUARTER, "d": e[1], "theta": negative(_QUARTER)},
    )
    places = [Joint(0, f"place {n}", 0, JointKind.FIXED, **row) for n, row in enumerate(fixed, 1)]
    own = replace(rod, gamma=ZERO, b=ZERO, alpha=ZERO, d=ZERO)
    chain = [replace(joint, index=n, parent=n - 1) for n, joint in enumerate((*before, *places, own), 1)]
    end = Frame(END, len(chain), translation(x))
    return Robot(leg.name, tuple(chain), gravity=leg.gravity, values=leg.values, frames=(end,))


def _turned_back(leg: Robot, loops: LegLoops, rod: Joint, last: Joint) -> Value | None:
    """The constant part of q_last = −q_rod + rest; None where the last joint does not turn back the rod."""
    followers = {row.joint: row for row in loops.following or ()}
    row = followers.get(last.index)
    others = any(j.index in loops.dependent for j in topology.path(leg, last.parent)[:-1])
    turns_back = row and not others and row.slopes == ((rod.index, -1),) and is_zero(last.alpha) and rod.revolute
    return row.rest if row and turns_back else None


def _constant(joint: Joint) -> Value:
    return substituted(joint.position, {str(joint.variable): ZERO})


def _origin(pose: Pose) -> tuple[Value, ...]:
    return tuple(row[3] for row in pose[:3])
