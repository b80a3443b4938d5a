"""Ordinary and weighted least squares (Gautier 1997), by the triangular factors of the rows."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.estimators.estimate import Estimate, solved
from symoro.identification.rows.triangles import Triangles


def ordinary(t: Triangles, folds: Iterable[int] | None = None) -> Estimate:
    """β with the least ‖y − W β‖; C = (WᵀW)⁻¹ (Wᵀ Σ W) (WᵀW)⁻¹ / c, as each joint has the σ of its own residuals.

    Where all joints have the same σ this is σ² (WᵀW)⁻¹ / c.
    """
    folds = t.folds if folds is None else tuple(folds)
    found = solved(t.stacked(folds=folds), t.names)
    sigma = deviations(t, found.beta, folds)
    C = spread(t, folds, found.inverse, np.ones_like(sigma), sigma) / t.power
    return found.estimate(t.names, C, sigma, weighted=False)


def weighted(t: Triangles, folds: Iterable[int] | None = None, fixed: Array | None = None) -> Estimate:
    """Least squares with the rows of each joint divided by the deviation of its residuals in ordinary least squares.

    `fixed` are deviations that are known. With the deviations σ of the new residuals, the covariance for weights Ω is
    C = A⁻¹ (Wᵀ Ω Σ Ω W) A⁻¹ / c with A = Wᵀ Ω W, which is A⁻¹ / c where the weights are right.
    """
    folds = t.folds if folds is None else tuple(folds)
    first = deviations(t, ordinary(t, folds).beta, folds) if fixed is None else fixed
    weights = _inverse(first)
    found = solved(t.stacked(weights, folds), t.names)
    sigma = deviations(t, found.beta, folds) if fixed is None else fixed
    plain = fixed is not None or t.prior is not None
    C = found.inverse if plain else spread(t, folds, found.inverse, weights, sigma)
    return found.estimate(t.names, C / t.power, sigma)


def spread(t: Triangles, folds: Iterable[int], inverse: Array, weights: Array, sigma: Array) -> Array:
    """A⁻¹ (Wᵀ Ω Σ Ω W) A⁻¹."""
    middle = t.stacked(weights * np.maximum(sigma * weights, 1e-150), folds)[:, :-1]
    root = middle @ inverse
    return np.asarray(root.T @ root)


def deviations(t: Triangles, beta: Array, folds: Iterable[int] | None = None) -> Array:
    """σ_j of the rows of each joint: σ_j² = ‖e_j‖² / (n_j − p n_j / n)."""
    folds = t.folds if folds is None else tuple(folds)
    n, p = t.count(folds), len(t.names)
    share = np.maximum(n - p * n / max(n.sum(), 1.0), 1.0)
    return np.asarray(np.sqrt(t.squares(beta, folds) / share))


def _inverse(sigma: Array) -> Array:
    """Weights: rows that fit exactly get that of a far smaller deviation than the others have."""
    largest = float(sigma.max(initial=0.0))
    return np.asarray(1.0 / np.maximum(sigma, 1e-12 * largest)) if largest > 0 else np.ones_like(sigma)
