"""Measurements of a robot: runs in SI units at the joints, from files or arrays, with everything that was noticed."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import DataError, SymoroError
from symoro.identification.allowed import Allowed, is_positive, one_of, optional, require
from symoro.identification.arrays import Array
from symoro.identification.measurements.checks import noticed
from symoro.identification.measurements.kinds_of_units import require_kinds
from symoro.identification.measurements.loop_runs import closed_runs
from symoro.identification.readers.columns import Columns, in_columns, listed
from symoro.identification.readers.frame import Frame, is_frame, numbers_of
from symoro.identification.readers.table import read_table
from symoro.identification.recordings import channels as named
from symoro.identification.recordings.headings import in_units
from symoro.identification.recordings.order_of_time import in_order
from symoro.identification.recordings.positions import all_positions
from symoro.identification.recordings.quaternions import without_flips
from symoro.identification.recordings.runs import Run, in_runs
from symoro.identification.recordings.units import converted
from symoro.identification.subject.platform_subject import PlatformSubject, subject_of
from symoro.identification.subject.subject import Subject
from symoro.identification.subject.transmission import Transmission, transmission_of
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
    subject = robot if isinstance(robot, Subject) else subject_of(robot)
    require({"side": side, "rate": rate}, _ALLOWED, DataError)
    if transmission is not None and side == "joint":
        raise DataError("transmission is an option of side='motor': torques and positions are those of the joints")
    gears = transmission_of(subject, transmission) if side == "motor" else None
    chosen, scales = named.known(columns, "columns"), named.known(units, "units")
    runs: list[Run] = []
    warnings: list[str] = []
    for number, one in enumerate(_each(source), 1):
        where = str(one) if isinstance(one, str | Path) else f"data {number}"
        read, foreign = _channels(subject, one, chosen, where, scales)
        if side == "joint":
            require_kinds(subject, read, scales)
        raw = {name: converted(x, name, scales.get(name)) for name, x in read.items()}
        raw |= {name: without_flips(raw[name]) for name in ("quat", "pose") if name in raw}
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
        runs += [at_joints(subject, run, gears) for run in found]
        warnings += [*foreign, *moved, *rounded, *said]
    if len({round(run.period, 9) for run in runs}) > 1 and max(r.period for r in runs) > 1.01 * min(
        r.period for r in runs
    ):
        rates = ", ".join(sorted({f"{1 / run.period:.6g}" for run in runs}))
        raise DataError(f"the runs have different rates ({rates} Hz): identify them apart, or resample them")
    closed, said = closed_runs(subject, runs, guess)
    warnings += said
    made = Measurements(subject, closed, tuple(warnings), gears)
    return replace(made, warnings=(*warnings, *noticed(subject, made.runs)))


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
    allowed = "a file, channels by name, a data frame, or a sequence of these"
    raise DataError(f"data is {type(source).__name__} (allowed: {allowed})")


def _channels(
    subject: Subject, one: Any, chosen: Mapping[str, Any], where: str, given: Container[str]
) -> tuple[dict[str, Array], list[str]]:
    """The channels of one recording, in the units that its columns name; as they are where units are `given`.

    And a warning about columns of joints that the robot does not have.
    """
    table: Columns = {}
    if isinstance(one, Mapping):
        found = {name: _array(name, x, given) for name, x in named.known(one, "data").items()}
    elif isinstance(one, str | Path) or is_frame(one):
        try:
            table = read_table(one) if isinstance(one, str | Path) else in_columns(numbers_of(one), Path(where))
            found = of_columns(subject, table, chosen, where, given)
        except DataError as error:
            raise DataError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None
    else:
        raise DataError(f"{where}: {type(one).__name__} is not a file or channels by name")
    if isinstance(subject, PlatformSubject) and "q" not in found and "pose" in found:
        _require_widths(subject, found, where)
        found["q"] = subject.motor_positions(found["pose"])
    needed = ["q", "tau", *(("quat", "V0") if subject.has_free_base else ())]
    missing = [name for name in needed if name not in found]
    if missing:
        columns = f"; columns of the file: {listed(table)}" if table else ""
        raise DataError(f"{where}: there is no channel {missing[0]} (there are: {', '.join(found) or 'none'}{columns})")
    lengths = {name: len(x) for name, x in found.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} {count}" for name, count in lengths.items())
        raise DataError(f"{where}: channels differ in their numbers of samples: {said}")
    if not lengths["q"]:
        raise DataError(f"{where}: there are no samples in it")
    _require_widths(subject, found, where)
    foreign = [] if chosen else named.of_other_joints(table, len(subject.given.joints))
    what = f"{where}: {listed(foreign)} are not used: {subject.given.name} has no joints of these numbers"
    return found, [f"{what}; is it the recording of another robot, or do numbers begin at 0?"] if foreign else []


def _array(name: str, source: Any, given: Container[str]) -> Array:
    """A channel that is given as an array, or as a file that has its columns alone, with a time or without."""
    if isinstance(source, str | Path):
        table = read_table(source)
        time = named.time_name(table)
        return np.column_stack([in_units(table, key, name, given) for key in table if key != time])
    try:
        array = np.asarray(source)
        array = np.asarray(array.real if np.iscomplexobj(array) and not array.imag.any() else array)
        array = array.astype(float, casting="unsafe" if not np.iscomplexobj(array) else "safe")
    except (TypeError, ValueError):
        raise DataError(f"{name} is not an array of numbers") from None
    if name == "t":
        return np.atleast_1d(np.squeeze(array))
    if array.ndim not in (1, 2):
        raise DataError(f"{name} has shape {array.shape} (allowed: samples, or samples and joints)")
    return array if array.ndim == 2 else array[:, None]


def of_columns(
    subject: Subject, table: Columns, chosen: Mapping[str, Any], where: str, given: Container[str] = ()
) -> dict[str, Array]:
    """The channels that are found by names, or that a mapping names; `given` ones have units that are not in names."""
    found = {name: named.chosen(table, name, names, where, given) for name, names in chosen.items()}
    if "t" not in found and (t := named.time_of(table, given)) is not None:
        found["t"] = t
    own = [j for j in subject.given.joints[: subject.given.link_count] if j.variable]
    motors = [j for j in own if j.actuated]
    lists = {"q": subject.variables, "qm": motors, "tau": subject.motors, "wanted": subject.motors}
    for channel, joints in lists.items():
        if channel not in found and (channel != "qm" or len(own) < len(subject.variables)):
            x = _by_name(table, channel, joints, own if channel == "q" else motors, given)
            found |= {} if x is None else {channel: x}
    platform = isinstance(subject, PlatformSubject)
    for channel in ("pose",) if platform else named.VECTORS if subject.has_free_base else ():
        if channel not in found and (x := named.vector_of(table, channel)) is not None:
            found[channel] = x
    return found


def _by_name(
    table: Columns, channel: str, joints: Sequence[Any], fewer: Sequence[Any], given: Container[str]
) -> Array | None:
    """The columns of these joints; where some are missing, of fewer joints: the motors of a robot with loops."""
    try:
        return named.joints_of(table, channel, joints, given)
    except SymoroError:
        active = [joint for joint in joints if joint.actuated]
        for others in (fewer, active):
            if list(others) != list(joints):
                try:
                    return named.joints_of(table, channel, others, given)
                except SymoroError:
                    continue
        raise


def _require_widths(subject: Subject, found: Mapping[str, Array], where: str) -> None:
    n, m = len(subject.variables), len(subject.motors)
    own = sum(1 for joint in subject.given.joints[: subject.given.link_count] if joint.variable)
    allowed = {"q": {n, m, own}, "tau": {m}, "qd": {len(subject.moving)}, "qdd": {len(subject.moving)}, "wanted": {m}}
    allowed |= {name: {size} for name, size in named.VECTORS.items()}
    for name, widths in allowed.items():
        if name in found and found[name].shape[-1] not in widths:
            said = " or ".join(map(str, sorted(widths)))
            raise DataError(
                f"{where}: {name} has {found[name].shape[-1]} columns, and {subject.robot.name} needs {said}"
            )


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
