"""Robots from models of Pinocchio, and back. The tool is imported only to make a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import NotApplicable, RobotError
from symoro.formats import urdf, valid_robot
from symoro.formats._report import Report
from symoro.formats.tree.description import Bounds, FrameOf, JointOf, Kind, Link, Mass, Mimic, Tree
from symoro.formats.tree.poses import Array, X, Y, Z
from symoro.formats.tree.robot import robot_of
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate

_AXES = {"X": X, "Y": Y, "Z": Z}
_ENDLESS = 1e15


def from_pinocchio(model: Any) -> Robot:
    """The robot of a `pinocchio.Model`: joints by their names, bodies and frames, gravity, armature, friction."""
    if not hasattr(model, "jointPlacements"):
        raise RobotError("tools.pinocchio_model", type=type(model).__name__)
    report = Report(None)
    return robot_of(_Read(model).tree(), report).robot


def to_pinocchio(robot: Robot | str | Path) -> Any:
    """The `pinocchio.Model` of a robot with numbers, with its gravity, rotor inertias, damping and friction."""
    robot = valid_robot(robot)
    if robot.platforms:
        raise NotApplicable("tools.platform", robot=robot.name)
    import pinocchio as pin

    model = pin.buildModelFromXML(urdf.write_text(robot))
    numbers = robot.values.numbers()
    model.gravity.linear = np.array([evaluate(value, numbers) for value in robot.gravity])  # its world is our frame 0
    for joint in robot.joints:
        if joint.variable and joint.index <= robot.link_count:
            v = model.joints[model.getJointId(joint.name)].idx_v
            model.armature[v] = evaluate(robot.drive(joint.index).IA, numbers)
    return model


class _Read:
    def __init__(self, model: Any) -> None:
        self.model = model

    def tree(self) -> Tree:
        m = self.model
        names = list(m.names)
        links = [Link(_link(name), self.mass(k), named=False) for k, name in enumerate(names)]
        joints = [joint for k in range(1, m.njoints) for joint in self.joint(k)]
        frames = [
            FrameOf(frame.name, _link(names[frame.parentJoint]), np.array(frame.placement.homogeneous))
            for frame in m.frames
            if str(frame.type) == "BODY" or frame.type.name == "BODY"
        ]
        gravity = tuple(float(x) for x in m.gravity.linear)
        return Tree(m.name or "robot", _link(names[0]), tuple(links), tuple(joints), tuple(frames), gravity=gravity)

    def mass(self, k: int) -> Mass:
        inertia = self.model.inertias[k]
        where = np.eye(4)
        where[:3, 3] = inertia.lever
        return Mass.at_centre(float(inertia.mass), np.array(inertia.inertia), where)

    def joint(self, k: int) -> Iterator[JointOf]:
        m, joint = self.model, self.model.joints[k]
        kind, axis, mimic = self.follower(k) if "Mimic" in joint.shortname() else (*self.kind(joint), None)
        name, v = m.names[k], joint.idx_v
        plain = kind in ("revolute", "prismatic") and joint.nv == 1
        low, high = (float(limit[joint.idx_q]) for limit in (m.lowerPositionLimit, m.upperPositionLimit))
        bounded = plain and joint.nq == 1 and np.isfinite([low, high]).all() and low <= high and max(-low, high) < 1e15
        yield JointOf(
            name=name,
            kind=kind,
            parent=_link(m.names[m.parents[k]]),
            child=_link(name),
            origin=np.array(m.jointPlacements[k].homogeneous),
            axis=axis,
            bounds=Bounds(low, high, *self.most(v))
            if bounded
            else Bounds(None, None, *(self.most(v) if plain else ())),
            damping=float(m.damping[v]) if plain else 0.0,
            friction=float(m.friction[v]) if plain and hasattr(m, "friction") else 0.0,
            armature=float(m.armature[v]) if plain else 0.0,
            mimic=mimic,
        )

    def most(self, v: int) -> tuple[float | None, float | None]:
        """The largest velocity and effort of a joint; very large ones and 0 mean none."""
        limits = (self.model.velocityLimit[v], self.model.effortLimit[v])
        velocity, effort = (float(x) if 0 < x < _ENDLESS else None for x in limits)
        return velocity, effort

    def follower(self, k: int) -> tuple[Kind, Array, Mimic]:
        """A joint that follows another one: its motion [v; ω] is that of its master, times the scaling."""
        import pinocchio as pin

        m, data, joint = self.model, self.model.createData(), self.model.joints[k].extract()
        pin.forwardKinematics(m, data, pin.neutral(m))
        motion = np.ravel(data.joints[k].S) / joint.scaling
        master = m.names[list(m.mimicked_joints)[list(m.mimicking_joints).index(k)]]
        turns = bool(np.any(motion[3:]))
        axis = motion[3:] if turns else motion[:3]
        return ("revolute" if turns else "prismatic"), axis, Mimic(master, joint.scaling, joint.offset)

    def kind(self, joint: Any) -> tuple[Kind, Array]:
        """The kind of a joint by its name in Pinocchio: JointModelRZ, JointModelRUBX, JointModelPrismaticUnaligned …"""
        short = joint.shortname().removeprefix("JointModel")
        if short.startswith(("RUB", "R", "P")) and short[-1] in _AXES and len(short) in (2, 4):
            return ("prismatic" if short[0] == "P" else "revolute"), _AXES[short[-1]]
        if short.endswith("Unaligned"):
            inner = joint.extract() if hasattr(joint, "extract") else joint
            return ("prismatic" if short.startswith("Prismatic") else "revolute"), np.array(inner.axis)
        others: dict[str, Kind] = {"Planar": "planar", "FreeFlyer": "floating", "Spherical": "ball"}
        if short in others:
            return others[short], Z
        raise RobotError("tools.pinocchio_joint", joint=joint.shortname(), allowed=others)


def _link(joint: str) -> str:
    return f"{joint} link"


def read_file(path: str) -> Robot:
    """The robot of a URDF file that Pinocchio reads."""
    import pinocchio as pin

    return from_pinocchio(pin.buildModelFromUrdf(path))
