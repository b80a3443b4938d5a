"""Physically consistent parameters of methods that simulate the closed loop: every simulated robot can exist."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.estimators.closed_loop import NOT_SIMULATED, ClosedLoop
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.estimators.instruments import as_simulated, simulated_rows
from symoro.identification.estimators.least_squares import weighted
from symoro.identification.estimators.output_error import MOST_STEPS, OutputError
from symoro.identification.physical.consistency import Nonlinear
from symoro.identification.physical.coordinates import PhysicalCoordinates
from symoro.identification.processing.processing import Processing
from symoro.identification.recordings.runs import Run
from symoro.identification.regression.regression import Regression
from symoro.identification.rows.terms import Terms

_WHAT = "error of simulated torques"
_STEP = 0.05
"""Largest change of a parameter over its σ at which direct and inverse models have converged."""


def physical_output_error(terms: Terms, run: Run, how: Processing, loop: ClosedLoop, found: Estimate) -> Nonlinear:
    """min over θ of the output error of the closed loop, from the nearest robot that can exist on."""
    problem = OutputError.of(terms, run, how, loop, found)

    def fit(coordinates: PhysicalCoordinates, u: Array, weight: float) -> Array:
        return coordinates.fitted(u, problem.residual, problem.slopes, weight, MOST_STEPS)

    return Nonlinear(fit, problem.torque_error, what=_WHAT)


def physical_direct_and_inverse(
    terms: Terms, run: Run, how: Processing, loop: ClosedLoop, found: Estimate
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

    return Nonlinear(fit, OutputError.of(terms, run, how, loop, found).torque_error, what=_WHAT)


def _residual(R: Array, beta: Array) -> Array:
    return np.asarray(R[:, :-1] @ beta - R[:, -1])


def _slopes(R: Array, beta: Array) -> Array:
    return R[:, :-1]


_FITS: dict[str, Callable[[Terms, Run, Processing, ClosedLoop, Estimate], Nonlinear]] = {
    "didim": physical_direct_and_inverse,
    "cloe": physical_output_error,
}


def physical_closed_loop(given: Regression, method: str, loop: ClosedLoop, found: Estimate) -> Nonlinear | None:
    """How the estimate of a method becomes physical; None for instrumental variables, whose rows are linear."""
    fit = _FITS.get(method)
    return None if fit is None else fit(given.terms, given.runs[0], given.how, loop, found)
