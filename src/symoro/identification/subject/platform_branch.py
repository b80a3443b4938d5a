"""The assembly of a parallel robot at its home pose: poses of the platform for positions of the motors, without a jump.

From the home pose each position is reached along a straight line of the motors. A step goes along the tangent, with
Newton's method behind it; it fails where that has to correct much, or where the platform has passed a singularity. So
the pose is one continuous function of the motors.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.subject.straight_lines import ends_of_lines, exists, same_side, states_along
from symoro.model import model
from symoro.models.parallel.numbers import home, moved, size
from symoro.models.parallel.singularities import PlatformSingularities
from symoro.platforms.forward import PlatformTracker, forward_geometry
from symoro.platforms.motion import joint_rows, joints_of_pose, singular_matrices
from symoro.robot.joint import Joint
from symoro.robot.parallel import ParallelRobot
from symoro.runtime import compile_program

if TYPE_CHECKING:
    from symoro.runtime import Function

_STEP = 0.3
"""Radians of a motor, or parts of the platform's radius for a slider, in one step."""
_SMALLEST = 0.05
"""Part of a step below which a way has ended: steps that have to be so small are near a singularity."""
_CORRECTION = 0.1
"""Radians, or parts of the radius, by which Newton's method may correct a step."""


@dataclass(frozen=True, eq=False)
class PlatformKinematics:
    """What follows from poses T (samples, 4, 4) of a platform, by compiled models."""

    robot: ParallelRobot

    @cached_property
    def tracker(self) -> PlatformTracker:
        return forward_geometry(self.robot, optimize=False).compile()

    @cached_property
    def _by_motors(self) -> tuple[Function, Function]:
        """J_p of V = J_p q̇, and J̇_p q̇."""
        jacobian, drift = (model(name, self.robot, optimize=False).compile() for name in ("jacobian", "jdot_qdot"))
        return jacobian, drift

    @cached_property
    def _of_pose(self) -> Function:
        found: Function = compile_program(joints_of_pose(self.robot))
        return found

    @cached_property
    def _rows(self) -> Function:
        found: Function = compile_program(joint_rows(self.robot))
        return found

    @cached_property
    def _singularities(self) -> PlatformSingularities:
        return PlatformSingularities(self.robot, compile_program(singular_matrices(self.robot)))

    @cached_property
    def owners(self) -> tuple[Joint, ...]:
        """The joints of all legs that have variables."""
        return tuple(joint for joint in self.robot.joints if joint.movable and joint.variable)

    @cached_property
    def places(self) -> list[int]:
        """The places of the motors among them."""
        return [k for k, joint in enumerate(self.owners) if joint.actuated]

    @cached_property
    def sliders(self) -> Array:
        """Which motors move along their axes."""
        return np.array([self.owners[k].prismatic for k in self.places])

    @cached_property
    def radius(self) -> float:
        return size(self.robot)

    def directions(self, T: Array) -> Array:
        """J_p, (samples, 6, motors)."""
        return np.asarray(self._by_motors[0](T))

    def motion(self, T: Array, qd: Array, qdd: Array) -> tuple[Array, Array]:
        """V = J_p q̇ and V̇ = J_p q̈ + J̇_p q̇ (K10:60)."""
        J = self.directions(T)
        V = np.einsum("tij,tj->ti", J, qd)
        return V, np.einsum("tij,tj->ti", J, qdd) + self._by_motors[1](T, V)

    def joints(self, T: Array) -> Array:
        """The positions of all joints of the legs, angles in (−π, π]."""
        return np.asarray(self._of_pose(T))

    def speeds(self, T: Array, V: Array) -> Array:
        """The velocities of all joints of the legs (K10:61)."""
        B = np.asarray(self._rows(T).B).reshape(len(T), -1, 6)
        return np.asarray(np.einsum("tij,tj->ti", B, V))

    def conditions(self, T: Array) -> Array:
        """Condition numbers of the platform (type 2), then of each leg (type 1): (samples, 1 + legs)."""
        if not len(T):
            return np.zeros((0, 1 + len(self.robot.legs)))
        found = self._singularities.at(T)
        return np.asarray(np.nan_to_num(np.column_stack([found.platform, found.legs]), nan=np.inf))


@dataclass(frozen=True)
class PlatformBranch:
    """The assembly at the home pose; poses with condition numbers above `limit` are not reached."""

    kinematics: PlatformKinematics
    limit: Array = field(default_factory=lambda: np.array(np.inf), repr=False)

    @cached_property
    def home(self) -> Array:
        return home(self.kinematics.robot)

    @cached_property
    def begin(self) -> Array:
        """The positions of the motors at the home pose."""
        return self.kinematics.joints(self.home[None])[0, self.kinematics.places]

    def stepped(self, T: Array, x: Array) -> Array:
        """The poses after a step of the motors to x, (samples, 4, 4); NaN where it leaves the assembly."""
        kinematics = self.kinematics
        J = kinematics.directions(T)
        ahead = moved(T, np.einsum("tij,tj->ti", J, self._missing(T, x)))
        found = kinematics.tracker(x, guess=np.where(exists(ahead)[:, None, None], ahead, T)).T[:, 0]
        near = exists(found)
        near[near] = self._apart(found[near], ahead[near]) < _CORRECTION
        near[near] = same_side(J[near], kinematics.directions(found[near]))
        return np.where(near[:, None, None], found, np.nan)

    def reached(self, x: Array) -> Array:
        """The poses at the ends of straight lines of the motors from the home pose; NaN where there is none."""
        found = self._ends(self.home, self.begin, x)
        there = exists(found)
        there[there] = (self.kinematics.conditions(found[there]) <= self.limit).all(axis=1)
        return np.where(there[:, None, None], found, np.nan)

    def along(self, start: Array, x: Array) -> Array:
        """The poses along a path of the motors, each from the one before; NaN behind the end of the assembly.

        `start` is a pose near the first position.
        """
        steps = self._steps(np.diff(x, axis=0))
        return states_along(self.stepped, lambda T, at, to: self._ends(T, at, to[None])[0], start, x, steps)

    def _ends(self, T: Array, begin: Array, x: Array) -> Array:
        """The poses at the ends of straight lines of the motors from a pose, whose motors are at `begin`."""
        return ends_of_lines(self.stepped, T, begin, x, self._steps(x - begin), _SMALLEST)

    def continuous(self, T: Array, x: Array) -> bool:
        """Whether poses along a motion of the motors follow each other as their tangents say."""
        if not exists(T).all():
            return False
        step = np.einsum("tij,tj->ti", self.kinematics.directions(T[:-1]), np.diff(x, axis=0))
        return bool((self._apart(T[1:], moved(T[:-1], step)) < _CORRECTION).all())

    def unturned(self, x: Array) -> Array:
        """Positions of the motors without whole turns: angles are less than half a turn away from home."""
        return np.asarray(self.begin + self._shortest(x - self.begin))

    def _missing(self, T: Array, x: Array) -> Array:
        """How far motors have to move to x."""
        return self._shortest(x - self.kinematics.joints(T)[:, self.kinematics.places])

    def _shortest(self, away: Array) -> Array:
        """Motions of motors, angles by less than half a turn."""
        return np.where(self.kinematics.sliders, away, np.remainder(away + np.pi, 2 * np.pi) - np.pi)

    def _steps(self, away: Array) -> Array:
        """How many steps motions of the motors are, (samples,)."""
        sizes = away / np.where(self.kinematics.sliders, self.kinematics.radius, 1.0)
        return np.asarray(np.abs(sizes).max(axis=1, initial=0.0) / _STEP)

    def _apart(self, a: Array, b: Array) -> Array:
        """The largest difference of two poses: of elements of R, and of p in parts of the radius."""
        p = np.abs(a[:, :3, 3] - b[:, :3, 3]).max(axis=1) / self.kinematics.radius
        return np.asarray(np.maximum(p, np.abs(a[:, :3, :3] - b[:, :3, :3]).max(axis=(1, 2))))


@lru_cache(maxsize=8)
def kinematics_of(robot: ParallelRobot) -> PlatformKinematics:
    """The compiled models of a robot; those of the last robots are kept."""
    return PlatformKinematics(robot)
