"""How recordings become motions: cut-off frequency, decimation, delay, dead zone, borders, as the data says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize_scalar

from symoro.errors import DataError, OptionError
from symoro.findings import Argument, Finding
from symoro.identification.arrays import Array
from symoro.identification.process.signals import (
    CUTOFF,
    DECIMATION,
    ORDER,
    Band,
    band_of,
    can_be_decimated,
    decimation_of,
    decimations,
    delayed,
    derivative,
    disturbance,
    errors_of_positions,
    low_pass,
    slow_enough,
    smooth,
    stages,
)
from symoro.identification.read.runs import Run
from symoro.identification.subject.subject import BASE_ROWS, Subject

if TYPE_CHECKING:
    from symoro.identification.process.measurements import Measurements


# How recordings become rows of the regression: cut-off frequency, decimation, delay, dead zone, borders.


MODELS = ("dynamic", "filtered", "energy")


@dataclass(frozen=True)
class Processing:
    """Numbers of the processing; a figure of merit is stated together with them.

    `cutoff` (Hz) is that of the filter of positions, None for none. `delay` is read off the positions: they are taken
    that many seconds later, because a torque that is held from one sample to the next belongs to the time between.
    """

    cutoff: float | None = None
    decimation: int | None = None
    delay: float = 0.0
    dead_zone: tuple[float, ...] = ()
    """Rows of a joint that is slower are left out: friction at rest is not in the model. One number for each row."""
    border: int = 5 * ORDER
    """Samples that are left out at both ends of a run."""
    lags: tuple[float, ...] = ()
    """Delays of single rows beside that of all: the torque is taken that many seconds earlier. One for each row."""
    model: str = "dynamic"
    """Which identification model gives the rows: dynamic, filtered or energy."""
    notes: tuple[Finding, ...] = ()
    """What is to be said about the choice of these numbers."""

    def dead_zone_of(self, joint: int, count: int) -> float:
        """The slowest speed of a row that is kept."""
        if not self.dead_zone:
            return 0.0
        return self.dead_zone[joint] if len(self.dead_zone) == count else self.dead_zone[0]

    def delay_of(self, joint: int) -> float:
        """The delay between the torque of a row and the motion."""
        return self.delay + (self.lags[joint] if self.lags else 0.0)

    def describe(self, rate: float, names: Sequence[str]) -> str:
        """One line: rate, cut-off, decimation, delay and which rows were left out."""
        factor = self.decimation or 1
        parts = [f"{rate:.6g} Hz", f"cut-off {self.cutoff:.4g} Hz" if self.cutoff else "positions not filtered"]
        if self.model == "energy":
            parts.append(f"energy over intervals of {1e3 * factor / rate:.4g} ms")
        else:
            parts += [f"decimated by {factor} to {rate / factor:.6g} Hz"] if factor > 1 else []
            parts += ["filtered model"] if self.model == "filtered" else []
        parts += [f"positions read {1e3 * self.delay:.3g} ms later"] if self.delay else []
        if any(self.lags):
            parts.append(f"torques read {', '.join(f'{1e3 * x:.3g}' for x in self.lags)} ms earlier")
        if any(self.dead_zone):
            limits = ", ".join(f"{self.dead_zone_of(k, len(names)):.3g}" for k in range(len(names)))
            parts.append(f"rows slower than {limits} left out")
        return ", ".join(parts)


# The motion of a run: filtered positions, velocities, accelerations, the motion of a free base, and torques.


@dataclass(frozen=True)
class Moved:
    """A motion at the full rate; `torques` and `speeds` have a column for each row of the regressor."""

    t: Array = field(repr=False)
    q: Array = field(repr=False)
    qd: Array = field(repr=False)
    qdd: Array = field(repr=False)
    torques: Array = field(repr=False)
    speeds: Array = field(repr=False)
    base: dict[str, Array] = field(default_factory=dict, repr=False)
    period: float = 1.0

    @property
    def count(self) -> int:
        return len(self.t)


def moved(subject: Subject, run: Run, how: Processing) -> Moved:
    """The motion of a run. Measured velocities and accelerations are taken where they are given."""
    smoothed = smooth(run["q"], run.period, how.cutoff, how.border, how.delay)
    kept = smoothed.rows
    qd = run["qd"][kept] if "qd" in run else smoothed.qd[:, subject.places]
    qdd = smoothed.qdd[:, subject.places]
    if "qdd" in run:
        qdd = run["qdd"][kept]
    elif "qd" in run:
        qdd = derivative(low_pass(run["qd"], run.period, how.cutoff), run.period)[kept]
    body = _base(subject, run, how, kept)
    if subject.coordinates.followers:
        from symoro.identification.subject.paths import carried

        body |= carried(subject, smoothed.q, qd, qdd, run["pose"][kept][0] if "pose" in run else None)
    lines = BASE_ROWS if subject.has_free_base else 0
    torques = np.zeros((len(qd), lines + qd.shape[1]))
    torques[:, subject.motor_rows] = _torques(subject, run, how)[kept]
    if "wrench" in run and subject.has_free_base:
        torques[:, :BASE_ROWS] = run["wrench"][kept]
    speeds = np.concatenate([np.zeros((len(qd), lines)), qd], axis=1) if lines else qd
    return Moved(run.t[kept], smoothed.q, qd, qdd, torques, speeds, body, run.period)


def _torques(subject: Subject, run: Run, how: Processing) -> Array:
    """The measured torques, each as it was its own delay before."""
    tau = run["tau"]
    if not any(how.lags):
        return tau
    lags = [how.lags[row] for row in subject.motor_rows]
    return np.column_stack([delayed(tau[:, k], run.period, -lag) for k, lag in enumerate(lags)])


def _base(subject: Subject, run: Run, how: Processing, kept: slice) -> dict[str, Array]:
    """quat, V0 and VP0 of a free base: VP0 = dV0/dt + [ω × v; 0], as V0 is given in the moving frame 0."""
    if not subject.has_free_base:
        return {}
    quat = low_pass(run["quat"], run.period, how.cutoff)
    quat = quat / np.linalg.norm(quat, axis=1, keepdims=True)
    V0 = low_pass(run["V0"], run.period, how.cutoff)
    if "VP0" in run:
        VP0 = run["VP0"]
    else:
        VP0 = derivative(V0, run.period)
        VP0[:, :3] += np.cross(V0[:, 3:], V0[:, :3])
    return {"quat": quat[kept], "V0": V0[kept], "VP0": VP0[kept]}


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
