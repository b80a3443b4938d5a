"""The band of a motion, from the spectrum of its positions: cut-off frequency and decimation follow from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import signal

from symoro.identification.readers.columns import Array
from symoro.identification.runs import Run

_SHARE = 0.99
"""Part of the power of the velocities inside the band of the motion."""
_SEEN = 10.0
"""Power of a motion over that of the noise."""
_CUTOFF = 5.0
"""Least cut-off frequency over the band of the motion."""
_NEW_RATE = 16.0
"""Rate after decimation over the band of the motion."""
_ALLOWED = (1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 25, 40, 50, 60, 80, 100, 120)


@dataclass(frozen=True)
class Band:
    """What the spectra of the positions say: the band of the motion and the cut-off frequency, in Hz."""

    motion: float
    """Nearly all of the power of the velocities is below this frequency."""
    cutoff: float
    """Above it the positions are noise."""


def band_of(runs: Sequence[Run]) -> Band:
    """The widest band of all joints in all runs."""
    found = [_band(run["q"][:, k], run.period) for run in runs for k in range(run["q"].shape[1])]
    motion = max(one.motion for one in found)
    cutoff = max([_CUTOFF * motion, *(one.cutoff for one in found)])
    return Band(motion, min(max(cutoff, 1.0), 0.4 / runs[0].period))


def _band(q: Array, period: float) -> Band:
    if np.ptp(q) == 0:
        return Band(0.0, 0.0)
    length = 1 << int(np.log2(max(16, len(q) // 2)))
    f, power = signal.welch(q, 1 / period, nperseg=min(length, len(q)), detrend="linear")
    noise = np.median(power[len(power) // 2 :])  # there is no motion in the upper half of the band
    seen = np.where(power > _SEEN * noise, power, 0.0)
    share = np.cumsum(seen * f**2)
    if not share[-1]:
        return Band(0.0, 0.0)
    motion = float(f[int(np.searchsorted(share, _SHARE * share[-1]))])
    edge = max(motion, float(f[1]))
    while edge < f[-1] and seen[(f > edge) & (f <= 2 * edge)].any():  # octave by octave
        edge *= 2
    return Band(motion, edge)


def decimation_of(motion: float, period: float, shortest: int) -> int:
    """How many samples become one, so that enough of them remain in a period of the fastest motion."""
    wanted = 1 / (period * max(_NEW_RATE * motion, 1e-9))
    longest = max(1.0, shortest / 50)
    return max(r for r in _ALLOWED if r <= max(1.0, min(wanted, longest)))
