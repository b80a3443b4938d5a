"""Robots from plants of Drake, to compare our reading of a file with Drake's own."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import RobotError
from symoro.findings import Finding
from symoro.formats._report import Report
from symoro.formats.tree.description import Bounds, FrameOf, JointOf, Kind, Link, Mass, Tree
from symoro.formats.tree.poses import Array, X, Y, Z, inverse
from symoro.formats.tree.robot import robot_of
from symoro.robot.robot import Robot

_KINDS: dict[str, Kind] = {
    "revolute": "revolute",
    "prismatic": "prismatic",
    "weld": "fixed",
    "quaternion_floating": "floating",
    "rpy_floating": "floating",
    "ball_rpy": "ball",
    "planar": "planar",
    "universal": "universal",
    "screw": "screw",
}
_AXES = {"revolute": "revolute_axis", "prismatic": "translation_axis"}
_WORLD = "world"


def from_plant(plant: Any, name: str = "robot", fixed: bool = False) -> Robot:
    """The robot of a finalized `MultibodyPlant`: bodies, joints, damping and rotor inertias.

    `fixed`: the joints that Drake gives to bodies without one are fixed; Drake makes them free. Python cannot ask a
    plant for its constraints, so that joints which follow others are free here.
    """
    report = Report(None)
    if plant.num_constraints():
        report.add(Finding("tools.constraints", count=plant.num_constraints()))
    return robot_of(_Plant(plant, fixed).tree(name), report).robot


class _Plant:
    def __init__(self, plant: Any, fixed: bool) -> None:
        self.plant, self.fixed = plant, fixed
        self.joints = [plant.get_joint(index) for index in plant.GetJointIndices()]
        self.home = {self.body(joint.child_body()): inverse(_pose(joint.frame_on_child())) for joint in self.joints}
        actuators = [plant.get_joint_actuator(index) for index in plant.GetJointActuatorIndices()]
        self.actuators = {actuator.joint().name(): actuator for actuator in actuators}

    def body(self, body: Any) -> str:
        return _WORLD if body.index() == self.plant.world_body().index() else str(body.name())

    def tree(self, name: str) -> Tree:
        bodies = [self.plant.get_body(index) for index in self.bodies()]
        links = [Link(self.body(one), self.mass(one), named=False) for one in bodies]
        frames = [FrameOf(self.body(one), self.body(one), self.home[self.body(one)]) for one in bodies]
        gravity = tuple(float(x) for x in self.plant.gravity_field().gravity_vector())
        joints = tuple(map(self.joint, self.joints))
        return Tree(name, _WORLD, (Link(_WORLD, named=False), *links), joints, tuple(frames), gravity=gravity)

    def bodies(self) -> Iterator[Any]:
        from pydrake.multibody.tree import BodyIndex

        return (BodyIndex(k) for k in range(1, self.plant.num_bodies()))

    def mass(self, body: Any) -> Mass:
        """The mass in the frame of the body's joint; Drake's tensor is about the origin of the body's frame."""
        inertia = body.default_spatial_inertia()
        M = float(inertia.get_mass())
        tensor = np.array(inertia.CalcRotationalInertia().CopyToFullMatrix3())
        return Mass(M, M * np.array(inertia.get_com()), tensor).seen_from(self.home[self.body(body)])

    def joint(self, joint: Any) -> JointOf:
        kind, parent = _KINDS.get(joint.type_name()), self.body(joint.parent_body())
        if kind is None:
            raise RobotError("tools.drake_joint", joint=joint.name(), kind=joint.type_name(), allowed=_KINDS)
        kind = "fixed" if self.fixed and joint.is_ephemeral() else kind
        actuator = self.actuators.get(joint.name())
        plain = kind in ("revolute", "prismatic")
        return JointOf(
            name=joint.name(),
            kind=kind,
            parent=parent,
            child=self.body(joint.child_body()),
            origin=self.home.get(parent, np.eye(4)) @ _pose(joint.frame_on_parent()),
            axis=self.axis(joint, kind),
            second=Y if kind == "universal" else None,
            bounds=self.bounds(joint) if plain else Bounds(),
            damping=float(joint.default_damping_vector()[0]) if plain else 0.0,
            armature=float(actuator.default_reflected_inertia()) if actuator else 0.0,
            pitch=float(joint.screw_pitch()) / (2 * pi) if kind == "screw" else 0.0,
        )

    def axis(self, joint: Any, kind: Kind) -> Array:
        """The direction in the joint's frame; Python cannot ask a screw for its axis, but it can turn the screw."""
        if kind == "screw":
            context = self.plant.CreateDefaultContext()
            q = self.plant.GetPositions(context).copy()
            q[joint.position_start()] = pi / 2
            self.plant.SetPositions(context, q)
            R = np.array(joint.frame_on_child().CalcPose(context, joint.frame_on_parent()).GetAsMatrix4())[:3, :3]
            return np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2
        return np.array(getattr(joint, _AXES[kind])()) if kind in _AXES else X if kind == "universal" else Z

    def bounds(self, joint: Any) -> Bounds:
        """The limits; Drake keeps that of the effort with an actuator only."""
        effort = self.actuators[joint.name()].effort_limit() if joint.name() in self.actuators else np.inf
        limits = (joint.position_lower_limit(), joint.position_upper_limit(), joint.velocity_upper_limit(), effort)
        return Bounds(*(float(x) if np.isfinite(x) else None for x in limits))


def _pose(frame: Any) -> Array:
    return np.array(frame.GetFixedPoseInBodyFrame().GetAsMatrix4())


def read_file(path: str) -> Robot:
    """The robot of a URDF, SDF or MJCF file that Drake reads; the root of a URDF is fixed, as in our reading."""
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant, log = MultibodyPlant(time_step=0.0), logging.getLogger("drake")
    level = log.level
    log.setLevel(logging.ERROR)  # else every element that Drake ignores is a line on the screen
    try:
        models = Parser(plant).AddModels(Path(path))
    finally:
        log.setLevel(level)
    plant.Finalize()
    return from_plant(plant, str(plant.GetModelInstanceName(models[0])), fixed=Path(path).suffix.lower() == ".urdf")
