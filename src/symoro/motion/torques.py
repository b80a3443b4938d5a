"""The torques along a motion or a path, by the inverse dynamic model of a robot."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import NamedTuple

import numpy as np

from symoro.bind.coordinates import Coordinates
from symoro.errors import MotionError
from symoro.formats import valid_robot
from symoro.model import model
from symoro.motion.profiles import Array
from symoro.motion.trajectory import Motion
from symoro.robot.robot import Robot
from symoro.solve.loops import loop_geometry


class PathTorques(NamedTuple):
    """Γ = a s̈ + b ṡ² + c without friction, a row for each point of a path."""

    a: Array
    b: Array
    c: Array


class Torques:
    """The inverse model of a robot whose joints move as its motors say: a tree with a motor in each joint, or loops.

    Friction is taken apart, because it depends on the velocity in another way than inertia does.
    """

    def __init__(self, robot: Robot | str | FilePath, values: Mapping[str, float] | None = None) -> None:
        self.robot = valid_robot(robot).taking(None)
        Coordinates.of(self.robot).require_joints(self.robot.name, "time scaling")
        self.values = values
        inverse = model("inverse_dynamics", self.robot)
        if "quat" in inverse.inputs or "QDP" in inverse.outputs:
            raise MotionError(
                f"{self.robot.name}: the torques do not follow from the motion of the motors alone (its base floats, "
                "or it has joints without motors that move by themselves)"
            )
        self.count = inverse.outputs["GAM"][0]
        self._inverse, self._friction = inverse.compile(), model("friction", self.robot).compile()
        self._closed = loop_geometry(self.robot).compile() if self.robot.cuts else None

    def configuration(self, q: Array) -> Array:
        """q of all joints for positions of the motors; the rows follow each other on one branch of closed loops."""
        return self._closed(q, values=self.values) if self._closed else q

    def rigid(self, q: Array, qd: Array, qdd: Array) -> Array:
        """Γ without friction; q of all joints."""
        given = self._inverse(q, qd, qdd, values=self.values)
        GAM: Array = given if isinstance(given, np.ndarray) else given.GAM
        return GAM - self.friction(q, qd)

    def friction(self, q: Array, qd: Array) -> Array:
        """The friction torques; q of all joints."""
        needed = (q, qd) if "q" in self._friction.inputs else (qd,)
        found: Array = self._friction(*needed, values=self.values)
        return np.broadcast_to(found, qd.shape)

    def along(self, path: Motion) -> PathTorques:
        """The torques on a path, for q, q' and q'' in rows: q̇ = q'ṡ and q̈ = q's̈ + q''ṡ²; q of all joints."""
        q, slope, curvature = path
        none = np.zeros_like(slope)
        c = self.rigid(q, none, none)
        return PathTorques(self.rigid(q, none, slope) - c, self.rigid(q, slope, curvature) - c, c)
