"""Decimation by a filter of finite length: each output needs a few samples, so that data can be taken in parts."""

from __future__ import annotations

from functools import cache

import numpy as np
from scipy import signal

from symoro.identification.arrays import Array

_TAPS = 20
"""Taps of the filter for each sample that becomes one."""
_OUTPUTS = 32
"""Outputs of one product: a band of the filter times a block of rows."""


@cache
def taps(factor: int) -> Array:
    """A low-pass filter of 20 r + 1 taps, with its corner at 0.8 of the new Nyquist; [1] without decimation."""
    return np.ones(1) if factor == 1 else np.asarray(signal.firwin(_TAPS * factor + 1, 0.8 / factor))


def reach(factor: int) -> int:
    """Samples on each side of an output."""
    return len(taps(factor)) // 2


def passed_power_of_fir(factor: int) -> float:
    """The part of white noise that is left: the mean of |H|² over the new band."""
    if factor == 1:
        return 1.0
    _, H = signal.freqz(taps(factor), worN=np.linspace(0, np.pi / factor, 4001))
    return float(np.mean(np.abs(H) ** 2))


@cache
def _band(factor: int) -> Array:
    """The filter as a matrix for several outputs at once."""
    h = taps(factor)
    F = np.zeros((_OUTPUTS, (_OUTPUTS - 1) * factor + len(h)))
    for k in range(_OUTPUTS):
        F[k, k * factor : k * factor + len(h)] = h
    return F


def decimated_by_fir(x: Array, factor: int, count: int) -> Array:
    """`count` outputs; the first is centred at row `reach` of x."""
    if factor == 1:
        return x[:count]
    F, h = _band(factor), taps(factor)
    found = np.empty((count, *x.shape[1:]))
    for k in range(0, count, _OUTPUTS):
        some = min(_OUTPUTS, count - k)
        width = (some - 1) * factor + len(h)
        found[k : k + some] = F[:some, :width] @ x[k * factor : k * factor + width]
    return found
