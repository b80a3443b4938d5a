"""Runs: pieces of a recording in which samples follow each other at one rate, without gaps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from symoro.errors import DataError
from symoro.findings import Finding, Place
from symoro.identification.arrays import Array
from symoro.identification.read.repairs import (
    GAP,
    JITTER,
    LOST,
    at_equal_times,
    bridged,
    jitters,
    of_uneven_times,
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


def in_runs(t: Array, channels: Mapping[str, Array], source: str) -> tuple[list[Run], list[Finding]]:
    """The runs of a recording, and warnings about what was found: gaps, resets, samples that are not numbers."""
    _require_time(t, source)
    kept, warnings = _good(t, channels, source)
    period = _period(t[kept], len(t), source)
    times, whole = t[kept], {name: x[kept] for name, x in channels.items()}
    steps = {name: steps_of(x) for name, x in whole.items() if name in ("q", "qm")}
    uneven, more = jitters(times, period), list[Finding]()
    if not uneven:
        times, whole, more = _mended(times, whole, period)
    pieces = [rows for rows in _pieces(times, period * (LOST if uneven else GAP)) if len(rows) >= SHORTEST]
    if not pieces:
        numbers = int(kept.sum())
        raise DataError("recordings.no_run", least=SHORTEST, count=len(t), numbers=numbers, place=Place(source))
    common = _mean_period(times, pieces) if uneven else None
    runs = [_uniform(times[rows], {name: x[rows] for name, x in whole.items()}, common) for rows in pieces]
    more += [warning for _, warning in runs if warning is not None][:1]
    if len(runs) > 1 or sum(map(len, pieces)) < len(times):
        samples = sum(map(len, pieces))
        more.append(Finding("recordings.runs_apart", runs=len(runs), kept=samples, count=len(times)))
    of_source = [replace(run, source=source, steps=steps) for run, _ in runs]
    return of_source, [warning.at(file=source) for warning in (*warnings, *more)]


def _good(t: Array, channels: Mapping[str, Array], source: str) -> tuple[Array, list[Finding]]:
    """Which samples are numbers, and no spikes of a position, which no robot follows; and what was found."""
    for name, x in {"t": t, **channels}.items():
        if len(without := np.flatnonzero(~np.isfinite(x.reshape(len(t), -1)).any(axis=0))):
            column = name if name == "t" else f"{name} {without[0] + 1}"
            raise DataError("recordings.channel_without_numbers", channel=column, place=Place(source))
    kept = np.isfinite(np.column_stack([t, *(x.reshape(len(t), -1) for x in channels.values())])).all(axis=1)
    bad = int((~kept).sum())
    warnings = [Finding("recordings.missing_samples", missing=bad, count=len(t))] if bad else []
    rows = np.flatnonzero(kept)
    for k, x in enumerate(channels["q"][kept].T, 1):
        spiky = rows[spikes(x, "q")]
        kept[spiky] = False
        if len(spiky):
            first = int(spiky[0])
            warnings.append(Finding("recordings.spikes_of_position", position=k, count=len(spiky), first=first))
    return kept, warnings


def _period(t: Array, count: int, source: str) -> float:
    """The usual time between samples."""
    step = np.diff(t)
    if not (step > 0).any():
        raise DataError("recordings.one_time", place=Place(source))
    if (back := int((step <= 0).sum())) > max(3.0, _MOST_RESETS * count):
        raise DataError("recordings.time_goes_back", back=back, count=count, place=Place(source))
    return float(np.median(step[step > 0]))


def _mended(t: Array, channels: Mapping[str, Array], period: float) -> tuple[Array, dict[str, Array], list[Finding]]:
    """The recording with samples in small gaps; and what was found."""
    times, whole, lost = bridged(t, channels, period)
    if not lost:
        return times, whole, []
    warning = Finding("recordings.gaps_filled", missing=sum(lost), gaps=len(lost), longest=max(lost))
    return times, whole, [warning]


def _require_time(t: Array, source: str) -> None:
    if t.ndim != 1 or len(t) < SHORTEST:
        raise DataError("recordings.too_few_samples", count=len(t), least=SHORTEST, place=Place(source))


def _pieces(t: Array, longest: float) -> list[Array]:
    """Rows of samples that follow each other."""
    step = np.diff(t)
    breaks = (step <= 0) | (step > longest)
    return np.split(np.arange(len(t)), np.flatnonzero(breaks) + 1)


def _mean_period(t: Array, pieces: Sequence[Array]) -> float:
    """The mean time between samples of all pieces: runs of one recording have one rate."""
    return float(sum(t[rows[-1]] - t[rows[0]] for rows in pieces) / sum(len(rows) - 1 for rows in pieces))


def _uniform(t: Array, channels: dict[str, Array], common: float | None) -> tuple[Run, Finding | None]:
    """The run at equal times, a `common` period or their mean apart; and a warning where times jitter."""
    period = common or float((t[-1] - t[0]) / (len(t) - 1))
    even = t[0] + period * np.arange(len(t))
    if np.abs(t - even).max() <= max(JITTER * period, 1e-9):
        return Run(period, channels, float(t[0])), None
    resampled, late = at_equal_times(t, channels, period)
    drifts = np.abs(np.diff(t) - period).max() <= JITTER * period  # drifting clocks move samples, each by little
    return Run(period, resampled, float(t[0])), None if drifts else of_uneven_times(t, period, late)
