"""Essential parameters: the smaller set that explains the torques nearly as well (Pham and Gautier 1991)."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from symoro.errors import OptionError
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.estimators.least_squares import weighted
from symoro.identification.readers.columns import Array
from symoro.identification.triangles import Triangles

RULES = ("sigma", "bic", "aic")
_RATIO = 30.0
"""Largest σ in percent over the smallest one, for the rule by σ."""


def essential(
    t: Triangles, rule: str, sigma: Array, kept: Collection[str] = (), ratio: float = _RATIO
) -> tuple[str, ...]:
    """The names of the essential parameters.

    One parameter after the other is taken out, that with the largest σ in percent; the deviations `sigma` of the joints
    are those of the full model. By "sigma" until the largest one is below `ratio` times the smallest; by "bic" or "aic"
    the set with the least information criterion is taken. Parameters that are `kept` are not judged.
    """
    if rule not in RULES:
        raise OptionError(f"essential = {rule!r} is not a rule (allowed: {', '.join(RULES)})")
    found = weighted(t, fixed=sigma)
    sets = [(found.names, _criterion(t, found, sigma, rule))]
    while len(judged := [k for k, name in enumerate(found.names) if name not in kept]) > 1:
        percent = (found.sigma / np.maximum(np.abs(found.beta), 1e-300))[judged]
        if rule == "sigma" and percent.max() < ratio * percent.min():
            return found.names
        worst = judged[int(np.argmax(percent))]
        rest = [name for k, name in enumerate(found.names) if k != worst]
        t = t.only(rest)
        found = weighted(t, fixed=sigma)
        sets.append((found.names, _criterion(t, found, sigma, rule)))
    return found.names if rule == "sigma" else min(sets, key=lambda item: item[1])[0]


def _criterion(t: Triangles, found: Estimate, sigma: Array, rule: str) -> float:
    """n log(RSS / n) + k p, with k = log n (Schwarz 1978) or 2 (Akaike 1974)."""
    n = float(t.count().sum())
    rss = float((t.squares(found.beta) / np.maximum(sigma, 1e-300) ** 2).sum())
    return float(n * np.log(max(rss, 1e-300) / n) + (np.log(n) if rule == "bic" else 2.0) * len(found.names))
