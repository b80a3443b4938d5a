"""Robust least squares: rows far from the model get less weight (Huber 1964), by repetition."""

from __future__ import annotations

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.estimators.estimate import Estimate, solved
from symoro.identification.rows.rows import Rows

_HUBER = 1.345
"""Residual over scale up to which a row has its full weight: 95 % efficiency with normal noise."""
_MAD = 1.4826
"""Standard deviation over the median of absolute deviations, of normal noise."""
_MOST = 200


def robust(rows: Rows) -> Estimate:
    """Weights min(1, 1.345 s_j / |e|) with the scale s_j of each joint, until the torques move by less than 1e-9."""
    W, y, joint = rows.dense()
    if not len(y):
        raise DataError("there are no rows")
    weights, before = np.ones(len(y)), np.full(len(y), np.inf)
    iterations = 0
    for iterations in range(1, _MOST + 1):  # noqa: B007, the number is said in the result
        root = np.sqrt(weights)[:, None]
        found = solved(_triangle(W * root, y * root[:, 0]), rows.names)
        torques = W @ found.beta
        if np.abs(torques - before).max() <= 1e-9 * (1 + np.abs(y).max()):
            break
        before, e = torques, y - torques
        scale = _scales(e, joint, len(rows.joints))
        weights = np.minimum(1.0, _HUBER * scale[joint] / np.maximum(np.abs(e), 1e-300)) / scale[joint] ** 2
    e = y - W @ found.beta
    sigma = _scales(e, joint, len(rows.joints))
    C = _covariance(rows, W, e, joint, sigma)
    return found.estimate(rows.names, C, sigma, iterations=iterations)


def _covariance(rows: Rows, W: Array, e: Array, joint: Array, scale: Array) -> Array:
    """C = A⁻¹ B A⁻¹ / c with A = Σ_j mean(ψ′) UᵀU, B = Σ_j mean(ψ²) UᵀU (Huber 1981, § 7.6), rows U = W / s_j.

    ψ is the residual over its scale, at most 1.345; each joint has its own means, as its noise is its own.
    """
    n, p = W.shape
    size = np.abs(e / scale[joint])
    mine = [joint == j for j in range(len(scale))]
    slope = np.array([np.mean(size[own] <= _HUBER) if own.any() else 1.0 for own in mine])
    square = np.array([np.mean(np.minimum(size[own], _HUBER) ** 2) if own.any() else 1.0 for own in mine])
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
