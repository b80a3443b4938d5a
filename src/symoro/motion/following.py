"""Joint positions that follow a path of a frame, on the branch of their start (K13:9.18-9.21)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from symoro.errors import MotionError
from symoro.model import model
from symoro.models.geometric.frames import FrameRef
from symoro.motion.approach import Approach
from symoro.motion.limits import JointLimits
from symoro.motion.pose_path import PosePath
from symoro.motion.profile import Array
from symoro.motion.trajectory import Motion, Path
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate

_REACHED, _STEPS, _JUMP = 1e-11, 12, 0.5
"""The error of a pose that is reached, the steps of Newton's method for it, and how far a joint may move in a step."""


When = Callable[[float], float]
"""The time at which a motion is at a point s of its path."""


@dataclass(frozen=True)
class Follower:
    """The geometric and kinematic models of a frame of a robot without loops."""

    robot: Robot
    link: FrameRef
    singular: float
    """The singular value of the Jacobian below which the path is refused."""

    def __post_init__(self) -> None:
        for name, options in (("forward_geometry", {}), ("jacobian", {}), ("jdot_qdot", {"frame": 0})):
            compiled = model(name, self.robot, link=self.link, **options).compile()
            object.__setattr__(self, f"_{name}", compiled)
        object.__setattr__(self, "_turn", _turn_of_base(self.robot))

    def pose(self, q: Array) -> Array:
        found: Array = self._forward_geometry(q)  # type: ignore[attr-defined]
        return found

    def jacobian(self, q: Array) -> Array:
        """J in the world, in which the base may be turned: poses are those of the world."""
        return np.asarray(self._turn @ self._jacobian(q))  # type: ignore[attr-defined]

    def error(self, q: Array, wanted: Array) -> Array:
        """[P^d − P; the rotation vector of R^d Rᵀ]."""
        T = self.pose(q)
        turn = wanted[..., :3, :3] @ np.swapaxes(T[..., :3, :3], -1, -2)
        vector = Rotation.from_matrix(turn.reshape(-1, 3, 3)).as_rotvec().reshape(*turn.shape[:-2], 3)
        return np.concatenate([wanted[..., :3, 3] - T[..., :3, 3], vector], axis=-1)

    def reached(self, q: Array, wanted: Array) -> tuple[Array, Array]:
        """q after Newton's method, and the error of its pose."""
        for _ in range(_STEPS):
            e = self.error(q, wanted)
            if np.abs(e).max() <= _REACHED:
                break
            q = q + _times(np.linalg.pinv(self.jacobian(q), rcond=1e-9), e)
        return q, np.abs(self.error(q, wanted)).max(axis=-1)

    def derivatives(self, q: Array, twist: Array, rate: Array) -> tuple[Array, Array]:
        """q' = J⁻¹ X' (K13:9.19) and q'' = J⁻¹ (X'' − J̇ q') (K13:9.20)."""
        inverse = np.linalg.pinv(self.jacobian(q), rcond=1e-9)
        first = _times(inverse, twist)
        bend = _times(self._turn, self._jdot_qdot(q, first))  # type: ignore[attr-defined]
        return first, _times(inverse, rate - bend)

    def follow(self, path: PosePath | Approach, q0: Array, points: int, limits: JointLimits, when: When) -> Path:
        """The path in joint space from q0 on; an error says where it ends, at which time and why."""
        s, step = np.linspace(0.0, path.end, points, retstep=True)
        poses = path(s)
        rows = [q0]
        for k in range(points):
            q = self._next(rows[-1], poses.T[k], limits, f"at s = {s[k]:.4g} of the path ({when(s[k]):.4g} s)")
            first, second = self.derivatives(q, poses.twist[k], poses.rate[k])
            rows[k:] = [q, q + step * first + step**2 / 2 * second]
        grid = np.array(rows[:-1])

        def at(x: Array) -> Motion:
            x = np.asarray(x, dtype=float)
            wanted = path(x)
            near = grid[np.clip(np.rint(x / step).astype(int), 0, points - 1)]
            q, _ = self.reached(near, wanted.T)
            return Motion(q, *self.derivatives(q, wanted.twist, wanted.rate))

        return Path(at, path.end)

    def distance(self, path: Path) -> float:
        """The least singular value of the Jacobian matrix on a path: how far it stays from singular configurations."""
        q = path.at(np.linspace(0.0, path.end, 101)).q
        return float(np.linalg.svd(self.jacobian(q), compute_uv=False).min())

    def _next(self, guess: Array, pose: Array, limits: JointLimits, place: str) -> Array:
        """q at a point of the path, from a guess that continues the path."""
        q, error = self.reached(guess, pose)
        values = np.linalg.svd(self.jacobian(q), compute_uv=False)
        if not np.isfinite(q).all() or error > 1e-8:
            raise MotionError(f"{self.robot.name} does not reach the pose {place}: the error is {float(error):.2g}")
        if values[-1] < self.singular:
            raise MotionError(
                f"{self.robot.name} is near a singular configuration {place}: the least singular value of its Jacobian "
                f"matrix is {values[-1]:.2g}"
            )
        if np.abs(q - guess).max() > _JUMP:
            joint = limits.names[int(np.argmax(np.abs(q - guess)))]
            raise MotionError(f"joint {joint} jumps {place}: the branch of its start ends")
        for joint, x, low, high in zip(limits.names, q, limits.lower, limits.upper, strict=True):
            if not low - 1e-9 <= x <= high + 1e-9:
                raise MotionError(f"joint {joint} leaves its limits {place}: {x:.4g} (allowed: {low:g} to {high:g})")
        return q


def _turn_of_base(robot: Robot) -> Array:
    """The rotation from frame 0 to the world, for [v; ω]."""
    numbers = robot.values.numbers()
    rows = [[evaluate(value, numbers) for value in row[:3]] for row in robot.base.pose[:3]]
    return np.kron(np.eye(2), np.array(rows))


def _times(matrix: Array, vector: Array) -> Array:
    return np.asarray((matrix @ vector[..., None])[..., 0])
