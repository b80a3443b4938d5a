"""Physically consistent parameters of an estimate: by a semidefinite program, or over log-Cholesky coordinates.

Where rows are linear in the parameters, the program finds the optimum. Where they are not (the simulated closed loop,
Stribeck's curve), least squares over coordinates begins there, and every step is a robot that can exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from symoro.errors import OptionError
from symoro.identification.arrays import Array
from symoro.identification.estimators.estimate import Estimate, divisors
from symoro.identification.estimators.validation import errors
from symoro.identification.physical.consistent import Consistent
from symoro.identification.physical.coordinates import PhysicalCoordinates
from symoro.identification.physical.problem import problem_of, result_of
from symoro.identification.physical.semidefinite import Boxes, semidefinite
from symoro.identification.rows.triangles import Triangles
from symoro.identification.subject.subject import Subject

WAYS = ("semidefinite", "log-cholesky")
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
    t: Triangles,
    found: Estimate,
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
        raise OptionError("boxes need physical='semidefinite': log-Cholesky coordinates have no place for them")
    R = _from_covariance(found) if found.simulated else _from_rows(t, found)
    problem = problem_of(subject, t.names)
    u, status = semidefinite(problem, R, weight, boxes)
    if way == "log-cholesky":
        by = nonlinear or _linear(t, R)
        problem, u = problem_of(subject, (*t.names, *by.more)), np.concatenate([u, list(by.more.values())])
        u = by.fit(PhysicalCoordinates(problem, np.maximum(np.abs(u), _SIZE)), u, weight)
        before = np.concatenate([_spread(found, t.names), list(by.more.values())])
        made = result_of(problem, u, "log-cholesky", by.error(problem.places @ u), by.error(before))
        return replace(made, what=by.what)
    return result_of(problem, u, status, *(errors(t, x).total for x in (problem.places @ u, _spread(found, t.names))))


def _spread(found: Estimate, names: Sequence[str]) -> Array:
    """The estimate for more parameters: 0 for those that are not essential."""
    values = dict(zip(found.names, found.beta, strict=True))
    return np.array([values.get(name, 0.0) for name in names])


def _from_rows(t: Triangles, found: Estimate) -> Array:
    """R of [W y], rows divided by the deviations of the estimate; equal ones give ordinary least squares."""
    return t.stacked(1.0 / divisors(found.weighting))[:-1]


def _from_covariance(found: Estimate) -> Array:
    """R of [W y] with Rᵀ R = C⁻¹: the estimate with its uncertainty.

    A parameter that was left out gets the column of the one that took it over, as many times as it was taken over.
    """
    told = np.flatnonzero(np.isfinite(found.sigma) & (found.sigma > 0))
    inverse = np.linalg.inv(np.linalg.cholesky(found.covariance[np.ix_(told, told)]))
    R = np.zeros((len(told), len(found.names) + 1))
    R[:, told], R[:, -1] = inverse, inverse @ found.beta[told]
    for line, k in enumerate(told):
        for name, times in found.regrouped.get(found.names[k], {}).items():
            R[:, found.names.index(name)] += times * inverse[:, line]
    return R


def _linear(t: Triangles, R: Array) -> Nonlinear:
    """Least squares over coordinates for rows that are linear."""

    def fit(coordinates: PhysicalCoordinates, u: Array, weight: float) -> Array:
        return coordinates.fitted(u, lambda beta: R[:, :-1] @ beta - R[:, -1], lambda beta: R[:, :-1], weight)

    return Nonlinear(fit, lambda beta: errors(t, beta).total)


def way_of(physical: bool | str, nonlinear: bool) -> str | None:
    """How physical consistency is reached; None where it is not asked for."""
    if physical is False:
        return None
    if physical is True:
        return "log-cholesky" if nonlinear else "semidefinite"
    if physical not in WAYS:
        raise OptionError(f"physical = {physical!r} is not allowed (allowed: True, False, {', '.join(WAYS)})")
    return physical
