"""Evaluated geometric and kinematic models, and the same quantities by Pinocchio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pinocchio as pin

from support.pinocchio_robot import Oracle, oracle
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.model import Model
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

Array = np.ndarray


def run(model: Model, numbers: Mapping[str, float] | None = None, **inputs: Any) -> dict[str, Array]:
    """Every output of a model, by the reference interpreter."""
    known = {**robot_numbers(model.robot), **(numbers or {})}
    given = {name: inputs[name] for name in model.inputs if name in inputs}
    return evaluate(model.program, given, {p.name: known[p.name] for p in model.program.parameters})


def one(model: Model, **inputs: Any) -> Array:
    """The only output of a model."""
    (value,) = run(model, **inputs).values()
    return value


def pose_table(rng: np.random.Generator) -> tuple[tuple[tuple[object, ...], ...], pin.SE3]:
    """A random pose as a table of a robot, and as an object of Pinocchio."""
    placed = pin.SE3(pin.exp3(rng.normal(size=3)), rng.normal(size=3))
    rows = tuple(tuple(as_value(float(x)) for x in row) for row in placed.homogeneous)
    return rows, placed


class Reference:
    """A robot in motion, computed by Pinocchio; the base moves with V0 and VP0 [linear; angular] in frame 0."""

    def __init__(
        self, robot: Robot, q: Array, qd: Array | None = None, qdd: Array | None = None,
        V0: Array | None = None, VP0: Array | None = None,
    ) -> None:  # fmt: skip
        self.robot = robot
        self.o: Oracle = oracle(robot, robot_numbers(robot), free=True)
        none = np.zeros(6)
        V0, VP0 = none if V0 is None else V0, none if VP0 is None else VP0
        zero = np.zeros_like(q)
        spatial = np.concatenate([VP0[:3] - np.cross(V0[3:], V0[:3]), VP0[3:]])
        v = self.o.v(zero if qd is None else qd, V0)
        a = self.o.v(zero if qdd is None else qdd, spatial)
        pin.forwardKinematics(self.o.model, self.o.data, self.o.q(q), v, a)
        pin.computeJointJacobians(self.o.model, self.o.data, self.o.q(q))

    def pose(self, link: int) -> pin.SE3:
        return self.o.data.oMi[self.o.joint_of[link]] * self.o.pose_in[link]

    def velocity(self, link: int, at: pin.SE3 | None = None) -> Array:
        """[v; ω] in the frame of the link, or in a frame on it."""
        placed = self.o.pose_in[link] * (at or pin.SE3.Identity())
        v = placed.actInv(self.o.data.v[self.o.joint_of[link]])
        return np.concatenate([v.linear, v.angular])

    def acceleration(self, link: int, at: pin.SE3 | None = None) -> Array:
        """The classical [v̇; ω̇] in the frame of the link, or in a frame on it."""
        placed = self.o.pose_in[link] * (at or pin.SE3.Identity())
        v = placed.actInv(self.o.data.v[self.o.joint_of[link]])
        a = placed.actInv(self.o.data.a[self.o.joint_of[link]])
        return np.concatenate([a.linear + np.cross(v.angular, v.linear), a.angular])

    def jacobian(self, link: int, reference: pin.ReferenceFrame, at: pin.SE3 | None = None) -> Array:
        """The columns of the joints in the order of q, in one of Pinocchio's three reference frames."""
        placed = at or pin.SE3.Identity()
        local = pin.getJointJacobian(self.o.model, self.o.data, self.o.joint_of[link], pin.LOCAL)
        local = (self.o.pose_in[link] * placed).inverse().action @ local
        where = self.pose(link) * placed
        turn = {
            pin.LOCAL: np.eye(6),
            pin.WORLD: where.action,
            pin.LOCAL_WORLD_ALIGNED: np.kron(np.eye(2), where.rotation),
        }[reference]
        return (turn @ local)[:, self.o.velocity_index]
