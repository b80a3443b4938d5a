"""Motions of the motors of a parallel robot that move its platform along a path of poses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError
from symoro.models.parallel.singularities import PlatformSingularities
from symoro.motion.approach import Approach
from symoro.motion.limits import JointLimits, inside, position
from symoro.motion.platform_start import reached
from symoro.motion.pose_path import PosePath
from symoro.motion.profile import Array
from symoro.motion.trajectory import Motion, Path
from symoro.platforms.motion import motors_of_motion, open_legs
from symoro.platforms.poses import is_rigid
from symoro.robot.parallel import ParallelRobot
from symoro.runtime import Function, compile_program
from symoro.runtime.arrays import real_array

_CLOSED = 1e-8
"""By how much the legs may be away from a pose of the path."""


@dataclass(frozen=True)
class PlatformFollower:
    """The geometry of a parallel robot, whose legs stay in their branches at the home pose."""

    robot: ParallelRobot
    singular: float
    """The inverse of the condition of motors and constraints below which the path is refused."""

    @cached_property
    def motors(self) -> Function:
        found: Function = compile_program(motors_of_motion(self.robot))
        return found

    def first(self, given: ArrayLike) -> Array:
        """The pose at which a motion begins: a pose, or that of positions of the motors near the home pose."""
        start = real_array("q0", given)
        if start.shape != (4, 4):
            return reached(self.robot, position("q0", start, len(self.robot.motors)), {})
        if not is_rigid(start):
            raise MotionError("q0 is not a pose: a rotation and a translation of finite numbers")
        return start

    def follow(
        self, path: PosePath | Approach, points: int, limits: JointLimits, when: Callable[[float], float]
    ) -> Path:
        """The path of the motors; an error says where the platform cannot follow, at which time and why."""
        s, step = np.linspace(0.0, path.end, points, retstep=True)
        grid = path(s)
        q = self.motors(grid.T, grid.twist, grid.rate).QA
        self._require(grid.T, q, [f"at s = {x:.4g} of the path ({when(float(x)):.4g} s)" for x in s])
        turning = np.array([not self.robot.legs[i].joint(j).prismatic for i, j in self.robot.motors])
        rows = np.where(turning, np.unwrap(q, axis=0), q)
        inside("a position on the path", rows, limits)

        def at(x: Array) -> Motion:
            x = np.asarray(x, dtype=float)
            wanted = path(x)
            q, qd, qdd = self.motors(wanted.T, wanted.twist, wanted.rate)
            near = rows[np.clip(np.rint(x / step).astype(int), 0, points - 1)]
            turns = np.where(turning, np.rint((near - q) / (2 * np.pi)), 0.0)
            return Motion(q + 2 * np.pi * turns, qd, qdd)

        return Path(at, path.end)

    def _require(self, T: Array, q: Array, places: list[str]) -> None:
        """An error at the first pose that the legs do not reach or allow, or at which the motors do not hold it."""
        name, apart = self.robot.name, compile_program(open_legs(self.robot))(T)[..., 0]
        lost = ~(np.isfinite(q).all(axis=-1) & (apart <= _CLOSED))
        if lost.any():
            k = int(np.argmax(lost))
            raise MotionError(
                f"the legs of {name} do not reach or do not allow the pose {places[k]}: the residual is {apart[k]:.2g} "
                "(symoro.mobility says which directions are free)"
            )
        condition = PlatformSingularities(self.robot).at(T).platform
        near = ~(condition < 1 / self.singular)
        if near.any():
            k = int(np.argmax(near))
            raise MotionError(
                f"{name} is near a singular pose {places[k]}: the condition of its motors is {condition[k]:.2g}"
            )
