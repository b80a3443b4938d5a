"""Essential parameters: the smaller set that explains the torques nearly as well (Pham and Gautier 1991)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.estimate.estimate import Estimate, errors
from symoro.identification.estimate.least_squares import weighted
from symoro.identification.regress.triangles import TriangularFactors

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
