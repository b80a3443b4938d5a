"""Spikes of a channel: single samples that are far from those before and after them."""

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
    least = max(_FAR * noise, _SIZE[channel] * float(high - low), 1e-12 * float(np.abs(x).max()))
    middle = median_filter(x, 3)
    before, after = x - np.roll(middle, 2), x - np.roll(middle, -2)
    near, wide = np.sort(np.abs([before, after]), axis=0)
    far = (np.minimum(near, np.abs(bend)) > least) & (near > _ALIKE * wide) & (before * after > 0)
    found = np.flatnonzero(far & (np.abs(bend) == maximum_filter1d(np.abs(bend), 5)))
    return found if bend[found] @ bend[found] > len(x) * noise**2 else found[:0]
