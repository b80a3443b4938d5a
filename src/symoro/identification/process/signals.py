"""Signals of a run by frequency: filters without phase, the band of a motion, what errors of positions do to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import ceil

import numpy as np
from scipy import signal
from scipy.interpolate import make_interp_spline

from symoro.errors import DataError
from symoro.findings import Argument, Finding
from symoro.identification.arrays import Array
from symoro.identification.read.runs import Run, noise_of
from symoro.identification.subject.subject import Subject

# Filters without phase: smooth positions and their derivatives, and fewer samples of columns in parallel.


DECIMATION = Argument("decimation")
ORDER = 4
"""Order of the Butterworth filter of positions."""
_LOWEST = 1e-6
"""The least cut-off frequency over the highest one: rounding makes filters below it unstable."""
_LONG = 0.1
"""Seconds between samples from which on the unit of time is suspected."""
_SHORTEST = 27
"""Samples that a stage of decimation needs more than: its filter is begun with as many."""
_ENDS = 2
"""Decimated rows at each end of a run that are left out."""
_LARGEST_STAGE = 13
"""Largest factor of one stage of decimation: the Chebyshev filter of a larger one is not accurate."""


@dataclass(frozen=True)
class Smooth:
    """Positions, velocities and accelerations without noise, and the rows of the recording that they belong to."""

    q: Array
    qd: Array
    qdd: Array
    rows: slice


def low_pass(x: Array, period: float, cutoff: float | None) -> Array:
    """x through a Butterworth filter, forward and backward; unchanged without a cut-off frequency (Hz)."""
    if cutoff is None:
        return x
    nyquist = 0.5 / period
    if not _LOWEST * nyquist <= cutoff < nyquist:
        raise DataError(
            "measurements.cutoff",
            option=Argument("cutoff"),
            cutoff=cutoff,
            lowest=_LOWEST * nyquist,
            highest=nyquist,
            period=period,
            hint=Finding("measurements.time_in_milliseconds") if period > _LONG else "",
        )
    sos = signal.butter(ORDER, cutoff / nyquist, output="sos")
    pad = min(len(x) - 1, 3 * (2 * ORDER + 1))
    return np.asarray(signal.sosfiltfilt(sos, x, axis=0, padlen=pad))


def derivative(x: Array, period: float) -> Array:
    """Central differences."""
    return np.asarray(np.gradient(x, period, axis=0))


def delayed(x: Array, period: float, delay: float) -> Array:
    """x as it is `delay` seconds later, by quintic splines; the ends are extrapolated."""
    if delay == 0:
        return x
    t = period * np.arange(len(x))
    return np.asarray(make_interp_spline(t, x, k=5)(t + delay))


def smooth(q: Array, period: float, cutoff: float | None, border: int, delay: float = 0.0) -> Smooth:
    """q filtered, read `delay` seconds later, and differentiated twice; `border` samples at each end are left out."""
    if len(q) <= 2 * border + 2 * ORDER:
        raise DataError("measurements.short_run", count=len(q), border=border)
    filtered = delayed(low_pass(q, period, cutoff), period, delay)
    qd = derivative(filtered, period)
    qdd = derivative(qd, period)
    kept = slice(border, len(q) - border)
    return Smooth(filtered[kept], qd[kept], qdd[kept], kept)


def stages(factor: int) -> tuple[int, ...]:
    """The factors of the stages of a decimation, each at most 13."""
    parts, rest = [], factor
    for part in range(_LARGEST_STAGE, 1, -1):
        while rest > 0 and rest % part == 0:
            parts.append(part)
            rest //= part
    if rest != 1 or factor < 1:
        raise DataError("measurements.stages", option=DECIMATION, factor=factor, largest=_LARGEST_STAGE)
    return tuple(sorted(parts, reverse=True))


def decimated(x: Array, factor: int) -> Array:
    """Every factor-th row, after a Chebyshev filter (order 8, 0.05 dB, 0.8 of the new Nyquist) without phase.

    `unfiltered(factor)` rows at each end are left out.
    """
    if not can_be_decimated(len(x), factor):
        raise DataError("measurements.few_for_decimation", option=DECIMATION, factor=factor)
    for part in stages(factor):
        x = signal.decimate(x, part, axis=0)
    ends = unfiltered(factor)
    return np.ascontiguousarray(x[ends : len(x) - ends])


def unfiltered(factor: int) -> int:
    """Decimated rows at each end of a run that have more noise than the others.

    The filter begins with samples that are mirrored at the end. So its first output is the first sample as it is, with
    all of its noise, and the next ones contain it.
    """
    return 0 if factor == 1 else _ENDS


def can_be_decimated(count: int, factor: int) -> bool:
    """Whether so many samples are enough for every stage of a decimation, and rows are left between both ends."""
    for part in stages(factor):
        if count <= _SHORTEST:
            return False
        count = -(-count // part)
    return count > 2 * unfiltered(factor)


@cache
def passed_power(factor: int) -> float:
    """The part of white noise that decimation passes: the mean of |H|⁴ over the new band; 1 without decimation.

    |H|⁴ because the filter runs forward and backward. Rows are correlated accordingly: n of them count as c n.
    """
    if factor == 1:
        return 1.0
    last = stages(factor)[-1]
    sos = signal.cheby1(8, 0.05, 0.8 / last, output="sos")
    w = np.linspace(0, np.pi / last, 4001)
    _, H = signal.sosfreqz(sos, worN=w)
    return float(np.mean(np.abs(H) ** 4))


@dataclass(frozen=True)
class Chebyshev:
    """Decimation of whole runs by the filter without phase."""

    factor: int

    @property
    def power(self) -> float:
        return passed_power(self.factor)

    def times(self, t: Array) -> Array:
        """The times of the outputs."""
        every, ends = t[:: self.factor], unfiltered(self.factor)
        return every[ends : len(every) - ends]

    def __call__(self, x: Array) -> Array:
        return decimated(x, self.factor)


# Decimation by a filter of finite length: each output needs a few samples, so that data can be taken in parts.


_TAPS = 20
"""Taps of the filter for each sample that becomes one."""
_OUTPUTS = 32
"""Outputs of one product: a band of the filter times a block of rows."""


@cache
def taps(factor: int) -> Array:
    """A low-pass filter of 20 r + 1 taps, with its corner at 0.8 of the new Nyquist; [1] without decimation."""
    return np.ones(1) if factor == 1 else np.asarray(signal.firwin(_TAPS * factor + 1, 0.8 / factor))


@dataclass(frozen=True)
class Fir:
    """Decimation by the filter of finite length."""

    factor: int

    @property
    def reach(self) -> int:
        """Samples on each side of an output."""
        return len(taps(self.factor)) // 2

    @property
    def power(self) -> float:
        """The part of white noise that is left: the mean of |H|² over the new band."""
        if self.factor == 1:
            return 1.0
        _, H = signal.freqz(taps(self.factor), worN=np.linspace(0, np.pi / self.factor, 4001))
        return float(np.mean(np.abs(H) ** 2))

    def times(self, t: Array) -> Array:
        """The times of the outputs."""
        return t[self.reach : len(t) - self.reach : self.factor]

    def __call__(self, x: Array) -> Array:
        return decimated_by_fir(x, self.factor, len(self.times(x)))


@cache
def _several_outputs(factor: int) -> Array:
    """The filter as a matrix for several outputs at once."""
    h = taps(factor)
    F = np.zeros((_OUTPUTS, (_OUTPUTS - 1) * factor + len(h)))
    for k in range(_OUTPUTS):
        F[k, k * factor : k * factor + len(h)] = h
    return F


def decimated_by_fir(x: Array, factor: int, count: int) -> Array:
    """`count` outputs; the first is centred at row `Fir.reach` of x."""
    if factor == 1:
        return x[:count]
    F, h = _several_outputs(factor), taps(factor)
    outputs = np.empty((count, *x.shape[1:]))
    for k in range(0, count, _OUTPUTS):
        some = min(_OUTPUTS, count - k)
        width = (some - 1) * factor + len(h)
        outputs[k : k + some] = F[:some, :width] @ x[k * factor : k * factor + width]
    return outputs


# The band of a motion, from the spectrum of its positions: cut-off frequency and decimation follow from it.
#
# A run shows frequencies that are a multiple of the inverse of its length. In a short piece of a slow motion the power
# of the whole motion is in the first of them, and the band seems to be as wide as the run is short. So the band is that
# of the longest runs. A shorter run counts where the cut-off frequency of that band would take motion away from it.


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
    bands = [band for joint in range(runs[0]["q"].shape[1]) for band in _of_joint(runs, joint, length)]
    motion = max(one.motion for one in bands)
    cutoff = max([CUTOFF * motion, *(one.cutoff for one in bands)])
    return Band(motion, min(max(cutoff, 1.0), 0.4 / runs[0].period))


def _of_joint(runs: Sequence[Run], joint: int, length: int) -> list[Band]:
    """The bands of one joint in the runs in which it moves about as fast as in the fastest one."""
    bands = [
        _band(run["q"][:, joint], run.period, min(length, _segment(run.count)), run.steps_of_positions[joint])
        for run in runs
    ]
    most = max(band.power for band in bands)
    return [band for band in bands if band.power >= _COUNTS * most]


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


# Errors of positions, rounding and noise: how much they disturb accelerations, and the rate at which they do not.
#
# Rounding to steps s is an error of variance s²/12 (Widrow and Kollár 2008, ch. 5), which changes where a step is
# passed. Its power is spread over all frequencies up to half of the rate, or up to those at which steps are passed,
# where these are lower. Noise is taken as white. In accelerations the power is multiplied by ω⁴: it grows with the
# fifth power of the band.
#
# Errors of a column make its parameter too small by x, the power of the errors over that of the column. They also make
# it uncertain: σ is √(x/n) with n rows. So they are harmless where n x is small: the bias is then below σ.


_PASSED = 0.4
"""Frequencies that decimation passes, over the new rate."""
_BIAS, _LARGE = 1.0, 9.0
"""Squares of the bias over σ: that of a rate that is chosen, and one that is worth a warning."""
_LEAST, _MOST, _VISIBLE = 1e-4, 3e-4, 1e-3
"""Powers of errors over that of the acceleration: always harmless, never harmless, and worth a warning."""
_MOVES = 20.0
"""Steps that a joint has to move, so that its motion counts."""
_RESTS = 3.0
"""A joint that moves by fewer steps of its encoder is at rest."""
_ORDER = 6
"""Order of the differences by which noise is told from motion."""


@dataclass(frozen=True)
class Disturbance:
    """What errors of positions do to accelerations in the band of decimated rows."""

    decimation: int
    edge: float
    """The highest frequency of the band."""
    count: int
    """The number of rows."""
    power: Array = field(repr=False)
    """The power of the errors over that of the acceleration, for each position."""

    @property
    def worst(self) -> float:
        return float(self.power.max(initial=0.0))

    @property
    def is_harmless(self) -> bool:
        return self.worst <= min(max(_BIAS / self.count, _LEAST), _MOST)

    @property
    def is_large(self) -> bool:
        return self.worst > max(_LARGE / self.count, _VISIBLE)


def disturbance(runs: Sequence[Run], decimation: int, cutoff: float | None = None) -> Disturbance:
    """The effect of errors of positions on rows of these runs."""
    edge = min(_PASSED / (decimation * runs[0].period), cutoff or np.inf)
    errors, seen = np.zeros((2, runs[0]["q"].shape[1]))
    for run in runs if not {"qd", "qdd"} & runs[0].channels.keys() else ():  # else accelerations are those of qd
        border = min(run.count // 10, int(_SETTLED / (edge * run.period)))
        a = smooth(run["q"], run.period, edge, border).qdd
        errors += run.count * _moves(run) * (2 * np.pi * edge) ** 4 * edge / 5 * _density(run)  # ∫ ω⁴ S df
        seen += run.count * np.mean(a**2, axis=0)
    power = np.divide(errors, seen, out=np.zeros_like(errors), where=seen > 0)
    return Disturbance(decimation, edge, max(1, sum(run.count for run in runs) // decimation), power)


def _moves(run: Run) -> Array:
    q = run["q"]
    return np.asarray(np.ptp(q, axis=0) > _MOVES * np.maximum(run.steps_of_positions, noise_of(q, _ORDER)))


def _density(run: Run) -> Array:
    """The spectral density of the errors: of rounding or of noise, which is larger."""
    q, step = run["q"], run.steps_of_positions
    speed = np.abs(np.diff(q, axis=0)).sum(axis=0) / (run.count * run.period)
    passed = np.divide(speed, step, out=np.full(len(step), np.inf), where=step > 0)
    rounding = step**2 / 12 / np.clip(passed, 1 / (run.count * run.period), 0.5 / run.period)
    return np.asarray(np.maximum(rounding, 2 * run.period * noise_of(q, _ORDER) ** 2))


def slow_enough(runs: Sequence[Run], before: Disturbance, factors: Sequence[int]) -> Disturbance:
    """The rows with the least decimation, above that of `before`, at which errors are harmless; or do least."""
    tried = [before]
    for factor in (r for r in factors if r > before.decimation):
        tried.append(disturbance(runs, factor))
        if tried[-1].is_harmless:
            return tried[-1]
    return min(tried, key=lambda one: one.worst * one.count)


def errors_of_positions(
    subject: Subject, runs: Sequence[Run], before: Disturbance, used: Disturbance
) -> Iterator[Finding]:
    """A warning where steps have changed the rate of the rows, or errors disturb them; `before` at the usual rate."""
    yield from _hardly_moving(subject, runs)
    worst = int(np.argmax(before.power))
    step = max(run.steps_of_positions[worst] for run in runs)
    deviation = max(float(noise_of(run["q"], _ORDER)[worst]) for run in runs)
    rounded = step > deviation
    if not (used.is_large or (rounded and used.decimation > before.decimation)):
        return
    joint = subject.variables[worst]
    coarse = int(np.sum(before.power > 0.5 * before.worst)) - 1
    errors = Finding(
        "measurements.steps" if rounded else "measurements.noise",
        joint=joint.label,
        size=step if rounded else deviation,
        unit="rad" if joint.revolute else "m",
        others=Finding("measurements.as_coarse", count=coarse) if coarse else "",
    )
    part, edge = _percent(float(np.sqrt(before.worst))), before.edge
    if not used.is_large:
        factor, rate = used.decimation, 1 / (used.decimation * runs[0].period)
        yield Finding("measurements.decimated_more", errors=errors, part=part, edge=edge, decimation=factor, rate=rate)
        return
    bias = _percent(used.worst) if used.worst < 0.5 else Finding("measurements.far")
    yield Finding("measurements.inertias_too_small", errors=errors, part=part, edge=edge, bias=bias)


def _hardly_moving(subject: Subject, runs: Sequence[Run]) -> Iterator[Finding]:
    """Warnings about joints whose motion is a few steps, which are not counted among those that move."""
    steps = np.max([run.steps_of_positions for run in runs], axis=0)
    for joint, step, q in zip(subject.variables, steps, np.concatenate([run["q"] for run in runs]).T, strict=True):
        if step and _RESTS * step < np.ptp(q) <= _MOVES * step:
            unit, steps = "rad" if joint.revolute else "m", float(np.ptp(q) / step)
            yield Finding("measurements.hardly_moves", joint=joint.label, steps=steps, size=float(step), unit=unit)


def _percent(x: float) -> Finding:
    return Finding("measurements.percent", value=100 * x) if x < 1 else Finding("measurements.more_than_100")
