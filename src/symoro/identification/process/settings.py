"""The numbers of the processing that the data chooses: cut-off, decimation, dead zones, delay."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from symoro.errors import DataError, OptionError
from symoro.findings import Argument, Finding
from symoro.identification.arrays import Array
from symoro.identification.process.filters import DECIMATION, ORDER, can_be_decimated, smooth, stages
from symoro.identification.process.measurements import Measurements
from symoro.identification.process.processing import Processing
from symoro.identification.process.spectrum import (
    CUTOFF,
    Band,
    band_of,
    decimation_of,
    decimations,
    disturbance,
    errors_of_positions,
    slow_enough,
)
from symoro.identification.read.runs import Run
from symoro.identification.subject.subject import BASE_ROWS

# Runs that are long enough for the filters: one short run does not decide how the others are processed.


def usual_count(runs: Sequence[Run]) -> int:
    """The number of samples of a usual run: half of all samples are in runs that are at least as long."""
    counts = np.sort([run.count for run in runs])
    return int(counts[np.searchsorted(np.cumsum(counts), counts.sum() / 2)])


def is_long(run: Run, how: Processing) -> bool:
    """Whether rows are left of a run when its ends are left out and it is decimated."""
    count = run.count - 2 * how.border
    return count > 2 * ORDER and (how.model == "energy" or can_be_decimated(count, how.decimation or 1))


def long_runs(data: Measurements, how: Processing) -> Measurements:
    """The measurements without runs that are too short, and with a warning; all of them where every run is short."""
    kept = tuple(run for run in data.runs if is_long(run, how))
    left = [run for run in data.runs if not is_long(run, how)]
    if not left or not kept:
        return data
    counts = sorted(run.count for run in left)
    least, most = counts[0], counts[-1]
    samples = least if least == most else Finding("measurements.from_to", least=least, most=most)
    warning = Finding("measurements.short_runs", left_out=len(left), count=len(data.runs), samples=samples)
    return replace(data, runs=kept, warnings=(*data.warnings, warning))


# The numbers of the processing that the data chooses: cut-off, decimation, dead zones, delay.


_SLOW = 0.01
"""Part of the largest speed of a joint below which it is in its dead zone."""
_SETTLED = 4.0
"""Periods of the cut-off frequency that are left out at each end of a run."""
_LATEST = 5.0
"""Samples by which torques may be earlier or later than positions."""
AUTO = "auto"


def processing(
    data: Measurements,
    cutoff: Any,
    decimation: Any,
    delay: Any,
    dead_zone: Any,
    border: int | None,
    model: str,
    dry: bool,
) -> Processing:
    """The processing with numbers for what is "auto"; `dry` says whether there is friction that changes its sign."""
    period, count = data.runs[0].period, usual_count(data.runs)
    band = band_of(data.runs)
    filtered = band.cutoff if cutoff == AUTO else None if cutoff is None else float(cutoff)
    usual = _decimation(decimation, band, period, count)
    before = used = disturbance(data.runs, usual, None if cutoff == AUTO else filtered)
    if decimation == AUTO and not before.is_harmless:
        used = slow_enough(data.runs, before, decimations(count))
    if cutoff == AUTO:
        filtered = _cutoff(band, usual, used.decimation, period)
    later, lags = _delays(data, delay)
    edge = _edge(filtered, period) if border is None else int(border)
    edge = max(edge, _of_delays(later, lags, period, count))
    if count <= 2 * edge + 2 * ORDER:
        edge = max(1, count // 10)
    dry = dry and model != "energy"  # the power of friction is continuous where a joint stands
    notes = tuple(errors_of_positions(data.subject, data.runs, before, used))
    how = Processing(filtered, used.decimation, later, (), edge, lags, model, notes)
    limits = _dead_zone(data, how, dry) if isinstance(dead_zone, str) else _limits(data, dead_zone)
    return replace(how, dead_zone=limits)


def _decimation(decimation: Any, band: Band, period: float, count: int) -> int:
    """The decimation that is asked for, or that of the band of the motion."""
    if decimation == AUTO:
        return decimation_of(band.motion, period, count) if band.motion else 1
    factor = 1 if decimation is None else int(decimation)
    stages(factor)
    if factor > count:
        raise DataError("measurements.few_for_decimation", option=DECIMATION, factor=factor)
    return factor


def _cutoff(band: Band, usual: int, decimation: int, period: float) -> float:
    """The cut-off frequency of the band, but not below what decimation passes.

    Where errors of positions have made the decimation larger, it is not far above it either: products of velocities,
    and their signs, carry errors of high frequencies into the rows.
    """
    rate = 1 / (decimation * period)
    cutoff = max(band.cutoff, rate / 2)
    cutoff = min(cutoff, max(CUTOFF * band.motion, rate)) if decimation > usual else cutoff
    return min(cutoff, 0.4 / period)


def _of_delays(later: float, lags: tuple[float, ...], period: float, count: int) -> int:
    """Samples at the ends that a delay reaches; an error for one that is no delay of this recording."""
    most = max(abs(x) for x in (later, *lags)) / period
    if most > count / 10:
        raise OptionError("measurements.long_delay", option=Argument("delay"), delay=most * period)
    return ceil(most) + 1 if most else 0


def _delays(data: Measurements, delay: Any) -> tuple[float, tuple[float, ...]]:
    """The delay of all torques, and those of single rows where each motor has its own."""
    if np.ndim(delay) == 0:
        return (0.0 if isinstance(delay, str) else float(delay)), ()
    motors = data.subject.motor_rows
    if len(delay) != len(motors):
        option = Argument("delay")
        raise OptionError("estimates.numbers_of_motors", option=option, count=len(delay), motors=len(motors))
    lags = np.zeros(len(data.subject.row_names))
    lags[motors] = delay
    return 0.0, tuple(map(float, lags))


def _edge(cutoff: float | None, period: float) -> int:
    """Samples at each end of a run in which the filter of positions has not settled."""
    return max(5 * ORDER, ceil(_SETTLED / (cutoff * period)) if cutoff else 0)


def _limits(data: Measurements, dead_zone: Any) -> tuple[float, ...]:
    """The dead zone of each row: none, one for all joints, or one for each."""
    rows, joints = len(data.subject.row_names), len(data.subject.moving)
    speeds = np.atleast_1d(np.asarray(0.0 if dead_zone is None else dead_zone, dtype=float))
    if speeds.size not in (1, joints) or (speeds < 0).any():
        option, allowed = Argument("dead_zone"), Finding("estimates.speeds")
        raise OptionError("options.value", option=option, value=repr(dead_zone), allowed=allowed)
    return (*[0.0] * (rows - joints), *map(float, np.broadcast_to(speeds, joints)))


def speeds(data: Measurements, how: Processing) -> Array:
    """The largest speed of each moving joint."""
    runs, places = long_runs(data, how).runs, data.subject.places
    largest = [np.abs(smooth(run["q"], run.period, how.cutoff, how.border).qd[:, places]).max(axis=0) for run in runs]
    return np.asarray(np.max(largest, axis=0))


def _dead_zone(data: Measurements, how: Processing, dry: bool) -> tuple[float, ...]:
    """A hundredth of the largest speed of each joint, where friction jumps at rest."""
    if not dry:
        return ()
    base = [0.0] * (BASE_ROWS if data.subject.has_free_base else 0)
    return (*base, *map(float, _SLOW * speeds(data, how)))


def unsettled(data: Measurements, how: Processing) -> Iterator[Finding]:
    """A warning where runs are so short that the filter of positions has not settled at their ends."""
    settled = _edge(how.cutoff, data.runs[0].period)
    if how.border < settled and usual_count(data.runs) <= 2 * settled + 2 * ORDER:
        count = usual_count(data.runs)
        yield Finding("measurements.unsettled", count=count, settled=settled, border=how.border)


def found_delay(period: float, error: Callable[[float], float]) -> float:
    """The delay (s) with the least error of the fit, within some samples."""

    def of_samples(x: float) -> float:
        try:
            return error(x * period)
        except DataError:
            return float("inf")

    optimum = minimize_scalar(of_samples, bounds=(-_LATEST, _LATEST), method="bounded", options={"xatol": 0.02})
    return float(optimum.x) * period


def is_dry(names: Sequence[str]) -> bool:
    """Whether a column jumps where a joint changes its direction."""
    return any(name.partition("@")[0].partition("_")[0].rstrip("0123456789") in _DRY for name in names)


_DRY = ("FS", "FSP", "FSN", "FA", "FST", "FL", "FSM", "FR", "FRP", "FRN")
