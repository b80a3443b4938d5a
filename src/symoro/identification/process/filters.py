"""Filters without phase, of infinite and of finite length."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import signal
from scipy.interpolate import make_interp_spline

from symoro.errors import DataError
from symoro.findings import Argument, Finding
from symoro.identification.arrays import Array

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
def _band(factor: int) -> Array:
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
    F, h = _band(factor), taps(factor)
    outputs = np.empty((count, *x.shape[1:]))
    for k in range(0, count, _OUTPUTS):
        some = min(_OUTPUTS, count - k)
        width = (some - 1) * factor + len(h)
        outputs[k : k + some] = F[:some, :width] @ x[k * factor : k * factor + width]
    return outputs
