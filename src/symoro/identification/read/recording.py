"""The channels of one recording of a robot: from a file, from arrays by name, or from a data frame."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError, SymoroError
from symoro.findings import Finding, Place
from symoro.identification.arrays import Array
from symoro.identification.read import channels as named
from symoro.identification.read.columns import Columns, in_columns, is_frame, listed, numbers_of
from symoro.identification.read.table import read_table
from symoro.identification.read.units import in_units
from symoro.identification.subject.subject import Subject


def channels_of(
    subject: Subject, one: Any, chosen: Mapping[str, Any], where: str, with_units: Container[str]
) -> tuple[dict[str, Array], list[Finding]]:
    """The channels of one recording, in the units that its columns name; as they are where units are `given`.

    And a warning about columns of joints that the robot does not have.
    """
    table: Columns = {}
    if isinstance(one, Mapping):
        channels = {name: _array(name, x, with_units) for name, x in named.by_channel(one, "data").items()}
    else:
        table, channels = _of_table(subject, one, chosen, where, with_units)
    others = len(subject.variables) - len(subject.coordinates.driving)
    width = channels["q"].shape[-1] if "q" in channels else 0
    if (
        width == others and "pose" in channels and "pose" in subject.channels
    ):  # the pose says where the motors of legs are
        _require_widths(subject, {name: x for name, x in channels.items() if name != "q"}, where)
        from symoro.identification.subject.paths import motor_positions

        driving = motor_positions(subject, channels["pose"])
        channels["q"] = np.hstack([driving, channels["q"]]) if width and len(driving) == len(channels["q"]) else driving
    _require_channels(subject, channels, where, table)
    _require_widths(subject, channels, where)
    return channels, [] if chosen else _foreign(subject, table, where)


def _of_table(
    subject: Subject, one: Any, chosen: Mapping[str, Any], where: str, with_units: Container[str]
) -> tuple[Columns, dict[str, Array]]:
    """The columns of a file or a data frame, and the channels in them."""
    if not (isinstance(one, str | Path) or is_frame(one)):
        raise DataError("recordings.not_a_source", kind=type(one).__name__, place=Place(where))
    try:
        table = read_table(one) if isinstance(one, str | Path) else in_columns(numbers_of(one), Path(where))
        return table, of_columns(subject, table, chosen, where, with_units)
    except DataError as error:
        raise DataError(error.finding if error.finding.file else error.finding.at(file=where)) from None


def _require_channels(subject: Subject, channels: Mapping[str, Array], where: str, table: Columns) -> None:
    """An error where a channel is missing or empty, or where channels differ in their numbers of samples."""
    needed = ["q", "tau", *(("quat", "V0") if subject.has_free_base else ())]
    if missing := [name for name in needed if name not in channels]:
        names = list(channels) or Finding("recordings.none")
        if table:
            raise DataError(
                "recordings.no_channel_in_columns",
                channel=missing[0],
                channels=names,
                columns=listed(table),
                place=Place(where),
            )
        raise DataError("recordings.no_channel", channel=missing[0], channels=names, place=Place(where))
    lengths = {name: len(x) for name, x in channels.items()}
    if len(set(lengths.values())) > 1:
        counts = [f"{name} {count}" for name, count in lengths.items()]
        raise DataError("recordings.lengths_of_channels", channels=counts, place=Place(where))
    if not lengths["q"]:
        raise DataError("recordings.no_samples", place=Place(where))


def _foreign(subject: Subject, table: Columns, where: str) -> list[Finding]:
    """A warning about columns of joints that the robot does not have."""
    foreign = named.of_other_joints(table, len(subject.description.joints))
    if not foreign:
        return []
    robot = subject.description.name
    return [Finding("recordings.other_joints", columns=listed(foreign), robot=robot, place=Place(where))]


def _array(name: str, source: Any, with_units: Container[str]) -> Array:
    """A channel that is given as an array, or as a file that has its columns alone, with a time or without."""
    if isinstance(source, str | Path):
        table = read_table(source)
        time = named.time_name(table)
        return np.column_stack([in_units(table, key, name, with_units) for key in table if key != time])
    try:
        array = np.asarray(source)
        array = array.real if np.iscomplexobj(array) and not array.imag.any() else array
        array = array.astype(float, casting="safe" if np.iscomplexobj(array) else "unsafe")
    except (TypeError, ValueError):
        raise DataError("recordings.not_numbers", name=name) from None
    if name == "t":
        return np.atleast_1d(np.squeeze(array))
    if array.ndim not in (1, 2):
        raise DataError("recordings.shape", name=name, shape=str(array.shape))
    return array if array.ndim == 2 else array[:, None]


def of_columns(
    subject: Subject, table: Columns, chosen: Mapping[str, Any], where: str, with_units: Container[str] = ()
) -> dict[str, Array]:
    """The channels that are found by names, or that a mapping names; `given` ones have units that are not in names."""
    channels = {name: named.chosen(table, name, names, where, with_units) for name, names in chosen.items()}
    if "t" not in channels and (t := named.time_of(table, with_units)) is not None:
        channels["t"] = t
    described = [j for j in subject.description.joints[: subject.description.link_count] if j.variable]
    motors = [j for j in described if j.actuated]
    lists = {"q": subject.variables, "qm": motors, "tau": subject.motors, "wanted": subject.motors}
    for channel, joints in lists.items():
        if channel not in channels and (channel != "qm" or len(described) < len(subject.variables)):
            x = _by_name(table, channel, joints, described if channel == "q" else motors, with_units)
            channels |= {} if x is None else {channel: x}
    for channel in subject.channels:
        if channel not in channels and (x := named.vector_of(table, channel)) is not None:
            channels[channel] = x
    return channels


def _by_name(
    table: Columns, channel: str, joints: Sequence[Any], fewer: Sequence[Any], with_units: Container[str]
) -> Array | None:
    """The columns of these joints; where some are missing, of fewer joints: the motors of a robot with loops."""
    try:
        return named.joints_of(table, channel, joints, with_units)
    except SymoroError:
        active = [joint for joint in joints if joint.actuated]
        for others in (fewer, active):
            if list(others) != list(joints):
                try:
                    return named.joints_of(table, channel, others, with_units)
                except SymoroError:
                    continue
        raise


def _require_widths(subject: Subject, channels: Mapping[str, Array], where: str) -> None:
    n, m = len(subject.variables), len(subject.motors)
    described = sum(1 for joint in subject.description.joints[: subject.description.link_count] if joint.variable)
    allowed = {
        "q": {n, m, described},
        "tau": {m},
        "qd": {len(subject.moving)},
        "qdd": {len(subject.moving)},
        "wanted": {m},
    }
    allowed |= {name: {size} for name, size in named.VECTORS.items()}
    for name, widths in allowed.items():
        if name in channels and channels[name].shape[-1] not in widths:
            raise DataError(
                "recordings.width",
                channel=name,
                count=channels[name].shape[-1],
                robot=subject.robot.name,
                allowed=sorted(widths),
                place=Place(where),
            )
