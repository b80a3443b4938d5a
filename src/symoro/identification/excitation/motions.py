"""Periodic motions that start and end at rest: Fourier series, splines, and motions of a body by six coordinates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from scipy.interpolate import BSpline, PPoly
from scipy.linalg import null_space

from symoro.identification.arrays import Array
from symoro.lazy import lazy

# What all periodic motions share: coefficients about a middle position, and the extremes of each joint.


@dataclass(frozen=True)
class PeriodicMotion(ABC):
    """q = q0 + Σ_k c_k b_k(t) for each joint: `middle` is q0, `coefficients` (joints, K) are c; it repeats itself."""

    middle: Array = field(repr=False)
    coefficients: Array = field(repr=False)
    duration: float

    @abstractmethod
    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, (..., joints)."""

    @abstractmethod
    def _extreme_values(self, line: Array, order: int) -> Array:
        """Values of a derivative of q − q0, among them its extremes; `line` are the coefficients of one joint."""

    def extremes(self) -> tuple[Array, Array, Array, Array]:
        """The least and the largest position, the largest speed and acceleration of each joint, exactly."""
        every = []
        for line in self.coefficients:
            q, qd, qdd = (self._extreme_values(line, order) for order in range(3))
            every.append((q.min(), q.max(), np.abs(qd).max(), np.abs(qdd).max()))
        low, high, speed, acceleration = np.array(every).T
        return self.middle + low, self.middle + high, speed, acceleration

    def scaled(self, factors: Array) -> Self:
        """The motion with the amplitudes of each joint times its factor."""
        return replace(self, coefficients=self.coefficients * np.asarray(factors)[:, None])


# Periodic motions as Fourier series that start and end at rest (Swevers et al. 1997), with exact extremes.


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

    @lazy
    def free(self) -> Array:
        """Coefficients (2 K, 2 K − 2) with Σ k a_k = 0 and Σ k² b_k = 0: q̇ and q̈ are 0 at both ends."""
        k = np.arange(1, self.harmonics + 1)
        rest = np.zeros((2, 2 * self.harmonics))
        rest[0, : self.harmonics], rest[1, self.harmonics :] = k, k**2
        return np.asarray(null_space(rest))

    @lazy
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


# Periodic motions as quintic splines that start and end at rest, with exact extremes.


_DEGREE = 5


@dataclass(frozen=True)
class PeriodicSpline(PeriodicMotion):
    """q = q0 + Σ_k c_k B_k(t) for each joint: `coefficients` (joints, K) are those of B-splines."""

    def at(self, t: Array) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations, (..., joints), of a motion that repeats itself."""
        curve = self._curve
        s = np.mod(np.asarray(t, dtype=float), self.duration)
        return self.middle + curve(s), curve(s, 1), curve(s, 2)

    @lazy
    def _curve(self) -> BSpline:
        count = self.coefficients.shape[1]
        return BSpline(_knots(count, self.duration), self.coefficients.T, _DEGREE)

    def _extreme_values(self, line: Array, order: int) -> Array:
        piece = PPoly.from_spline((_knots(len(line), self.duration), line, _DEGREE))
        return _extremes_of_pieces(piece.derivative(order), self.duration)

    def __str__(self) -> str:
        return f"splines of {self.coefficients.shape[1]} coefficients"


@dataclass(frozen=True)
class SplineBasis:
    """Columns of positions, velocities and accelerations at samples, over the coefficients that start at rest."""

    pieces: int
    duration: float
    samples: int

    @lazy
    def free(self) -> Array:
        """Coefficients with q = 0, q̇ = 0 and q̈ = 0 at both ends: the three first and the three last are 0."""
        count = self.pieces + _DEGREE
        held = np.eye(count)[[0, 1, 2, count - 3, count - 2, count - 1]]
        return np.asarray(null_space(held))

    @lazy
    def columns(self) -> tuple[Array, Array, Array]:
        t = self.duration * np.arange(self.samples) / self.samples
        every = BSpline(_knots(len(self.free), self.duration), self.free, _DEGREE)
        return every(t), every(t, 1), every(t, 2)

    def random(self, rng: np.random.Generator, joints: int) -> Array:
        """Coefficients of random motions, (joints, K)."""
        return np.asarray(rng.normal(size=(joints, self.free.shape[1])) @ self.free.T)

    def motion(self, middle: Array, coefficients: Array) -> PeriodicSpline:
        return PeriodicSpline(middle, coefficients, self.duration)


def _knots(count: int, duration: float) -> Array:
    """Equal pieces, with the ends repeated."""
    inner = np.linspace(0.0, duration, count - _DEGREE + 1)
    return np.concatenate([np.zeros(_DEGREE), inner, np.full(_DEGREE, duration)])


def _extremes_of_pieces(piece: PPoly, duration: float) -> Array:
    """The values at both ends and where the derivative is zero."""
    at = piece.derivative().roots(extrapolate=False)
    at = np.concatenate([[0.0, duration], at[np.isfinite(at)], piece.x])
    return np.asarray(piece(np.clip(at, 0.0, duration)))


# Motions of a body by six coordinates: x, y, z of its origin, and the angles roll, pitch and yaw.


NAMES = ("x0", "y0", "z0", "roll0", "pitch0", "yaw0")


@dataclass(frozen=True)
class PoseMotion:
    """R and p of a body's frame, V = [v; ω] and V̇ = [v̇; ω̇] of its origin, all in the fixed frame."""

    R: Array
    p: Array
    V: Array
    VP: Array


def pose_motion(x: Array, xd: Array, xdd: Array) -> PoseMotion:
    """The motion for six coordinates (samples, 6) and their first two derivatives: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = x[:, 3:].T
    rates, second = xd[:, 3:, None], xdd[:, 3:, None]
    R = _about(2, yaw) @ _about(1, pitch) @ _about(0, roll)
    z = np.broadcast_to([0.0, 0.0, 1.0], (len(x), 3))
    a = _about(2, yaw)[:, :, 1]  # the axis of pitch
    b = R[:, :, 0]  # the axis of roll
    w_a = rates[:, 2] * z  # the angular velocity of a, then that of b
    w_b = w_a + rates[:, 1] * a
    w = w_b + rates[:, 0] * b
    wd = second[:, 2] * z + second[:, 1] * a + second[:, 0] * b
    wd = wd + rates[:, 1] * np.cross(w_a, a) + rates[:, 0] * np.cross(w_b, b)
    return PoseMotion(R, x[:, :3], np.hstack([xd[:, :3], w]), np.hstack([xdd[:, :3], wd]))


def _about(axis: int, angle: Array) -> Array:
    """Rotations about x, y or z, (samples, 3, 3)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((len(angle), 3, 3))
    c, s = np.cos(angle), np.sin(angle)
    R[:, axis, axis] = 1.0
    R[:, i, i], R[:, i, j], R[:, j, i], R[:, j, j] = c, -s, s, c
    return R
