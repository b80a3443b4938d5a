"""Least squares: ordinary, weighted, robust and total."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.estimate.estimate import Estimate, solved
from symoro.identification.regress.rows import RegressionRows
from symoro.identification.regress.triangles import TriangularFactors

# Ordinary and weighted least squares (Gautier 1997), by the triangular factors of the rows.


def ordinary(t: TriangularFactors, folds: Iterable[int] | None = None) -> Estimate:
    """β with the least ‖y − W β‖; C = (WᵀW)⁻¹ (Wᵀ Σ W) (WᵀW)⁻¹ / c, as each joint has the σ of its own residuals.

    Where all joints have the same σ this is σ² (WᵀW)⁻¹ / c.
    """
    folds = t.folds if folds is None else tuple(folds)
    at = solved(t.stacked(folds=folds), t.names)
    sigma = deviations(t, at.beta, folds)
    C = spread(t, folds, at.inverse, np.ones_like(sigma), sigma) / t.power
    return at.estimate(t.names, C, sigma, weighted=False)


def weighted(t: TriangularFactors, folds: Iterable[int] | None = None, fixed: Array | None = None) -> Estimate:
    """Least squares with the rows of each joint divided by the deviation of its residuals in ordinary least squares.

    `fixed` are deviations that are known. With the deviations σ of the new residuals, the covariance for weights Ω is
    C = A⁻¹ (Wᵀ Ω Σ Ω W) A⁻¹ / c with A = Wᵀ Ω W, which is A⁻¹ / c where the weights are right.
    """
    folds = t.folds if folds is None else tuple(folds)
    first = deviations(t, ordinary(t, folds).beta, folds) if fixed is None else fixed
    weights = _inverse(first)
    at = solved(t.stacked(weights, folds), t.names)
    sigma = deviations(t, at.beta, folds) if fixed is None else fixed
    plain = fixed is not None or t.prior is not None
    C = at.inverse if plain else spread(t, folds, at.inverse, weights, sigma)
    return at.estimate(t.names, C / t.power, sigma)


def spread(t: TriangularFactors, folds: Iterable[int], inverse: Array, weights: Array, sigma: Array) -> Array:
    """A⁻¹ (Wᵀ Ω Σ Ω W) A⁻¹."""
    middle = t.stacked(weights * np.maximum(sigma * weights, 1e-150), folds)[:, :-1]
    root = middle @ inverse
    return np.asarray(root.T @ root)


def deviations(t: TriangularFactors, beta: Array, folds: Iterable[int] | None = None) -> Array:
    """σ_j of the rows of each joint: σ_j² = ‖e_j‖² / (n_j − p n_j / n)."""
    folds = t.folds if folds is None else tuple(folds)
    n, p = t.count(folds), len(t.names)
    share = np.maximum(n - p * n / max(n.sum(), 1.0), 1.0)
    return np.asarray(np.sqrt(t.squares(beta, folds) / share))


def _inverse(sigma: Array) -> Array:
    """Weights: rows that fit exactly get that of a far smaller deviation than the others have."""
    largest = float(sigma.max(initial=0.0))
    return np.asarray(1.0 / np.maximum(sigma, 1e-12 * largest)) if largest > 0 else np.ones_like(sigma)


# Robust least squares: rows far from the model get less weight (Huber 1964), by repetition.


_HUBER = 1.345
"""Residual over scale up to which a row has its full weight: 95 % efficiency with normal noise."""
_MAD = 1.4826
"""Standard deviation over the median of absolute deviations, of normal noise."""
_MOST = 200


def robust(rows: RegressionRows) -> Estimate:
    """Weights min(1, 1.345 s_j / |e|) with the scale s_j of each joint, until the torques move by less than 1e-9."""
    W, y, joint = rows.dense()
    if not len(y):
        raise DataError("estimates.no_rows")
    weights, before = np.ones(len(y)), np.full(len(y), np.inf)
    iterations = 0
    for iterations in range(1, _MOST + 1):  # noqa: B007, the number is said in the result
        root = np.sqrt(weights)[:, None]
        at = solved(_triangle(W * root, y * root[:, 0]), rows.names)
        torques = W @ at.beta
        if np.abs(torques - before).max() <= 1e-9 * (1 + np.abs(y).max()):
            break
        before, e = torques, y - torques
        scale = _scales(e, joint, len(rows.joints))
        weights = np.minimum(1.0, _HUBER * scale[joint] / np.maximum(np.abs(e), 1e-300)) / scale[joint] ** 2
    e = y - W @ at.beta
    sigma = _scales(e, joint, len(rows.joints))
    C = _covariance(rows, W, e, joint, sigma)
    return at.estimate(rows.names, C, sigma, iterations=iterations)


def _covariance(rows: RegressionRows, W: Array, e: Array, joint: Array, scale: Array) -> Array:
    """C = A⁻¹ B A⁻¹ / c with A = Σ_j mean(ψ′) UᵀU, B = Σ_j mean(ψ²) UᵀU (Huber 1981, § 7.6), rows U = W / s_j.

    ψ is the residual over its scale, at most 1.345; each joint has its own means, as its noise is its own.
    """
    n, p = W.shape
    size = np.abs(e / scale[joint])
    mine = [joint == j for j in range(len(scale))]
    slope = np.array([np.mean(size[rows_of_joint] <= _HUBER) if rows_of_joint.any() else 1.0 for rows_of_joint in mine])
    square = np.array(
        [
            np.mean(np.minimum(size[rows_of_joint], _HUBER) ** 2) if rows_of_joint.any() else 1.0
            for rows_of_joint in mine
        ]
    )
    square *= n / max(n - p, 1.0)
    U, none = W / scale[joint][:, None], np.zeros(n)
    inverse = solved(_triangle(U * np.sqrt(slope[joint])[:, None], none), rows.names).inverse
    root = (U * np.sqrt(square[joint])[:, None]) @ inverse
    return np.asarray(root.T @ root / rows.power)


def _triangle(W: Array, y: Array) -> Array:
    p = W.shape[1]
    stacked = np.concatenate([np.column_stack([W, y]), np.zeros((p + 1, p + 1))])
    return np.asarray(np.linalg.qr(stacked, mode="r"))


def _scales(e: Array, joint: Array, joints: int) -> Array:
    mine = [e[joint == j] for j in range(joints)]
    return np.array([robust_scale(x) if len(x) else 1.0 for x in mine])


def robust_scale(e: Array) -> float:
    """The standard deviation of residuals by their median, which a few of them do not change; more than 0."""
    size = np.abs(e)
    return max(_MAD * float(np.median(size)), 1e-12 * (1 + float(size.max())))


# Total least squares (Van Huffel and Vandewalle 1991): errors in the columns as well as in the torques.


def total(t: TriangularFactors, folds: Iterable[int] | None = None) -> Estimate:
    """[W y] + errors that are the least and make it dependent: β from its last right singular vector.

    Columns and torques are divided by their lengths, so that errors are taken as equal parts of each column.
    C = A⁻¹ (Wᵀ Σ W) A⁻¹ / c with A = WᵀW − s² 1 in scaled columns and the smallest singular value s, as each joint has
    the σ of its own residuals.
    """
    t = replace(t, parts=t.chosen(folds))
    R = t.stacked()
    scale = np.linalg.norm(R, axis=0)
    scale[scale == 0] = 1.0
    plain = solved(R, t.names)
    if groups := plain.confused(t.names):
        raise DataError("estimates.dependent", groups=[name for group in groups for name in group])
    s, Vt = np.linalg.svd(R / scale)[1:]
    v = Vt[-1]
    if abs(v[-1]) < 1e-12:
        raise DataError("estimates.no_total")
    beta = -v[:-1] / v[-1] * scale[-1] / scale[:-1]
    T = R[:, :-1] / scale[:-1]
    inverse = np.linalg.inv(T.T @ T - s[-1] ** 2 * np.eye(len(beta)))
    sigma = deviations(t, beta)
    inverse = inverse / np.outer(scale[:-1], scale[:-1])
    C = spread(t, t.folds, inverse, np.ones_like(sigma), sigma) / t.power
    return Estimate(t.names, beta, C, sigma, plain.condition, weighted=False)
