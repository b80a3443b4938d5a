"""A profile: the interpolation function r(t) of a motion from rest to rest, from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[Any]
Piece = tuple[float, tuple[float, ...]]
"""A length of time, and the coefficients of a polynomial of the time since the piece began, constant first."""


class Sample(NamedTuple):
    """A profile at some times. `gone` is r, or 1 − r in the second half, where `late` is true."""

    gone: Array
    late: Array
    rate: Array
    acceleration: Array
    jerk: Array


@dataclass(frozen=True, slots=True)
class Profile:
    """r(t), which is symmetric: r(t_f − t) = 1 − r(t). The pieces are those of the first half.

    Each half is measured from its own end, so that both ends are reached without rounding. At a jump of the
    acceleration the value after the jump is taken. Before the start and after the end nothing moves.
    """

    duration: float
    starts: tuple[float, ...]
    pieces: tuple[tuple[float, ...], ...]

    def __call__(self, time: ArrayLike) -> Sample:
        t = np.asarray(time, dtype=float)
        late = t >= self.duration / 2
        since = np.clip(np.where(late, self.duration - t, t), 0.0, self.duration)
        gone, rate, acceleration, jerk = self._half(since, late)
        moving = (t >= 0) & (t <= self.duration)
        sign = np.where(late, -1.0, 1.0)
        return Sample(gone, late, rate * moving, sign * acceleration * moving, jerk * moving)

    def _half(self, since: Array, late: Array) -> list[Array]:
        """Position and three derivatives, counted from an end."""
        after = np.searchsorted(self.starts, since, side="right") - 1
        before = np.maximum(np.searchsorted(self.starts, since, side="left") - 1, 0)
        which = np.where(late, before, after)
        x = since - np.array(self.starts)[which]
        table = np.zeros((len(self.pieces), max(map(len, self.pieces))))
        for row, piece in zip(table, self.pieces, strict=True):
            row[: len(piece)] = piece
        found = []
        for _ in range(4):
            found.append(_polynomial(table[which], x))
            table = table[:, 1:] * np.arange(1, table.shape[1]) if table.shape[1] > 1 else 0 * table
        return found

    def stretched(self, duration: float) -> Profile:
        """The same profile in another time."""
        k = duration / self.duration
        pieces = tuple(tuple(c / k**n for n, c in enumerate(piece)) for piece in self.pieces)
        return replace(self, duration=duration, starts=tuple(k * start for start in self.starts), pieces=pieces)


def _polynomial(coefficients: Array, x: Array) -> Array:
    """The value by Horner's rule; coefficients (..., powers), constant first."""
    value = np.zeros_like(x)
    for k in reversed(range(coefficients.shape[-1])):
        value = value * x + coefficients[..., k]
    return value


def of_polynomial(duration: float, coefficients: Sequence[float]) -> Profile:
    """r as one polynomial of t/t_f in the first half."""
    scaled = tuple(c / duration**n for n, c in enumerate(coefficients))
    return Profile(duration, (0.0,), (scaled,))


def of_acceleration(duration: float, segments: Sequence[Piece]) -> Profile:
    """r whose acceleration in the first half is given, piece by piece; pieces of no length are left out."""
    starts: list[float] = []
    pieces: list[tuple[float, ...]] = []
    time = velocity = position = 0.0
    for length, acceleration in segments:
        if length <= 4e-16 * duration:
            continue
        integral = tuple(c / ((n + 1) * (n + 2)) for n, c in enumerate(acceleration))
        piece = (position, velocity, *integral)
        starts.append(time)
        pieces.append(piece)
        position = float(np.polynomial.Polynomial(piece)(length))
        velocity += sum(c * length ** (n + 1) / (n + 1) for n, c in enumerate(acceleration))
        time += length
    return Profile(duration, tuple(starts), tuple(pieces))
