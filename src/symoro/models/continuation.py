"""Follows the solutions of equations while the equations change into others: F(x, t) = 0 from t = 0 to t = 1.

Predictor: Runge-Kutta of order four on x' = −F_x⁻¹ F_t. Corrector: at most three steps of Newton's method (A. Sommese,
C. Wampler, The Numerical Solution of Systems of Polynomials Arising in Engineering and Science, 2005).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_NEWTON, _GROW, _SHORTEST = 3, 1.7, 1e-9


class Equations(Protocol):
    """As many equations as unknowns, at one t for each row of x (n, k)."""

    def values(self, x: Array) -> Array:
        """F: (n, k)."""

    def slopes(self, x: Array) -> Array:
        """∂F/∂x: (n, k, k)."""

    def rates(self, x: Array) -> Array:
        """∂F/∂t: (n, k)."""


Homotopy = Callable[[Array], Equations]
"""The equations for each t (n)."""


def followed(along: Homotopy, x: Array, first: float, most: int = 400) -> tuple[Array, Array]:
    """The ends of the paths from the solutions x at t = 0, and how far each came: 1 is all.

    `first` is how large the first correction of a step may be, relative to x. A step is halved where the corrector
    fails, and grows after two steps that did not.
    """
    n = len(x)
    t, h, good = np.zeros(n), np.full(n, 0.05), np.zeros(n, dtype=int)
    for _ in range(most):
        live = np.flatnonzero((t < 1) & (h > _SHORTEST))
        if not live.size:
            break
        step = np.minimum(h[live], 1 - t[live])
        new = _predicted(along, x[live], t[live], step)
        new, fine = _corrected(along(t[live] + step), new, first)
        done, failed = live[fine], live[~fine]
        x[done], t[done] = new[fine], np.where(step[fine] == 1 - t[done], 1.0, t[done] + step[fine])
        good[done] += 1
        h[failed], good[failed] = h[failed] / 2, 0
        grown = done[good[done] >= 2]
        h[grown], good[grown] = h[grown] * _GROW, 0
    last, ended = along(np.ones(n)), x
    for _ in range(2):
        ended = ended - solved(last.slopes(ended), last.values(ended))
    return np.where((t >= 1)[:, None], ended, x), np.where(np.isfinite(ended).all(-1), t, np.minimum(t, 1 - 1e-9))


def largest_correction(seed: int) -> float:
    """How large the first correction of a step may be, relative to x: each further attempt takes smaller steps."""
    return float(1e-2 / 4 ** max(0, seed - 1))


def patch_of(seed: int, count: int = 8) -> Array:
    """c of the patch c·x = 1 that keeps homogeneous coordinates x bounded."""
    rng = np.random.default_rng(abs(seed))
    found: Array = rng.normal(size=count) + 1j * rng.normal(size=count)
    return found


def _predicted(along: Homotopy, x: Array, t: Array, h: Array) -> Array:
    def tangent(at: Array, y: Array) -> Array:
        here = along(at)
        return -solved(here.slopes(y), here.rates(y))

    step = h[:, None]
    k1 = tangent(t, x)
    k2 = tangent(t + h / 2, x + step / 2 * k1)
    k3 = tangent(t + h / 2, x + step / 2 * k2)
    k4 = tangent(t + h, x + step * k3)
    found: Array = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return found


def _corrected(here: Equations, x: Array, first: float) -> tuple[Array, Array]:
    """The solutions near x, and where Newton's method reached them."""
    fine = np.ones(len(x), dtype=bool)
    small = np.zeros(len(x), dtype=bool)
    for k in range(_NEWTON):
        step = solved(here.slopes(x), here.values(x))
        size = np.abs(step).max(-1) / np.maximum(np.abs(x).max(-1), 1e-300)
        fine &= np.isfinite(size) & (size <= (first if k == 0 else np.inf))
        x = np.where(fine[:, None], x - step, x)
        small |= size <= 1e-6
    return x, fine & small


def solved(A: Array, b: Array) -> Array:
    """A⁻¹ b of each matrix; NaN where a matrix is singular."""
    try:
        found: Array = np.linalg.solve(A, b[..., None])[..., 0]
        return found
    except np.linalg.LinAlgError:
        regular = np.abs(np.linalg.det(A)) > 0
        safe = np.where(regular[:, None, None], A, np.eye(A.shape[-1]))
        return np.where(regular[:, None], np.linalg.solve(safe, b[..., None])[..., 0], np.nan)


def apart(x: Array) -> bool:
    """Whether all of some points in homogeneous coordinates differ."""
    scaled = x / np.take_along_axis(x, np.abs(x).argmax(-1)[:, None], 1)
    distance = np.abs(scaled[:, None] - scaled[None]).max(-1) + np.eye(len(x))
    return bool(distance.min(initial=1.0) > 1e-7)
