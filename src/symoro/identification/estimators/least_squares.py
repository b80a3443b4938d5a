"""Ordinary and weighted least squares (Gautier 1997), by the triangular factors of the rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from symoro.identification.estimators.estimate import Estimate, Solved, confused, solved
from symoro.identification.readers.columns import Array
from symoro.identification.triangles import Triangles

_REPEATS = 1
"""Times that the deviations of joints are found: those of ordinary least squares, as is usual for robots."""


def ordinary(t: Triangles, folds: Iterable[int] | None = None) -> Estimate:
    """β with the least ‖y − W β‖; σ² = ‖e‖² / (c n − p), C = σ² (WᵀW)⁻¹."""
    folds = t.folds if folds is None else tuple(folds)
    found = solved(t.stacked(folds=folds))
    squares = t.squares(found.beta, folds)
    n, p = t.count(folds), len(t.names)
    variance = squares.sum() / max(t.power * n.sum() - p, 1.0)
    return _estimate(t, found, variance, deviations(t, found.beta, folds), False)


def weighted(t: Triangles, folds: Iterable[int] | None = None, fixed: Array | None = None) -> Estimate:
    """Least squares with the rows of each joint divided by the deviation of its residuals, found by repetition.

    C = (Wᵀ Σ⁻¹ W)⁻¹ / c. `fixed` are deviations that are known.
    """
    folds = t.folds if folds is None else tuple(folds)
    sigma = deviations(t, ordinary(t, folds).beta, folds) if fixed is None else fixed
    for _ in range(_REPEATS if fixed is None else 1):
        found = solved(t.stacked(_inverse(sigma), folds))
        sigma = deviations(t, found.beta, folds) if fixed is None else fixed
    return _estimate(t, found, 1.0 / t.power, sigma)


def deviations(t: Triangles, beta: Array, folds: Iterable[int] | None = None) -> Array:
    """σ_j of the rows of each joint: σ_j² = ‖e_j‖² / (n_j − p n_j / n)."""
    folds = t.folds if folds is None else tuple(folds)
    n, p = t.count(folds), len(t.names)
    share = np.maximum(n - p * n / max(n.sum(), 1.0), 1.0)
    return np.asarray(np.sqrt(t.squares(beta, folds) / share))


def _inverse(sigma: Array) -> Array:
    """Weights: rows that fit exactly get that of the next smallest deviation."""
    smallest = max(1e-12 * sigma.max(initial=0.0), 1e-300)
    return np.asarray(1.0 / np.maximum(sigma, smallest))


def _estimate(t: Triangles, found: Solved, variance: float, sigma: Array, weighted: bool = True) -> Estimate:
    C = variance * found.inverse
    return Estimate(t.names, found.beta, C, sigma, found.condition, confused(t.names, found.null), weighted)
