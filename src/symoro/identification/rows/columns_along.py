"""The columns of a regression along a motion, by one of three models; two of them need no accelerations.

dynamic: Γ = D(q, q̇, q̈) K (K97:39). filtered: F Γ = (F′ D1 + F D2) K (K97:40-46), where F is the filter of the
decimation, which follows, and F′ its derivative. energy: ∫ q̇ᵀ Γ dt = Δh K + ∫ hf dt K_f (K97:47-54), a row for each
interval of time.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.integrate import cumulative_simpson

from symoro.identification.arrays import Array
from symoro.identification.processing.motion_of_run import Moved
from symoro.identification.rows.terms import Terms

_CHUNK = 2048
"""Samples of one call of the regressor: more leave the cache."""
Part = Callable[[Moved, slice], Array]


def columns_along(terms: Terms, motion: Moved, model: str) -> list[Array]:
    """For each row of the regressor its columns that are not zero for every motion, at the full rate."""
    if model == "dynamic":
        return _gathered(terms, motion, terms.evaluate)
    momenta, rest = _gathered(terms, motion, terms.momenta), _gathered(terms, motion, terms.without_acceleration)
    step = motion.period
    return [np.gradient(D1, step, axis=0, edge_order=2) + D2 for D1, D2 in zip(momenta, rest, strict=True)]


def _gathered(terms: Terms, motion: Moved, evaluate: Part) -> list[Array]:
    columns = terms.places
    W = [np.empty((motion.count, len(places)), order="F") for places in columns]
    for first in range(0, motion.count, _CHUNK):
        part = slice(first, first + _CHUNK)
        full = evaluate(motion, part)
        for joint, places in enumerate(columns):
            W[joint][part] = full[:, joint, places]
    return W


def energy_along(terms: Terms, motion: Moved, length: int) -> tuple[Array, Array, Array]:
    """Times, columns and work of the motors, for intervals of `length` samples."""
    ends = np.arange(0, motion.count, length)
    whole = slice(0, motion.count)
    stored, lost = terms.energies(motion, whole)
    work = np.einsum("tr,tr->t", motion.speeds, motion.torques)

    def integral(x: Array) -> Array:
        return np.diff(cumulative_simpson(x, dx=motion.period, axis=0, initial=0.0)[ends], axis=0)

    return motion.t[ends[:-1]], np.diff(stored[ends], axis=0) + integral(lost), integral(work)
