"""Assemblies of a platform by SciPy from many starts: the pose and the passive joints close Pinocchio's legs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from support.free_robots import Array
from support.platforms import Platform
from symoro.robot import topology
from symoro.robot.robot import ClosureKind, Robot


@dataclass(frozen=True)
class Search:
    """The poses of the platform for positions of the motors. Angles start in a turn, lengths within `far`."""

    robot: Robot
    motors: Array
    far: float = 1.0

    @cached_property
    def _platform(self) -> Platform:
        return Platform(self.robot, np.eye(4), self._joints(np.zeros(len(self._passive))))

    @cached_property
    def _ends(self) -> list[tuple[int, pin.SE3, pin.SE3]]:
        return [(tie.b, tie.B, tie.A) for tie in self._platform.attached]

    @cached_property
    def _movable(self) -> list[bool]:
        """Whether each movable joint of all legs has a motor."""
        return [joint.actuated for joint in topology.movable(self.robot)]

    @cached_property
    def _passive(self) -> list[bool]:
        """Whether each passive joint slides."""
        return [joint.prismatic for joint in topology.passive(self.robot)]

    def _joints(self, passive: Array) -> Array:
        q = np.zeros(len(self._movable))
        q[self._movable], q[~np.array(self._movable)] = self.motors, passive
        return q

    def gaps(self, x: Array) -> Array:
        """What is open at the attachments, for x = [rotation vector, position, passive joints]."""
        o, found = self._platform.o, []
        pin.forwardKinematics(o.model, o.data, o.q(self._joints(x[6:])))
        world = pin.SE3(Rotation.from_rotvec(x[:3]).as_matrix(), x[3:6])
        for (j, B, A), attachment in zip(self._ends, self.robot.attachments, strict=True):
            b, a = o.data.oMi[j] * B, world * A
            d = b.rotation.T @ (b.translation - a.translation)
            turn = b.rotation.T @ a.rotation
            found.append(d[:2] if attachment.kind is ClosureKind.PRISMATIC else d)
            match attachment.kind:
                case ClosureKind.UNIVERSAL:
                    found.append(turn[2:, 2])
                case ClosureKind.REVOLUTE:
                    found.append(turn[:, 2] - (0, 0, 1))
                case ClosureKind.FIXED | ClosureKind.PRISMATIC:
                    found.append((turn - np.eye(3)).ravel())
        return np.concatenate(found)

    def poses(self, starts: int, seed: int = 0) -> Array:
        """Poses (n, 4, 4) that differ, from random starts."""
        rng, found = np.random.default_rng(seed), []
        sizes = np.r_[np.full(3, np.pi), np.full(3, self.far), np.where(self._passive, self.far, np.pi)]
        for _ in range(starts):
            start = sizes * rng.uniform(-1, 1, len(sizes))
            end = least_squares(self.gaps, start, xtol=1e-15, ftol=1e-15, gtol=1e-15, max_nfev=60)
            if np.abs(end.fun).max() < 1e-10:
                T = np.eye(4)
                T[:3, :3], T[:3, 3] = Rotation.from_rotvec(end.x[:3]).as_matrix(), end.x[3:6]
                if all(np.abs(T - other).max() > 1e-6 for other in found):
                    found.append(T)
        return np.array(found).reshape(-1, 4, 4)


def assert_same_poses(found: Array, expected: Array) -> None:
    """The same set of poses, to 1e-8."""
    assert len(found) == len(expected)
    if len(found):
        far = np.abs(found[:, None] - expected).max((-1, -2))
        assert far.min(0).max() < 1e-8
        assert far.min(1).max() < 1e-8
