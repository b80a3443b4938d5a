"""Measurements of a robot: runs in SI units at the joints, from files or arrays, with everything that was noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import DataError
from symoro.identification.arrays import Allowed, Array, is_positive, one_of, optional, require
from symoro.identification.process.checks import noticed
from symoro.identification.process.loop_runs import closed_runs
from symoro.identification.read import channels as named
from symoro.identification.read.channels import all_positions, without_flips
from symoro.identification.read.columns import Frame, is_frame
from symoro.identification.read.recording import channels_of
from symoro.identification.read.repairs import in_order
from symoro.identification.read.runs import Run, in_runs
from symoro.identification.read.units import converted, require_kinds
from symoro.identification.subject.subject import Subject, Transmission, transmission_of
from symoro.robot.robot import Robot

Source = str | Path | Mapping[str, Any] | Sequence[Any] | Frame
"""A file, channels by name (arrays or files), a data frame of polars or pandas, or several of these."""
_ROUNDED = 0.02
"""Part of the samples with the time of the one before, where times are rounded."""
_ALLOWED: Allowed = {
    "side": (one_of("joint", "motor"), "joint, motor"),
    "rate": (optional(is_positive), "samples in a second, more than 0"),
}


@dataclass(frozen=True)
class Measurements:
    """Runs of a robot. Positions and torques are those of the joints, in radians, metres, N·m and N.

    The channels of a run are q and tau; where they are given, qd, qdd and wanted; of a free base quat, V0, VP0, wrench;
    of a parallel robot q of the motors, or the pose of the platform.
    """

    subject: Subject = field(repr=False)
    runs: tuple[Run, ...]
    warnings: tuple[str, ...] = ()
    transmission: Transmission | None = field(default=None, repr=False)

    @property
    def count(self) -> int:
        """The number of samples."""
        return sum(run.count for run in self.runs)

    @property
    def rate(self) -> float:
        """Samples in a second."""
        return 1.0 / self.runs[0].period

    @property
    def duration(self) -> float:
        return float(sum(run.count * run.period for run in self.runs))

    def __str__(self) -> str:
        said = f"{self.count} samples of {self.subject.robot.name} in {len(self.runs)} runs at {self.rate:.6g} Hz"
        return "\n".join([said, *self.warnings])


def measurements(
    robot: Robot | str | Path | Subject,
    source: Source,
    *,
    columns: Mapping[str, Any] | None = None,
    units: Mapping[str, Any] | None = None,
    rate: float | None = None,
    side: str = "joint",
    transmission: Any = None,
    guess: ArrayLike | None = None,
) -> Measurements:
    """Measurements from a file, channels {"q": array or file, "tau": …}, a data frame, or from a sequence of these.

    A file is .csv, .npy, .npz, .mat, .parquet, or a bag of ROS. Its columns are found by their names (t, q1, tau1 …, or
    the names of joints), or `columns` names them: {"t": "time", "q": ["a1", "a2"], "tau": ["i1", "i2"]}. `units` are
    names or factors by channel: {"q": "deg", "tau": [11.2, 8.7], "t": "ms"}; where none are given, those in names of
    columns are taken (`q1 [deg]`, `tau_1 (Nm)`). Without a column of time give `rate`, in Hz. With side="motor",
    positions and torques are those of the motors: `transmission` has the gear ratios, or R of q̇m = R q̇; without it the
    coupling matrix of the robot is taken.

    Of closed loops the positions of the motors are enough. Where several branches can be followed along them, the one
    is taken whose torques fit best, and a warning says so; `guess`, a closed configuration, chooses another one.
    """
    subject = robot if isinstance(robot, Subject) else Subject.of(robot)
    require({"side": side, "rate": rate}, _ALLOWED, DataError)
    if transmission is not None and side == "joint":
        raise DataError("transmission is an option of side='motor': torques and positions are those of the joints")
    gears = transmission_of(subject, transmission) if side == "motor" else None
    chosen, scales = named.known(columns, "columns"), named.known(units, "units")
    runs: list[Run] = []
    warnings: list[str] = []
    for number, one in enumerate(_each(source), 1):
        where = str(one) if isinstance(one, str | Path) else f"data {number}"
        read, foreign = channels_of(subject, one, chosen, where, scales)
        if side == "joint":
            require_kinds(subject, read, scales)
        found, said = _runs(_in_si(read, scales), rate, where)
        runs += [at_joints(subject, run, gears) for run in found]
        warnings += [*foreign, *said]
    _require_one_rate(runs)
    closed, branch = closed_runs(subject, runs, guess)
    return Measurements(subject, closed, (*warnings, *branch, *noticed(subject, closed)), gears)


def _in_si(read: Mapping[str, Array], scales: Mapping[str, Any]) -> dict[str, Array]:
    """Channels in SI units, with orientations that do not change their sign."""
    raw = {name: converted(x, name, scales.get(name)) for name, x in read.items()}
    return raw | {name: without_flips(raw[name]) for name in ("quat", "pose") if name in raw}


def _runs(channels: dict[str, Array], rate: float | None, where: str) -> tuple[list[Run], list[str]]:
    """The runs of one recording at its own times, else at those of the rate; and what was found."""
    raw = dict(channels)
    t = raw.pop("t", None)
    if t is None:
        if rate is None:
            raise DataError(f"{where}: there is no column of time: say the rate with rate=, in Hz")
        t = np.arange(len(raw["q"])) / rate
    t, raw, moved = in_order(t, raw, where)
    t, rounded = _times(t, rate, where)
    found, said = in_runs(t, raw, where)
    if rate is not None and abs(found[0].period * rate - 1) > 0.01:
        said.append(f"{where}: times are {1 / found[0].period:.6g} Hz, not rate = {rate:g} Hz; the times were used")
    return found, [*moved, *rounded, *said]


def _require_one_rate(runs: Sequence[Run]) -> None:
    periods = [run.period for run in runs]
    if max(periods) > 1.01 * min(periods):
        rates = ", ".join(sorted({f"{1 / period:.6g}" for period in periods}))
        raise DataError(f"the runs have different rates ({rates} Hz): identify them apart, or resample them")


def _times(t: Array, rate: float | None, where: str) -> tuple[Array, list[str]]:
    """The times, or those of the rate where so many repeat that they have too few digits."""
    step = np.diff(t)
    if not (len(step) and (step >= 0).all() and np.mean(step == 0) > _ROUNDED):
        return t, []
    what = f"{where}: {len(t)} samples have {len(np.unique(t))} times, which have too few digits"
    if rate is None:
        raise DataError(f"{what}: say the rate with rate=, in Hz")
    return t[0] + np.arange(len(t)) / rate, [f"{what}: rate = {rate:g} Hz was used instead"]


def _each(source: Source) -> list[Any]:
    if isinstance(source, str | Path | Mapping) or is_frame(source):
        return [source]
    if isinstance(source, Sequence) and source:
        return list(source)
    what = "an empty sequence" if isinstance(source, Sequence) else type(source).__name__
    raise DataError(f"data: {what} is not a file, channels by name, a data frame, or a sequence of these")


def at_joints(subject: Subject, run: Run, gears: Transmission | None) -> Run:
    """The run with positions and torques at the joints; of loops, those of the motors may be all."""
    given = dict(run.channels)
    if gears is not None:
        given["tau"] = gears.torques(given["tau"])
        if "wanted" in given:
            given["wanted"] = _geared(subject, given["wanted"], gears)
    q, qm = given["q"], given.pop("qm", None)
    given["q"] = all_positions(subject, _geared(subject, q, gears), qm, run.source)
    return replace(run, channels=given, steps=_steps_at_joints(subject, run, gears))


def _geared(subject: Subject, q: Array, gears: Transmission | None) -> Array:
    """Positions behind the gears, where they are those of the motors."""
    return gears.positions(q) if gears is not None and q.shape[1] == len(subject.motors) else q


def _steps_at_joints(subject: Subject, run: Run, gears: Transmission | None) -> dict[str, Array]:
    """The steps of positions at the joints: errors of several encoders add up by their squares."""
    if "q" not in run.steps:
        return {}
    n = len(run.steps["q"])
    step = np.concatenate([run.steps["q"], run.steps.get("qm", np.zeros(0))])
    each = np.eye(len(step))
    moved = all_positions(subject, _geared(subject, each[:, :n], gears), each[:, n:] if "qm" in run else None, "")
    return {"q": np.sqrt(step**2 @ moved**2)}
