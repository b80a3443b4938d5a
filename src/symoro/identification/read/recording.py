"""The channels of one recording of a robot: from a file, from arrays by name, or from a data frame."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError, SymoroError
from symoro.identification.arrays import Array
from symoro.identification.read import channels as named
from symoro.identification.read.columns import Columns, in_columns, is_frame, listed, numbers_of
from symoro.identification.read.table import read_table
from symoro.identification.read.units import in_units
from symoro.identification.subject.paths import motor_positions
from symoro.identification.subject.subject import Subject


def channels_of(
    subject: Subject, one: Any, chosen: Mapping[str, Any], where: str, given: Container[str]
) -> tuple[dict[str, Array], list[str]]:
    """The channels of one recording, in the units that its columns name; as they are where units are `given`.

    And a warning about columns of joints that the robot does not have.
    """
    table: Columns = {}
    if isinstance(one, Mapping):
        found = {name: _array(name, x, given) for name, x in named.known(one, "data").items()}
    else:
        table, found = _of_table(subject, one, chosen, where, given)
    others = len(subject.variables) - len(subject.coordinates.driving)
    own = found["q"].shape[-1] if "q" in found else 0
    if own == others and "pose" in found and "pose" in subject.channels:  # the pose says where the motors of legs are
        _require_widths(subject, {name: x for name, x in found.items() if name != "q"}, where)
        driving = motor_positions(subject, found["pose"])
        found["q"] = np.hstack([driving, found["q"]]) if own and len(driving) == len(found["q"]) else driving
    _require_channels(subject, found, where, table)
    _require_widths(subject, found, where)
    return found, [] if chosen else _foreign(subject, table, where)


def _of_table(
    subject: Subject, one: Any, chosen: Mapping[str, Any], where: str, given: Container[str]
) -> tuple[Columns, dict[str, Array]]:
    """The columns of a file or a data frame, and the channels in them."""
    if not (isinstance(one, str | Path) or is_frame(one)):
        raise DataError(f"{where}: {type(one).__name__} is not a file or channels by name")
    try:
        table = read_table(one) if isinstance(one, str | Path) else in_columns(numbers_of(one), Path(where))
        return table, of_columns(subject, table, chosen, where, given)
    except DataError as error:
        raise DataError(str(error) if str(error).startswith(where) else f"{where}: {error}") from None


def _require_channels(subject: Subject, found: Mapping[str, Array], where: str, table: Columns) -> None:
    """An error where a channel is missing or empty, or where channels differ in their numbers of samples."""
    needed = ["q", "tau", *(("quat", "V0") if subject.has_free_base else ())]
    if missing := [name for name in needed if name not in found]:
        columns = f"; columns of the file: {listed(table)}" if table else ""
        raise DataError(f"{where}: there is no channel {missing[0]} (there are: {', '.join(found) or 'none'}{columns})")
    lengths = {name: len(x) for name, x in found.items()}
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} {count}" for name, count in lengths.items())
        raise DataError(f"{where}: channels differ in their numbers of samples: {said}")
    if not lengths["q"]:
        raise DataError(f"{where}: there are no samples in it")


def _foreign(subject: Subject, table: Columns, where: str) -> list[str]:
    """A warning about columns of joints that the robot does not have."""
    foreign = named.of_other_joints(table, len(subject.given.joints))
    what = f"{where}: {listed(foreign)} are not used: {subject.given.name} has no joints of these numbers"
    return [f"{what}; is it the recording of another robot, or do numbers begin at 0?"] if foreign else []


def _array(name: str, source: Any, given: Container[str]) -> Array:
    """A channel that is given as an array, or as a file that has its columns alone, with a time or without."""
    if isinstance(source, str | Path):
        table = read_table(source)
        time = named.time_name(table)
        return np.column_stack([in_units(table, key, name, given) for key in table if key != time])
    try:
        array = np.asarray(source)
        array = array.real if np.iscomplexobj(array) and not array.imag.any() else array
        array = array.astype(float, casting="safe" if np.iscomplexobj(array) else "unsafe")
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
    for channel in subject.channels:
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
