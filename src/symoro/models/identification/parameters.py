"""The parameters of links and drives that the torques are linear in, each named by its letters and its link."""

from __future__ import annotations

from typing import TypeAlias

from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import Value

Key: TypeAlias = tuple[str, int]
"""A parameter: its letters and its link."""

#: The inertial parameters of a link, in the order in which base parameters keep them.
INERTIAL = ("XX", "XY", "XZ", "YZ", "ZZ", "MX", "MY", "MZ", "M", "YY")
#: The parameters of a drive that its torque is linear in, besides IA. BST and VS stay parameters of the model.
FRICTION = ("FV", "FS", "FA", "FST")
OFFSET = ("FO",)


def own_value(robot: Robot, key: Key) -> Value:
    """A parameter of the robot's tables."""
    letters, j = key
    table: Drive | Inertia = robot.inertia(j) if letters in INERTIAL else robot.drive(j)
    found: Value = getattr(table, letters)
    return found


def standard(robot: Robot) -> dict[Key, Value]:
    """The inertial parameters and rotor inertias of the robot's tables; with link 0 if the base moves freely."""
    found: dict[Key, Value] = {}
    for j in range(0 if robot.base.free else 1, robot.link_count + 1):
        names = (*Inertia.names(), *(("IA",) if j else ()))
        found |= {(name, j): own_value(robot, (name, j)) for name in names}
    return found
