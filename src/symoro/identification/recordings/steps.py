"""The step of an encoder, from the positions that it gave: all of them are multiples of one number."""

from __future__ import annotations

import numpy as np

from symoro.identification.arrays import Array

_SAMPLES = 100_000
"""Samples that are looked at."""
_FINEST = 1e-9
"""Distance of two values over their range, up to which they are the same."""
_FEWEST = 4
"""Steps that a joint moves at least."""
_WHOLE = 0.1
"""Distance of a multiple from a whole number."""
_MOST = 0.99
"""Part of the distances that are multiples of the step."""
_ROUGH = 0.1
"""Mean square of fourth differences over the square of the step: a motion that is a polynomial has none."""


def step_of(x: Array) -> float:
    """The step of one column; 0 where its values are not multiples of one number, or where there are few."""
    x = x[np.isfinite(x)][:_SAMPLES]
    levels = np.unique(x)
    apart = np.diff(levels)
    apart = apart[apart > _FINEST * np.ptp(levels)] if len(levels) > 1 else apart
    if len(apart) < _FEWEST:
        return 0.0
    step = _refined(apart)
    off = np.abs(apart / step - np.round(apart / step))
    rough = float(np.mean(np.diff(x, 4) ** 2)) > _ROUGH * step**2
    return step if rough and np.mean(off < _WHOLE) >= _MOST else 0.0


def _refined(apart: Array) -> float:
    """The number whose multiples are nearest to the distances: small multiples first, which are certain."""
    step = float(apart.min())
    for most in (3.0, 30.0, np.inf):
        some = apart[apart < most * step]
        count = np.round(some / step)
        step = float(some @ count / (count @ count))
    return step


def steps_of(q: Array) -> Array:
    """The step of each column."""
    return np.array([step_of(x) for x in q.T])
