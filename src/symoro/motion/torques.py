"""The torques along a motion or a path, by the inverse dynamic model of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import NamedTuple

import numpy as np

from symoro.errors import MotionError, NotApplicable
from symoro.formats import valid_robot
from symoro.motion.profiles import Array
from symoro.motion.trajectory import Motion
from symoro.robot.robot import MOTORS, Robot
from symoro.solve.given import model
from symoro.solve.motors import OfMotors


class PathTorques(NamedTuple):
    """Γ = a s̈ + b ṡ² + c without friction, a row for each point of a path."""

    a: Array
    b: Array
    c: Array


class Torques:
    """The inverse model of a robot that moves as its motors say: a tree with a motor in each joint, loops, platforms.

    Friction is taken apart, because it depends on the velocity in another way than inertia does.
    """

    def __init__(self, robot: Robot | str | FilePath, values: Mapping[str, float] | None = None) -> None:
        self.robot = valid_robot(robot).taking(None)
        self.values = values
        try:
            inverse, friction = (model(name, self.robot, given=MOTORS) for name in ("inverse_dynamics", "friction"))
        except NotApplicable as reason:
            raise MotionError("trajectories.no_torques", reason=reason.finding) from None
        if "quat" in inverse.inputs or "QDP" in inverse.outputs:
            raise MotionError("trajectories.other_coordinates", robot=self.robot.name)
        self.count = inverse.outputs["GAM"][0]
        of_motors = inverse.compile()
        self._closed = of_motors.assembly if isinstance(of_motors, OfMotors) else None
        self._inverse, self._friction = (getattr(f, "function", f) for f in (of_motors, friction.compile()))

    def configuration(self, q: Array) -> Array:
        """What the motors determine: q of all joints, on one branch of closed loops, or the pose of a platform."""
        return self._closed(q, None, self.values) if self._closed else q

    def rigid(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Γ without friction; q is a configuration."""
        outputs = self._inverse(q, qd, qdd, values=self.values)
        GAM: Array = outputs if isinstance(outputs, np.ndarray) else outputs.GAM
        return GAM - self.friction(q, qd)

    def friction(self, q: Array, qd: Array) -> Array:
        """The friction torques; q is a configuration."""
        needed = (qd,) if list(self._friction.inputs) == ["qd"] else (q, qd)
        torques: Array = self._friction(*needed, values=self.values)
        return np.broadcast_to(torques, qd.shape)

    def along(self, path: Motion) -> PathTorques:
        """The torques on a path, for q, q' and q'' in rows: q̇ = q'ṡ and q̈ = q's̈ + q''ṡ²; q is a configuration."""
        q, slope, curvature = path
        none = np.zeros_like(slope)
        c = self.rigid(q, none, none)
        return PathTorques(self.rigid(q, none, slope) - c, self.rigid(q, slope, curvature) - c, c)
