"""`symoro.time_optimal`: the fastest motion along a path, within limits of velocity, acceleration and torque.

Reachability analysis (Pham and Pham, IEEE Trans. Robotics 34, 2018): with x = ṡ² and u = s̈ constant between the points
of a grid, x grows by 2 Δ u, and all limits are linear in u and x. Backward, K_i is the set of x at point i from which
the end can be reached; forward, the greatest u is taken.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path as FilePath
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError
from symoro.findings import Finding
from symoro.motion.limits import active_limits, positive
from symoro.motion.options import ACCELERATION, EFFORT, ROBOT, VALUES, VELOCITY, points
from symoro.motion.profiles import Array
from symoro.motion.torques import PathTorques, Torques
from symoro.motion.trajectory import Clock, Motion, Trajectory, timed
from symoro.options import Schema
from symoro.robot.robot import Robot

Interval = tuple[float, float]
_TINY = 1e-13
_PASSES, _SETTLED = 30, 1e-10
"""Friction depends on the velocity: each pass takes it from the one before, until x changes less than this."""


TIME_OPTIMAL = Schema("time_optimal", (ROBOT, EFFORT, VELOCITY, ACCELERATION, VALUES, points(1001)), MotionError)


@TIME_OPTIMAL.function
def time_optimal(
    trajectory: Trajectory,
    robot: Robot | str | FilePath | None,
    *,
    effort: ArrayLike | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
    values: Mapping[str, float] | None,
    points: int,
) -> Trajectory:
    """The fastest motion from rest to rest along the path of a trajectory.

    The limits `effort` and `velocity` are those of the robot where none are given. They hold at the points of the grid;
    `excess` of the result says by how much they are exceeded between them, relative to the limit. The duration is that
    of the grid: more points make it more exact.
    """
    torques = None if robot is None else Torques(robot, values)
    limits = _limits(trajectory, torques, effort, velocity, acceleration)
    s = np.linspace(0.0, trajectory.path.end, points)
    x = _Grid.of(trajectory, s, limits, torques).squares()
    clock, duration = _clock(s, x)
    fastest = timed(trajectory.path, clock, duration, trajectory.joints)
    between = _Grid.of(trajectory, (s[1:] + s[:-1]) / 2, limits, torques)
    excess = between.excess(np.diff(x) / (2 * np.diff(s)), (x[1:] + x[:-1]) / 2)
    return replace(fastest, excess=excess)


@dataclass(frozen=True, slots=True)
class _Limits:
    """The limits of each joint; infinite where there is none."""

    names: tuple[str, ...]
    velocity: Array
    acceleration: Array
    effort: Array


def _limits(
    trajectory: Trajectory,
    torques: Torques | None,
    effort: ArrayLike | None,
    velocity: ArrayLike | None,
    acceleration: ArrayLike | None,
) -> _Limits:
    known = active_limits(torques.robot if torques else None, len(trajectory.joints))
    limits = _Limits(
        known.names,
        positive("velocity", known.velocity if velocity is None else velocity, known.names),
        positive("acceleration", acceleration, known.names),
        positive("effort", known.effort if effort is None else effort, known.names),
    )
    if torques is None and effort is not None:
        raise MotionError("trajectories.torque_needs_robot")
    if not (np.isfinite(limits.acceleration).any() or np.isfinite(limits.effort).any()):
        raise MotionError("trajectories.no_limits")
    return limits


@dataclass(frozen=True, slots=True)
class _Grid:
    """The path at the points of a grid, with the limits of a motion on it; q of all joints."""

    path: Motion
    s: Array
    limits: _Limits
    torques: Torques | None
    along: PathTorques | None

    @classmethod
    def of(cls, trajectory: Trajectory, s: Array, limits: _Limits, torques: Torques | None) -> Self:
        path = trajectory.path.at(s)
        if torques is None:
            return cls(path, s, limits, None, None)
        path = path._replace(q=torques.configuration(path.q))
        return cls(path, s, limits, torques, torques.along(path))

    def squares(self) -> Array:
        """x at each point: friction is that of the velocities of the pass before, and of a slow motion at first."""
        x = np.zeros(len(self.s))
        for _ in range(_PASSES):
            before, x = x, self._pass(x)
            if not self._friction(x).any() or np.abs(x - before).max() <= _SETTLED * x.max():
                break
        return x

    def _pass(self, before: Array) -> Array:
        first, last = ((0.0, 0.0) if self.path.qd[k].any() else (0.0, np.inf) for k in (0, -1))
        try:
            return _fastest_squares(self.rows(before), float(self.s[1] - self.s[0]), first, last)
        except _Unreachable as problem:
            raise MotionError(self._why(problem.point, before)) from None

    def rows(self, before: Array) -> _LimitRows:
        """±(a u + b x + c) within the torques, ±(q'u + q''x) within the accelerations, x within the velocities."""
        _, slope, curvature = self.path
        parts = [_bounded(slope, curvature, np.zeros_like(slope), self.limits.acceleration)]
        if self.along:
            held = self.along.c + self._friction(before)
            parts.append(_bounded(self.along.a, self.along.b, held, self.limits.effort))
        with np.errstate(divide="ignore"):
            top = np.min((self.limits.velocity / np.abs(slope)) ** 2, axis=1)
        a, b, c = (np.hstack(columns) for columns in zip(*parts, strict=True))
        return _LimitRows(a, b, c, top)

    def _friction(self, x: Array) -> Array:
        """The friction torques at ṡ = √x; where the path stands still, those of a slow motion along it."""
        if self.torques is None:
            return np.zeros(1)
        speed = np.maximum(np.sqrt(x), 1e-9 * (1 + np.sqrt(x.max())))
        return self.torques.friction(self.path.q, self.path.qd * speed[:, None])

    def excess(self, u: Array, x: Array) -> float:
        """By how much the limits are exceeded, relative to them; 0 where they hold."""
        rows = self.rows(x)
        limits = np.concatenate([np.tile(one[np.isfinite(one)], 2) for one in self._sizes])
        over = (rows.a * u[:, None] + rows.b * x[:, None] - rows.c) / limits
        return float(max(0.0, np.max(np.sqrt(x / rows.top)) - 1, over.max()))

    @property
    def _sizes(self) -> tuple[Array, ...]:
        return (self.limits.acceleration, self.limits.effort) if self.along else (self.limits.acceleration,)

    def _why(self, point: int, x: Array) -> Finding:
        """Where a motion ends, and the joint that cannot even stand still there, if there is one."""
        place = Finding("trajectories.point", s=self.s[point], end=self.s[-1])
        if self.along:
            held = np.abs((self.along.c + self._friction(x))[point]) / self.limits.effort
            j = int(np.argmax(held))
            if held[j] >= 1:
                return Finding("trajectories.held_at", joint=self.limits.names[j], point=place)
        return Finding("trajectories.no_motion_at", point=place)


def _bounded(a: Array, b: Array, c: Array, limit: Array) -> tuple[Array, Array, Array]:
    """The rows of −limit ≤ a u + b x + c ≤ limit, for limits that are finite."""
    kept = np.isfinite(limit)
    a, b, c, most = a[:, kept], b[:, kept], c[:, kept], limit[kept]
    return np.hstack([a, -a]), np.hstack([b, -b]), np.hstack([most - c, most + c])


def _clock(s: Array, x: Array) -> tuple[Clock, float]:
    """s, ṡ and s̈ over time for a constant s̈ between the points, and the duration Σ 2 Δ / (√x_i + √x_i+1)."""
    v, step = np.sqrt(x), np.diff(s)
    u = np.diff(x) / (2 * step)
    t = np.concatenate([[0.0], np.cumsum(2 * step / (v[1:] + v[:-1]))])

    def clock(time: Array) -> tuple[Array, Array, Array]:
        i = np.clip(np.searchsorted(t, time, side="right") - 1, 0, len(u) - 1)
        since = np.minimum(time, t[i + 1]) - t[i]
        return s[i] + v[i] * since + u[i] * since**2 / 2, np.maximum(v[i] + u[i] * since, 0.0), u[i]

    return clock, float(t[-1])


# reachable squares of the path velocity: linear inequalities in u = s̈ and x = ṡ², from point to point of a grid


@dataclass(frozen=True, slots=True)
class _LimitRows:
    """a u + b x ≤ c, each (points, rows), and x ≤ top (points,)."""

    a: Array
    b: Array
    c: Array
    top: Array

    def between(self, step: float) -> _LimitRows:
        """The rows of each interval: those of its first point, and those of its last point, where x is x + 2 Δ u."""
        a = np.hstack([self.a[:-1], self.a[1:] + 2 * step * self.b[1:]])
        return _LimitRows(a, np.hstack([self.b[:-1], self.b[1:]]), np.hstack([self.c[:-1], self.c[1:]]), self.top[:-1])


def _fastest_squares(rows: _LimitRows, step: float, start: Interval, end: Interval) -> Array:
    """x at each point, as great as possible; `start` and `end` are what x may be there."""
    inner = rows.between(step)
    low, high = _projected(inner)
    sets = np.empty((len(rows.top), 2))
    sets[-1] = end[0], min(end[1], rows.top[-1])
    for i in reversed(range(len(low))):
        interval = _with_next(inner, i, step, sets[i + 1])
        sets[i] = max(low[i], interval[0]), min(high[i], interval[1])
        if sets[i, 0] > sets[i, 1] + _TINY * (1 + abs(sets[i, 1])):
            raise _Unreachable(i)
        sets[i, 0] = min(sets[i])
    if start[0] > sets[0, 1] or start[1] < sets[0, 0]:
        raise _Unreachable(0)
    return _forward(inner, step, sets, min(start[1], float(sets[0, 1])))


class _Unreachable(Exception):
    """From a point of the grid no motion reaches the end."""

    def __init__(self, point: int) -> None:
        self.point = point


def _projected(rows: _LimitRows) -> tuple[Array, Array]:
    """The least and greatest x of each interval for which some u satisfies all rows: u is eliminated pair by pair."""
    high, low = rows.top.copy(), np.zeros_like(rows.top)
    for i in range(len(rows.top)):
        a, b, c = rows.a[i], rows.b[i], rows.c[i]
        size = _TINY * np.abs(a).max(initial=1e-300)
        up, down, flat = a > size, a < -size, np.abs(a) <= size
        k = np.concatenate([(np.outer(a[up], b[down]) - np.outer(b[up], a[down])).ravel(), b[flat]])
        right = np.concatenate([(np.outer(a[up], c[down]) - np.outer(c[up], a[down])).ravel(), c[flat]])
        least, most = _interval(k, right)
        low[i], high[i] = max(low[i], least), min(high[i], most)
    return low, high


def _with_next(rows: _LimitRows, i: int, step: float, following: Array) -> tuple[float, float]:
    """The bounds of x at point i for which some u also leads into the next set: low ≤ x + 2 Δ u ≤ high."""
    a, b, c = rows.a[i], rows.b[i], rows.c[i]
    size = _TINY * np.abs(a).max(initial=1e-300)
    up, down = a > size, a < -size
    low, high = following
    k = np.concatenate([2 * step * b[down] - a[down], 2 * step * b[up] - a[up]])
    right = np.concatenate([2 * step * c[down] - high * a[down], 2 * step * c[up] - low * a[up]])
    return _interval(k, right)


def _interval(k: Array, right: Array) -> tuple[float, float]:
    """The least and greatest x with k x ≤ right."""
    if (right[k == 0] < -_TINY).any():
        return np.inf, -np.inf
    up, down = k > 0, k < 0
    most = float(np.min(right[up] / k[up], initial=np.inf))
    least = float(np.max(right[down] / k[down], initial=-np.inf))
    return least, most


def _forward(rows: _LimitRows, step: float, sets: Array, start: float) -> Array:
    """From the start on, the greatest u that keeps all rows and leads into the next set."""
    x = np.empty(len(sets))
    x[0] = start
    for i in range(len(sets) - 1):
        a, margin = rows.a[i], rows.c[i] - rows.b[i] * x[i]
        up = a > _TINY * np.abs(a).max(initial=1e-300)
        u = min(float(np.min(margin[up] / a[up], initial=np.inf)), (sets[i + 1, 1] - x[i]) / (2 * step))
        x[i + 1] = np.clip(x[i] + 2 * step * u, sets[i + 1, 0], sets[i + 1, 1])
    return x
