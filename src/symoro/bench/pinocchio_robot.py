"""A robot as a Pinocchio model, built from its table with NumPy alone; it shares no algorithm with symoro."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import pinocchio as pin

from symoro.robot.joint import Joint, JointKind
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate

AXES = {"x": 0, "z": 2}
MODELS = {
    JointKind.REVOLUTE: pin.JointModelRZ,
    JointKind.PRISMATIC: pin.JointModelPZ,
    JointKind.FREE: pin.JointModelFreeFlyer,
}


def turn(axis: str, angle: float) -> pin.SE3:
    return pin.SE3(pin.utils.rotate(axis, angle), np.zeros(3))


def shift(axis: str, distance: float) -> pin.SE3:
    return pin.SE3(np.eye(3), distance * np.eye(3)[AXES[axis]])


@dataclass
class Oracle:
    """The Pinocchio model, and where each link of the robot is in it."""

    model: pin.Model
    data: pin.Data
    joint_of: dict[int, int]  # link -> Pinocchio joint that carries it
    pose_in: dict[int, pin.SE3]  # link frame in the frame of that joint
    velocity_index: list[int]  # q of symoro -> index in Pinocchio's v
    position_index: list[int]
    free: bool

    def q(self, q: np.ndarray, quaternion: np.ndarray | None = None) -> np.ndarray:
        out: np.ndarray = pin.neutral(self.model)
        out[self.position_index] = q
        if self.free and quaternion is not None:
            out[3:7] = quaternion
        return out

    def v(self, qd: np.ndarray, base: np.ndarray | None = None) -> np.ndarray:
        out = np.zeros(self.model.nv)
        out[self.velocity_index] = qd
        if self.free and base is not None:
            out[:6] = base
        return out


def placement(joint: Joint, numbers: Mapping[str, float]) -> pin.SE3:
    """The constant part of a joint's transformation; the motion about or along z follows it."""
    at_rest = {**numbers, joint.variable: 0.0} if joint.variable else dict(numbers)
    gamma, b, alpha, d, theta, r = (
        evaluate(getattr(joint, name), at_rest) for name in ("gamma", "b", "alpha", "d", "theta", "r")
    )
    return turn("z", gamma) * shift("z", b) * turn("x", alpha) * shift("x", d) * turn("z", theta) * shift("z", r)


def inertia(robot: Robot, link: int, numbers: Mapping[str, float]) -> pin.Inertia:
    v = {name: evaluate(value, numbers) for name, value in robot.inertia(link).items()}
    if v["M"] == 0:
        return pin.Inertia.Zero()
    order = ("M", "MX", "MY", "MZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ")
    return pin.Inertia.FromDynamicParameters(np.array([v[name] for name in order]))


def depth_first(robot: Robot, link: int = 0) -> Iterator[Joint]:
    """The joints branch by branch: Pinocchio's crba and derivatives take the joints of a branch to be neighbours."""
    for joint in robot.joints[: robot.link_count]:
        if joint.parent == link:
            yield joint
            yield from depth_first(robot, joint.index)


Loads = Mapping[int, pin.Inertia]
"""Bodies fixed on links, each in the frame of its link."""


def oracle(
    robot: Robot, numbers: Mapping[str, float], free: bool = False, loads: Loads = MappingProxyType({})
) -> Oracle:
    """The robot's tree; `free` puts a free-flyer under its base."""
    model = pin.Model()
    joint_of, pose_in = {0: 0}, {0: pin.SE3.Identity()}
    if free:
        joint_of[0] = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
        model.appendBodyToJoint(joint_of[0], inertia(robot, 0, numbers), pin.SE3.Identity())
    for joint in depth_first(robot):
        carrier = joint_of[joint.parent]
        where = pose_in[joint.parent] * placement(joint, numbers)
        if joint.fixed:
            joint_of[joint.index], pose_in[joint.index] = carrier, where
        else:
            joint_of[joint.index] = model.addJoint(carrier, MODELS[joint.kind](), where, joint.name)
            pose_in[joint.index] = pin.SE3.Identity()
        model.appendBodyToJoint(joint_of[joint.index], inertia(robot, joint.index, numbers), pose_in[joint.index])
    for link, load in loads.items():
        model.appendBodyToJoint(joint_of[link], load, pose_in[link])
    model.gravity.linear = np.array([evaluate(g, numbers) for g in robot.gravity])
    movable = [j.index for j in robot.joints[: robot.link_count] if j.movable]
    velocity = [model.joints[joint_of[j]].idx_v for j in movable]
    position = [model.joints[joint_of[j]].idx_q for j in movable]
    return Oracle(model, model.createData(), joint_of, pose_in, velocity, position, free)


def external_forces(o: Oracle, wrenches: Mapping[int, np.ndarray]) -> pin.StdVec_Force:
    """Forces on the joints from the wrenches [f; m] of links on the environment."""
    forces = pin.StdVec_Force([pin.Force.Zero() for _ in range(o.model.njoints)])
    for link, wrench in wrenches.items():
        forces[o.joint_of[link]] = forces[o.joint_of[link]] + o.pose_in[link].act(pin.Force(-np.asarray(wrench)))
    return forces
