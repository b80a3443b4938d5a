"""What every estimator gives: values, covariance, what the data cannot tell apart; and errors by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from symoro.findings import Finding
from symoro.identification.arrays import Array, letters_of
from symoro.identification.regress.triangles import TriangularFactors

# What every estimator gives: values, their covariance, and what the data cannot tell apart.


_RANK = 1e-9
"""Smallest singular value over the largest one, with columns of length 1, of columns that are independent."""
_PIVOT = 1e-2
"""Element of a null space over the largest one, of a column that may be left out."""
_NO_PART = 1e-6
"""Element over the largest one of its direction, below which a column has no part in it."""
_NOTHING = 1e-13
"""Length of a column over the longest one, of columns that are rounding errors: their parameters have no effect."""
_INDEPENDENT = 1e-6
"""What other columns leave of a column over its length, from which on it does not depend on them."""


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
    """Parameters that the motion cannot tell apart, each group by itself; a single one has no effect.

    The first one of a group is left out: it is 0 with an infinite σ, and the others take it over.
    """
    regrouped: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """What a parameter took over: as many times each one that is left out."""
    weighted: bool = True
    """Whether rows were divided by the deviation of their joint."""
    iterations: int = 1
    notes: tuple[Finding, ...] = ()
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
    """A least squares problem solved by its triangular factor: β, (WᵀW)⁻¹, and which columns depend on others.

    Where columns depend on others, some are left out: their parameters are 0, and others take them over.
    """

    beta: Array
    inverse: Array
    condition: float
    left_out: tuple[int, ...] = ()
    """The columns that are left out, as many as the null space has dimensions."""
    null: Array = field(default_factory=lambda: np.zeros((0, 0)))
    """Directions that have no effect on the rows, one a row, with 1 at the column that is left out."""

    def covariance(self, C: Array) -> Array:
        """A covariance with infinite variances of the parameters that are left out."""
        covariance = C.copy()
        covariance[list(self.left_out), list(self.left_out)] = np.inf
        return covariance

    def estimate(self, names: tuple[str, ...], C: Array, deviations: Array, **more: Any) -> Estimate:
        """The estimate with a covariance C and deviations of joints; `more` are other fields of it."""
        groups, regrouped = self.confused(names), self.regrouped(names)
        return Estimate(names, self.beta, self.covariance(C), deviations, self.condition, groups, regrouped, **more)

    def taken_over(self, beta: Array) -> Array:
        """Parameters with the same torques, of which those that are left out are 0."""
        return np.asarray(beta - beta[list(self.left_out)] @ self.null) if self.left_out else beta

    def confused(self, names: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
        """Each parameter that is left out, with those that take it over."""
        places = (np.flatnonzero(self.null[k]) for k in range(len(self.left_out)))
        groups = zip(self.left_out, places, strict=True)
        return tuple((names[k], *(names[i] for i in mine if i != k)) for k, mine in groups)

    def regrouped(self, names: tuple[str, ...]) -> dict[str, dict[str, float]]:
        """What is found instead of a parameter: itself, and as many times each that is left out.

        W x = 0 with x_d = 1 makes W β = Σ w_k (β_k − x_k β_d).
        """
        relations: dict[str, dict[str, float]] = {}
        for d, x in zip(self.left_out, self.null, strict=True):
            for k in np.flatnonzero(x):
                if k != d:
                    relations.setdefault(names[k], {})[names[d]] = float(-x[k])
        return relations


def divisors(sigma: Array) -> Array:
    """Deviations by which rows are divided: those of joints that fit exactly are not 0."""
    largest = float(sigma.max(initial=0.0))
    return np.asarray(np.maximum(sigma, 1e-9 * largest) if largest > 0 else np.ones_like(sigma))


def solved(R: Array, names: tuple[str, ...] = ()) -> Solved:
    """The least squares solution from R of [W y]; the names say which dependent columns are left out first."""
    T, z = R[:-1, :-1], R[:-1, -1]
    scale = np.linalg.norm(T, axis=0)
    nothing = scale <= _NOTHING * scale.max(initial=0.0)
    T = np.where(nothing, 0.0, T)
    scale[nothing] = 1.0
    s, Vt = np.linalg.svd(T / scale)[1:]
    rank = int((s > _RANK * s[0]).sum()) if len(s) and s[0] > 0 else 0
    if rank == len(s):
        root = solve_triangular(T, np.eye(len(T)))
        return Solved(solve_triangular(T, z), root @ root.T, float(s[0] / s[-1]) if rank else float("inf"))
    left_out, null = _reduced(Vt[rank:], _spare_first(names or ("",) * len(s)))
    kept = [k for k in range(len(s)) if k not in left_out]
    Q, T = np.linalg.qr(T[:, kept])
    root = solve_triangular(T, np.eye(rank))
    beta, inverse = np.zeros(len(s)), np.zeros((len(s), len(s)))
    beta[kept], inverse[np.ix_(kept, kept)] = root @ (Q.T @ z), root @ root.T
    return Solved(beta, inverse, float("inf"), left_out, null * scale[list(left_out), None] / scale)


def _spare_first(names: tuple[str, ...]) -> list[int]:
    """The columns in the order in which they are left out: constant torques, 0 as a rule, rotors, then the last."""
    spare = {"FO": 0, "IA": 1}
    return sorted(range(len(names)), key=lambda k: (spare.get(letters_of(names[k]), 2), -k))


def _reduced(null: Array, order: list[int]) -> tuple[tuple[int, ...], Array]:
    """A column for each direction of a null space, the first ones in the order, and the directions reduced to them.

    This is the reduced row echelon form; a column is passed over where its element would be a bad pivot.
    """
    A, chosen = null.copy(), []
    for row in range(len(A)):
        size = np.abs(A[row:]).max(axis=0)
        column = next(k for k in order if k not in chosen and size[k] >= _PIVOT * size.max())
        pivot = row + int(np.argmax(np.abs(A[row:, column])))
        A[[row, pivot]] = A[[pivot, row]]
        A[row] /= A[row, column]
        for other in range(len(A)):
            if other != row:
                A[other] -= A[other, column] * A[row]
        chosen.append(column)
    return tuple(chosen), np.where(np.abs(A) > _NO_PART * np.abs(A).max(axis=1, keepdims=True), A, 0.0)


def independent_columns(W: Array) -> list[int]:
    """The columns of a matrix that do not depend on those before them."""
    kept: list[int] = []
    longest = np.linalg.norm(W, axis=0).max(initial=0.0)
    for k in range(W.shape[1]):
        length = np.linalg.norm(W[:, k])
        if length <= _NOTHING * longest:
            continue
        rest = W[:, k]
        if kept:
            rest = rest - W[:, kept] @ np.linalg.lstsq(W[:, kept], rest, rcond=None)[0]
        if np.linalg.norm(rest) > _INDEPENDENT * length:
            kept.append(k)
    return kept


# Relative errors on data that was used, and on data that was not: cross-validation over blocks of time.


Fit = Callable[[TriangularFactors, Sequence[int]], Estimate]
"""An estimator that takes the blocks of time on which it works."""


@dataclass(frozen=True)
class Errors:
    """Relative errors ‖y − W β‖ / ‖y‖: of all rows, by joint, and by block of time."""

    total: float
    joints: dict[str, float] = field(default_factory=dict)
    blocks: tuple[float, ...] = ()

    def __str__(self) -> str:
        by_joint = ", ".join(f"{name} {100 * x:.3g} %" for name, x in self.joints.items())
        return f"{100 * self.total:.4g} % ({by_joint})"


def errors(t: TriangularFactors, beta: Array, folds: Sequence[int] | None = None) -> Errors:
    """The errors of given parameters."""
    squares, norms = t.squares(beta, folds), t.norm(folds)
    by_fold = tuple(
        _ratio(t.squares(beta, [f]).sum(), t.norm([f]).sum()) for f in (t.folds if folds is None else folds)
    )
    return Errors(_ratio(squares.sum(), norms.sum()), _by_joint(t, squares, norms), by_fold)


def cross_validated(t: TriangularFactors, fit: Fit) -> Errors:
    """Each block is predicted by what the other blocks give."""
    squares, norms, blocks = np.zeros(len(t.joints)), t.norm(), []
    for fold in t.folds:
        others = [f for f in t.folds if f != fold]
        mine = t.squares(fit(t, others).beta, [fold])
        squares += mine
        blocks.append(_ratio(mine.sum(), t.norm([fold]).sum()))
    return Errors(_ratio(squares.sum(), norms.sum()), _by_joint(t, squares, norms), tuple(blocks))


def _by_joint(t: TriangularFactors, squares: Array, norms: Array) -> dict[str, float]:
    return {name: _ratio(a, b) for name, a, b in zip(t.joints, squares, norms, strict=True)}


def _ratio(squares: float, norm: float) -> float:
    if norm == 0:
        return 0.0 if squares == 0 else float("inf")
    return float(np.sqrt(squares / norm))
