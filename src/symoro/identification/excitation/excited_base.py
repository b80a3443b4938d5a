"""Robots on a base that is free in the model: the base is held, or moved as planned, and its wrench is measured.

How a base moves that nothing holds depends on the parameters, and is not known before they are. On a force plate or a
moving platform its motion is chosen, and the six rows of the base are those that the plate measures.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from symoro.identification.arrays import Array
from symoro.identification.excitation.excited import Excited, torques_by_columns
from symoro.identification.excitation.pose_motion import NAMES, pose_motion


@dataclass(frozen=True)
class ExcitedBase(Excited):
    """A tree on a floating base. With `moves`, six coordinates of the base come before those of the motors."""

    moves: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        return (*NAMES, *super().names) if self.moves else super().names

    def _split(self, x: Array) -> tuple[Array, Array]:
        """Coordinates of the base, 0 where it is held, and of the motors."""
        return (x[:, :6], x[:, 6:]) if self.moves else (np.zeros((len(x), 6)), x)

    def regressor(self, at: Array, xd: Array, xdd: Array) -> Array:
        """D with the six rows of the base first; V0 and V̇0 are given in the frame of the base."""
        (base, q), (based, qd), (basedd, qdd) = (self._split(x) for x in (at, xd, xdd))
        pose = pose_motion(base, based, basedd)
        quat = Rotation.from_matrix(pose.R).as_quat()
        V0, VP0 = (np.hstack([_turned(pose.R, x[:, :3]), _turned(pose.R, x[:, 3:])]) for x in (pose.V, pose.VP))
        return self.subject.evaluate(q, qd, qdd, {"quat": quat, "V0": V0, "VP0": VP0})

    def torques(self, at: Array, xd: Array, xdd: Array) -> Array:
        return torques_by_columns(self, at, xd, xdd)

    def points(self, at: Array) -> Array:
        """The tool's point in the frame of the base."""
        return super().points(self._split(at)[1])


def _turned(R: Array, v: Array) -> Array:
    """Rᵀ v."""
    return np.asarray(np.einsum("tji,tj->ti", R, v))
