"""A URDF file as Pinocchio reads it, with coordinates by the names of joints; mimic joints by Gᵀ of a free model."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

from symoro.robot.robot import Robot

Array = np.ndarray[Any, np.dtype[np.float64]]


@dataclass
class Peer:
    """Pinocchio's model of a file, in the variables of symoro's robot: coordinate = G q + c, in Pinocchio's order."""

    model: pin.Model
    G: Array
    c: Array

    def __post_init__(self) -> None:
        self.data = self.model.createData()

    def q(self, q: Array) -> Array:
        """Pinocchio's configuration; a joint without limits has cos and sin there."""
        x, out = self.G @ q + self.c, pin.neutral(self.model)
        for joint in list(self.model.joints)[1:]:
            if joint.nq == 1:
                out[joint.idx_q] = x[joint.idx_v]
            elif joint.nq == 2:
                out[joint.idx_q : joint.idx_q + 2] = np.cos(x[joint.idx_v]), np.sin(x[joint.idx_v])
            elif joint.shortname() == "JointModelPlanar":
                a, b, angle = x[joint.idx_v : joint.idx_v + 3]
                out[joint.idx_q : joint.idx_q + 4] = a, b, np.cos(angle), np.sin(angle)
        return out

    def frames(self, q: Array) -> dict[str, Array]:
        """The pose of each link."""
        pin.framesForwardKinematics(self.model, self.data, self.q(q))
        bodies = [k for k, frame in enumerate(self.model.frames) if frame.type == pin.FrameType.BODY]
        return {self.model.frames[k].name: self.data.oMf[k].homogeneous for k in bodies}

    def torques(self, q: Array, qd: Array, qdd: Array) -> Array:
        return self.G.T @ pin.rnea(self.model, self.data, self.q(q), self.G @ qd, self.G @ qdd)

    def inertia(self, q: Array) -> Array:
        A = np.triu(pin.crba(self.model, self.data, self.q(q)))
        A = A + np.triu(A, 1).T
        return self.G.T @ A @ self.G

    def jacobian(self, q: Array, link: str) -> Array:
        """Rows [v; ω] of a link's origin in the axes of the base."""
        frame = self.model.getFrameId(link, pin.FrameType.BODY)
        pin.computeJointJacobians(self.model, self.data, self.q(q))
        pin.updateFramePlacements(self.model, self.data)
        return pin.getFrameJacobian(self.model, self.data, frame, pin.LOCAL_WORLD_ALIGNED) @ self.G

    def energies(self, q: Array, qd: Array) -> tuple[float, float]:
        kinetic = pin.computeKineticEnergy(self.model, self.data, self.q(q), self.G @ qd)
        return kinetic, pin.computePotentialEnergy(self.model, self.data, self.q(q))


def peer(path: Path, robot: Robot) -> Peer:
    model = pin.buildModelFromUrdf(str(path))
    c = np.zeros(model.nv)
    column = {joint.name: k for k, joint in enumerate(j for j in robot.joints if j.variable)}
    G = np.zeros((model.nv, len(column)))
    mimics = _mimics(path)
    for number, name in enumerate(model.names):
        if number == 0:
            continue
        joint = model.joints[number]
        if joint.nv > 1:  # planar: three joints of ours
            for k, end in enumerate(("_tx", "_ty", "_rz")):
                G[joint.idx_v + k, column[name + end]] = 1
            continue
        ratio, offset = 1.0, 0.0
        while name in mimics and mimics[name][0] in model.names:
            name, k, c0 = mimics[name]
            ratio, offset = ratio * k, offset + ratio * c0
        G[joint.idx_v, column[name]], c[joint.idx_v] = ratio, offset
    return Peer(model, G, c)


def _mimics(path: Path) -> dict[str, tuple[str, float, float]]:
    found = {}
    for joint in ET.parse(path).getroot().iter("joint"):
        if (mimic := joint.find("mimic")) is not None:
            numbers = float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0))
            found[str(joint.get("name"))] = (str(mimic.get("joint")), *numbers)
    return found
