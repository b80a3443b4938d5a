"""Log-Cholesky coordinates of bodies and drives: every value of them is a robot that can exist.

The pseudo-inertia of a link is P = μ P⁰ + D U Uᵀ D, with an upper triangular U whose diagonal is exp θ_ii and whose
other elements are θ_ij (Rucker and Wensing 2022). P⁰ is a prior and D² its diagonal, so that coordinates have the size
1. Where the description has 0 for a product of inertia or a first moment, the element of U follows from it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.physical.pseudo_inertia import NAMES, UNITS

_STEP = 1e-30
"""Imaginary step of derivatives: functions here are analytic, and nothing is subtracted."""
_INWARDS = 1e-3
"""Part by which a body on the border of what can exist is moved towards its prior."""
_PAIRS = tuple((i, j) for j in (3, 2, 1) for i in range(j))
"""Elements of U above the diagonal, the last column first."""
OFF_DIAGONAL = {(0, 1): "XY", (0, 2): "XZ", (1, 2): "YZ", (0, 3): "MX", (1, 3): "MY", (2, 3): "MZ"}
_OF_P = np.linalg.pinv(np.array([UNITS[name].ravel() for name in NAMES]).T)
"""Inertial parameters from the elements of P."""


@dataclass(frozen=True)
class Body:
    """A link: its prior P⁰, the margin μ, and which elements of P are not 0 (their places, i < j)."""

    prior: Array
    margin: float
    free: tuple[tuple[int, int], ...]

    @property
    def count(self) -> int:
        return 4 + len(self.free)

    @cached_property
    def _size(self) -> Array:
        return np.asarray(np.sqrt(np.diag(self.prior)))

    def matrix(self, theta: Array) -> Array:
        """P for coordinates (..., count); they may be complex."""
        U = np.zeros((*theta.shape[:-1], 4, 4), dtype=theta.dtype)
        for i in range(4):
            U[..., i, i] = np.exp(theta[..., i])
        for i, j in _PAIRS:
            if (i, j) in self.free:
                U[..., i, j] = theta[..., 4 + self.free.index((i, j))]
            else:  # 0 = Σ_k U_ik U_jk
                U[..., i, j] = -np.sum(U[..., i, j + 1 :] * U[..., j, j + 1 :], axis=-1) / U[..., j, j]
        scaled = self._size[:, None] * U
        return np.asarray(self.margin * self.prior + scaled @ np.swapaxes(scaled, -1, -2))

    def coordinates(self, P: Array) -> Array:
        """θ of a pseudo-inertia; of one that is not inside, θ of one that is moved towards the prior."""
        scale = np.outer(self._size, self._size)
        for part in (0.0, _INWARDS, 0.03, 0.3, 1.0):
            A = ((1 - part) * P + part * self.prior - self.margin * self.prior) / scale
            if np.linalg.eigvalsh(A)[0] > 1e-9:
                break
        U = np.linalg.cholesky(A[::-1, ::-1])[::-1, ::-1]
        return np.array([*np.log(np.diag(U)), *(U[i, j] for i, j in self.free)])


def parameters(P: Array) -> Array:
    """XX … M of pseudo-inertias (..., 4, 4), in the order of `NAMES`."""
    return np.asarray(P.reshape(*P.shape[:-2], 16) @ _OF_P.T)


def slopes(values: Callable[[Array], Array], theta: Array) -> Array:
    """∂u/∂θ of an analytic function that takes coordinates (..., p): by imaginary steps, to all digits."""
    return np.asarray(np.imag(values(theta + 1j * _STEP * np.eye(len(theta)))).T / _STEP)
