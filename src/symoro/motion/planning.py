"""`symoro.trajectory`: a motion between two configurations, on a straight line in joint space or through points."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import inf, isfinite
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError, ShapeError
from symoro.findings import Argument, Finding
from symoro.formats import valid_robot
from symoro.motion.limits import JointLimits, active_limits, inside, position, positive
from symoro.motion.options import ACCELERATION, DURATION, PROFILE, REALS, ROBOT, VELOCITY, limit
from symoro.motion.profiles import KINDS, LIMITS, Array, Profile, Rates, fastest, limit_of_joint
from symoro.motion.splines import DEGREES, in_sequence, through
from symoro.motion.trajectory import Trajectory, pursuing, straight
from symoro.options import NONE, Option, RealNumber, Schema
from symoro.robot.robot import Robot

TRAJECTORY = Schema(
    "trajectory",
    (
        PROFILE,
        Option("via", REALS | NONE, None, "Points on the way.", "Des points de passage.", flag=False),
        Option("times", REALS | NONE, None, "The times of all points.", "Les temps de tous les points.", flag=False),
        DURATION,
        VELOCITY,
        ACCELERATION,
        limit("jerk", "joint", "Limits of jerk.", "Limites de jerk."),
        Option(
            "ramp",
            RealNumber(more_than=0, at_most=0.5),
            1 / 3,
            "Of trapezoidal-acceleration, the share of its time in which the acceleration rises.",
            "De trapezoidal-acceleration, la part du temps de l'accélération où elle croît.",
            flag=False,
        ),
        ROBOT,
    ),
    MotionError,
)


@TRAJECTORY.function
def trajectory(
    q0: ArrayLike,
    q1: ArrayLike | Trajectory,
    profile: str,
    *,
    via: ArrayLike | None,
    times: ArrayLike | None,
    duration: float | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    jerk: ArrayLike | None,
    ramp: float,
    robot: Robot | str | Path | None,
) -> Trajectory:
    """A motion from rest at q0 to rest at q1, as fast as the limits allow or in a given duration (K13 § 8.3).

    Profiles: linear, cubic, quintic, septic, bang-bang, trapezoid (of velocity), polynomial-acceleration and
    trapezoidal-acceleration (continuous acceleration with a constant velocity; `ramp` is the share of the time of
    acceleration in which it rises), jerk-limited. All joints start and end together and stay on a straight line.

    `velocity`, `acceleration` and `jerk` are limits, one number or one for each joint. `robot` gives names, limits of
    position, and limits of velocity where none are given; q has its active joints.

    q1 may be a trajectory: a target that moves. The joints approach it, within limits that are those of the motion
    relative to the target, and then move with it (K13:8.3).

    With `via` (points, joints) the motion goes through these points without stopping, by a spline that is cubic or
    quintic as `profile` says; other profiles stop at each point. `times` are those of all points, the first one 0.
    """
    start = position("q0", q0)
    end = position("q1", q1(0.0).q if isinstance(q1, Trajectory) else q1, len(start))
    known = active_limits(None if robot is None else valid_robot(robot), len(start))
    if velocity is None:
        velocity = known.velocity
    limits = {
        "V": positive("velocity", velocity, known.names),
        "A": positive("acceleration", acceleration, known.names),
        "J": positive("jerk", jerk, known.names),
    }
    if via is not None:
        if isinstance(q1, Trajectory):
            raise MotionError("trajectories.via_to_moving", via=Argument("via"))
        points = np.vstack([start, *_points(via, len(start)), end])
        inside(Finding("motion.a_point"), points, known)
        if profile in DEGREES:
            return through(points, DEGREES[profile], _times(times, len(points)), duration, limits, known)
        return _stopping(points, profile, limits, times, duration, ramp, known)
    if times is not None:
        raise MotionError("trajectories.times_without_via")
    inside("q0", start, known)
    inside("q1", end, known)
    shape = synchronised(profile, end - start, limits, duration, ramp, known)
    if not isinstance(q1, Trajectory):
        return straight(start, end, shape, known.names)
    approach = pursuing(start, q1, shape, known.names)
    inside(Finding("motion.point_of_motion"), approach(approach.times(1001)).q, known)
    return approach


def synchronised(
    name: str,
    D: Array,
    limits: dict[str, Array],
    duration: float | None,
    ramp: float,
    known: JointLimits,
) -> Profile | None:
    """The profile that all joints share; None where none of them moves."""
    moving = np.flatnonzero(D)
    if not len(moving):
        return None
    rates = Rates(**{letter: float(min(k[j] / abs(D[j]) for j in moving)) for letter, k in limits.items()})
    profile = fastest(name, rates, ramp)
    free = not any(isfinite(getattr(rates, letter)) for letter in KINDS[name].keeps)
    if duration is None:
        if free:
            raise MotionError(
                "trajectories.no_duration",
                profile=name,
                limits=[Finding(LIMITS[letter]) for letter in KINDS[name].keeps],
            )
        return profile
    if not free and duration < profile.duration * (1 - 1e-12):
        raise MotionError(_too_short(duration, profile.duration, D, rates, limits, known.names))
    return profile.stretched(duration)


def _too_short(
    duration: float, least: float, D: Array, rates: Rates, limits: dict[str, Array], names: Sequence[str]
) -> Finding:
    """Which joints set the limits that the duration breaks."""
    broken = []
    for letter, k in limits.items():
        rate = getattr(rates, letter)
        if rate < inf:
            moving = np.flatnonzero(D)
            j = moving[np.argmin(k[moving] / abs(D[moving]))]
            broken.append(limit_of_joint(letter, k[j], names[j]))
    return Finding("trajectories.too_short", duration=duration, least=least, limits=broken)


def _stopping(
    points: Array,
    profile: str,
    limits: dict[str, Array],
    times: ArrayLike | None,
    duration: float | None,
    ramp: float,
    known: JointLimits,
) -> Trajectory:
    """From point to point with a stop at each, as fast as the limits allow."""
    if times is not None or duration is not None:
        raise MotionError("trajectories.stops", profile=profile)
    parts = [
        straight(a, b, synchronised(profile, b - a, limits, None, ramp, known), known.names)
        for a, b in pairwise(points)
    ]
    return in_sequence(parts)


def _points(via: ArrayLike, joints: int) -> Array:
    array = np.asarray(via, dtype=float)
    if array.ndim != 2 or array.shape[1] != joints or not np.isfinite(array).all():
        raise ShapeError("trajectories.via_shape", count=joints, shape=str(array.shape))
    return array


def _times(times: ArrayLike | None, count: int) -> Array | None:
    if times is None:
        return None
    array = np.asarray(times, dtype=float)
    if array.shape != (count,) or array[0] != 0 or not (np.diff(array) > 0).all() or not np.isfinite(array).all():
        raise MotionError("trajectories.times", count=count)
    return array
