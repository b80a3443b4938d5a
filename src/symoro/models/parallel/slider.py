"""A leg with a sliding attachment as a leg with one more joint, whose end is fixed on the platform.

The joints of the leg for a pose follow from this leg. The slider itself has no mass, so that other models leave it out.
"""

from __future__ import annotations

from dataclasses import replace
from math import atan2, hypot

from symoro.errors import NotApplicable
from symoro.models.geometric.frames import FrameRef, carrier
from symoro.models.parallel.leg_loops import part_of_turn
from symoro.robot.base import Pose
from symoro.robot.joint import Joint, JointKind
from symoro.robot.robot import Robot
from symoro.robot.trigonometry import negative
from symoro.robot.values import PI, ZERO, Value, as_value, evaluate, symbols

SLIDER = "q_slider"
_QUARTER = as_value("pi/2")
_SAME = 1e-12


def with_slider(leg: Robot, frame: FrameRef) -> Robot:
    """The leg with a slider along z of the frame; its last link is fixed on the platform."""
    link, pose = carrier(leg, frame)
    x, y, z = (row[3] for row in pose[:3])
    gamma, alpha, theta = _angles(leg, pose)
    tree, n = leg.joints[: leg.link_count], leg.link_count
    new = (
        Joint(n + 1, "place 1", link, JointKind.FIXED, b=z, d=x),
        Joint(n + 2, "place 2", n + 1, JointKind.FIXED, gamma=_QUARTER, d=y, theta=negative(_QUARTER)),
        Joint(n + 3, "axis", n + 2, JointKind.FIXED, gamma=gamma, alpha=alpha, theta=theta),
        Joint(n + 4, "slider", n + 3, JointKind.PRISMATIC, False, variable=SLIDER),
    )
    return replace(leg, joints=(*tree, *new), cuts=(), inertias=(), drives=(), wrenches=())


def _angles(leg: Robot, pose: Pose) -> tuple[Value, Value, Value]:
    """γ, α and θ of the orientation Rz(γ) Rx(α) Rz(θ); whole parts of a turn are exact."""
    known = leg.values.numbers()
    if any(not symbols(x) <= known.keys() for row in pose[:3] for x in row[:3]):
        raise NotApplicable(f"{leg.name}: the orientation of a sliding end has symbols without numbers")
    R = [[evaluate(x, known) for x in row[:3]] for row in pose[:3]]
    tilt = hypot(R[0][2], R[1][2])
    if tilt < _SAME:  # z is kept, or turned around
        up = R[2][2] > 0
        return ZERO, ZERO if up else PI, part_of_turn(atan2(R[1][0], R[0][0]) * (1 if up else -1), _SAME)
    angles = atan2(R[0][2], -R[1][2]), atan2(tilt, R[2][2]), atan2(R[2][0], R[2][1])
    gamma, alpha, theta = (part_of_turn(x, _SAME) for x in angles)
    return gamma, alpha, theta
