"""Robots with closed loops: the motors are moved, and the passive joints follow on one branch.

From the reference, a closed configuration, each position is reached along a straight line of the motors, in steps along
the tangent with Newton's method behind each. So a motion stays on the branch of the reference, or is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from symoro.assembly import Assembly, loop_geometry
from symoro.identification.excited import Excited, Room
from symoro.identification.readers.columns import Array
from symoro.model import model
from symoro.models.loops.assembly import Assembler
from symoro.robot.joint import Joint

if TYPE_CHECKING:
    from symoro.runtime import Function

_STEPS = 8
"""Steps from the reference to a position."""
_JUMP = 0.2
"""Radians or metres by which Newton's method, or the next sample of a motion, may move a passive joint."""


@dataclass(frozen=True)
class ExcitedLoops(Excited):
    """A robot with closed loops whose motors determine all joints.

    `reference` is a closed configuration of all joints; `passive_room` are the limits of positions, then of speeds of
    the passive joints.
    """

    reference: Array = field(default_factory=lambda: np.zeros(0), repr=False)
    passive_room: Room = field(default_factory=lambda: Room(np.zeros(0), np.zeros(0)), repr=False)

    @cached_property
    def assembly(self) -> Assembly:
        return loop_geometry(self.subject.robot).compile()

    @cached_property
    def _assembler(self) -> Assembler:
        return self.assembly.assembler()

    @cached_property
    def _kinematics(self) -> Function:
        return model("loop_kinematics", self.subject.robot).compile()

    @property
    def passive(self) -> tuple[Joint, ...]:
        """The joints that follow."""
        return tuple(joint for joint in self.subject.variables if joint not in self.joints)

    @cached_property
    def _places(self) -> tuple[list[int], list[int]]:
        """The places of motors and of passive joints in q."""
        order = self.subject.variables
        return [order.index(j) for j in self.joints], [order.index(j) for j in self.passive]

    def directions(self, q: Array) -> Array:
        """∂q/∂x, (samples, variables, motors)."""
        with np.errstate(all="ignore"):
            return np.asarray(self._kinematics(q, np.zeros((len(q), len(self.joints)))).G)

    def placed(self, x: Array) -> Array:
        """q of all joints; NaN where the branch of the reference does not reach."""
        motors, _ = self._places
        q = np.tile(self.reference, (len(x), 1))
        for left in range(_STEPS, 0, -1):
            ahead = q + np.einsum("tij,tj->ti", self.directions(q), (x - q[:, motors]) / left)
            ahead[:, motors] = x if left == 1 else ahead[:, motors]
            with np.errstate(all="ignore"):
                reached, closed = self._assembler.newton(np.nan_to_num(ahead))
                moved = self._assembler.difference(reached, ahead)  # without whole turns
            near = closed & (np.abs(moved) < _JUMP).all(axis=1)  # NaN is not near
            q = np.where(near[:, None], ahead + moved, np.nan)
        return q

    def nudged(self, at: Array, j: int, step: float) -> Array:
        return at + step * self.directions(at)[:, :, j]

    @property
    def room(self) -> Room:
        tool = super().room
        return self.passive_room if tool is None else self.passive_room.joined(tool)

    def followed(self, at: Array, xd: Array) -> Array:
        """Positions and speeds of the passive joints, and the tool's point where it has a workspace."""
        _, passive = self._places
        speeds = np.einsum("tij,tj->ti", self.directions(at)[:, passive], xd)
        found = [at[:, passive], speeds]
        return np.concatenate([*found, self.points(at)] if self.workspace is not None else found, axis=1)

    def unbroken(self, at: Array) -> bool:
        _, passive = self._places
        return super().unbroken(at) and bool((np.abs(np.diff(at[:, passive], axis=0)) < _JUMP).all())
