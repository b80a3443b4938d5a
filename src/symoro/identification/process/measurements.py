"""Measurements of a robot: runs in SI units at the joints, from files or arrays, with everything that was noticed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.findings import Argument, Finding, Place
from symoro.identification.arrays import Array, NumberOrRow
from symoro.identification.process.checks import noticed
from symoro.identification.read.channels import (
    ByChannel,
    all_positions,
    by_channel,
    channels_of,
    converted,
    require_kinds,
    with_motors_of_legs,
    without_flips,
)
from symoro.identification.read.columns import DataFrame, is_frame
from symoro.identification.read.runs import Run, in_order, in_runs
from symoro.identification.subject.subject import Subject, Transmission, transmission_of
from symoro.options import NONE, Choice, Option, RealNumber, Schema, Value
from symoro.robot.robot import Robot

Source = str | Path | Mapping[str, Any] | Sequence[Any] | DataFrame
"""A file, channels by name (arrays or files), a data frame of polars or pandas, or several of these."""
_ROUNDED = 0.02
"""Part of the samples with the time of the one before, where times are rounded."""
READING = (
    Option(
        "columns", ByChannel() | NONE, None,
        "Columns of t, q, tau …; may be repeated.",
        "Les colonnes de t, q, tau … ; peut être répété.",
        metavar="CHANNEL=A,B,…",
    ),
    Option(
        "units", ByChannel(numeric=True) | NONE, None,
        "deg, ms, mNm …, or factors; may be repeated.",
        "deg, ms, mNm …, ou des facteurs ; peut être répété.",
        metavar="CHANNEL=UNIT",
    ),
    Option(
        "rate", RealNumber("Hz", more_than=0) | NONE, None,
        "Rate of files without a time.",
        "La fréquence de fichiers sans temps.",
        metavar="HZ",
    ),
    Option(
        "side", Choice(("joint", "motor")), "joint",
        "Whether positions and torques are those of the joints or of the motors.",
        "Si positions et couples sont ceux des articulations ou des moteurs.",
        flag=False,
    ),
    Option(
        "transmission", Value("ArrayLike", lambda x: x is not None, Finding("estimates.ratios")) | NONE, None,
        "Gear ratios, or R of q̇m = R q̇.",
        "Rapports de réduction, ou R de q̇m = R q̇.",
        flag=False,
    ),
    Option(
        "guess", NumberOrRow("joint") | NONE, None,
        "A closed configuration: the branch of loops in the data.",
        "Une configuration fermée : la branche des boucles dans les données.",
        metavar="Q1,Q2,…",
    ),
)  # fmt: skip
MEASUREMENTS = Schema("measurements", READING, DataError)


@dataclass(frozen=True)
class Measurements:
    """Runs of a robot. Positions and torques are those of the joints, in radians, metres, N·m and N.

    The channels of a run are q and tau; where they are given, qd, qdd and wanted; of a free base quat, V0, VP0, wrench;
    of a parallel robot q of the motors, or the pose of the platform.
    """

    subject: Subject = field(repr=False)
    runs: tuple[Run, ...]
    warnings: tuple[Finding, ...] = ()
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
        samples = f"{self.count} samples of {self.subject.robot.name} in {len(self.runs)} runs at {self.rate:.6g} Hz"
        return "\n".join([samples, *map(str, self.warnings)])


@MEASUREMENTS.function
def measurements(robot: Robot | str | Path, source: Source, **options: Any) -> Measurements:
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
    return measured(Subject.of(robot), source, **options)


def measured(
    subject: Subject,
    source: Source,
    columns: Mapping[str, Any] | None = None,
    units: Mapping[str, Any] | None = None,
    rate: float | None = None,
    side: str = "joint",
    transmission: Any = None,
    guess: Any = None,
) -> Measurements:
    """The measurements of a subject; the options are those of `measurements`."""
    if transmission is not None and side == "joint":
        raise DataError("recordings.transmission_of_joints")
    gears = transmission_of(subject, transmission) if side == "motor" else None
    chosen, scales = by_channel(columns, "columns"), by_channel(units, "units")
    runs: list[Run] = []
    warnings: list[Finding] = []
    for number, one in enumerate(_each(source), 1):
        where = str(one) if isinstance(one, str | Path) else f"data {number}"
        read, foreign = channels_of(subject, one, chosen, where, scales)
        if side == "joint":
            require_kinds(subject, read, scales)
        pieces, repairs = _runs(with_motors_of_legs(subject, in_si(read, scales)), rate, where)
        runs += [at_joints(subject, run, gears) for run in pieces]
        warnings += [*foreign, *repairs]
    _require_one_rate(runs)
    closed, branch = at_all_joints(subject, runs, guess)
    return Measurements(subject, closed, (*warnings, *branch, *noticed(subject, closed)), gears)


def in_si(read: Mapping[str, Array], scales: Mapping[str, Any]) -> dict[str, Array]:
    """Channels in SI units, with orientations that do not change their sign."""
    raw = {name: converted(x, name, scales.get(name)) for name, x in read.items()}
    return raw | {name: without_flips(raw[name]) for name in ("quat", "pose") if name in raw}


def _runs(channels: dict[str, Array], rate: float | None, where: str) -> tuple[list[Run], list[Finding]]:
    """The runs of one recording at its own times, else at those of the rate; and warnings."""
    raw = dict(channels)
    t = raw.pop("t", None)
    if t is None:
        if rate is None:
            raise DataError("recordings.no_time", place=Place(where))
        t = np.arange(len(raw["q"])) / rate
    t, raw, moved = in_order(t, raw, where)
    t, rounded = _times(t, rate, where)
    runs, warnings = in_runs(t, raw, where)
    if rate is not None and abs(runs[0].period * rate - 1) > 0.01:
        warnings.append(Finding("recordings.other_rate", found=1 / runs[0].period, rate=rate, place=Place(where)))
    return runs, [*moved, *rounded, *warnings]


def _require_one_rate(runs: Sequence[Run]) -> None:
    periods = [run.period for run in runs]
    if max(periods) > 1.01 * min(periods):
        raise DataError("recordings.rates_of_runs", rates=sorted({f"{1 / period:.6g}" for period in periods}))


def _times(t: Array, rate: float | None, where: str) -> tuple[Array, list[Finding]]:
    """The times, or those of the rate where so many repeat that they have too few digits."""
    step = np.diff(t)
    if not (len(step) and (step >= 0).all() and np.mean(step == 0) > _ROUNDED):
        return t, []
    samples, times, place = len(t), len(np.unique(t)), Place(where)
    if rate is None:
        raise DataError("recordings.rounded_times", samples=samples, times=times, place=place)
    warning = Finding("recordings.rounded_times_replaced", samples=samples, times=times, rate=rate, place=place)
    return t[0] + np.arange(len(t)) / rate, [warning]


def _each(source: Source) -> list[Any]:
    if isinstance(source, str | Path | Mapping) or is_frame(source):
        return [source]
    if isinstance(source, Sequence) and source:
        return list(source)
    empty = isinstance(source, Sequence)
    kind = Finding("recordings.empty_sequence") if empty else type(source).__name__
    raise DataError("recordings.not_data", kind=kind)


def at_joints(subject: Subject, run: Run, gears: Transmission | None) -> Run:
    """The run with positions and torques at the joints; of loops, those of the motors may be all."""
    channels = dict(run.channels)
    if gears is not None:
        channels["tau"] = gears.torques(channels["tau"])
        if "wanted" in channels:
            channels["wanted"] = _geared(subject, channels["wanted"], gears)
    q, qm = channels["q"], channels.pop("qm", None)
    channels["q"] = all_positions(subject, _geared(subject, q, gears), qm, run.source)
    return replace(run, channels=channels, steps=_steps_at_joints(subject, run, gears))


def at_all_joints(
    subject: Subject, runs: Sequence[Run], guess: Any, known: Array | None = None
) -> tuple[tuple[Run, ...], list[Finding]]:
    """The runs with the positions of all joints, and warnings: those of closed loops follow from the motors.

    `guess` and `known` are those of `closed_runs`.
    """
    if subject.robot.cuts:
        from symoro.identification.process.loop_runs import closed_runs

        return closed_runs(subject, runs, guess, known)
    if guess is not None:
        raise DataError("branches.guess_without_loops", option=Argument("guess"), robot=subject.robot.name)
    return tuple(runs), []


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
