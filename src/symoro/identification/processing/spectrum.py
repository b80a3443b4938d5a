"""The band of a motion, from the spectrum of its positions: cut-off frequency and decimation follow from it.

A run shows frequencies that are a multiple of the inverse of its length. In a short piece of a slow motion the power
of the whole motion is in the first of them, and the band seems to be as wide as the run is short. So the band is that
of the longest runs. A shorter run counts where the cut-off frequency of that band would take motion away from it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from scipy import signal

from symoro.identification.arrays import Array
from symoro.identification.processing.filtering import low_pass
from symoro.identification.recordings.noise import noise_of
from symoro.identification.recordings.runs import Run

_SHARE = 0.99
"""Part of the power of the velocities inside the band of the motion."""
_SEEN = 10.0
"""Power of a motion over that of the noise."""
_COUNTS = 0.01
"""Power of the velocities of a joint over that in the fastest run, from which on a run counts."""
_LOST = 3.0
"""Positions that the filter takes away over their noise, from which on they are motion."""
_SETTLED = 4.0
"""Periods of the cut-off frequency in which the filter settles at each end of a run."""
_NOTHING = 1e-4
"""Positions that are taken away over their range, which do not count."""
CUTOFF = 5.0
"""Least cut-off frequency over the band of the motion."""
_ROUNDED = 1.5
"""Variance of positions over that of rounding, s²/12, up to which there is no motion in them."""
_NEW_RATE = 16.0
"""Rate after decimation over the band of the motion."""
_ALLOWED = (1, 2, 3, 4, 5, 6, 8, 10, 12, 20, 25, 40, 50, 60, 80, 100, 120)
_LARGER = (150, 200, 250, 300, 400, 500, 600, 1000)
"""Factors for positions with large errors."""


@dataclass(frozen=True)
class Band:
    """What the spectra of the positions say: the band of the motion and the cut-off frequency, in Hz."""

    motion: float
    """Nearly all of the power of the velocities is below this frequency."""
    cutoff: float
    """Above it the positions are noise."""
    power: float = 0.0
    """Mean square of the velocities inside the band."""


def band_of(runs: Sequence[Run]) -> Band:
    """The widest band of all joints, in the runs that show it."""
    length = _segment(max(run.count for run in runs))
    long = [run for run in runs if run.count >= length]
    band = _widest(long, length)
    faster = [run for run in runs if run.count < length and _loses(run, band.cutoff)]
    return _widest([*long, *faster], length)


def _widest(runs: Sequence[Run], length: int) -> Band:
    found = [band for joint in range(runs[0]["q"].shape[1]) for band in _of_joint(runs, joint, length)]
    motion = max(one.motion for one in found)
    cutoff = max([CUTOFF * motion, *(one.cutoff for one in found)])
    return Band(motion, min(max(cutoff, 1.0), 0.4 / runs[0].period))


def _of_joint(runs: Sequence[Run], joint: int, length: int) -> list[Band]:
    """The bands of one joint in the runs in which it moves about as fast as in the fastest one."""
    found = [
        _band(run["q"][:, joint], run.period, min(length, _segment(run.count)), run.steps_of_positions[joint])
        for run in runs
    ]
    most = max(band.power for band in found)
    return [band for band in found if band.power >= _COUNTS * most]


def _loses(run: Run, cutoff: float) -> bool:
    """Whether the filter of positions takes more away from a run than its noise."""
    q, edge = run["q"], ceil(_SETTLED / (cutoff * run.period))
    if run.count <= 3 * edge:
        return False
    lost = (q - low_pass(q, run.period, cutoff))[edge:-edge]
    return bool((np.sqrt(np.mean(lost**2, axis=0)) > _LOST * noise_of(q) + _NOTHING * np.ptp(q, axis=0)).any())


def _segment(count: int) -> int:
    """Samples of a segment of Welch's method: a power of 2, a quarter to a half of a run."""
    return min(1 << int(np.log2(max(16, count // 2))), count)


def _band(q: Array, period: float, length: int, step: float) -> Band:
    if np.ptp(q) == 0:
        return Band(0.0, 0.0)
    f, power = signal.welch(q, 1 / period, nperseg=length, detrend="linear")
    noise = np.median(power[len(power) // 2 :])  # there is no motion in the upper half of the band
    above = np.cumsum(power[::-1])[::-1] * f[1]  # the variance of positions above each frequency
    seen = np.where((power > _SEEN * noise) & (above > _ROUNDED * step**2 / 12), power, 0.0)
    share = np.cumsum(seen * f**2)
    if not share[-1]:
        return Band(0.0, 0.0)
    motion = float(f[int(np.searchsorted(share, _SHARE * share[-1]))])
    edge = max(motion, float(f[1]))
    while edge < f[-1] and seen[(f > edge) & (f <= 2 * edge)].any():  # octave by octave
        edge *= 2
    return Band(motion, edge, float(share[-1] * f[1]))


def decimation_of(motion: float, period: float, count: int) -> int:
    """How many samples become one, so that enough of them remain in a period of the fastest motion, and in a run."""
    wanted = 1 / (period * max(_NEW_RATE * motion, 1e-9))
    return max(r for r in decimations(count) if r <= max(1.0, min(wanted, _ALLOWED[-1])))


def decimations(count: int) -> list[int]:
    """Factors of decimation that leave enough of so many samples."""
    return [r for r in (*_ALLOWED, *_LARGER) if r <= max(1.0, count / 50)]
