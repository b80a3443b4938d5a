"""A Delta robot as a tree with cuts, which models of closed loops take."""

from __future__ import annotations

from dataclasses import replace

from symoro.robot.joint import Joint, JointKind
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot, cut_closures
from symoro.robot.values import as_value


def delta_as_loops(robot: Robot) -> Robot:
    """The Delta robot with parallelograms as a tree with cuts: a hinge carries the platform on the first leg."""
    quarter, back = as_value("pi/2"), as_value("-pi/2")
    tree = list(robot.joints[:15])
    ends = []
    for i in (1, 2, 3):  # the middle of the wrist bar, without its orientation
        half = as_value(f"-E_{i}")
        ends.append(Joint(15 + i, f"end {i}", 5 * i, JointKind.FIXED, gamma=quarter, d=half, theta=back))
    hinge = Joint(19, "hinge", 16, actuated=False, alpha=back)
    platform = Joint(20, "platform", 19, JointKind.FIXED, alpha=back, d=as_value("-0.05"))
    cuts = [replace(robot.joints[16 + i], index=21 + i) for i in range(3)]
    cuts += [Joint(22 + i, f"cut of leg {i}", 15 + i, actuated=False, alpha=back) for i in (2, 3)]
    mates = [replace(robot.joints[19 + i], index=26 + i) for i in range(3)]
    for i, gamma in ((2, "2*pi/3"), (3, "4*pi/3")):
        place = {"gamma": as_value(gamma), "alpha": quarter, "d": as_value("0.05")}
        mates.append(Joint(27 + i, f"mate of leg {i}", 20, JointKind.FIXED, **place))  # type: ignore[arg-type]
    joints = (*tree, *ends, hinge, platform, *cuts, *mates)
    none, still = Inertia(), Drive()
    return Robot(
        "delta as loops",
        joints,
        (*robot.inertias[:15], none, none, none, none, robot.platform),
        (*robot.drives[:15], *[still] * 5),
        gravity=robot.gravity,
        closures=cut_closures(joints, ((21 + k, 26 + k) for k in range(5))),
        values=robot.values,
    )
