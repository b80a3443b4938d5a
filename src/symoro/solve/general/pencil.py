"""A matrix polynomial, its linear pencil and its roots.

The roots of det(K0 + K1 x + K2 x²) = 0 are eigenvalues. Rows of which K2 is zero stay linear; the other rows g get
unknowns s = (K2 x + K1) y, so that the pencil x A1 + A0 on (y, s) has no more eigenvalues than there are roots.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Polynomial:
    """K (3, n, n) with K[0] + K[1] x + K[2] x²; its last `quadratic` rows have a K[2] that is not zero.

    The unknown is θ = 2 atan x + `turn`.
    """

    K: Array
    quadratic: int
    turn: float

    def at(self, x: Array) -> Array:
        """The matrices at each x, divided by 1 + x², so that a large x is an ordinary number."""
        x = x[:, None, None]
        K: Array = (self.K[0] + self.K[1] * x + self.K[2] * x * x) / (1 + x * x)
        return K


def equilibrated(K: Array) -> Array:
    """The same polynomial with rows of length 1."""
    length = np.sqrt((K * K).sum(axis=(0, 2)))
    scaled: Array = K / np.where(length > 0.0, length, 1.0)[:, None]
    return scaled


def pencil(polynomial: Polynomial) -> tuple[Array, Array]:
    """A1 and A0 of the pencil x A1 + A0."""
    K, g = polynomial.K, polynomial.quadratic
    n = K.shape[1]
    A1, A0 = np.zeros((2, n + g, n + g))
    A1[: n - g, :n], A0[: n - g, :n] = K[1, : n - g], K[0, : n - g]  # x K1 y + K0 y = 0
    A1[n - g : n, :n], A0[n - g : n, :n] = K[2, n - g :], K[1, n - g :]  # x K2 y + K1 y − s = 0
    A0[n - g : n, n:] = -np.eye(g)
    A1[n:, n:], A0[n:, :n] = np.eye(g), K[0, n - g :]  # x s + K0 y = 0
    return A1, A0


def condition(A1: Array) -> float:
    """The condition number of A1 in the 1-norm; infinite for a singular one."""
    try:
        value = float(np.linalg.cond(A1, 1))
    except np.linalg.LinAlgError:
        return np.inf
    return value if np.isfinite(value) else np.inf


def roots(polynomial: Polynomial) -> Array:
    """All roots x, complex."""
    A1, A0 = pencil(polynomial)
    values: Array = np.linalg.eigvals(-np.linalg.solve(A1, A0))
    return values
