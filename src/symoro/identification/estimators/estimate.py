"""What every estimator gives: values, their covariance, and what the data cannot tell apart."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.linalg import solve_triangular

from symoro.identification.readers.columns import Array

RANK = 1e-9
"""Smallest singular value over the largest one, with columns of length 1, of columns that are independent."""

NOTHING = 1e-13
"""Length of a column over the longest one, of columns that are rounding errors: their parameters have no effect."""


@dataclass(frozen=True)
class Estimate:
    """Values and covariance of the parameters, in the order of the names."""

    names: tuple[str, ...]
    beta: Array = field(repr=False)
    covariance: Array = field(repr=False)
    deviations: Array = field(repr=False)
    """σ of the rows of each joint."""
    condition: float
    """Condition number of W, each column divided by its length."""
    confused: tuple[tuple[str, ...], ...] = ()
    """Parameters that the motion cannot tell apart, each group by itself; a single one has no effect."""
    weighted: bool = True
    """Whether rows were divided by the deviation of their joint."""
    iterations: int = 1
    notes: tuple[str, ...] = ()
    simulated: bool = False
    """Whether a simulation of the closed loop gave it: its residual is not that of the measured rows."""

    @property
    def weighting(self) -> Array:
        """The deviations by which rows of joints were divided: equal ones for ordinary least squares."""
        mean = float(np.sqrt(np.mean(self.deviations**2)))
        return self.deviations if self.weighted else np.full(len(self.deviations), mean)

    @property
    def sigma(self) -> Array:
        return np.asarray(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))


@dataclass(frozen=True)
class Solved:
    """A least squares problem solved by its triangular factor: β, (WᵀW)⁻¹, and its null space."""

    beta: Array
    inverse: Array
    condition: float
    null: Array
    """Directions that have no effect on the rows, in columns."""

    def covariance(self, C: Array) -> Array:
        """A covariance with infinite variances of the parameters that the rows do not determine."""
        loose = (np.abs(self.null) > 1e-6 * np.abs(self.null).max(initial=1e-300)).any(axis=1)
        return np.where(np.diag(loose), np.inf, C)


def solved(R: Array) -> Solved:
    """The least squares solution from R of [W y]; the shortest one where columns depend on each other."""
    T, z = R[:-1, :-1], R[:-1, -1]
    scale = np.linalg.norm(T, axis=0)
    nothing = scale <= NOTHING * scale.max(initial=0.0)
    T = np.where(nothing, 0.0, T)
    scale[nothing] = 1.0
    U, s, Vt = np.linalg.svd(T / scale)
    rank = int((s > RANK * s[0]).sum()) if len(s) and s[0] > 0 else 0
    condition = float(s[0] / s[-1]) if rank == len(s) else float("inf")
    if rank == len(s):
        beta = solve_triangular(T, z)
        root = solve_triangular(T, np.eye(len(T)))
        return Solved(beta, root @ root.T, condition, np.zeros((len(s), 0)))
    root = Vt[:rank].T / s[:rank]
    beta = root @ (U.T[:rank] @ z) / scale
    inverse = (root @ root.T) / np.outer(scale, scale)
    return Solved(beta, inverse, condition, Vt[rank:].T / scale[:, None])


def confused(names: tuple[str, ...], null: Array) -> tuple[tuple[str, ...], ...]:
    """The groups of parameters that a null space mixes: reduced so that each direction has few parameters."""
    if not null.shape[1]:
        return ()
    A = null.T.copy()
    row = 0
    for column in range(A.shape[1]):  # reduced row echelon form, by the largest pivots
        pivot = row + int(np.argmax(np.abs(A[row:, column]))) if row < len(A) else row
        if row >= len(A) or abs(A[pivot, column]) < 1e-8 * np.abs(A).max():
            continue
        A[[row, pivot]] = A[[pivot, row]]
        A[row] /= A[row, column]
        for other in range(len(A)):
            if other != row:
                A[other] -= A[other, column] * A[row]
        row += 1
    groups = []
    for line in A:
        mine = tuple(name for name, x in zip(names, line, strict=True) if abs(x) > 1e-6 * np.abs(line).max())
        if mine and mine not in groups:
            groups.append(mine)
    return tuple(groups)
