"""Small gaps of a recording, bridged where the motion on both sides says what was lost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.recordings.noise import noise_of

GAP = 1.5
"""Times the usual period: a longer one is a gap."""
_LONGEST = 20
"""Most samples in a gap that is bridged."""
_BESIDE = 5
"""Least samples on each side that the bridge follows; as a rule twice those of the gap."""
_HARMLESS = 1e-5
"""Deviation of positions from the bridge over their range, which changes accelerations by little."""
_NOISE = 1.5
"""Deviation of positions from the bridge over their noise, up to which the bridge is as good as samples are."""


def bridged(t: Array, channels: Mapping[str, Array], period: float) -> tuple[Array, dict[str, Array], list[int]]:
    """The recording with samples in its small gaps, and how many there are in each.

    Each channel follows a cubic polynomial, the least squares fit to samples on both sides, through the two at the gap.
    """
    found = list(_bridges(t, channels, period))
    places = np.repeat([after + 1 for after, _, _ in found], [len(at) for _, at, _ in found]).astype(int)
    if not len(places):
        return t, dict(channels), []
    times = np.insert(t, places, np.concatenate([at for _, at, _ in found]))
    filled = {
        n: np.insert(x, places, np.concatenate([fill[n] for _, _, fill in found]), 0) for n, x in channels.items()
    }
    return times, filled, [len(at) for _, at, _ in found]


def _bridges(t: Array, channels: Mapping[str, Array], period: float) -> Iterator[tuple[int, Array, dict[str, Array]]]:
    """Of each gap that can be bridged: the row before it, times and samples in it."""
    step, q = np.diff(t), channels["q"]
    allowed = np.maximum(_HARMLESS * np.ptp(q, axis=0), _NOISE * noise_of(q))
    for last in np.flatnonzero((step > GAP * period) & (step < (_LONGEST + 1.5) * period)):
        lost = round(step[last] / period) - 1
        wide = max(_BESIDE, 2 * lost)
        rows = slice(max(0, last + 1 - wide), last + 1 + wide)
        before = last + 1 - rows.start
        if before < _BESIDE or len(t[rows]) - before < _BESIDE or np.ptp(t[rows]) > (2 * wide + _LONGEST) * 2 * period:
            continue
        at = np.linspace(t[last], t[last + 1], lost + 2)[1:-1]
        e = q[rows] - _cubic(t[rows], q[rows], t[rows])
        if (np.sqrt(np.mean(e**2, axis=0)) <= allowed).all():
            yield int(last), at, {name: _filled(t[rows], x[rows], before, at) for name, x in channels.items()}


def _cubic(t: Array, x: Array, at: Array) -> Array:
    """The cubic polynomial of samples, by least squares, at some times."""
    middle, half = (t[0] + t[-1]) / 2, (t[-1] - t[0]) / 2
    c = np.linalg.lstsq(np.vander((t - middle) / half, 4), x, rcond=None)[0]
    return np.asarray(np.vander((at - middle) / half, 4) @ c)


def _filled(t: Array, x: Array, before: int, at: Array) -> Array:
    """The polynomial in the gap, with a line added to it that leads through the samples at both ends."""
    ends = t[before - 1 : before + 1]
    off = x[before - 1 : before + 1] - _cubic(t, x, ends)
    part = ((at - ends[0]) / (ends[1] - ends[0]))[:, None]
    return np.asarray(_cubic(t, x, at) + (1 - part) * off[0] + part * off[1])
