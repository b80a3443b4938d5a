"""Profiles: the interpolation function r(t) of a motion from rest to rest, from 0 to 1 (K13 § 8.3).

All joints share one r, so that the motion is a straight line in joint space. V, A and J are the limits of ṙ, r̈ and the
jerk of r: V is the least k_v/|D| of all joints that move, A the least k_a/|D|, J the least k_j/|D|. Then a synchronised
motion is that of one joint with D = 1 (K13:8.23-8.35, 8.40-8.47).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import cbrt, inf, isfinite, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import MotionError
from symoro.findings import Finding

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
        derivatives = []
        for _ in range(4):
            derivatives.append(_polynomial(table[which], x))
            table = table[:, 1:] * np.arange(1, table.shape[1]) if table.shape[1] > 1 else 0 * table
        return derivatives

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


@dataclass(frozen=True, slots=True)
class Rates:
    """The limits of ṙ, r̈ and the jerk of r; infinite where there is none."""

    V: float = inf
    A: float = inf
    J: float = inf


@dataclass(frozen=True, slots=True)
class ProfileKind:
    """A kind of profile: the limits without which it has no shape of its own, and the limits that it can keep."""

    fastest: Callable[[Rates, float], Profile]
    needs: str = ""
    keeps: str = "VA"


@dataclass(frozen=True, slots=True)
class _Polynomial:
    """r as a polynomial of t/t_f; `most` are the maxima of ṙ t_f, r̈ t_f² and of the jerk times t_f³."""

    coefficients: tuple[float, ...]
    most: tuple[float, float, float]

    def __call__(self, rates: Rates, ramp: float) -> Profile:
        c1, c2, c3 = self.most
        shortest = max(c1 / rates.V, sqrt(c2 / rates.A), cbrt(c3 / rates.J))  # (K13 Table 8.1)
        return of_polynomial(shortest if isfinite(shortest) and shortest > 0 else 1.0, self.coefficients)


def _trapezoid(rates: Rates, ramp: float) -> Profile:
    v = min(rates.V, sqrt(rates.A))  # (K13:8.35)
    tau = v / rates.A  # (K13:8.33)
    return _with_cruise(v, tau, [(tau, (rates.A,))])


def _polynomial_acceleration(rates: Rates, ramp: float) -> Profile:
    v = min(rates.V, sqrt(2 * rates.A / 3))  # (K13:8.47)
    tau = 3 * v / (2 * rates.A)  # (K13:8.41)
    return _with_cruise(v, tau, [(tau, (0.0, 6 * v / tau**2, -6 * v / tau**3))])  # (K13:8.39)


def _trapezoidal_acceleration(rates: Rates, ramp: float) -> Profile:
    """The acceleration rises during a share `ramp` of its time, stays, and falls (K13 Figure 8.9b)."""
    v = min(rates.V, sqrt((1 - ramp) * rates.A))
    tau = v / ((1 - ramp) * rates.A)
    return _with_cruise(v, tau, _ramped(rates.A, tau, ramp * tau))


def _jerk_limited(rates: Rates, ramp: float) -> Profile:
    """Seven segments of constant jerk; the limits of velocity and acceleration are reached where there is room."""
    V, A, J = rates.V, rates.A, rates.J
    if isfinite(V) and V * _speeding_time(V, A, J) <= 1:
        v = V
    elif isfinite(A) and 2 * A**3 / J**2 <= 1:
        v = A / 2 * (-A / J + sqrt(A**2 / J**2 + 4 / A))
    else:
        v = cbrt(J / 4)
    rise = min(A / J, sqrt(v / J))
    tau = _speeding_time(v, A, J)
    return _with_cruise(v, tau, _ramped(J * rise, tau, rise))


def _speeding_time(v: float, A: float, J: float) -> float:
    """The time from rest to velocity v, with acceleration 0 at both ends."""
    return A / J + v / A if v * J >= A**2 else 2 * sqrt(v / J)


def _ramped(A: float, tau: float, rise: float) -> list[Piece]:
    """An acceleration that rises to A, stays and falls to 0 within the time tau."""
    return [(rise, (0.0, A / rise)), (tau - 2 * rise, (A,)), (rise, (A, -A / rise))]


def _with_cruise(v: float, tau: float, segments: list[Piece]) -> Profile:
    """Speeding up to v within tau, then a constant velocity; t_f = τ + 1/v (K13:8.22, 8.45)."""
    duration = tau + 1 / v
    return of_acceleration(duration, [*segments, (duration / 2 - tau, (0.0,))])


KINDS: Mapping[str, ProfileKind] = {
    "linear": ProfileKind(_Polynomial((0, 1), (1, 0, 0)), keeps="V"),  # (K13:8.4)
    "cubic": ProfileKind(_Polynomial((0, 0, 3, -2), (1.5, 6, 0))),  # (K13:8.7-8.9)
    "quintic": ProfileKind(
        _Polynomial((0, 0, 0, 10, -15, 6), (1.875, 10 / sqrt(3), 60)), keeps="VAJ"
    ),  # (K13:8.11-8.13)
    "septic": ProfileKind(_Polynomial((0, 0, 0, 0, 35, -84, 70, -20), (2.1875, 84 / (5 * sqrt(5)), 52.5)), keeps="VAJ"),
    "bang-bang": ProfileKind(_Polynomial((0, 0, 2), (2, 4, 0))),  # (K13:8.15-8.17)
    "trapezoid": ProfileKind(_trapezoid, needs="A"),  # (K13:8.19)
    "polynomial-acceleration": ProfileKind(_polynomial_acceleration, needs="A"),  # (K13:8.37-8.45)
    "trapezoidal-acceleration": ProfileKind(_trapezoidal_acceleration, needs="A"),
    "jerk-limited": ProfileKind(_jerk_limited, needs="J", keeps="VAJ"),
}
"""The profiles by name."""
LIMITS = {"V": "motion.velocity", "A": "motion.acceleration", "J": "motion.jerk"}
"""The words for limits, as codes of findings."""


def limit_of_joint(letter: str, value: float, joint: str) -> Finding:
    """What is said of the limit of a joint."""
    return Finding("trajectories.limit_of_joint", limit=Finding(LIMITS[letter]), value=value, joint=joint)


def fastest(name: str, rates: Rates, ramp: float = 1 / 3) -> Profile:
    """The profile with the shortest time that keeps the limits; without limits, its shape in one second."""
    kind = KINDS[name]
    limits = [letter for letter in "VAJ" if isfinite(getattr(rates, letter))]
    for letter in limits:
        if letter not in kind.keeps:
            raise MotionError(
                "trajectories.keeps_no_limit",
                limit=Finding(LIMITS[letter]),
                profile=name,
                able=[other for other, one in KINDS.items() if letter in one.keeps],
            )
    for letter in kind.needs:
        if letter not in limits:
            raise MotionError("trajectories.needs_limit", profile=name, limit=Finding(LIMITS[letter]))
    return kind.fastest(rates, ramp)
