"""The motion of a run: filtered positions, velocities, accelerations, the motion of a free base, and torques."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.processing.filtering import delayed, derivative, low_pass, smooth
from symoro.identification.processing.processing import Processing
from symoro.identification.recordings.runs import Run
from symoro.identification.subject.platform_subject import PlatformSubject
from symoro.identification.subject.subject import BASE_ROWS, Subject


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
    found = smooth(run["q"], run.period, how.cutoff, how.border, how.delay)
    kept = found.rows
    qd = run["qd"][kept] if "qd" in run else found.qd[:, subject.places]
    qdd = found.qdd[:, subject.places]
    if "qdd" in run:
        qdd = run["qdd"][kept]
    elif "qd" in run:
        qdd = derivative(low_pass(run["qd"], run.period, how.cutoff), run.period)[kept]
    if isinstance(subject, PlatformSubject):
        base = subject.carried(found.q, qd, qdd, run["pose"][kept][0] if "pose" in run else None)
    else:
        base = _base(subject, run, how, kept)
    lines = BASE_ROWS if subject.has_free_base else 0
    torques = np.zeros((len(qd), lines + qd.shape[1]))
    torques[:, subject.motor_rows] = _torques(subject, run, how)[kept]
    if "wrench" in run and subject.has_free_base:
        torques[:, :BASE_ROWS] = run["wrench"][kept]
    speeds = np.concatenate([np.zeros((len(qd), lines)), qd], axis=1) if lines else qd
    return Moved(run.t[kept], found.q, qd, qdd, torques, speeds, base, run.period)


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
