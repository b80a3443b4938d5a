"""What single samples of a channel show: spikes, and values that are cut off."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d, median_filter

from symoro.identification.arrays import Array

_FAR = 10.0
"""Distance from the neighbours over its robust deviation, of a spike."""
_SIZE = {"q": 1e-3, "tau": 2e-2}
"""Least size of a spike over the range of a channel: positions are differentiated twice."""
_ALIKE = 0.3
"""Distance from the nearer side over that from the other one, of a spike."""
_STEPS = 3.0
"""Size of a spike over the smallest step of a channel, which is that of its numbers."""
_CUT = 0.01, 5
"""Part of the samples that are at the largest or least value, and how many follow each other, where it is cut off."""
_NEXT = 8.0
"""Samples at that value over those at the next one: a smooth peak of numbers with few digits stays at its top, too."""
_NORMAL = 1.4826
"""Standard deviation over the median of absolute deviations, of normal noise."""


def spikes(x: Array, channel: str) -> Array:
    """The rows of the spikes of one column; none where they are weaker than the noise of all samples together.

    A spike is on one side of the samples before and after it, which a step is not, and far from the cubic polynomial
    through its four neighbours, which a bend is not.
    """
    if len(x) < 7 or not np.ptp(x):
        return np.zeros(0, dtype=int)
    bend = np.zeros(len(x))
    bend[2:-2] = x[2:-2] - (4 * (x[1:-3] + x[3:-1]) - x[:-4] - x[4:]) / 6
    noise = _NORMAL * float(np.median(np.abs(bend)))
    low, high = np.quantile(x, [0.01, 0.99])
    least = max(_FAR * noise, _SIZE[channel] * float(high - low), _STEPS * _smallest_step(x))
    middle = median_filter(x, 3)
    before, after = x - np.roll(middle, 2), x - np.roll(middle, -2)
    near, wide = np.sort(np.abs([before, after]), axis=0)
    far = (np.minimum(near, np.abs(bend)) > least) & (near > _ALIKE * wide) & (before * after > 0)
    found = np.flatnonzero(far & (np.abs(bend) == maximum_filter1d(np.abs(bend), 5)))
    return found if bend[found] @ bend[found] > len(x) * noise**2 else found[:0]


def _smallest_step(x: Array) -> float:
    step = np.abs(np.diff(x))
    return float(step[step > 1e-12 * np.abs(x).max()].min(initial=np.inf))


def _at_next(x: Array, value: float) -> int:
    """The number of samples at the value that is nearest to another one."""
    others = x[x != value]
    return int((others == others[int(np.argmin(np.abs(others - value)))]).sum())


def cut_off(x: Array) -> tuple[float, int] | None:
    """The largest or least value at which a torque stays, and the number of its samples; None where it is not cut."""
    part, length = _CUT
    for value in (float(x.max()), float(x.min())):
        at = x == value
        ends = np.flatnonzero(np.diff(np.concatenate([[False], at, [False]])))
        long = [b - a for a, b in zip(ends[::2], ends[1::2], strict=True) if b - a >= length]
        if np.ptp(x) and sum(long) >= part * len(x) and sum(long) > _NEXT * _at_next(x, value):
            return value, sum(long)
    return None
