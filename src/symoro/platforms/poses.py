"""Poses of platforms, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import InputError, NotApplicable, ShapeError
from symoro.robot import library
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot

Array = NDArray[Any]


def parallel(robot: Robot) -> ParallelRobot:
    """The robot, which must be a parallel one."""
    if not isinstance(robot, ParallelRobot):
        known = ", ".join(library.parallel_names())
        raise NotApplicable(
            f'{robot.name} is not a parallel robot (allowed: {known}, or a file with kind = "parallel")'
        )
    return robot


def poses_of(T: ArrayLike) -> Array:
    """Poses as an array, with the right shape."""
    try:
        given = np.array(T, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"T is not an array of numbers: {error}") from None
    if given.shape[-2:] != (4, 4):
        raise ShapeError(f"T must have shape (4, 4) or (..., 4, 4), not {given.shape}")
    return given


def is_rigid(T: Array) -> Array:
    """Whether poses are a rotation and a translation, to 1e-6."""
    R = T[..., :3, :3]
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max((-1, -2))
        last = np.abs(T[..., 3, :] - [0, 0, 0, 1]).max(-1)
        right = np.linalg.det(np.where(np.isfinite(R), R, 0.0)) > 0
        found: Array = np.isfinite(T).all((-1, -2)) & (error <= 1e-6) & (last <= 1e-6) & right
    return found
