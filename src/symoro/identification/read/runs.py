"""Recordings mended, and the runs in them: noise, steps of encoders, spikes, gaps, and the order of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.ndimage import maximum_filter1d, median_filter
from scipy.special import binom
from scipy.stats import norm

from symoro.errors import DataError
from symoro.findings import Finding, Place
from symoro.identification.arrays import Array

# The noise of positions, from the positions alone.


_USUAL = 0.9
"""Part of the differences that are not those of gaps and spikes."""


def noise_of(q: Array, order: int = 2) -> Array:
    """The standard deviation of white noise in q, by differences of this order.

    Differences of order n of white noise have C(2n, n) times its variance. The higher the order is, the less of the
    motion is left in them.
    """
    rough = np.quantile(np.abs(np.diff(q, order, axis=0)), _USUAL, axis=0)
    return np.asarray(rough / (norm.ppf((1 + _USUAL) / 2) * np.sqrt(binom(2 * order, order))))


# The step of an encoder, from the positions that it gave: all of them are multiples of one number.


_SAMPLES = 100_000
"""Samples that are looked at."""
_FINEST = 1e-9
"""Distance of two values over their range, up to which they are the same."""
_FEWEST = 4
"""Steps that a joint moves at least."""
_WHOLE = 0.1
"""Distance of a multiple from a whole number."""
_MOST = 0.99
"""Part of the distances that are multiples of the step."""
_ROUGH = 0.1
"""Mean square of fourth differences over the square of the step: a motion that is a polynomial has none."""


def step_of(x: Array) -> float:
    """The step of one column; 0 where its values are not multiples of one number, or where there are few."""
    x = x[np.isfinite(x)][:_SAMPLES]
    levels = np.unique(x)
    apart = np.diff(levels)
    apart = apart[apart > _FINEST * np.ptp(levels)] if len(levels) > 1 else apart
    if len(apart) < _FEWEST:
        return 0.0
    step = _refined(apart)
    off = np.abs(apart / step - np.round(apart / step))
    rough = float(np.mean(np.diff(x, 4) ** 2)) > _ROUGH * step**2
    return step if rough and np.mean(off < _WHOLE) >= _MOST else 0.0


def _refined(apart: Array) -> float:
    """The number whose multiples are nearest to the distances: small multiples first, which are certain."""
    step = float(apart.min())
    for most in (3.0, 30.0, np.inf):
        some = apart[apart < most * step]
        count = np.round(some / step)
        step = float(some @ count / (count @ count))
    return step


def steps_of(q: Array) -> Array:
    """The step of each column."""
    return np.array([step_of(x) for x in q.T])


# What single samples of a channel show: spikes, and values that are cut off.


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
    rows = np.flatnonzero(far & (np.abs(bend) == maximum_filter1d(np.abs(bend), 5)))
    return rows if bend[rows] @ bend[rows] > len(x) * noise**2 else rows[:0]


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


# Small gaps of a recording, bridged where the motion on both sides says what was lost.


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
    bridges = list(_bridges(t, channels, period))
    places = np.repeat([after + 1 for after, _, _ in bridges], [len(at) for _, at, _ in bridges]).astype(int)
    if not len(places):
        return t, dict(channels), []
    times = np.insert(t, places, np.concatenate([at for _, at, _ in bridges]))
    filled = {
        n: np.insert(x, places, np.concatenate([fill[n] for _, _, fill in bridges]), 0) for n, x in channels.items()
    }
    return times, filled, [len(at) for _, at, _ in bridges]


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


# Samples in the order of time: rows that are written twice are left out, rows that were shuffled are sorted.


_SHUFFLED = 0.1
"""Part of the samples at which time goes back, from which on rows are not in their order."""
_SMOOTH = 0.5
"""Path of the positions over that of the rows as they are, for rows that sorting puts in order."""


def in_order(t: Array, channels: Mapping[str, Array], where: str) -> tuple[Array, dict[str, Array], list[Finding]]:
    """Times and channels in the order of time, and warnings about what was changed."""
    warnings: list[Finding] = []
    if t.ndim != 1 or len(t) < 3:
        return t, dict(channels), warnings
    twice = np.concatenate([[False], np.all([_same(x) for x in (t, *channels.values())], axis=0)])
    if twice.any():
        warnings.append(Finding("recordings.rows_twice", twice=int(twice.sum()), count=len(t), place=Place(where)))
        t, channels = t[~twice], {name: x[~twice] for name, x in channels.items()}
    if np.isfinite(t).all() and np.mean(np.diff(t) < 0) > _SHUFFLED:
        if (np.diff(t) < 0).all():
            raise DataError("recordings.times_decrease", place=Place(where))
        order = np.argsort(t, kind="stable")
        if not _path(channels["q"][order]) < _SMOOTH * _path(channels["q"]):
            raise DataError("recordings.times_of_other_rows", place=Place(where))
        warnings.append(Finding("recordings.sorted", place=Place(where)))
        t, channels = t[order], {name: x[order] for name, x in channels.items()}
    return t, dict(channels), warnings


def _same(x: Array) -> Array:
    """Whether each row is that before it."""
    return np.asarray((x[1:] == x[:-1]).reshape(len(x) - 1, -1).all(axis=1))


def _path(q: Array) -> float:
    """The way of all positions that are numbers."""
    known = q[np.isfinite(q).all(axis=1)]
    return float(np.abs(np.diff(known, axis=0)).sum())


# Samples at equal times, from samples whose times are not equal.
#
# Either the samples were taken at uneven times, or they were taken at equal times and stamped late. Positions tell: as
# a function of the wrong times they are rough, by the speed times the error of the time. In the first case samples are
# interpolated, in the second one they are taken as they are.


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
    resampled = {name: np.asarray(make_interp_spline(t[kept], x[kept], k=3)(even)) for name, x in channels.items()}
    if np.ptp(t - period * np.arange(len(t))) > 2 * period:
        return resampled, False
    rough = noise_of(channels["q"]), noise_of(resampled["q"])
    moves = rough[1] > 0
    late = bool(moves.any() and np.median(rough[0][moves] / rough[1][moves]) < _SMOOTHER)
    return (dict(channels) if late else resampled), late


def _apart(t: Array, least: float) -> Array:
    """The rows of samples that are not too close to the one before."""
    kept, last = [0], t[0]
    for k in range(1, len(t)):
        if t[k] - last >= least:
            kept.append(k)
            last = t[k]
    return np.array(kept)


def of_uneven_times(t: Array, period: float, late: bool) -> Finding:
    """The warning about uneven times, with what was done."""
    least, most = 1e3 * float(np.diff(t).min()), 1e3 * float(np.diff(t).max())
    if late:
        return Finding("recordings.late_stamps", least=least, most=most, period=1e3 * period)
    return Finding("recordings.uneven_times", least=least, most=most, period=1e3 * period, highest=500 / most)


# Runs: pieces of a recording in which samples follow each other at one rate, without gaps.


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
