"""Runs: pieces of a recording in which samples follow each other at one rate, without gaps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from symoro.errors import DataError
from symoro.identification.gaps import GAP, bridged
from symoro.identification.readers.columns import Array

_JITTER = 0.05
"""Part of the period by which times may differ before samples are interpolated at equal times."""
SHORTEST = 20
"""Samples of a run; shorter ones are left out."""
_MOST_RESETS = 0.02
"""Part of the samples at which time may go back; more is no recording in order of time."""


@dataclass(frozen=True)
class Run:
    """Channels of one piece of a recording, a row for each sample; times are `period` apart."""

    period: float
    channels: Mapping[str, Array] = field(repr=False)
    start: float = 0.0
    source: str = ""

    @property
    def count(self) -> int:
        return len(self.channels["q"])

    @property
    def t(self) -> Array:
        return self.start + self.period * np.arange(self.count)

    def __getitem__(self, channel: str) -> Array:
        return self.channels[channel]

    def __contains__(self, channel: str) -> bool:
        return channel in self.channels

    def with_channels(self, **channels: Array) -> Run:
        return replace(self, channels={**self.channels, **channels})


def in_runs(t: Array, channels: Mapping[str, Array], source: str) -> tuple[list[Run], list[str]]:
    """The runs of a recording, and warnings about what was found: gaps, resets, samples that are not numbers."""
    _require_time(t, source)
    warnings = []
    finite = np.isfinite(np.column_stack([t, *(x.reshape(len(t), -1) for x in channels.values())])).all(axis=1)
    if not finite.all():
        bad = int((~finite).sum())
        warnings.append(f"{source}: {bad} of {len(t)} samples are not numbers, and were left out")
    step = np.diff(t[finite])
    if not len(step) or not (period := float(np.median(step[step > 0])) if (step > 0).any() else 0.0):
        raise DataError(f"{source}: there are not two samples with different times")
    if (back := int((step <= 0).sum())) > max(3.0, _MOST_RESETS * len(t)):
        raise DataError(f"{source}: time does not increase in {back} of {len(t)} samples: they are not in order")
    times, whole, lost = bridged(t[finite], {name: x[finite] for name, x in channels.items()}, period)
    if lost:
        what = f"{sum(lost)} samples are missing in {len(lost)} gaps of at most {max(lost)}"
        warnings.append(f"{source}: {what}: they were interpolated")
    pieces = [rows for rows in _pieces(times, period) if len(rows) >= SHORTEST]
    if not pieces:
        raise DataError(
            f"{source}: no run has {SHORTEST} samples without a gap ({len(t)} samples, {finite.sum()} of them numbers)"
        )
    runs = [_uniform(times[rows], {name: x[rows] for name, x in whole.items()}, source) for rows in pieces]
    if any(uneven for _, uneven in runs):
        warnings.append(f"{source}: the times between samples differ; they were interpolated at equal times")
    kept = sum(map(len, pieces))
    if len(runs) > 1 or kept < len(times):
        what = "time jumps or goes back, or samples are missing"
        warnings.append(f"{source}: {what}: {len(runs)} runs were kept apart, {kept} of {len(times)} samples")
    return [run for run, _ in runs], warnings


def _require_time(t: Array, source: str) -> None:
    if t.ndim != 1 or len(t) < SHORTEST:
        raise DataError(f"{source}: there are {len(t)} samples (allowed: {SHORTEST} or more)")


def _pieces(t: Array, period: float) -> list[Array]:
    """Rows of samples that follow each other."""
    step = np.diff(t)
    return np.split(np.arange(len(t)), np.flatnonzero((step <= 0) | (step > GAP * period)) + 1)


def _uniform(t: Array, channels: dict[str, Array], source: str) -> tuple[Run, bool]:
    """The run at equal times, and whether samples had to be interpolated."""
    period = float((t[-1] - t[0]) / (len(t) - 1))
    even = t[0] + period * np.arange(len(t))
    if np.abs(t - even).max() <= max(_JITTER * period, 1e-9):
        return Run(period, channels, float(t[0]), source), False
    from scipy.interpolate import make_interp_spline

    resampled = {name: make_interp_spline(t, x, k=3)(even) for name, x in channels.items()}
    if np.abs(np.diff(t) - period).max() <= _JITTER * period:  # drifting clocks move samples, each by little
        return Run(period, resampled, float(t[0]), source), False
    return Run(period, resampled, float(t[0]), source), True
