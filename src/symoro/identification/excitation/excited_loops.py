"""Robots with closed loops: the motors are moved, and the passive joints follow on one branch.

From the reference, a closed configuration, each position is reached along a straight line of the motors that keeps
away from dead points. So the passive joints are one continuous function of the motors, and no motion can jump.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.excitation.excited import Excited, Room
from symoro.identification.subject.loop_branch import LoopBranch
from symoro.robot.joint import Joint

_BEYOND = 1.5
"""Condition over the limit of the room from which on positions are refused: an optimisation may look beyond it."""


@dataclass(frozen=True)
class ExcitedLoops(Excited):
    """A robot with closed loops whose motors determine all joints.

    `reference` is a closed configuration of all joints; `passive_room` are the limits of positions, then of speeds of
    the passive joints. The `condition` of the equations that give the passive joints is that of the worst position.
    """

    reference: Array = field(default_factory=lambda: np.zeros(0), repr=False)
    passive_room: Room = field(default_factory=lambda: Room(np.zeros(0), np.zeros(0)), repr=False)
    condition: float = np.inf

    @cached_property
    def loops(self) -> LoopBranch:
        return LoopBranch(self.subject, _BEYOND * self.condition)

    @property
    def passive(self) -> tuple[Joint, ...]:
        """The joints that follow."""
        return tuple(joint for joint in self.subject.variables if joint not in self.joints)

    def placed(self, x: Array) -> Array:
        """q of all joints; NaN where the branch of the reference does not reach."""
        return self.loops.reached(self.reference, x)

    def nudged(self, at: Array, j: int, step: float) -> Array:
        return at + step * self.loops.directions(at)[:, :, j]

    @property
    def room(self) -> Room:
        regular = Room(np.array([-np.inf]), np.array([np.log(self.condition)]))
        own, tool = self.passive_room.joined(regular), super().room
        return own if tool is None else own.joined(tool)

    def followed(self, at: Array, xd: Array) -> Array:
        """Positions and speeds of the passive joints, log of the condition, and the tool's point in its workspace."""
        passive = self.loops.passive
        speeds = np.einsum("tij,tj->ti", self.loops.directions(at)[:, passive], xd)
        found = [at[:, passive], speeds, np.log(self.loops.conditions(at))[:, None]]
        return np.concatenate([*found, self.points(at)] if self.workspace is not None else found, axis=1)

    @property
    def steering(self) -> Array:
        return super().steering | self.loops.steering

    def unbroken(self, at: Array, x: Array) -> bool:
        return self.loops.continuous(at)
