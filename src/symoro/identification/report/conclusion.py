"""From a regression to a result: what is asked, the estimate, how far it can be trusted, warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from symoro.errors import OptionError
from symoro.identification.arrays import Array, letters_of
from symoro.identification.estimate.bodies import Consistent
from symoro.identification.estimate.essential import Dropped, essential, without
from symoro.identification.estimate.estimate import Errors, Estimate, cross_validated, divisors, errors, solved
from symoro.identification.estimate.least_squares import robust
from symoro.identification.estimate.methods import BY_TRIANGLES, METHODS, SIMULATING
from symoro.identification.estimate.physical import Boxes, Nonlinear, consistent, way_of
from symoro.identification.estimate.regression import Regression, payload_columns, prior_rows
from symoro.identification.process.checks import named_first
from symoro.identification.regress.friction import CURVED
from symoro.identification.regress.rows import Rows
from symoro.identification.regress.triangles import Triangles, fold_of
from symoro.identification.report.result import Identification
from symoro.identification.report.suspicions import Delay, constants, delays, late, outliers, suspicions, untold
from symoro.identification.subject.standard import without_a_place
from symoro.identification.subject.subject import described_values, expected_values
from symoro.lazy import lazy

# The task of an estimator, and how far its estimate can be trusted.


# What is asked of a regression: the method, and what it shall give beside the parameters.


@dataclass(frozen=True)
class Wanted:
    """The method and the options of `symoro.identify` that belong to the fit; some exclude each other."""

    method: str = "wls"
    essential: str | None = None
    physical: bool | str = False
    prior: float | None = None
    boxes: Boxes | None = None
    payload: int | None = None
    known: Mapping[str, float] | None = None

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            raise OptionError(f"method = {self.method!r} is not allowed (allowed: {', '.join(METHODS)})")
        if self.simulates and (self.essential or self.payload is not None or self.known):
            raise OptionError(f"method={self.method!r} is not allowed with essential, payload or known")
        if self.prior is not None and self.method != "wls":
            raise OptionError("a prior needs method='wls': its weight is that of rows with known deviations")
        if self.payload is not None and (self.physical or self.prior is not None or self.known):
            raise OptionError("payload is identified alone: without physical, prior and known")
        if self.payload is not None and self.method == "irls":
            raise OptionError("method='irls' is not allowed with payload (allowed: ols, wls, tls)")
        if self.boxes and not self.physical:
            raise OptionError("boxes are conditions of physical=True")
        way_of(self.physical, nonlinear=False)

    @property
    def simulates(self) -> bool:
        """Whether the method simulates the robot under its controller."""
        return self.method in SIMULATING


# The task of an estimator: the columns whose parameters are to be found, and the parameters that are known.


@dataclass(frozen=True)
class Task:
    """A regression with what is asked of it; `triangles` have only the columns whose parameters are to be found."""

    given: Regression
    wanted: Wanted
    triangles: Triangles = field(repr=False)
    known: dict[str, float]

    @lazy
    def rows(self) -> Rows | None:
        """The rows of these columns; None where rows were not kept, and for a payload, which has other columns."""
        if self.given.rows is None or self.wanted.payload is not None:
            return None
        return self.given.rows.less(self.known).only(self.triangles.names)

    def without(self, names: Sequence[str]) -> Task:
        """The task without some columns."""
        return replace(self, triangles=without(self.triangles, names))

    def estimated(self) -> Estimate:
        """The estimate by the method that is asked for, one that does not simulate."""
        if self.wanted.method != "irls":
            return BY_TRIANGLES[self.wanted.method](self.triangles)
        if self.rows is None:
            raise OptionError("robust least squares needs the rows: it cannot follow a stream")
        return robust(self.rows)


def task_of(given: Regression, wanted: Wanted) -> Task:
    """The task: without parameters that are known, with a prior, or with the columns of a payload."""
    t = given.triangles
    if wanted.payload is not None:
        values = described_values(given.subject, t.names)
        return Task(given, wanted, payload_columns(given.subject, t, wanted.payload, values), values)
    if wanted.prior is not None:
        t = replace(t, prior=prior_rows(given.subject, t.names, wanted.prior))
    known = _known(given, wanted)
    return Task(given, wanted, t.less(known) if known else t, known)


def _known(given: Regression, wanted: Wanted) -> dict[str, float]:
    """The parameters that are given by name; an error for one that the regression does not have."""
    known = {name: float(x) for name, x in (wanted.known or {}).items()}
    allowed = [name for name in given.triangles.names if name not in given.about]
    for name, x in known.items():
        if name not in allowed or not np.isfinite(x):
            raise OptionError(f"known: {name} = {x} is not allowed (allowed: numbers for {', '.join(allowed)})")
    return known


# How far an estimate can be trusted: its error in cross-validation, and σ with residuals that are correlated.


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


# From a regression to a result: the estimate, fewer parameters, bodies that can exist, and warnings.


def concluded(
    given: Regression, wanted: Wanted, estimate: Estimate | None = None, nonlinear: Nonlinear | None = None
) -> Identification:
    """The result of a regression.

    A method that simulates the robot gives its own `estimate`. Where parameters act nonlinearly, `nonlinear` says how
    parameters of bodies that can exist are fitted.
    """
    full = task_of(given, wanted)
    found = estimate or full.estimated()
    dropped = _dropped(full, found)
    task = full.without([one.name for one in dropped]) if dropped else full
    found = task.estimated() if dropped else found
    fit = errors(task.triangles, found.beta)
    made = _consistent(full, found, nonlinear)
    delayed = _delays(task, found)
    return Identification(
        subject=given.subject,
        method=wanted.method,
        estimate=found,
        triangles=task.triangles,
        terms=given.terms,
        how=given.how,
        rate=given.rate,
        error=fit,
        validation=validated(task),
        warnings=(*named_first(_of_data(task, found, fit, delayed)), *untold(found), *_without_a_place(task, made)),
        delays=delayed,
        law=given.law,
        laws=given.laws,
        rows=given.rows if wanted.payload is None else None,
        consistent=made,
        known=task.known | {name: x for name, x in given.about.items() if name not in given.triangles.names},
        spread=spread_of(task, found),
        payload=wanted.payload,
        dropped=dropped,
        about=given.about,
    )


def _dropped(full: Task, found: Estimate) -> tuple[Dropped, ...]:
    """The parameters that are not essential, where that is asked for; those of Stribeck's curves stay together."""
    if full.wanted.essential is None:
        return ()
    names = full.given.triangles.names if full.given.about else ()
    curved = [name for name in names if letters_of(name) in CURVED]
    return essential(full.triangles, full.wanted.essential, found.weighting, widened(full, found), curved)


def _consistent(full: Task, found: Estimate, nonlinear: Nonlinear | None) -> Consistent | None:
    """Parameters of bodies that can exist, where they are asked for."""
    given, wanted = full.given, full.wanted
    way = way_of(wanted.physical, nonlinear=nonlinear is not None)
    if way is None:
        return None
    linear = full.triangles.only([name for name in full.triangles.names if name not in given.about])
    return consistent(given.subject, linear, found, way, wanted.boxes, nonlinear)


def _delays(task: Task, found: Estimate) -> dict[str, Delay]:
    """The delay of each torque, where rows were kept and belong to instants."""
    how = task.given.how
    return {} if task.rows is None or how.model == "energy" else delays(task.rows, found, how)


def _of_data(task: Task, found: Estimate, fit: Errors, delayed: dict[str, Delay]) -> Iterator[str]:
    """Warnings about the measurements: those that they came with, and those that the fit gives."""
    given, t, payload = task.given, task.triangles, task.wanted.payload
    expected = {} if payload is not None else expected_values(given.subject)
    rate = given.rate if given.rows is None else None  # with rows, other readings of the data were compared
    yield from given.warnings
    yield from () if found.simulated else given.how.notes  # errors of positions do not bias simulated motions
    yield from found.notes
    yield from suspicions(t, found, fit, expected, rate)
    yield from late(delayed, given.how, t.joints, 1 / given.rate)
    if task.rows is not None and delayed and not given.subject.regroups_friction:
        yield from constants(task.rows, found, [joint.label for joint in given.subject.motors])
    if task.rows is not None and task.wanted.method in BY_TRIANGLES:  # they take all rows as they are
        yield from outliers(task.rows, found.beta)


def _without_a_place(task: Task, made: Consistent | None) -> Iterator[str]:
    """A warning about laws of friction that the drives of the robot of the result cannot describe."""
    subject = task.given.subject
    if subject.regroups_friction or task.wanted.payload is not None:
        return
    friction = [name for name in task.triangles.names if name not in subject.inertial]
    if others := without_a_place(friction if made is None else made.others):
        yield f"the robot of the result has no place for {', '.join(others)}: its torques leave them out"
