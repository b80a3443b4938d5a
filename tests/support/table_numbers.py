"""Frames, torques and matrices of a robot's table with numbers, by Pinocchio; coordinates may be linear functions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pinocchio as pin

from support.pinocchio_robot import Oracle, oracle
from symoro.robot.robot import Robot
from symoro.robot.values import as_value, evaluate

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass
class Table:
    """The table of a robot as a Pinocchio model: its coordinates are G q beyond their numbers at q = 0."""

    robot: Robot
    o: Oracle
    G: Array

    def frames(self, q: Array) -> dict[str, Array]:
        pin.forwardKinematics(self.o.model, self.o.data, self.o.q(self.G @ q))
        numbers = self.robot.values.numbers()
        found = {}
        for frame in self.robot.frames:
            pose = np.array([[evaluate(x, numbers) for x in row] for row in frame.pose])
            where = self.o.data.oMi[self.o.joint_of[frame.link]] * self.o.pose_in[frame.link]
            found[frame.name] = where.homogeneous @ pose
        return found

    def torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        o, x = self.o, (self.G @ q, self.G @ qd, self.G @ qdd)
        return self.G.T @ pin.rnea(o.model, o.data, o.q(x[0]), o.v(x[1]), o.v(x[2]))[o.velocity_index]

    def inertia(self, q: Array) -> Array:
        o = self.o
        A = np.triu(pin.crba(o.model, o.data, o.q(self.G @ q)))
        A = (A + np.triu(A, 1).T)[np.ix_(o.velocity_index, o.velocity_index)]
        return self.G.T @ A @ self.G


def table(robot: Robot) -> Table:
    """The table of a robot whose coordinates are linear functions of its variables."""
    tree = robot.joints[: robot.link_count]
    names = [str(joint.variable) for joint in tree if joint.variable]
    numbers = {**robot.values.numbers(), **dict.fromkeys(names, 0.0)}
    movable = [joint for joint in tree if joint.movable]
    G = np.zeros((len(movable), len(names)))
    for row, joint in enumerate(movable):
        zero = evaluate(joint.position, numbers)
        G[row] = [evaluate(joint.position, {**numbers, name: 1.0}) - zero for name in names]
    at_zero: Any = {
        j.index: {j.moving: as_value(f"q{j.index} + ({evaluate(j.position, numbers)!r})"), "variable": f"q{j.index}"}
        for j in movable
    }
    free = replace(robot, joints=tuple(replace(j, **at_zero.get(j.index, {})) for j in robot.joints))
    return Table(robot, oracle(free, robot.values.numbers()), G)
