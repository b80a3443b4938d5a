"""Total least squares (Van Huffel and Vandewalle 1991): errors in the columns as well as in the torques."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from symoro.errors import DataError
from symoro.identification.estimators.estimate import Estimate, solved
from symoro.identification.estimators.least_squares import deviations, spread
from symoro.identification.rows.triangles import Triangles


def total(t: Triangles, folds: Iterable[int] | None = None) -> Estimate:
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
        raise DataError(f"total least squares needs independent columns: {'; '.join(map(', '.join, groups))} are not")
    s, Vt = np.linalg.svd(R / scale)[1:]
    v = Vt[-1]
    if abs(v[-1]) < 1e-12:
        raise DataError("total least squares has no solution: the torques do not depend on the parameters")
    beta = -v[:-1] / v[-1] * scale[-1] / scale[:-1]
    T = R[:, :-1] / scale[:-1]
    inverse = np.linalg.inv(T.T @ T - s[-1] ** 2 * np.eye(len(beta)))
    sigma = deviations(t, beta)
    inverse = inverse / np.outer(scale[:-1], scale[:-1])
    C = spread(t, t.folds, inverse, np.ones_like(sigma), sigma) / t.power
    return Estimate(t.names, beta, C, sigma, plain.condition, weighted=False)
