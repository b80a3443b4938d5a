"""Trajectories: positions, velocities and accelerations of joints as functions of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from symoro.bind.vocabulary import MOTION_UNITS
from symoro.figures import curves
from symoro.motion.profiles import Array, Profile

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Motion(NamedTuple):
    """Positions, velocities and accelerations, each (..., joints)."""

    q: Array
    qd: Array
    qdd: Array


@dataclass(frozen=True, slots=True)
class Path:
    """A curve in joint space: q(s) with its first two derivatives by s, for s from 0 to `end`."""

    at: Callable[[Array], Motion] = field(repr=False)
    end: float = 1.0


@dataclass(frozen=True, slots=True)
class Trajectory:
    """A motion of joints in time: `q, qd, qdd = t(time)` for a time or an array of times.

    `duration` is in seconds. Before the start and after the end the joints stand still. `path` is the curve that the
    joints follow, without time.
    """

    joints: tuple[str, ...]
    duration: float
    path: Path
    motion: Callable[[Array], Motion] = field(repr=False)
    """The motion at times (...) between the start and the end."""
    excess: float = 0.0
    """The greatest part by which a limit is exceeded, where limits hold at points of a grid only."""

    def __call__(self, time: ArrayLike) -> Motion:
        """q, qd and qdd, each (..., joints) for times (...)."""
        t = np.asarray(time, dtype=float)
        q, qd, qdd = self.motion(np.clip(t, 0.0, self.duration))
        moving = ((t >= 0) & (t <= self.duration))[..., None]
        return Motion(q, np.where(moving, qd, 0.0), np.where(moving, qdd, 0.0))

    def times(self, count: int) -> Array:
        """Times from the start to the end, at equal distances."""
        return np.linspace(0.0, self.duration, count)

    def plot(self, to: str | FilePath | None = None) -> Figure:
        """Positions, velocities and accelerations over time, as a matplotlib figure; `to` is a file to write."""
        time = self.times(501)
        quantities = ("position", "velocity", "acceleration")
        labels = (f"{quantity} ({' or '.join(MOTION_UNITS[quantity])})" for quantity in quantities)
        panels = dict(zip(labels, self(time), strict=True))
        return curves(time, panels, self.joints, to=to)


def straight(q0: Array, q1: Array, profile: Profile | None, joints: Sequence[str]) -> Trajectory:
    """q = q0 + r(t) D from rest to rest, on a straight line in joint space; no profile where no joint moves."""
    D = q1 - q0

    def motion(time: Array) -> Motion:
        t = time[..., None]
        if profile is None:
            none = np.zeros((*time.shape, len(D)))
            return Motion(none + q0, none, none)
        r = profile(t)
        q = np.where(r.late, q1 - r.gone * D, q0 + r.gone * D)  # (K13:8.1, 8.3)
        return Motion(q, r.rate * D, r.acceleration * D)  # (K13:8.2)

    def line(s: Array) -> Motion:
        x, none = np.asarray(s, dtype=float)[..., None], np.zeros((*np.shape(s), len(D)))
        return Motion(q0 + x * D, none + D, none)

    return Trajectory(tuple(joints), profile.duration if profile else 0.0, Path(line), motion)


def pursuing(q0: Array, target: Trajectory, profile: Profile | None, joints: Sequence[str]) -> Trajectory:
    """q = q^f(t) − (1 − r(t)) D to a target that moves, with D = q^f(0) − q0 (K13:8.3), and then with it."""
    D, duration = target(0.0).q - q0, max(profile.duration if profile else 0.0, target.duration)

    def motion(time: Array) -> Motion:
        wanted = target(time)
        if profile is None:
            return wanted
        t = time[..., None]
        r, on = profile(np.minimum(t, profile.duration)), t <= profile.duration
        q = wanted.q - np.where(r.late, r.gone, 1 - r.gone) * D  # (K13:8.3)
        return Motion(q, wanted.qd + np.where(on, r.rate, 0.0) * D, wanted.qdd + np.where(on, r.acceleration, 0.0) * D)

    return Trajectory(tuple(joints), duration, Path(motion, duration), motion)


Clock = Callable[[Array], tuple[Array, Array, Array]]
"""Time -> s, ṡ, s̈."""


def timed(path: Path, clock: Clock, duration: float, joints: Sequence[str]) -> Trajectory:
    """A path that is travelled as a clock says."""

    def motion(time: Array) -> Motion:
        s, sd, sdd = (x[..., None] for x in clock(time))
        q, slope, curvature = path.at(s[..., 0])
        return Motion(q, slope * sd, slope * sdd + curvature * sd**2)

    return Trajectory(tuple(joints), duration, path, motion)


def stretched(trajectory: Trajectory, duration: float) -> Trajectory:
    """The same motion in another time."""
    k = trajectory.duration / duration

    def motion(time: Array) -> Motion:
        q, qd, qdd = trajectory.motion(np.minimum(time * k, trajectory.duration))
        return Motion(q, k * qd, k**2 * qdd)

    return Trajectory(trajectory.joints, duration, trajectory.path, motion)
