"""What single samples of a channel show: spikes, jumps, and values that are cut off."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d, median_filter

from symoro.identification.readers.columns import Array

_FAR = 10.0
"""Distance from the neighbours over its robust deviation, of a spike."""
_SIZE = {"q": 1e-3, "tau": 2e-2}
"""Least size of a spike over the range of a channel: positions are differentiated twice."""
_ALIKE = 0.3
"""Distance from the nearer side over that from the other one, of a spike."""
_STEPS = 3.0
"""Size of a spike over the smallest step of a channel, which is that of its numbers."""
_JUMP = 10.0
"""Step of a position over nearly all others, and over the smallest one, of a jump."""
_JUMPED = 0.01
"""Least size of a jump over the range of a position."""
_CUT = 0.01, 5
"""Part of the samples that are at the largest or least value, and how many follow each other, where it is cut off."""
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


def jumps(x: Array) -> Array:
    """The rows after which a position goes on elsewhere: an encoder was set, or positions were not written.

    A jump is far longer than nearly all steps, and the medians of samples before and after it differ by as much.
    """
    step = np.diff(x)
    if len(x) < 7 or not step.any():
        return np.zeros(0, dtype=int)
    usual = float(np.quantile(np.abs(step), 0.99))
    least = max(_JUMP * usual, _JUMP * _smallest_step(x), _JUMPED * float(np.ptp(x)))
    found = np.flatnonzero(np.abs(step) > least)
    middle = median_filter(x, 5)
    stays = np.abs(middle[np.minimum(found + 3, len(x) - 1)] - middle[np.maximum(found - 2, 0)])
    return np.asarray(found[stays > 0.5 * np.abs(step[found])])


def frozen(x: Array) -> Array:
    """Which samples of a position are copies of the one before: it stays as it is, and then it jumps."""
    found = np.zeros(len(x), dtype=bool)
    for last in jumps(x):
        others = np.flatnonzero(x[: last + 1] != x[last])
        first = others[-1] + 2 if len(others) else 1
        found[first : last + 1] = last + 1 - first >= _CUT[1]
    return found


def cut_off(x: Array) -> tuple[float, int] | None:
    """The largest or least value at which a torque stays, and the number of its samples; None where it is not cut."""
    part, length = _CUT
    for value in (float(x.max()), float(x.min())):
        at = x == value
        ends = np.flatnonzero(np.diff(np.concatenate([[False], at, [False]])))
        long = [b - a for a, b in zip(ends[::2], ends[1::2], strict=True) if b - a >= length]
        if np.ptp(x) and sum(long) >= part * len(x):
            return value, sum(long)
    return None
