"""The noise of positions, from the positions alone."""

from __future__ import annotations

import numpy as np
from scipy.special import binom
from scipy.stats import norm

from symoro.identification.arrays import Array

_USUAL = 0.9
"""Part of the differences that are not those of gaps and spikes."""


def noise_of(q: Array, order: int = 2) -> Array:
    """The standard deviation of white noise in q, by differences of this order.

    Differences of order n of white noise have C(2n, n) times its variance. The higher the order is, the less of the
    motion is left in them.
    """
    rough = np.quantile(np.abs(np.diff(q, order, axis=0)), _USUAL, axis=0)
    return np.asarray(rough / (norm.ppf((1 + _USUAL) / 2) * np.sqrt(binom(2 * order, order))))
