"""How recordings become motions: cut-off frequency, decimation, delay, dead zone, borders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from symoro.findings import Finding
from symoro.identification.arrays import Array
from symoro.identification.process.filters import ORDER, delayed, derivative, low_pass, smooth
from symoro.identification.read.runs import Run
from symoro.identification.subject.subject import BASE_ROWS, Subject

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
