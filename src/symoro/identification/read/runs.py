"""Runs: pieces of a recording in which samples follow each other at one rate, without gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.read.repairs import (
    GAP,
    JITTER,
    LOST,
    at_equal_times,
    bridged,
    jitters,
    said_of_times,
    spikes,
    steps_of,
)

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
    steps: Mapping[str, Array] = field(default_factory=dict, repr=False)
    """The steps of encoders, by channel: one for each column, 0 where none is seen."""

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

    @property
    def steps_of_positions(self) -> Array:
        """The step of each position, 0 where none is seen."""
        return self.steps.get("q", np.zeros(self.channels["q"].shape[1]))

    def with_channels(self, **channels: Array) -> Run:
        return replace(self, channels={**self.channels, **channels})


def in_runs(t: Array, channels: Mapping[str, Array], source: str) -> tuple[list[Run], list[str]]:
    """The runs of a recording, and warnings about what was found: gaps, resets, samples that are not numbers."""
    _require_time(t, source)
    kept, said = _good(t, channels, source)
    period = _period(t[kept], len(t), source)
    times, whole = t[kept], {name: x[kept] for name, x in channels.items()}
    steps = {name: steps_of(x) for name, x in whole.items() if name in ("q", "qm")}
    uneven, more = jitters(times, period), list[str]()
    if not uneven:
        times, whole, more = _mended(times, whole, period)
    pieces = [rows for rows in _pieces(times, period * (LOST if uneven else GAP)) if len(rows) >= SHORTEST]
    if not pieces:
        raise DataError(
            f"{source}: no run has {SHORTEST} samples without a gap ({len(t)} samples, {kept.sum()} of them numbers)"
        )
    common = _mean_period(times, pieces) if uneven else None
    runs = [_uniform(times[rows], {name: x[rows] for name, x in whole.items()}, common) for rows in pieces]
    more += [text for _, text in runs if text][:1]
    if len(runs) > 1 or sum(map(len, pieces)) < len(times):
        what = "time jumps or goes back, or samples are missing"
        more.append(f"{what}: {len(runs)} runs were kept apart, {sum(map(len, pieces))} of {len(times)} samples")
    made = [replace(run, source=source, steps=steps) for run, _ in runs]
    return made, [f"{source}: {text}" for text in (*said, *more)]


def _good(t: Array, channels: Mapping[str, Array], source: str) -> tuple[Array, list[str]]:
    """Which samples are numbers, and no spikes of a position, which no robot follows; and what was found."""
    for name, x in {"t": t, **channels}.items():
        if len(without := np.flatnonzero(~np.isfinite(x.reshape(len(t), -1)).any(axis=0))):
            which = "" if name == "t" else f" {without[0] + 1}"
            raise DataError(f"{source}: channel {name}{which} has no numbers")
    kept = np.isfinite(np.column_stack([t, *(x.reshape(len(t), -1) for x in channels.values())])).all(axis=1)
    bad = int((~kept).sum())
    said = [f"{bad} of {len(t)} samples are not numbers, and were left out"] if bad else []
    rows = np.flatnonzero(kept)
    for k, x in enumerate(channels["q"][kept].T, 1):
        found = rows[spikes(x, "q")]
        kept[found] = False
        said += [f"position {k} has {len(found)} spikes, the first in sample {found[0]}"] if len(found) else []
    return kept, said


def _period(t: Array, count: int, source: str) -> float:
    """The usual time between samples."""
    step = np.diff(t)
    if not (step > 0).any():
        raise DataError(f"{source}: there are not two samples with different times")
    if (back := int((step <= 0).sum())) > max(3.0, _MOST_RESETS * count):
        raise DataError(f"{source}: time does not increase in {back} of {count} samples: they are not in order")
    return float(np.median(step[step > 0]))


def _mended(t: Array, channels: Mapping[str, Array], period: float) -> tuple[Array, dict[str, Array], list[str]]:
    """The recording with samples in small gaps; and what was found."""
    times, whole, lost = bridged(t, channels, period)
    said = []
    if lost:
        what = f"{sum(lost)} samples are missing in {len(lost)} gaps of at most {max(lost)}"
        said.append(f"{what}: they were interpolated")
    return times, whole, said


def _require_time(t: Array, source: str) -> None:
    if t.ndim != 1 or len(t) < SHORTEST:
        raise DataError(f"{source}: there are {len(t)} samples (allowed: {SHORTEST} or more)")


def _pieces(t: Array, longest: float) -> list[Array]:
    """Rows of samples that follow each other."""
    step = np.diff(t)
    breaks = (step <= 0) | (step > longest)
    return np.split(np.arange(len(t)), np.flatnonzero(breaks) + 1)


def _mean_period(t: Array, pieces: Sequence[Array]) -> float:
    """The mean time between samples of all pieces: runs of one recording have one rate."""
    return float(sum(t[rows[-1]] - t[rows[0]] for rows in pieces) / sum(len(rows) - 1 for rows in pieces))


def _uniform(t: Array, channels: dict[str, Array], common: float | None) -> tuple[Run, str]:
    """The run at equal times, a `common` period or their mean apart; and what is to be said where times jitter."""
    period = common or float((t[-1] - t[0]) / (len(t) - 1))
    even = t[0] + period * np.arange(len(t))
    if np.abs(t - even).max() <= max(JITTER * period, 1e-9):
        return Run(period, channels, float(t[0])), ""
    made, late = at_equal_times(t, channels, period)
    drifts = np.abs(np.diff(t) - period).max() <= JITTER * period  # drifting clocks move samples, each by little
    return Run(period, made, float(t[0])), "" if drifts else said_of_times(t, period, late)
