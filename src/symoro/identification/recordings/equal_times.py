"""Samples at equal times, from samples whose times are not equal.

Either the samples were taken at uneven times, or they were taken at equal times and stamped late. Positions tell: as a
function of the wrong times they are rough, by the speed times the error of the time. In the first case samples are
interpolated, in the second one they are taken as they are.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.interpolate import make_interp_spline

from symoro.identification.arrays import Array
from symoro.identification.recordings.noise import noise_of

JITTER = 0.05
"""Part of the period by which times may differ before samples are interpolated at equal times."""
_UNEVEN = 0.1
"""Mean distance of steps of time from whole periods, over the period, of times that jitter everywhere."""
LOST = 4.0
"""Times the period: a longer step of such times is a gap."""
_CLOSE = 0.1
"""Part of the period: of samples that are closer, the first one counts."""
_SMOOTHER = 0.5
"""Stamps are late where positions at equal times have less than this part of the roughness at their own times."""


def jitters(t: Array, period: float) -> bool:
    """Whether steps of time are no whole periods: then a long step is no gap."""
    step = np.diff(t) / period
    return bool(np.mean(np.abs(step - np.round(step))) > _UNEVEN)


def at_equal_times(t: Array, channels: Mapping[str, Array], period: float) -> tuple[dict[str, Array], bool]:
    """Channels at times that are a period apart, and whether only the stamps of their samples were uneven."""
    even = t[0] + period * np.arange(int((t[-1] - t[0]) / period + 1e-6) + 1)
    kept = _apart(t, _CLOSE * period)
    made = {name: np.asarray(make_interp_spline(t[kept], x[kept], k=3)(even)) for name, x in channels.items()}
    if np.ptp(t - period * np.arange(len(t))) > 2 * period:
        return made, False
    rough = noise_of(channels["q"]), noise_of(made["q"])
    moves = rough[1] > 0
    late = bool(moves.any() and np.median(rough[0][moves] / rough[1][moves]) < _SMOOTHER)
    return (dict(channels) if late else made), late


def _apart(t: Array, least: float) -> Array:
    """The rows of samples that are not too close to the one before."""
    kept, last = [0], t[0]
    for k in range(1, len(t)):
        if t[k] - last >= least:
            kept.append(k)
            last = t[k]
    return np.array(kept)


def said_of_times(t: Array, period: float, late: bool) -> str:
    """What was found about uneven times, and what it means."""
    step = np.diff(t)
    what = f"time stamps jitter: samples are {1e3 * step.min():.3g} to {1e3 * step.max():.3g} ms apart"
    if late:
        return f"{what}; positions are smooth at equal times, so samples were taken as {1e3 * period:.4g} ms apart"
    seen = 0.5 / step.max()
    return f"{what}; they were interpolated at equal times ({1e3 * period:.4g} ms), and show motion up to {seen:.3g} Hz"
