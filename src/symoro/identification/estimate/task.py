"""The task of an estimator: the methods, what is asked, the fit that they give, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.errors import OptionError
from symoro.identification.arrays import Array, letters_of
from symoro.identification.estimate.closed_loop import (
    ClosedLoop,
    begins_elsewhere,
    direct_and_inverse,
    instrumental,
    output_error,
    wanted_motion,
)
from symoro.identification.estimate.estimate import (
    Dropped,
    Errors,
    Estimate,
    cross_validated,
    divisors,
    errors,
    essential,
    ordinary,
    robust,
    solved,
    total,
    weighted,
    without,
)
from symoro.identification.estimate.regression import Regression, payload_columns, prior_rows, refined
from symoro.identification.regress.rows import RegressionRows, TriangularFactors, fold_of
from symoro.identification.regress.terms import CURVED
from symoro.identification.subject.subject import described_values, without_a_place
from symoro.lazy import lazy
from symoro.motion.trajectory import Trajectory

if TYPE_CHECKING:
    from symoro.identification.estimate.bodies import Consistent
    from symoro.identification.estimate.physical import Boxes


# The methods of identification by their names.


BY_TRIANGLES: dict[str, Callable[..., Estimate]] = {"ols": ordinary, "wls": weighted, "tls": total}
"""Methods that need the triangular factors of the rows alone; they take the blocks of time, too."""
BY_ROWS: dict[str, Callable[[RegressionRows], Estimate]] = {"irls": robust}
"""Methods that need the rows themselves, because they look at single residuals."""
SIMULATING = {"iv": instrumental, "didim": direct_and_inverse, "cloe": output_error}
"""Methods that simulate the robot under its controller."""
METHODS = (*BY_TRIANGLES, *BY_ROWS, *SIMULATING)
WAYS = ("semidefinite", "log-cholesky")
"""How physical consistency is reached: by a semidefinite program, or over log-Cholesky coordinates."""


# Estimates of methods that simulate the robot under its controller, with what these methods need.


def closed_loop_of(regression: Regression, method: str, controller: Any, reference: Any) -> ClosedLoop:
    """The closed loop that a method simulates; an error where something that it needs is missing."""
    from symoro.motion.controller import Controller

    _require_simulation(regression, method)
    run = regression.runs[0]
    wanted = wanted_motion(regression.subject, run) if reference is None and "wanted" in run else reference
    if not (isinstance(controller, Controller) or callable(controller)) or not isinstance(wanted, Trajectory):
        raise OptionError("estimates.needs_controller", method=method)
    _require_torques(controller, wanted, len(regression.subject.motors))
    return ClosedLoop(regression.subject, controller, wanted, run.period, run.count)


def simulated(regression: Regression, method: str, loop: ClosedLoop) -> Estimate:
    """The estimate of a method that simulates the closed loop."""
    run = regression.runs[0]
    estimate = SIMULATING[method](regression.terms, run, regression.how, loop)
    return replace(estimate, notes=(*estimate.notes, *begins_elsewhere(loop, run)))


def _require_simulation(regression: Regression, method: str) -> None:
    """An error where the robot or its data cannot be simulated."""
    subject = regression.subject
    if len(regression.runs) != 1 or regression.laws or subject.robot.cuts or subject.has_free_base:
        raise OptionError("estimates.one_run_of_a_tree", method=method)
    if regression.how.model != "dynamic":
        raise OptionError("estimates.needs_dynamic", method=method)
    if lost := without_a_place(name for name in regression.terms.names if name not in subject.inertial):
        raise OptionError("estimates.not_in_drives", method=method, names=lost)


def _require_torques(controller: Any, wanted: Trajectory, motors: int) -> None:
    """An error where a controller of Python does not give a torque for each motor."""
    from symoro.motion.controller import Controller

    if isinstance(controller, Controller):
        return
    q, qd, _ = wanted(0.0)
    try:
        torques = np.asarray(controller(0.0, q, qd), dtype=float)
    except (TypeError, ValueError) as error:
        raise OptionError("estimates.not_a_controller", reason=str(error)) from None
    if torques.shape != (motors,) or not np.isfinite(torques).all():
        raise OptionError("estimates.torques_of_controller", torques=f"{torques!r:.60}", motors=motors)


# What is asked of a regression: the method, and what it shall give beside the parameters.


@dataclass(frozen=True)
class FitRequest:
    """The method and the options of `symoro.identify` that belong to the fit; some exclude each other."""

    method: str = "wls"
    essential: str | None = None
    physical: bool | str = False
    prior: float | None = None
    boxes: Boxes | None = None
    payload: int | None = None
    known: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.simulates and (self.essential or self.payload is not None or self.known):
            raise OptionError("estimates.excluded_by_method", method=self.method)
        if self.prior is not None and self.method != "wls":
            raise OptionError("estimates.prior_needs_wls")
        if self.payload is not None and (self.physical or self.prior is not None or self.known):
            raise OptionError("estimates.payload_alone")
        if self.payload is not None and self.method in BY_ROWS:
            raise OptionError("estimates.payload_without_rows", method=self.method, allowed=list(BY_TRIANGLES))
        if self.boxes and not self.physical:
            raise OptionError("estimates.boxes_need_physical")

    @property
    def simulates(self) -> bool:
        """Whether the method simulates the robot under its controller."""
        return self.method in SIMULATING


# The task of an estimator: the columns whose parameters are to be estimated, and the parameters that are known.


@dataclass(frozen=True)
class Task:
    """A regression with what is asked of it; `triangles` have only the columns whose parameters are to be estimated."""

    regression: Regression
    request: FitRequest
    triangles: TriangularFactors = field(repr=False)
    known: dict[str, float]

    @lazy
    def rows(self) -> RegressionRows | None:
        """The rows of these columns; None where rows were not kept, and for a payload, which has other columns."""
        if self.regression.rows is None or self.request.payload is not None:
            return None
        return self.regression.rows.less(self.known).only(self.triangles.names)

    def without(self, names: Sequence[str]) -> Task:
        """The task without some columns."""
        return replace(self, triangles=without(self.triangles, names))

    def estimated(self) -> Estimate:
        """The estimate by the method that is asked for, one that does not simulate."""
        method = self.request.method
        if method in BY_TRIANGLES:
            return BY_TRIANGLES[method](self.triangles)
        if self.rows is None:
            raise OptionError("estimates.method_needs_rows", method=method)
        return BY_ROWS[method](self.rows)


def task_of(regression: Regression, request: FitRequest) -> Task:
    """The task: without parameters that are known, with a prior, or with the columns of a payload."""
    t = regression.triangles
    if request.payload is not None:
        values = described_values(regression.subject, t.names)
        return Task(regression, request, payload_columns(regression.subject, t, request.payload, values), values)
    if request.prior is not None:
        t = replace(t, prior=prior_rows(regression.subject, t.names, request.prior))
    known = _known(regression, request)
    return Task(regression, request, t.less(known) if known else t, known)


def _known(regression: Regression, request: FitRequest) -> dict[str, float]:
    """The parameters that are given by name; an error for one that the regression does not have."""
    known = {name: float(x) for name, x in (request.known or {}).items()}
    allowed = [name for name in regression.triangles.names if name not in regression.about]
    for name, x in known.items():
        if name not in allowed or not np.isfinite(x):
            raise OptionError("estimates.known", name=name, value=x, allowed=allowed)
    return known


# How far an estimate can be trusted: its error in cross-validation, and σ with residuals that are correlated.


_PIECE = 0.3
"""Seconds within which residuals may be correlated."""


def validated(task: Task) -> Errors:
    """The errors of the method in cross-validation over blocks of time; NaN for methods that simulate."""
    if len(task.triangles.folds) < 2 or task.request.simulates:
        return Errors(float("nan"))
    if task.request.method in BY_ROWS:
        return _validated_by_rows(task)
    return cross_validated(task.triangles, BY_TRIANGLES[task.request.method])


def _validated_by_rows(task: Task) -> Errors:
    """Cross-validation of a method that needs rows: it fits those of some blocks of time."""
    assert task.rows is not None
    rows, method = task.rows, BY_ROWS[task.request.method]
    folds = fold_of(rows)

    def fit(t: TriangularFactors, some: Sequence[int]) -> Estimate:
        return method(rows.only(t.names, [np.isin(fold, list(some)) for fold in folds]))

    return cross_validated(task.triangles, fit)


def spread_of(task: Task, estimate: Estimate) -> Array | None:
    """σ of each parameter with residuals that are correlated in time; None without rows."""
    if task.rows is None:
        return None
    sigma = divisors(estimate.weighting)
    at = solved(task.triangles.stacked(1 / sigma), estimate.names)
    return _sandwich(task.rows, estimate, sigma, at.covariance(at.inverse))


def _sandwich(rows: RegressionRows, estimate: Estimate, sigma: Array, inverse: Array) -> Array:
    """σ by a sandwich of sums over pieces of time, in which residuals may be correlated (Newey and West 1987).

    `sigma` are the deviations of joints, by which rows are divided; `inverse` is (WᵀW)⁻¹ of such rows.
    """
    p = len(inverse)
    sums: dict[int, Array] = {}
    for block in rows.blocks:
        W = block.W / sigma[block.joint]
        e = (block.y - block.W @ estimate.beta[block.columns]) / sigma[block.joint]
        piece = np.floor(block.t / _PIECE).astype(int)
        for k in np.unique(piece):
            mine = piece == k
            sums.setdefault(int(k), np.zeros(p))[block.columns] += W[mine].T @ e[mine]
    S = sum((np.outer(g, g) for g in sums.values()), start=np.zeros((p, p)))
    finite = np.where(np.isfinite(inverse), inverse, 0.0)
    deviation = np.sqrt(np.maximum(np.diag(finite @ S @ finite), 0.0))
    return np.where(np.isfinite(np.diag(inverse)), deviation, np.inf)


def widened(task: Task, estimate: Estimate) -> dict[str, float]:
    """σ with residuals that are correlated in time over that of white ones, where both are known."""
    spread = spread_of(task, estimate)
    if spread is None:
        return {}
    pairs = zip(estimate.names, spread, estimate.sigma, strict=True)
    return {name: float(x / y) for name, x, y in pairs if np.isfinite(x) and np.isfinite(y) and y > 0}


# The fit: the estimate, with fewer parameters and with bodies that can exist where these are asked for.


@dataclass(frozen=True)
class Fit:
    """An estimate with what it belongs to; `task` has only the columns of parameters that are essential."""

    task: Task
    estimate: Estimate
    dropped: tuple[Dropped, ...] = ()
    consistent: Consistent | None = None

    @lazy
    def errors(self) -> Errors:
        """The relative errors on the data itself."""
        return errors(self.task.triangles, self.estimate.beta)


def fitted(regression: Regression, request: FitRequest, controller: Any = None, reference: Any = None) -> Fit:
    """The fit of a regression; methods that simulate the robot do it under its `controller` along the `reference`."""
    loop = None
    if request.simulates:
        loop = closed_loop_of(regression, request.method, controller, reference)
        full = task_of(regression, request)
        estimate = simulated(regression, request.method, loop)
    else:
        regression = refined(regression)
        full = task_of(regression, request)
        estimate = full.estimated()
    dropped = _dropped(full, estimate)
    task = full.without([one.name for one in dropped]) if dropped else full
    estimate = task.estimated() if dropped else estimate
    return Fit(task, estimate, dropped, _consistent(full, estimate, loop) if request.physical else None)


def _dropped(full: Task, estimate: Estimate) -> tuple[Dropped, ...]:
    """The parameters that are not essential, where that is asked for; those of Stribeck's curves stay together."""
    if full.request.essential is None:
        return ()
    names = full.regression.triangles.names if full.regression.about else ()
    curved = [name for name in names if letters_of(name) in CURVED]
    return essential(full.triangles, full.request.essential, estimate.weighting, widened(full, estimate), curved)


def _consistent(full: Task, estimate: Estimate, loop: ClosedLoop | None) -> Consistent:
    """Parameters of bodies that can exist; `loop` is the closed loop of methods that simulate it."""
    from symoro.identification.estimate.physical import consistent, physical_closed_loop, physical_stribeck, way_of

    regression, request = full.regression, full.request
    if loop is None:
        nonlinear = physical_stribeck(regression)
    else:
        nonlinear = physical_closed_loop(regression, request.method, loop, estimate)
    way = way_of(request.physical, nonlinear=nonlinear is not None)
    linear = full.triangles.only([name for name in full.triangles.names if name not in regression.about])
    return consistent(regression.subject, linear, estimate, way, request.boxes, nonlinear)
