"""How far an estimate can be trusted: its error in cross-validation, and σ with residuals that are correlated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.estimators.estimate import Estimate, divisors, solved
from symoro.identification.estimators.methods import BY_TRIANGLES
from symoro.identification.estimators.robust import robust
from symoro.identification.estimators.validation import Errors, cross_validated
from symoro.identification.result.task import Task
from symoro.identification.rows.rows import Rows
from symoro.identification.rows.triangles import Triangles, fold_of

_PIECE = 0.3
"""Seconds within which residuals may be correlated."""


def validated(task: Task) -> Errors:
    """The errors of the method in cross-validation over blocks of time; NaN for methods that simulate."""
    if len(task.triangles.folds) < 2 or task.wanted.simulates:
        return Errors(float("nan"))
    if task.wanted.method == "irls":
        return _validated_by_rows(task)
    return cross_validated(task.triangles, BY_TRIANGLES[task.wanted.method])


def _validated_by_rows(task: Task) -> Errors:
    """Cross-validation of the robust method, which fits the rows of some blocks of time."""
    assert task.rows is not None
    rows: Rows = task.rows
    folds = fold_of(rows)

    def fit(t: Triangles, some: Sequence[int]) -> Estimate:
        return robust(rows.only(t.names, [np.isin(fold, list(some)) for fold in folds]))

    return cross_validated(task.triangles, fit)


def spread_of(task: Task, found: Estimate) -> Array | None:
    """σ of each parameter with residuals that are correlated in time; None without rows."""
    if task.rows is None:
        return None
    sigma = divisors(found.weighting)
    at = solved(task.triangles.stacked(1 / sigma), found.names)
    return _sandwich(task.rows, found, sigma, at.covariance(at.inverse))


def _sandwich(rows: Rows, found: Estimate, sigma: Array, inverse: Array) -> Array:
    """σ by a sandwich of sums over pieces of time, in which residuals may be correlated (Newey and West 1987).

    `sigma` are the deviations of joints, by which rows are divided; `inverse` is (WᵀW)⁻¹ of such rows.
    """
    p = len(inverse)
    sums: dict[int, Array] = {}
    for block in rows.blocks:
        W = block.W / sigma[block.joint]
        e = (block.y - block.W @ found.beta[block.columns]) / sigma[block.joint]
        piece = np.floor(block.t / _PIECE).astype(int)
        for k in np.unique(piece):
            mine = piece == k
            sums.setdefault(int(k), np.zeros(p))[block.columns] += W[mine].T @ e[mine]
    S = sum((np.outer(g, g) for g in sums.values()), start=np.zeros((p, p)))
    finite = np.where(np.isfinite(inverse), inverse, 0.0)
    deviation = np.sqrt(np.maximum(np.diag(finite @ S @ finite), 0.0))
    return np.where(np.isfinite(np.diag(inverse)), deviation, np.inf)


def widened(task: Task, found: Estimate) -> dict[str, float]:
    """σ with residuals that are correlated in time over that of white ones, where both are known."""
    spread = spread_of(task, found)
    if spread is None:
        return {}
    pairs = zip(found.names, spread, found.sigma, strict=True)
    return {name: float(x / y) for name, x, y in pairs if np.isfinite(x) and np.isfinite(y) and y > 0}
