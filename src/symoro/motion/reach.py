"""Reachable squares of the path velocity: linear inequalities in u = s̈ and x = ṡ², from point to point of a grid."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symoro.errors import MotionError
from symoro.motion.profile import Array

Interval = tuple[float, float]
_TINY = 1e-13


@dataclass(frozen=True, slots=True)
class Rows:
    """a u + b x ≤ c, each (points, rows), and x ≤ top (points,)."""

    a: Array
    b: Array
    c: Array
    top: Array

    def between(self, step: float) -> Rows:
        """The rows of each interval: those of its first point, and those of its last point, where x is x + 2 Δ u."""
        a = np.hstack([self.a[:-1], self.a[1:] + 2 * step * self.b[1:]])
        return Rows(a, np.hstack([self.b[:-1], self.b[1:]]), np.hstack([self.c[:-1], self.c[1:]]), self.top[:-1])


def fastest_squares(rows: Rows, step: float, start: Interval, end: Interval) -> Array:
    """x at each point, as great as possible; `start` and `end` are what x may be there."""
    inner = rows.between(step)
    low, high = _projected(inner)
    sets = np.empty((len(rows.top), 2))
    sets[-1] = end[0], min(end[1], rows.top[-1])
    for i in reversed(range(len(low))):
        own = _with_next(inner, i, step, sets[i + 1])
        sets[i] = max(low[i], own[0]), min(high[i], own[1])
        if sets[i, 0] > sets[i, 1] + _TINY * (1 + abs(sets[i, 1])):
            raise Unreachable(i)
        sets[i, 0] = min(sets[i])
    if start[0] > sets[0, 1] or start[1] < sets[0, 0]:
        raise Unreachable(0)
    return _forward(inner, step, sets, min(start[1], float(sets[0, 1])))


class Unreachable(MotionError):
    """From a point of the grid no motion reaches the end."""

    def __init__(self, point: int) -> None:
        self.point = point
        super().__init__(f"no motion passes point {point} within the limits")


def _projected(rows: Rows) -> tuple[Array, Array]:
    """The least and greatest x of each interval for which some u satisfies all rows: u is eliminated pair by pair."""
    high, low = rows.top.copy(), np.zeros_like(rows.top)
    for i in range(len(rows.top)):
        a, b, c = rows.a[i], rows.b[i], rows.c[i]
        size = _TINY * np.abs(a).max(initial=1e-300)
        up, down, flat = a > size, a < -size, np.abs(a) <= size
        k = np.concatenate([(np.outer(a[up], b[down]) - np.outer(b[up], a[down])).ravel(), b[flat]])
        right = np.concatenate([(np.outer(a[up], c[down]) - np.outer(c[up], a[down])).ravel(), c[flat]])
        least, most = _bounds(k, right)
        low[i], high[i] = max(low[i], least), min(high[i], most)
    return low, high


def _with_next(rows: Rows, i: int, step: float, following: Array) -> tuple[float, float]:
    """The bounds of x at point i for which some u also leads into the next set: low ≤ x + 2 Δ u ≤ high."""
    a, b, c = rows.a[i], rows.b[i], rows.c[i]
    size = _TINY * np.abs(a).max(initial=1e-300)
    up, down = a > size, a < -size
    low, high = following
    k = np.concatenate([2 * step * b[down] - a[down], 2 * step * b[up] - a[up]])
    right = np.concatenate([2 * step * c[down] - high * a[down], 2 * step * c[up] - low * a[up]])
    return _bounds(k, right)


def _bounds(k: Array, right: Array) -> tuple[float, float]:
    """The least and greatest x with k x ≤ right."""
    if (right[k == 0] < -_TINY).any():
        return np.inf, -np.inf
    up, down = k > 0, k < 0
    most = float(np.min(right[up] / k[up], initial=np.inf))
    least = float(np.max(right[down] / k[down], initial=-np.inf))
    return least, most


def _forward(rows: Rows, step: float, sets: Array, start: float) -> Array:
    """From the start on, the greatest u that keeps all rows and leads into the next set."""
    x = np.empty(len(sets))
    x[0] = start
    for i in range(len(sets) - 1):
        a, room = rows.a[i], rows.c[i] - rows.b[i] * x[i]
        up = a > _TINY * np.abs(a).max(initial=1e-300)
        u = min(float(np.min(room[up] / a[up], initial=np.inf)), (sets[i + 1, 1] - x[i]) / (2 * step))
        x[i + 1] = np.clip(x[i] + 2 * step * u, sets[i + 1, 0], sets[i + 1, 1])
    return x
