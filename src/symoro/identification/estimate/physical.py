"""Physically consistent parameters of an estimate: by a semidefinite program, or over log-Cholesky coordinates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from symoro.errors import DataError, OptionError
from symoro.findings import Finding
from symoro.identification.arrays import Array, needed
from symoro.identification.estimate.bodies import (
    MARGIN,
    NAMES,
    UNITS,
    Consistent,
    PhysicalCoordinates,
    Problem,
    in_prior,
    problem_of,
    result_of,
)
from symoro.identification.estimate.closed_loop import (
    MOST_STEPS,
    NOT_SIMULATED,
    ClosedLoop,
    OutputError,
    as_simulated,
    simulated_rows,
)
from symoro.identification.estimate.estimate import Estimate, divisors, errors, weighted
from symoro.identification.estimate.regression import Regression
from symoro.identification.process.processing import Processing, moved
from symoro.identification.process.signals import decimated
from symoro.identification.read.runs import Run
from symoro.identification.regress.rows import TriangularFactors
from symoro.identification.regress.terms import CURVED, StribeckCurve, Terms
from symoro.identification.subject.subject import Subject
from symoro.lazy import lazy

# Standard parameters of bodies that can exist, nearest to the data: a semidefinite program (Sousa and Cortesão 2014).
#
# min over π of ‖R (x − β)‖² + λ Σ_j ‖P̃_j − 1‖², x = K π and friction, with P̃_j = L⁻¹ P_j L⁻ᵀ ⪰ μ 1 and P⁰_j = L Lᵀ of
# a prior. R is the triangular factor of the rows, so that the problem has a few rows whatever the data. Without a prior
# it is unbounded in what the data does not see: such parameters stay at the prior.


Boxes = Mapping[int, Sequence[Sequence[float]]]
"""Link: its two corners in its frame, [[x, y, z], [x, y, z]]."""


def semidefinite(problem: Problem, R: Array, weight: float, boxes: Boxes | None = None) -> tuple[Array, str]:
    """The unknowns with the least cost for the triangular factor R of [W y], and how the solver ended."""
    cp = needed("cvxpy", Finding("estimates.physical_consistency"))
    needed("clarabel", Finding("estimates.physical_consistency"))
    u = cp.Variable(problem.places.shape[1])
    cost = cp.sum_squares(R[:, :-1] @ problem.places @ u - R[:, -1])
    limits: list[Any] = []
    for link in problem.links:
        P = cp.reshape(in_prior(problem, link) @ u, (4, 4), order="C")
        limits.append(P >> MARGIN * np.eye(4))
        cost = cost + weight * cp.sum_squares(P - np.eye(4))
        limits += _inside(problem, link, u, (boxes or {}).get(link))
    limits += [u[k] >= 0 for k in problem.positive]
    limits += [cp.bmat([[u[a], u[m]], [u[m], u[b]]]) >> 0 for m, a, b in problem.coupled]
    program = cp.Problem(cp.Minimize(cost), limits)
    try:
        program.solve(solver=cp.CLARABEL)
    except cp.error.SolverError as error:
        raise DataError("estimates.solver", reason=str(error)) from None
    if u.value is None:
        raise DataError("estimates.no_program", status=program.status)
    return np.asarray(u.value), str(program.status)


def _inside(problem: Problem, link: int, u: Any, box: Sequence[Sequence[float]] | None) -> list[Any]:
    """∫ (x − low)(high − x) dm ≥ 0 along each axis: the body is in its box."""
    if box is None:
        return []
    low, high = np.asarray(box, dtype=float).reshape(2, 3)
    if not (low < high).all():
        raise OptionError("estimates.box", link=link, box=repr(box))
    conditions = []
    for axis in range(3):
        row = np.zeros(problem.places.shape[1])
        for k, (letters, j) in enumerate(problem.entries):
            if j == link and letters in NAMES:
                P = UNITS[letters]
                row[k] = (low[axis] + high[axis]) * P[axis, 3] - P[axis, axis] - low[axis] * high[axis] * P[3, 3]
        conditions.append(row @ u >= 0)
    return conditions


# Physically consistent parameters together with BST of Stribeck's curves, which is not linear in the torques.
#
# The rows are those of the regression; the columns of the curves (K13:7.26) follow BST.


@dataclass(frozen=True)
class _MotorRows:
    """Rows of one motor in one run: its speeds at the full rate, and which decimated rows are kept."""

    motor: int
    rows: slice
    speeds: Array = field(repr=False)
    kept: Array = field(repr=False)


@dataclass(frozen=True)
class StribeckRows:
    """Rows whose columns of Stribeck's curve depend on BST of the motors, the last parameters of β."""

    regression: Regression

    @lazy
    def linear(self) -> list[str]:
        """The names of the columns without those of BST."""
        return [name for name in self.regression.triangles.names if name not in self.regression.about]

    @lazy
    def places(self) -> list[list[int]]:
        """The columns of FS and FST of each motor."""
        return [
            [self.linear.index(f"{n}{joint.index}") for n in ("FS", "FST")] for joint in self.regression.subject.motors
        ]

    @lazy
    def dense(self) -> tuple[Array, Array, Array]:
        """W, y and the weight of each row: 1 over the deviation of its joint."""
        assert self.regression.rows is not None
        W, y, joint = self.regression.rows.only(self.linear).dense()
        return W, y, 1.0 / divisors(weighted(self.regression.triangles).deviations)[joint]

    @lazy
    def blocks(self) -> list[_MotorRows]:
        regression, blocks, at = self.regression, [], 0
        assert regression.rows is not None
        motions = [moved(regression.subject, run, regression.how) for run in regression.runs]
        slow = [decimated(motion.speeds, regression.how.decimation or 1) for motion in motions]
        for block in regression.rows.blocks:
            limit = regression.how.dead_zone_of(block.joint, len(regression.rows.joints))
            kept = np.abs(slow[block.run][:, block.joint]) >= limit
            rows, at = slice(at, at + len(block.y)), at + len(block.y)
            if block.joint in regression.subject.motor_rows:
                motor = regression.subject.motor_rows.index(block.joint)
                blocks.append(_MotorRows(motor, rows, motions[block.run].speeds[:, block.joint], kept))
        return blocks

    def columns(self, beta: Array) -> tuple[Array, Array]:
        """W for BST at the end of β, and ∂(W β)/∂BST for each motor."""
        W, count = self.dense[0].copy(), len(self.places)
        slopes = np.zeros((len(W), count))
        for block in self.blocks:
            k, places = block.motor, self.places[block.motor]
            curve = StribeckCurve(beta[k - count], beta[places[1]] - beta[places[0]])
            full = np.column_stack([curve.column(term, block.speeds) for term in CURVED])
            kept = decimated(full, self.regression.how.decimation or 1)[block.kept]
            W[block.rows, places], slopes[block.rows, k] = kept[:, :2], kept[:, 2]
        return W, slopes

    def residual(self, beta: Array) -> Array:
        _, y, weight = self.dense
        return np.asarray((self.columns(beta)[0] @ beta[: -len(self.places)] - y) * weight)

    def slopes(self, beta: Array) -> Array:
        return np.concatenate(self.columns(beta), axis=1) * self.dense[2][:, None]

    def error(self, beta: Array) -> float:
        _, y, weight = self.dense
        return float(np.linalg.norm(self.residual(beta) / weight) / np.linalg.norm(y))


def physical_stribeck(regression: Regression) -> Nonlinear | None:
    """The fit of BST, where the law is Stribeck's and each motor moves one joint; else None."""
    if not regression.about or regression.terms.turning is not None or regression.how.model != "dynamic":
        return None
    rows = StribeckRows(regression)

    def fit(coordinates: PhysicalCoordinates, u: Array, weight: float) -> Array:
        return coordinates.fitted(u, rows.residual, rows.slopes, weight)

    return Nonlinear(fit, rows.error, regression.about)


# Physically consistent parameters of methods that simulate the closed loop: every simulated robot can exist.


_WHAT = "error of simulated torques"
_STEP = 0.05
"""Largest change of a parameter over its σ at which direct and inverse models have converged."""


def physical_output_error(terms: Terms, run: Run, how: Processing, loop: ClosedLoop, start: Estimate) -> Nonlinear:
    """min over θ of the output error of the closed loop, from the nearest robot that can exist on."""
    problem = OutputError.of(terms, run, how, loop, start)

    def fit(coordinates: PhysicalCoordinates, u: Array, weight: float) -> Array:
        return coordinates.fitted(u, problem.residual, problem.slopes, weight, MOST_STEPS)

    return Nonlinear(fit, problem.torque_error, what=_WHAT)


def physical_direct_and_inverse(
    terms: Terms, run: Run, how: Processing, loop: ClosedLoop, start: Estimate
) -> Nonlinear:
    """y = W_s β with the columns of the motion that is simulated with the last θ, until nothing changes."""

    def fit(coordinates: PhysicalCoordinates, u: Array, weight: float) -> Array:
        K = coordinates.problem.places
        for _ in range(MOST_STEPS):
            rows = simulated_rows(terms, run, as_simulated(how), loop, terms.by_name(K @ u))
            if rows is None:
                raise DataError(NOT_SIMULATED)
            free, before = weighted(rows), u
            R = rows.stacked(1.0 / free.deviations)[:-1]
            u = coordinates.fitted(u, partial(_residual, R), partial(_slopes, R), weight)
            if np.abs(K @ (u - before) / free.sigma).max() < _STEP:
                break
        return u

    return Nonlinear(fit, OutputError.of(terms, run, how, loop, start).torque_error, what=_WHAT)


def _residual(R: Array, beta: Array) -> Array:
    return np.asarray(R[:, :-1] @ beta - R[:, -1])


def _slopes(R: Array, beta: Array) -> Array:
    return R[:, :-1]


_FITS: dict[str, Callable[[Terms, Run, Processing, ClosedLoop, Estimate], Nonlinear]] = {
    "didim": physical_direct_and_inverse,
    "cloe": physical_output_error,
}


def physical_closed_loop(regression: Regression, method: str, loop: ClosedLoop, start: Estimate) -> Nonlinear | None:
    """How the estimate of a method becomes physical; None for instrumental variables, whose rows are linear."""
    fit = _FITS.get(method)
    return None if fit is None else fit(regression.terms, regression.runs[0], regression.how, loop, start)


# Physically consistent parameters of an estimate: by a semidefinite program, or over log-Cholesky coordinates.
#
# Where rows are linear in the parameters, the program finds the optimum. Where they are not (the simulated closed loop,
# Stribeck's curve), least squares over coordinates begins there, and every step is a robot that can exist.


PRIOR = 1e-2
"""λ, the weight of the prior beside rows of deviation 1."""
_SIZE = 1e-3
"""The least size of an unknown."""


@dataclass(frozen=True)
class Nonlinear:
    """An estimate that is not linear in its parameters: how it is fitted over coordinates, and its own error.

    `more` are parameters beside those of the regression, with values to begin with.
    """

    fit: Callable[[PhysicalCoordinates, Array, float], Array]
    """Coordinates, unknowns to begin with and λ in; unknowns out."""
    error: Callable[[Array], float]
    """The relative error for parameters β."""
    more: Mapping[str, float] = field(default_factory=dict)
    what: str = "error"


def consistent(
    subject: Subject,
    t: TriangularFactors,
    estimate: Estimate,
    way: str = "semidefinite",
    boxes: Boxes | None = None,
    nonlinear: Nonlinear | None = None,
    weight: float = PRIOR,
) -> Consistent:
    """The physically consistent parameters nearest to the data; `weight` is that of the prior, the description.

    The rows of each joint have the deviations of the estimate. An estimate that a simulation gave is taken with its
    covariance instead: its residual is not that of the rows.
    """
    if way == "log-cholesky" and boxes:
        raise OptionError("estimates.boxes_need_semidefinite")
    R = _from_covariance(estimate) if estimate.simulated else _from_rows(t, estimate)
    problem = problem_of(subject, t.names)
    u, status = semidefinite(problem, R, weight, boxes)
    if way == "log-cholesky":
        by = nonlinear or _linear(t, R)
        problem, u = problem_of(subject, (*t.names, *by.more)), np.concatenate([u, list(by.more.values())])
        u = by.fit(PhysicalCoordinates(problem, np.maximum(np.abs(u), _SIZE)), u, weight)
        before = np.concatenate([_spread(estimate, t.names), list(by.more.values())])
        result = result_of(problem, u, "log-cholesky", by.error(problem.places @ u), by.error(before))
        return replace(result, what=by.what)
    return result_of(
        problem, u, status, *(errors(t, x).total for x in (problem.places @ u, _spread(estimate, t.names)))
    )


def _spread(estimate: Estimate, names: Sequence[str]) -> Array:
    """The estimate for more parameters: 0 for those that are not essential."""
    values = dict(zip(estimate.names, estimate.beta, strict=True))
    return np.array([values.get(name, 0.0) for name in names])


def _from_rows(t: TriangularFactors, estimate: Estimate) -> Array:
    """R of [W y], rows divided by the deviations of the estimate; equal ones give ordinary least squares."""
    return t.stacked(1.0 / divisors(estimate.weighting))[:-1]


def _from_covariance(estimate: Estimate) -> Array:
    """R of [W y] with Rᵀ R = C⁻¹: the estimate with its uncertainty.

    A parameter that was left out gets the column of the one that took it over, as many times as it was taken over.
    """
    known = np.flatnonzero(np.isfinite(estimate.sigma) & (estimate.sigma > 0))
    inverse = np.linalg.inv(np.linalg.cholesky(estimate.covariance[np.ix_(known, known)]))
    R = np.zeros((len(known), len(estimate.names) + 1))
    R[:, known], R[:, -1] = inverse, inverse @ estimate.beta[known]
    for line, k in enumerate(known):
        for name, times in estimate.regrouped.get(estimate.names[k], {}).items():
            R[:, estimate.names.index(name)] += times * inverse[:, line]
    return R


def _linear(t: TriangularFactors, R: Array) -> Nonlinear:
    """Least squares over coordinates for rows that are linear."""

    def fit(coordinates: PhysicalCoordinates, u: Array, weight: float) -> Array:
        return coordinates.fitted(u, lambda beta: R[:, :-1] @ beta - R[:, -1], lambda beta: R[:, :-1], weight)

    return Nonlinear(fit, lambda beta: errors(t, beta).total)


def way_of(physical: bool | str, nonlinear: bool) -> str:
    """How physical consistency is reached."""
    if isinstance(physical, str):
        return physical
    return "log-cholesky" if nonlinear else "semidefinite"
