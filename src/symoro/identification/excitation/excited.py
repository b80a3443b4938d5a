"""What a motion excites: the regressor along it, and what follows from it and has limits of its own.

The coordinates x of a motion are those that are chosen freely: the positions of the motors, and before them the pose of
a base that is moved. Passive joints of closed loops and the platform of a parallel robot follow on one branch.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from scipy.spatial.transform import Rotation

from symoro.errors import NotApplicable
from symoro.identification.arrays import Array
from symoro.identification.excitation.motions import NAMES, pose_motion
from symoro.identification.subject.branch import Branch, BranchBesideOthers, PlatformBranch
from symoro.identification.subject.subject import Subject, described_values
from symoro.lazy import lazy
from symoro.models.identification.columns import FRICTION, OFFSET
from symoro.robot.joint import Joint
from symoro.solve.given import model

if TYPE_CHECKING:
    from symoro.runtime import Function

_BEYOND = 1.5
"""Condition over its limit from which on positions are refused: an optimisation may look beyond the limit."""


@dataclass(frozen=True)
class FrameBox:
    """A box in frame 0 in which the origin of a frame of the robot stays: `low` and `high` have x, y and z.

    Of a platform they may have its rotation vector from the home pose, too.
    """

    frame: int | str
    low: Array = field(repr=False)
    high: Array = field(repr=False)


@dataclass(frozen=True)
class FollowerLimits:
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

    def smaller(self, part: float) -> FollowerLimits:
        """The limits without a small part of their range at each end."""
        return FollowerLimits(self.low + part * self.size, self.high - part * self.size)

    def joined(self, other: FollowerLimits) -> FollowerLimits:
        return FollowerLimits(np.concatenate([self.low, other.low]), np.concatenate([self.high, other.high]))


@dataclass(frozen=True)
class Excited:
    """A tree on a fixed base whose joints all have motors, and a box for its tool.

    `kept` are the places of the columns that motions can tell apart: all of them for a tree on a fixed base.
    """

    subject: Subject
    workspace: FrameBox | None = None
    kept: tuple[int, ...] | None = None
    optimizes: ClassVar[bool] = True
    """Whether the inverse dynamic model is optimised."""

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints whose motion is chosen."""
        return self.subject.motors

    @property
    def names(self) -> tuple[str, ...]:
        """A name for each coordinate."""
        return tuple(joint.label for joint in self.joints)

    @property
    def columns(self) -> tuple[str, ...]:
        """The parameters that motions can tell apart."""
        names = self.subject.columns
        return names if self.kept is None else tuple(names[k] for k in self.kept)

    @property
    def inertial(self) -> list[int]:
        """The places of the columns of links and rotors."""
        return [k for k, name in enumerate(self.subject.columns) if not name.startswith((*FRICTION, *OFFSET))]

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
        return np.asarray(self.inverse_dynamics(at, xd, xdd))

    @lazy
    def inverse_dynamics(self) -> Function:
        """Γ of a motion."""
        compiled: Function = model("inverse_dynamics", self.subject.description, optimize=self.optimizes).compile()
        return compiled

    @lazy
    def friction(self) -> Function:
        """The friction of the motors by the description, a function of their velocities."""
        compiled: Function = model("friction", self.subject.description).compile()
        return compiled

    # what follows

    @property
    def follower_limits(self) -> FollowerLimits | None:
        """The limits of what follows from a motion, None where there are none."""
        return None if self.workspace is None else FollowerLimits(self.workspace.low, self.workspace.high)

    def followed(self, at: Array, xd: Array) -> Array:
        """What follows from a motion and has limits, (samples, m): the tool's point in frame 0."""
        return self.points(at)

    @lazy
    def _tool(self) -> Function:
        assert self.workspace is not None
        compiled: Function = model("forward_geometry", self.subject.description, self.workspace.frame).compile()
        return compiled

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

    def poses(self, at: Array) -> Array:
        """The poses of the body that the motors drive, (samples, 4, 4)."""
        raise NotApplicable("excitation.no_platform", robot=self.subject.robot.name)


@dataclass(frozen=True)
class ExcitedBase(Excited):
    """A tree on a floating base that is held, or moved as planned, while its wrench is measured.

    How a base moves that nothing holds depends on the parameters, and is not known before they are. On a force plate or
    a moving platform its motion is chosen, and the six rows of the base are those that the plate measures. With
    `moves`, six coordinates of the base come before those of the motors.
    """

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
        """By the regressor, with the friction of the description."""
        subject = self.subject
        values = described_values(subject, subject.columns)
        wrench_and_torques = self.regressor(at, xd, xdd) @ np.array([values[name] for name in subject.columns])
        return np.asarray(wrench_and_torques[:, subject.motor_rows] + self.friction(xd[:, -len(subject.motors) :]))

    def points(self, at: Array) -> Array:
        """The tool's point in the frame of the base."""
        return super().points(self._split(at)[1])


@dataclass(frozen=True, kw_only=True)
class ExcitedBranch(Excited):
    """A robot whose motors move passive joints, or a platform; `at` of its methods are states of its branch.

    From the reference each position is reached along a straight line of the motors that keeps away from singularities.
    So what follows is one continuous function of the motors, and no motion can jump. `conditions` are the largest
    condition numbers of the branch; `passive_limits` are limits of positions, then of speeds of the `limited` joints,
    by their places among those of the branch.
    """

    branch: Branch
    reference: Array = field(repr=False)
    conditions: Array = field(repr=False)
    limited: tuple[int, ...]
    passive_limits: FollowerLimits = field(repr=False)

    @lazy
    def _bounded(self) -> Branch:
        return self.branch.within(_BEYOND * self.conditions)

    def placed(self, x: Array) -> Array:
        """The states; NaN where the branch of the reference does not reach."""
        return self._bounded.reached(self.reference, x)

    def nudged(self, at: Array, j: int, step: float) -> Array:
        return self._bounded.nudged(at, j, step)

    def regressor(self, at: Array, xd: Array, xdd: Array) -> Array:
        return self.subject.along(self._bounded.motion(at, xd, xdd))

    def torques(self, at: Array, xd: Array, xdd: Array) -> Array:
        return np.asarray(self.inverse_dynamics(*self._bounded.motion(at, xd, xdd).values()))

    def unbroken(self, at: Array, x: Array) -> bool:
        return self._bounded.continuous(at, x)

    def positions(self, at: Array) -> Array:
        return self._bounded.positions(at)

    # what follows

    @property
    def follower_limits(self) -> FollowerLimits:
        regular = FollowerLimits(np.full(len(self.conditions), -np.inf), np.log(self.conditions))
        passive, tool = self.passive_limits.joined(regular), super().follower_limits
        return passive if tool is None else passive.joined(tool)

    def followed(self, at: Array, xd: Array) -> Array:
        """Positions and speeds of limited joints, logs of the condition numbers, and the tool in its workspace."""
        parts = [np.log(self._bounded.conditions(at))]
        if self.limited:
            speeds = self._bounded.speeds(at, xd)[:, self.limited]
            parts = [self._near(self._bounded.positions(at)[:, self.limited]), speeds, *parts]
        return np.concatenate([*parts, self.points(at)] if self.workspace is not None else parts, axis=1)

    def _near(self, q: Array) -> Array:
        n = len(self.limited)
        with np.errstate(invalid="ignore"):
            middle = (self.passive_limits.low[:n] + self.passive_limits.high[:n]) / 2
        return self._bounded.near(q, middle, [self.branch.joints[k] for k in self.limited])

    @property
    def steering(self) -> Array:
        return super().steering | self._bounded.steering


@dataclass(frozen=True, kw_only=True)
class ExcitedBody(ExcitedBranch):
    """A robot whose motors drive a body."""

    branch: PlatformBranch | BranchBesideOthers
    optimizes: ClassVar[bool] = False  # that takes long, and the model is called seldom

    def poses(self, at: Array) -> Array:
        return self.branch.poses(at)

    def points(self, at: Array) -> Array:
        """The origin of the body, and its rotation vector where that has limits."""
        assert self.workspace is not None
        T, home = self.poses(at), self.poses(self.reference[None])[0]
        if len(self.workspace.low) == 3:
            return T[:, :3, 3]
        turn = Rotation.from_matrix(T[:, :3, :3] @ home[:3, :3].T).as_rotvec()
        return np.hstack([T[:, :3, 3], turn])


def _turned(R: Array, v: Array) -> Array:
    """Rᵀ v."""
    return np.asarray(np.einsum("tji,tj->ti", R, v))
