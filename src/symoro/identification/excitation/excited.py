"""What a motion excites: the regressor along it, and what follows from it and has limits of its own.

The coordinates x of a motion are those that are chosen freely. Of a tree on a fixed base they are the positions of its
motors, of closed loops and parallel robots (`excited_platform`), too; of a moved base (`excited_base`) the pose of the
base comes before them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.subject.described import described_values
from symoro.identification.subject.subject import Subject
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


@dataclass(frozen=True)
class Room:
    """Limits of what follows from a motion; infinite where there is none."""

    low: Array
    high: Array

    def beyond(self, f: Array) -> Array:
        """How far values (..., m) are outside, with a sign; 0 inside."""
        return np.asarray(np.maximum(f - self.high, 0.0) + np.minimum(f - self.low, 0.0))

    @property
    def size(self) -> Array:
        """Half the range of each value; 1 where it is infinite."""
        half = (self.high - self.low) / 2
        return np.where(np.isfinite(half), half, 1.0)

    def smaller(self, part: float) -> Room:
        """The room without a small part of it at each side."""
        return Room(self.low + part * self.size, self.high - part * self.size)

    def joined(self, other: Room) -> Room:
        return Room(np.concatenate([self.low, other.low]), np.concatenate([self.high, other.high]))


@dataclass(frozen=True)
class Excited:
    """A tree on a fixed base whose joints all have motors, and a box for its tool.

    `kept` are the places of the columns that motions can tell apart: all of them for a tree on a fixed base.
    """

    subject: Subject
    workspace: Workspace | None = None
    kept: tuple[int, ...] | None = None

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints whose motion is chosen."""
        return self.subject.motors

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each coordinate."""
        return tuple(joint.name or str(joint.variable) for joint in self.joints)

    @property
    def columns(self) -> tuple[str, ...]:
        """The parameters that motions can tell apart."""
        names = self.subject.columns
        return names if self.kept is None else tuple(names[k] for k in self.kept)

    @property
    def inertial(self) -> list[int]:
        """The places of the columns of links and rotors: all of them, where the subject has no friction."""
        return list(range(len(self.subject.columns)))

    # the regressor

    def placed(self, x: Array) -> Array:
        """What the regressor takes for positions, (samples, ...); NaN where the robot cannot be there."""
        return x

    def nudged(self, at: Array, j: int, step: float) -> Array:
        """The same after a small step of coordinate j."""
        moved = at.copy()
        moved[:, j] += step
        return moved

    def regressor(self, at: Array, xd: Array, xdd: Array) -> Array:
        """D along a motion with all columns, (samples, rows, columns)."""
        return self.subject.evaluate(at, xd, xdd)

    def evaluate(self, at: Array, xd: Array, xdd: Array) -> Array:
        """D along a motion, (samples, rows, columns that are kept)."""
        D = self.regressor(at, xd, xdd)
        return D if self.kept is None else D[:, :, list(self.kept)]

    def torques(self, at: Array, xd: Array, xdd: Array) -> Array:
        """The torques of the motors with the parameters of the description."""
        return np.asarray(self._inverse(at, xd, xdd))

    @cached_property
    def _inverse(self) -> Function:
        return model("inverse_dynamics", self.subject.given).compile()

    @cached_property
    def friction(self) -> Function:
        """The friction of the motors by the description, a function of their velocities."""
        return model("friction", self.subject.given).compile()

    # what follows

    @property
    def room(self) -> Room | None:
        """The limits of what follows from a motion, None where there are none."""
        return None if self.workspace is None else Room(self.workspace.low, self.workspace.high)

    def followed(self, at: Array, xd: Array) -> Array:
        """What follows from a motion and has limits, (samples, m): the tool's point in frame 0."""
        return self.points(at)

    @cached_property
    def _tool(self) -> Function:
        assert self.workspace is not None
        return model("forward_geometry", self.subject.given, self.workspace.frame).compile()

    def points(self, at: Array) -> Array:
        """The tool's point in frame 0, (..., 3)."""
        return np.asarray(self._tool(at)[..., :3, 3])

    @property
    def steering(self) -> Array:
        """Which coordinates change what follows: all of them, where it is the tool's point."""
        return np.full(len(self.names), self.workspace is not None)

    def unbroken(self, at: Array, x: Array) -> bool:
        """Whether positions along a motion x exist and follow each other without a jump."""
        return bool(np.isfinite(at).all())

    def positions(self, at: Array) -> Array:
        """The positions of all joints of the robot, (samples, joints)."""
        return at[:, -len(self.subject.variables) :]


def torques_by_columns(excited: Excited, at: Array, xd: Array, xdd: Array) -> Array:
    """The torques of the motors by the regressor, with the friction of the description."""
    subject = excited.subject
    values = described_values(subject, subject.columns)
    found = excited.regressor(at, xd, xdd) @ np.array([values[name] for name in subject.columns])
    return np.asarray(found[:, subject.motor_rows] + excited.friction(xd[:, -len(subject.motors) :]))
