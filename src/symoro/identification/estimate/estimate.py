"""Estimates by least squares: values, covariance, what data cannot tell apart, errors, essential parameters."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from symoro.errors import DataError
from symoro.findings import Finding
from symoro.identification.arrays import Array, letters_of
from symoro.identification.regress.rows import RegressionRows, TriangularFactors

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
    t = replace(t, parts=t.in_blocks(folds))
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


# Essential parameters: the smaller set that explains the torques nearly as well (Pham and Gautier 1991).


RULES = ("sigma", "bic", "aic")
_RATIO = 30.0
"""Largest σ in percent over the smallest one, for the rule by σ."""
_SURE = 4.0
"""Deviations of a parameter from 0 that noise does not explain: F = 16, as F = (β/σ)² for one parameter."""


@dataclass(frozen=True)
class Dropped:
    """A parameter that was taken out, and what that cost."""

    name: str
    percent: float
    """σ in percent of its value, when it was taken out."""
    error: float
    """Relative error of the fit without it, and without those before it."""
    cost: float
    """How much that error grew."""

    def __str__(self) -> str:
        return f"{self.name} (%σ {self.percent:.3g}, error {100 * self.cost:+.2g} points)"


def essential(
    t: TriangularFactors, rule: str, sigma: Array, wider: Mapping[str, float] | None = None, kept: Collection[str] = ()
) -> tuple[Dropped, ...]:
    """The parameters that are not essential, in the order in which they are taken out.

    One after the other is taken out, that with the largest σ in percent, and the rest is estimated again; the
    deviations `sigma` of the joints are those of the full model. By "sigma" until the largest one is below 30
    times the smallest, or until noise no longer explains how the error grows (an F-test); by "bic" or "aic" the set
    with the least information criterion is taken. `wider` is the σ with correlated residuals over that of white ones,
    which the test takes: residuals of real recordings are correlated. Parameters that are `kept` are not judged.
    """
    estimate = weighted(t, fixed=sigma)
    error = errors(t, estimate.beta).total
    criteria, dropped = [_criterion(t, estimate, sigma, rule)], []
    while len(judged := [k for k, name in enumerate(estimate.names) if name not in kept]) > 1:
        percent = (estimate.sigma / np.maximum(np.abs(estimate.beta), 1e-300))[judged]
        largest, name = float(percent.max()), estimate.names[judged[int(np.argmax(percent))]]
        noise = largest * max(1.0, (wider or {}).get(name, 1.0))
        if rule == "sigma" and (largest < _RATIO * percent.min() or noise < 1 / _SURE):
            break
        t = without(t, [name])
        estimate = weighted(t, fixed=sigma)
        before, error = error, errors(t, estimate.beta).total
        dropped.append(Dropped(name, 100 * largest, error, error - before))
        criteria.append(_criterion(t, estimate, sigma, rule))
    return tuple(dropped if rule == "sigma" else dropped[: int(np.argmin(criteria))])


def without(t: TriangularFactors, names: Sequence[str]) -> TriangularFactors:
    """The regression without some of its columns."""
    return t.only([name for name in t.names if name not in names])


def _criterion(t: TriangularFactors, estimate: Estimate, sigma: Array, rule: str) -> float:
    """n log(RSS / n) + k p, with k = log n (Schwarz 1978) or 2 (Akaike 1974)."""
    n = float(t.count().sum())
    rss = float((t.squares(estimate.beta) / np.maximum(sigma, 1e-300) ** 2).sum())
    return float(n * np.log(max(rss, 1e-300) / n) + (np.log(n) if rule == "bic" else 2.0) * len(estimate.names))
