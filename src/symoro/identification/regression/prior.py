"""What the description of a robot says beforehand, as rows of the regression: a Bayesian prior from CAD values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from symoro.errors import OptionError
from symoro.identification.arrays import Array
from symoro.identification.subject.described import described, is_described, keys
from symoro.identification.subject.subject import Subject

_FLOOR = 0.05
"""Least deviation of a parameter, as a part of the largest one of its kind in the robot."""


def prior_rows(subject: Subject, names: Sequence[str], relative: float) -> Array:
    """Rows [W y] of deviation 1: the standard parameters are normal about the description's, σ a part of each.

    β = K π has the covariance K S Kᵀ; with its Cholesky factor L the rows are L⁻¹ β = L⁻¹ K π⁰.
    """
    if not (np.isfinite(relative) and relative > 0):
        raise OptionError(f"prior = {relative!r} is not allowed (allowed: σ as a part of each value, more than 0)")
    if not is_described(subject):
        raise OptionError(f"{subject.robot.name}: a prior needs numbers for all inertial parameters of the description")
    pi, letters = described(subject), [key[0] for key in keys(subject)]
    largest = {kind: max(abs(x) for x, k in zip(pi, letters, strict=True) if k == kind) for kind in set(letters)}
    inertia = max((x for kind, x in largest.items() if len(kind) == 2 and kind[0] in "XYZ"), default=1.0)
    floor = np.array([_FLOOR * (largest[kind] or inertia) for kind in letters])
    sigma = relative * np.maximum(np.abs(pi), floor)
    K = subject.matrix
    L = np.linalg.cholesky((K * sigma**2) @ K.T)
    rows = np.zeros((len(K), len(names) + 1))
    places = [names.index(name) for name in subject.inertial]
    rows[:, places] = np.linalg.inv(L)
    rows[:, -1] = np.linalg.solve(L, K @ pi)
    return rows
