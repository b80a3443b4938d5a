"""Periodic motions as quintic splines that start and end at rest, with exact extremes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import BSpline, PPoly
from scipy.linalg import null_space

from symoro.identification.arrays import Array
from symoro.identification.excitation.periodic_motion import PeriodicMotion

_DEGREE = 5


@dataclass(frozen=True)
class Spline(PeriodicMotion):
    """q = q0 + Σ_k c_k B_k(t) for each joint: `coefficients` (joints, K) are those of B-splines."""

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, (..., joints), of a motion that repeats itself."""
        curve = self._curve
        s = np.mod(np.asarray(t, dtype=float), self.duration)
        return self.middle + curve(s), curve(s, 1), curve(s, 2)

    @cached_property
    def _curve(self) -> BSpline:
        count = self.coefficients.shape[1]
        return BSpline(_knots(count, self.duration), self.coefficients.T, _DEGREE)

    def _extreme_values(self, line: Array, order: int) -> Array:
        piece = PPoly.from_spline((_knots(len(line), self.duration), line, _DEGREE))
        return _extreme_values(piece.derivative(order), self.duration)

    def __str__(self) -> str:
        return f"splines of {self.coefficients.shape[1]} coefficients"


@dataclass(frozen=True)
class SplineBasis:
    """Columns of positions, velocities and accelerations at samples, over the coefficients that start at rest."""

    pieces: int
    duration: float
    samples: int

    @cached_property
    def free(self) -> Array:
        """Coefficients with q = 0, q̇ = 0 and q̈ = 0 at both ends: the three first and the three last are 0."""
        count = self.pieces + _DEGREE
        held = np.eye(count)[[0, 1, 2, count - 3, count - 2, count - 1]]
        return np.asarray(null_space(held))

    @cached_property
    def columns(self) -> tuple[Array, Array, Array]:
        t = self.duration * np.arange(self.samples) / self.samples
        every = BSpline(_knots(len(self.free), self.duration), self.free, _DEGREE)
        return every(t), every(t, 1), every(t, 2)

    def random(self, rng: np.random.Generator, joints: int) -> Array:
        """Coefficients of random motions, (joints, K)."""
        return np.asarray(rng.normal(size=(joints, self.free.shape[1])) @ self.free.T)

    def motion(self, middle: Array, coefficients: Array) -> Spline:
        return Spline(middle, coefficients, self.duration)


def _knots(count: int, duration: float) -> Array:
    """Equal pieces, with the ends repeated."""
    inner = np.linspace(0.0, duration, count - _DEGREE + 1)
    return np.concatenate([np.zeros(_DEGREE), inner, np.full(_DEGREE, duration)])


def _extreme_values(piece: PPoly, duration: float) -> Array:
    """The values at both ends and where the derivative is zero."""
    at = piece.derivative().roots(extrapolate=False)
    at = np.concatenate([[0.0, duration], at[np.isfinite(at)], piece.x])
    return np.asarray(piece(np.clip(at, 0.0, duration)))
