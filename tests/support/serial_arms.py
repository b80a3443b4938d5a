"""Arms given by numbers, and a search for all their branches that shares nothing with symoro: Pinocchio and Newton.

An arm is `kinds`, a letter R or P for each joint, and `links` (n + 1, 4, 4): pose = links[0] Z1 links[1] … Zn links[n].
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

Array = np.ndarray[Any, Any]


class Arm(NamedTuple):
    kinds: str
    links: Array


def arm_mdh(
    alpha: Sequence[float], d: Sequence[float], r: Sequence[float], kinds: str = "RRRRRR", theta: Sequence[float] = ()
) -> Arm:
    """The arm of modified parameters (K97 § 2), angles in degrees; θ of prismatic joints, r of the others."""
    before = [screw("x", a, x) for a, x in zip(alpha, d, strict=True)]
    behind = [screw("z", t, z) for t, z in zip(theta or [0.0] * len(kinds), r, strict=True)]
    return Arm(kinds, np.stack([before[0], *(b @ a for b, a in zip(behind, [*before[1:], np.eye(4)], strict=True))]))


def arm_dh(
    a: Sequence[float], d: Sequence[float], alpha: Sequence[float], kinds: str = "RRRRRR", theta: Sequence[float] = ()
) -> Arm:
    """The arm of standard Denavit-Hartenberg parameters, angles in degrees; θ of prismatic joints, d of the others."""
    turned = theta or [0.0] * len(kinds)
    links = [screw("z", t, z) @ screw("x", w, x) for t, z, w, x in zip(turned, d, alpha, a, strict=True)]
    return Arm(kinds, np.stack([np.eye(4), *links]))


def screw(axis: str, degrees: float, length: float) -> Array:
    """The rotation about and the translation along x or z."""
    T = np.eye(4)
    T[:3, :3] = Rotation.from_euler(axis, degrees, degrees=True).as_matrix()
    T["xyz".index(axis), 3] = length
    return T


def random_arm(kinds: str, rng: np.random.Generator) -> Arm:
    """An arm without any special geometry."""
    return Arm(kinds, np.stack([random_displacement(rng, 3.0, 0.3) for _ in range(len(kinds) + 1)]))


def disturbed(arm: Arm, size: float, rng: np.random.Generator) -> Arm:
    """The arm with errors of this size in all angles and lengths, as a calibration finds them."""
    return Arm(arm.kinds, arm.links @ np.stack([random_displacement(rng, size, size) for _ in arm.links]))


def random_displacement(rng: np.random.Generator, angle: float, length: float) -> Array:
    T = np.eye(4)
    T[:3, :3] = Rotation.from_rotvec(rng.normal(size=3) * angle).as_matrix()
    T[:3, 3] = rng.normal(size=3) * length
    return T


def random_positions(arm: Arm, rng: np.random.Generator) -> Array:
    return np.array([rng.uniform(-np.pi, np.pi) if kind == "R" else rng.uniform(-1, 1) for kind in arm.kinds])


class Peer:
    """The arm in Pinocchio."""

    def __init__(self, arm: Arm) -> None:
        self.model, self.kinds = pin.Model(), arm.kinds
        for k, (kind, link) in enumerate(zip(arm.kinds, arm.links, strict=False)):
            joint = pin.JointModelRZ() if kind == "R" else pin.JointModelPZ()
            self.model.addJoint(k, joint, pin.SE3(link), f"joint{k}")
        self.data, self.end = self.model.createData(), pin.SE3(arm.links[-1])

    def pose(self, q: Array) -> Array:
        pin.forwardKinematics(self.model, self.data, q)
        return np.asarray((self.data.oMi[-1] * self.end).homogeneous)

    def branches(self, pose: ArrayLike, starts: int, rng: np.random.Generator) -> list[Array]:
        """The branches that Newton's method finds from random starts, no two alike."""
        wanted, found = pin.SE3(np.asarray(pose, dtype=float)) * self.end.inverse(), []
        for _ in range(starts):
            q = np.array([rng.uniform(-np.pi, np.pi) if kind == "R" else rng.normal() for kind in self.kinds])
            if self._newton(q, wanted) and not any(self.apart(q, other) < 1e-6 for other in found):
                found.append(q)
        return found

    def _newton(self, q: Array, wanted: Any) -> bool:
        """Steps to a branch, in place; whether one was reached."""
        for _ in range(60):
            pin.forwardKinematics(self.model, self.data, q)
            error = pin.log6(self.data.oMi[-1].actInv(wanted)).vector
            if np.abs(error).max() < 1e-11:
                return True
            J = pin.computeJointJacobian(self.model, self.data, q, len(self.kinds))
            step = np.linalg.lstsq(J, error, rcond=1e-12)[0]
            q += step * min(1.0, 0.6 / np.abs(step).max())
        return False

    def apart(self, a: Array, b: Array) -> float:
        """The largest difference of two configurations, modulo whole turns."""
        turning = np.array([kind == "R" for kind in self.kinds])
        difference = np.where(turning, np.angle(np.exp(1j * (a - b))), a - b)
        return float(np.abs(difference).max())


def nearest_rotation(T: ArrayLike) -> Array:
    """The pose with the rotation that is nearest to its printed, rounded one."""
    found = np.array(T, dtype=float)
    U, _, Vt = np.linalg.svd(found[:3, :3])
    found[:3, :3] = U @ Vt
    return found


PUMA = arm_mdh([0, -90, 0, 90, -90, 90], [0, 0, 0.4318, -0.0203, 0, 0], [0, 0, 0.1501, 0.4331, 0, 0])
RX90 = arm_mdh([0, 90, 0, -90, 90, -90], [0, 0, 0.45, 0, 0, 0], [0, 0, 0, 0.45, 0, 0])
UR5 = arm_mdh([0, 90, 0, 0, 90, -90], [0, 0, -0.425, -0.39225, 0, 0], [0.089159, 0, 0, 0.10915, 0.09465, 0.0823])
KR6 = arm_mdh([0, -90, 0, -90, 90, -90], [0, 0.025, 0.455, 0.035, 0, 0], [0.4, 0, 0, 0.42, 0, 0.08])
OFFSET_WRIST = arm_mdh([0, -90, 0, -90, 90, -90], [0, 0, 0.6, 0, 0, 0], [0.2, 0, 0, 0.55, 0.12, 0.15])
WRIST_60 = arm_mdh([0, 90, 180, 90, 60, 60], [0, 0, 0.3, 0, 0, 0], [0.27, 0, 0.01, -0.25, -0.09, -0.2])
SPECIAL = {"puma": PUMA, "rx90": RX90, "ur5": UR5, "kr6": KR6, "offset-wrist": OFFSET_WRIST, "60-degree": WRIST_60}
