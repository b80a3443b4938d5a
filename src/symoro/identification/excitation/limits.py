"""Limits of exciting motions: of each coordinate, and of what follows; and the largest motions inside them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Any

import numpy as np

from symoro.errors import MotionError
from symoro.findings import Argument, Finding
from symoro.identification.arrays import Array
from symoro.identification.excitation.excited import Excited, FollowerLimits, FrameBox
from symoro.identification.excitation.motions import PeriodicSpline, Series
from symoro.identification.subject.subject import Box, Subject, limit_of, usual_box
from symoro.robot.joint import Joint

Curves = Series | PeriodicSpline
"""A periodic motion of all motors."""
_SHRINK = 1 - 1e-12
_SMALLER, _TIMES = 0.95, 60
"""The factor of amplitudes in one step, and the number of steps."""
_CLOSE = 1e-8
"""Part of the range by which what follows stays away from its limits, for what lies between samples."""


def workspace_of(subject: Subject, box: Any, tool: int | str | None) -> FrameBox | None:
    """The box that is given, and the frame that stays in it."""
    if box is None:
        if tool is not None:
            raise MotionError("excitation.tool_without_workspace", option=Argument("tool"))
        return None
    limits = ranges("workspace", box, 3)
    frame = subject.description.link_count if tool is None else subject.description.frame_ref(tool)
    return FrameBox(frame, limits[:, 0], limits[:, 1])


def box_of(subject: Subject, position: Any, velocity: Any, acceleration: Any, base: Any = None) -> Box:
    """The limits that are given, else those of the robot, else ±2 rad or 0.3 m, 3 rad/s or 0.5 m/s."""
    usual, n, moved = usual_box(subject, subject.motors), len(subject.motors), base is not None
    limits = np.column_stack([usual.low, usual.high]) if position is None else ranges("position", position, n)
    parts = [ranges("base", base, 6), limits] if moved else [limits]
    low, high = np.concatenate(parts).T
    pairs = zip(_OF_BASE, (usual.speed, usual.acceleration), strict=True)
    speed, hardest = (np.concatenate([of_base, x]) if moved else x for of_base, x in pairs)
    count = len(low)
    return Box(
        low,
        high,
        speed if velocity is None else each("velocity", velocity, count),
        hardest if acceleration is None else each("acceleration", acceleration, count),
    )


_OF_BASE = np.repeat([[0.5, 1.0], [2.0, 5.0]], 3, axis=1)
"""Speeds and accelerations of x, y, z and of roll, pitch, yaw of a base."""


def passive_limits(subject: Subject, joints: Sequence[Joint], fastest: float) -> FollowerLimits:
    """Limits of passive joints: positions where the description has some; speeds of the description, else `fastest`."""
    low, high, speed = (
        np.array([limit_of(subject, j, name, x) for j in joints])
        for name, x in (("lower", -np.inf), ("upper", np.inf), ("velocity", fastest))
    )
    return FollowerLimits(np.concatenate([low, -speed]), np.concatenate([high, speed]))


def ranges(name: str, pairs: Any, n: int) -> Array:
    """Lower and upper limits, (n, 2)."""
    try:
        limits = np.asarray(pairs, dtype=float).reshape(-1, 2)
    except (TypeError, ValueError):
        limits = np.zeros((0, 2))
    if limits.shape != (n, 2) or not np.isfinite(limits).all() or not (limits[:, 0] < limits[:, 1]).all():
        raise MotionError("excitation.ranges", option=Argument(name), count=n)
    return limits


def each(name: str, values: Any, n: int) -> Array:
    """One limit, or one for each of n coordinates."""
    try:
        limits = np.broadcast_to(np.asarray(values, dtype=float), (n,))
    except (TypeError, ValueError):
        limits = np.zeros(n)
    if not np.isfinite(limits).all() or not (limits > 0).all():
        option, allowed = Argument(name), Finding("excitation.each", count=n)
        raise MotionError("options.value", option=option, value=repr(values), allowed=allowed)
    return limits


def filled(series: Curves, box: Box, grow: Array | bool = True) -> Curves:
    """The motion with the amplitude of each joint as large as its limits allow; without `grow`, at most as it is."""
    low, high, speed, acceleration = series.extremes()
    m = series.middle
    ratios = [
        (high - m) / (box.high - m),
        (m - low) / (m - box.low),
        speed / box.speed,
        acceleration / box.acceleration,
    ]
    worst = np.max(ratios, axis=0)
    worst = np.where(worst > 0, worst, 1.0)
    return series.scaled(_SHRINK / np.where(grow, worst, np.maximum(worst, 1.0)))


def within(excited: Excited, series: Curves | None) -> Curves | None:
    """The motion with smaller amplitudes, so that what follows stays inside its limits; None where there is none.

    The coordinates on which what follows depends are smaller by one factor; the others stay.
    """
    allowed = excited.follower_limits
    if allowed is None or series is None:
        return series
    inner = allowed.smaller(_CLOSE)
    smaller = [series.scaled(np.where(excited.steering, _SMALLER**k, 1.0)) for k in range(_TIMES)]
    coarse = bisect_left(range(_TIMES), True, key=lambda k: _stays(excited, smaller[k], inner, 401))
    return next((one for one in smaller[coarse:] if _stays(excited, one, inner, 4001)), None)


def _stays(excited: Excited, series: Curves, allowed: FollowerLimits, samples: int) -> bool:
    """Whether what follows from a motion is inside its limits: at samples, and where parabolas through them turn."""
    t = np.linspace(0.0, series.duration, samples)
    x, xd, _ = series.at(t)
    at = excited.placed(x)
    if not excited.unbroken(at, x):
        return False
    f = excited.followed(at, xd)
    if allowed.beyond(f).any():
        return False
    x, xd, _ = series.at(_turning_times(t, f))
    return not allowed.beyond(excited.followed(excited.placed(x), xd)).any()


def _turning_times(t: Array, f: Array) -> Array:
    """Where columns of f are largest or smallest, by parabolas through three samples."""
    times = [t[:1]]
    for x in f.T:
        peaks = 1 + np.flatnonzero((np.diff(x[:-1]) * np.diff(x[1:])) <= 0)
        bend = x[peaks + 1] - 2 * x[peaks] + x[peaks - 1]
        slope = (x[peaks + 1] - x[peaks - 1]) / 2
        shift = np.divide(-slope, bend, out=np.zeros_like(slope), where=np.abs(bend) > 0)
        times.append(t[peaks] + t[1] * np.clip(shift, -1, 1))
    return np.concatenate(times)
