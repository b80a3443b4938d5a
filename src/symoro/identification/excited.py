"""What a motion of the motors excites: the regressor along it, and the way of the tool's point."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symoro.errors import NotApplicable
from symoro.identification.readers.columns import Array
from symoro.identification.subject import Subject
from symoro.model import model
from symoro.robot.joint import Joint

if TYPE_CHECKING:
    from symoro.runtime import Function


@dataclass(frozen=True)
class Workspace:
    """A box in frame 0 in which the origin of a frame of the robot stays: `low` and `high` have x, y and z."""

    frame: int | str
    low: Array = field(repr=False)
    high: Array = field(repr=False)

    def beyond(self, p: Array) -> Array:
        """How far points (..., 3) are outside, with a sign; 0 inside."""
        return np.asarray(np.maximum(p - self.high, 0.0) + np.minimum(p - self.low, 0.0))


@dataclass(frozen=True)
class Excited:
    """A tree on a fixed base whose joints all have motors, and a box for its tool."""

    subject: Subject
    workspace: Workspace | None = None

    def __post_init__(self) -> None:
        name, subject = self.subject.robot.name, self.subject
        if subject.has_free_base:
            why = "its base moves freely, and how depends on the parameters"
            raise NotApplicable(f"{name}: {why}: exciting motions are for robots on a fixed base")
        if subject.robot.cuts:
            why = "it has closed loops, and which motions of the motors close them is not known beforehand"
            raise NotApplicable(f"{name}: {why}: exciting motions are for trees")
        if not subject.motors or subject.variables != subject.motors:
            raise NotApplicable(f"{name}: some joints have no motor: exciting motions are motions of the motors")

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints whose motion is chosen."""
        return self.subject.motors

    def evaluate(self, q: Array, qd: Array, qdd: Array) -> Array:
        """D along a motion, (samples, rows, columns)."""
        return self.subject.evaluate(q, qd, qdd)

    @cached_property
    def _tool(self) -> tuple[Function, Function]:
        assert self.workspace is not None
        names = ("forward_geometry", "jacobian")
        place, jacobian = (model(name, self.subject.given, self.workspace.frame).compile() for name in names)
        return place, jacobian

    def points(self, q: Array) -> Array:
        """The tool's point in frame 0, (..., 3)."""
        return np.asarray(self._tool[0](q)[..., :3, 3])

    def slopes(self, q: Array) -> Array:
        """∂p/∂q, (..., 3, joints)."""
        return np.asarray(self._tool[1](q)[..., :3, :])
