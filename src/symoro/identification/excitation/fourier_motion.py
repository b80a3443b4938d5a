"""Periodic motions as Fourier series that start and end at rest (Swevers et al. 1997), with exact extremes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import null_space

from symoro.identification.arrays import Array
from symoro.identification.excitation.periodic_motion import PeriodicMotion


@dataclass(frozen=True)
class Series(PeriodicMotion):
    """q = q0 + Σ_k a_k sin kωt + b_k cos kωt for each joint: `coefficients` (joints, 2 K) are a, b."""

    @property
    def harmonics(self) -> int:
        return int(self.coefficients.shape[1]) // 2

    @property
    def omega(self) -> float:
        return 2 * np.pi / self.duration

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, (..., joints)."""
        B = basis(np.asarray(t, dtype=float), self.harmonics, self.omega)
        q, qd, qdd = (x @ self.coefficients.T for x in B)
        return self.middle + q, qd, qdd

    def _extreme_values(self, line: Array, order: int) -> Array:
        return _extreme_values(_derived(line, order, self.omega))

    def __str__(self) -> str:
        return f"{self.harmonics} harmonics"


@dataclass(frozen=True)
class Basis:
    """Columns of positions, velocities and accelerations at samples, over the coefficients that start at rest."""

    harmonics: int
    duration: float
    samples: int

    @cached_property
    def free(self) -> Array:
        """Coefficients (2 K, 2 K − 2) with Σ k a_k = 0 and Σ k² b_k = 0: q̇ and q̈ are 0 at both ends."""
        k = np.arange(1, self.harmonics + 1)
        rest = np.zeros((2, 2 * self.harmonics))
        rest[0, : self.harmonics], rest[1, self.harmonics :] = k, k**2
        return np.asarray(null_space(rest))

    @cached_property
    def columns(self) -> tuple[Array, Array, Array]:
        t = self.duration * np.arange(self.samples) / self.samples
        q, qd, qdd = basis(t, self.harmonics, 2 * np.pi / self.duration)
        return q @ self.free, qd @ self.free, qdd @ self.free

    def random(self, rng: np.random.Generator, joints: int) -> Array:
        """Coefficients of random motions, (joints, 2 K); those of higher harmonics are smaller."""
        c = rng.normal(size=(joints, 2 * self.harmonics - 2)) @ self.free.T
        return np.asarray(c / np.tile(np.arange(1, self.harmonics + 1), 2))

    def motion(self, middle: Array, coefficients: Array) -> Series:
        return Series(middle, coefficients, self.duration)


def basis(t: Array, harmonics: int, omega: float) -> tuple[Array, Array, Array]:
    """sin kωt and cos kωt with their first two derivatives, (..., 2 K)."""
    kw = omega * np.arange(1, harmonics + 1)
    s, c = np.sin(t[..., None] * kw), np.cos(t[..., None] * kw)
    return (
        np.concatenate([s, c], axis=-1),
        np.concatenate([kw * c, -kw * s], axis=-1),
        np.concatenate([-(kw**2) * s, -(kw**2) * c], axis=-1),
    )


def _derived(line: Array, order: int, omega: float) -> Array:
    """a, b of a derivative by time."""
    K = len(line) // 2
    a, b, kw = line[:K], line[K:], omega * np.arange(1, K + 1)
    for _ in range(order):
        a, b = -kw * b, kw * a
    return np.concatenate([a, b])


def _extreme_values(line: Array) -> Array:
    """The values of a series where its derivative is zero: roots of a polynomial in z = exp(iωt) on the unit circle."""
    K = len(line) // 2
    if not line.any():
        return np.zeros(1)
    slope = _derived(line, 1, 1.0)
    c = (slope[K:] - 1j * slope[:K]) / 2  # a sin + b cos = c z^k + conj(c) z^−k
    polynomial = np.concatenate([c[::-1], [0.0], np.conj(c)])
    z = np.roots(polynomial)
    angles = np.concatenate([np.angle(z[np.abs(np.abs(z) - 1) < 1e-4]), np.linspace(0, 2 * np.pi, 64 * K)])
    k = np.arange(1, K + 1)
    values = np.sin(np.outer(angles, k)) @ line[:K] + np.cos(np.outer(angles, k)) @ line[K:]
    return np.asarray(values)
