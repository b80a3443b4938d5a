"""A frame that approaches a target which moves, and then stays on it (K13:8.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from symoro.errors import MotionError, ShapeError
from symoro.motion.pose_path import Poses
from symoro.motion.profile import Array
from symoro.runtime.arrays import real_array

Target = Callable[[Array], Poses]
"""Times (...) -> poses (..., 4, 4), velocities [v; ω] and accelerations (..., 6) in frame 0, of the frame's origin."""
Clock = Callable[[Array], tuple[Array, Array, Array]]


@dataclass(frozen=True, slots=True)
class MovingTarget:
    """A pose that moves with a constant velocity, such as an object on a conveyor or on a turntable."""

    pose: Array
    velocity: Array

    def __call__(self, time: ArrayLike) -> Poses:
        """Its pose, velocity and acceleration at times (...)."""
        t = np.asarray(time, dtype=float)
        v, omega = self.velocity[:3], self.velocity[3:]
        turned = Rotation.from_rotvec(np.multiply.outer(t, omega).reshape(-1, 3)).as_matrix().reshape(*t.shape, 3, 3)
        T = np.zeros((*t.shape, 4, 4))
        T[..., :3, :3], T[..., 3, 3] = turned @ self.pose[:3, :3], 1.0
        T[..., :3, 3] = self.pose[:3, 3] + np.multiply.outer(t, v)
        return Poses(T, np.broadcast_to(self.velocity, (*t.shape, 6)), np.zeros((*t.shape, 6)))


def moving_target(pose: ArrayLike, velocity: ArrayLike) -> MovingTarget:
    """A target of `task_trajectory` that begins at a pose (4, 4) and moves with a velocity [v; ω] (6,) in frame 0."""
    T, V = real_array("pose", pose), real_array("velocity", velocity)
    if T.shape != (4, 4) or V.shape != (6,) or not (np.isfinite(T).all() and np.isfinite(V).all()):
        raise ShapeError(f"a target has a finite pose (4, 4) and velocity (6,), not {T.shape} and {V.shape}")
    if np.abs(T[:3, :3] @ T[:3, :3].T - np.eye(3)).max() > 1e-6 or np.linalg.det(T[:3, :3]) < 0:
        raise MotionError("the rotation of the target is not orthonormal")
    return MovingTarget(T, V)


class Away(NamedTuple):
    """Where a frame is from a target at the start: P^f − P^i in frame 0, and the turn from R^f to R^i in the target."""

    distance: Array
    turn: Array


def away(start: Array, target: Target) -> Away:
    first = poses_of(target, np.zeros(1)).T[0]
    turn = Rotation.from_matrix(first[:3, :3].T @ start[:3, :3]).as_rotvec()
    return Away(first[:3, 3] - start[:3, 3], turn)


@dataclass(frozen=True, slots=True)
class Approach:
    """The path of the frame, whose parameter is the time: `end` is the last one, `clock` gives r, ṙ and r̈."""

    target: Target
    away: Away
    clock: Clock
    end: float

    def __call__(self, time: Array) -> Poses:
        t = np.asarray(time, dtype=float)
        aim, (r, rd, rdd) = poses_of(self.target, t), (x[..., None] for x in self.clock(t))
        R, D, w = aim.T[..., :3, :3], self.away.distance, self.away.turn
        back = Rotation.from_rotvec(((1 - r) * w).reshape(-1, 3)).as_matrix().reshape(*t.shape, 3, 3)
        axis = R @ w
        T = aim.T.copy()
        T[..., :3, :3], T[..., :3, 3] = R @ back, aim.T[..., :3, 3] - (1 - r) * D  # (K13:8.3)
        twist = aim.twist + np.concatenate([rd * D, -rd * axis], axis=-1)
        turning = -rdd * axis - rd * np.cross(aim.twist[..., 3:], axis)
        return Poses(T, twist, aim.rate + np.concatenate([rdd * D, turning], axis=-1))


def poses_of(target: Target, time: Array) -> Poses:
    """What a target is at times (...), checked."""
    try:
        found = Poses(*(np.asarray(x, dtype=float) for x in target(time)))
    except (TypeError, ValueError) as error:
        raise MotionError(f"a target gives poses, velocities and accelerations at times: {error}") from None
    shapes = ((*time.shape, 4, 4), (*time.shape, 6), (*time.shape, 6))
    if tuple(x.shape for x in found) != shapes:
        raise ShapeError(f"a target must give arrays of shapes {shapes}, not {tuple(x.shape for x in found)}")
    return found
