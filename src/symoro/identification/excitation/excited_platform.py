"""Parallel robots: the motors are moved, and the platform follows in the assembly of its home pose."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.spatial.transform import Rotation

from symoro.identification.arrays import Array
from symoro.identification.excitation.excited import Excited, Room
from symoro.identification.subject.platform_branch import PlatformBranch, PlatformKinematics, kinematics_of
from symoro.identification.subject.platform_subject import PlatformSubject
from symoro.model import model
from symoro.models.parallel.numbers import moved

if TYPE_CHECKING:
    from symoro.runtime import Function

_BEYOND = 1.5
"""Condition numbers over their limits from which on poses are refused: an optimisation may look beyond the limits."""


@dataclass(frozen=True)
class ExcitedPlatform(Excited):
    """A parallel robot with as many motors as its platform has freedoms.

    `at` of its methods are poses T. `conditions` are the largest condition numbers of platform and legs; `passive_room`
    are limits of positions, then of speeds of the `limited` joints, by their places among all joints of the legs.
    """

    conditions: Array = field(default_factory=lambda: np.array(np.inf), repr=False)
    limited: tuple[int, ...] = ()
    passive_room: Room = field(default_factory=lambda: Room(np.zeros(0), np.zeros(0)), repr=False)

    @cached_property
    def kinematics(self) -> PlatformKinematics:
        assert isinstance(self.subject, PlatformSubject)
        return kinematics_of(self.subject.platform)

    @cached_property
    def branch(self) -> PlatformBranch:
        return PlatformBranch(self.kinematics, _BEYOND * self.conditions)

    @property
    def inertial(self) -> list[int]:
        return [k for k, name in enumerate(self.subject.columns) if name in self.subject.inertial]

    # the regressor

    def placed(self, x: Array) -> Array:
        """T of the platform; NaN where the assembly of the home pose does not reach."""
        return self.branch.reached(x)

    def nudged(self, at: Array, j: int, step: float) -> Array:
        return moved(at, step * self.kinematics.directions(at)[:, :, j])

    def regressor(self, at: Array, xd: Array, xdd: Array) -> Array:
        V, VP = self.kinematics.motion(at, xd, xdd)
        return self.subject.evaluate(xd, xd, xdd, {"T": at, "V": V, "VP": VP})

    def torques(self, at: Array, xd: Array, xdd: Array) -> Array:
        return np.asarray(self._inverse_dynamics(at, *self.kinematics.motion(at, xd, xdd)))

    @cached_property
    def _inverse_dynamics(self) -> Function:
        return model("inverse_dynamics", self.subject.given, optimize=False).compile()

    def unbroken(self, at: Array, x: Array) -> bool:
        return self.branch.continuous(at, x)

    def positions(self, at: Array) -> Array:
        """The positions of all joints of all legs."""
        return self.kinematics.joints(at)

    # what follows

    @property
    def room(self) -> Room:
        regular = Room(np.full(len(self.conditions), -np.inf), np.log(self.conditions))
        own, tool = self.passive_room.joined(regular), super().room
        return own if tool is None else own.joined(tool)

    def followed(self, at: Array, xd: Array) -> Array:
        """Positions and speeds of limited joints, logs of the condition numbers, and the platform in its workspace."""
        found = [np.log(self.kinematics.conditions(at))]
        if self.limited:
            V = np.einsum("tij,tj->ti", self.kinematics.directions(at), xd)
            speeds = self.kinematics.speeds(at, V)[:, self.limited]
            found = [self._near(self.kinematics.joints(at)[:, self.limited]), speeds, *found]
        return np.concatenate([*found, self.points(at)] if self.workspace is not None else found, axis=1)

    def _near(self, q: Array) -> Array:
        """Angles with the whole turns that bring them nearest to the middle of their limits."""
        n = len(self.limited)
        with np.errstate(invalid="ignore"):
            middle = (self.passive_room.low[:n] + self.passive_room.high[:n]) / 2
        turns = np.array([self.kinematics.owners[k].revolute for k in self.limited]) & np.isfinite(middle)
        return np.where(turns, q + 2 * np.pi * np.rint(np.where(turns, middle - q, 0.0) / (2 * np.pi)), q)

    def points(self, at: Array) -> Array:
        """The platform's origin in frame 0, and its rotation vector from the home pose where that has limits."""
        assert self.workspace is not None
        if len(self.workspace.low) == 3:
            return at[:, :3, 3]
        turn = Rotation.from_matrix(at[:, :3, :3] @ self.branch.home[:3, :3].T).as_rotvec()
        return np.hstack([at[:, :3, 3], turn])

    @property
    def steering(self) -> Array:
        return np.full(len(self.names), True)
