"""The channels of a recording, in SI units: which column of a file or a data frame is which channel, in which unit."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from math import pi
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from symoro.errors import DataError, SymoroError
from symoro.findings import Argument, Finding, Place
from symoro.identification.arrays import Array
from symoro.identification.read.columns import Columns, in_columns, is_frame, listed, numbers_of
from symoro.identification.read.table import read_table
from symoro.identification.subject.subject import Subject
from symoro.options import Kind
from symoro.robot.joint import Joint

# Units of measured channels: every channel is converted to seconds, radians, metres, N and N·m.


FACTORS = {
    "t": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "q": {"rad": 1.0, "deg": pi / 180, "turn": 2 * pi, "m": 1.0, "mm": 1e-3},
    "tau": {"Nm": 1.0, "mNm": 1e-3, "Ncm": 1e-2, "kNm": 1e3, "N": 1.0, "mN": 1e-3, "kN": 1e3},
}
_LIKE = {"qm": "q", "wanted": "q", "qd": "q", "qdd": "q"}
_SPELLED = {
    "sec": "s", "second": "s", "seconds": "s", "msec": "ms", "µs": "us", "μs": "us", "°": "deg", "degree": "deg",
    "degrees": "deg", "radian": "rad", "radians": "rad", "rev": "turn", "turns": "turn", "Nmm": "mNm",
}  # fmt: skip
"""Other spellings of units."""
_RATE = re.compile(r"/s(ec)?(\^?2|²)?$|\^?-1$")
"""What makes a velocity or an acceleration of a position."""


def units_of(channel: str) -> tuple[str, ...]:
    """The units of a channel by name."""
    return tuple(FACTORS.get(_LIKE.get(channel, channel), {}))


def factor_of(channel: str, unit: str) -> float | None:
    """The factor of a unit as people write it: N·m, N.m, °, deg/s; None where it is none of the channel."""
    text = re.sub(r"[\s·.*⋅]", "", unit)
    if channel in ("qd", "qdd"):
        text = _RATE.sub("", text)
    return FACTORS.get(_LIKE.get(channel, channel), {}).get(_SPELLED.get(text, text))


def converted(array: Array, channel: str, unit: Any) -> Array:
    """The channel in SI units. A unit is a name, a factor, or a name or factor for each joint."""
    if unit is None:
        return array
    units = list(np.ravel(unit)) if isinstance(unit, np.ndarray) else unit if isinstance(unit, list | tuple) else [unit]
    if len(units) not in (1, array.shape[-1]):
        raise DataError("recordings.units_of_joints", channel=channel, units=len(units), joints=array.shape[-1])
    factors = [_factor(channel, one) for one in units]
    if not np.isfinite(factors).all() or 0.0 in factors:
        raise DataError("recordings.factor", channel=channel, unit=repr(unit))
    return np.asarray(array * (np.array(factors) if len(factors) > 1 else factors[0]))


def _factor(channel: str, unit: Any) -> float:
    factor = factor_of(channel, unit) if isinstance(unit, str) else unit
    if isinstance(factor, bool) or not isinstance(factor, int | float | np.number):
        if not (allowed := units_of(channel)):
            raise DataError("recordings.unit_without_names", channel=channel, unit=unit)
        raise DataError("recordings.unit", channel=channel, unit=unit, allowed=allowed)
    return float(factor)


# Units in the names of columns: `q1 [deg]` and `tau_1 (Nm)` are q1 in degrees and tau_1 in N·m.


_WITH_UNIT = re.compile(r"(.*\S)\s*(?:\[([^\[\]]*)\]|\(([^()]*)\))")


def plain(name: str) -> tuple[str, str | None]:
    """The name of a column and its unit; `position[0]` has an index, not a unit."""
    match = _WITH_UNIT.fullmatch(name.strip())
    unit = (match.group(2) or match.group(3) or "").strip() if match else ""
    if match is None or not unit or unit.isdigit():
        return name.strip(), None
    return match.group(1), unit


def by_plain_name(names: Iterable[str]) -> dict[str, str]:
    """Names of columns in small letters, as they are and without their units: the column that has them."""
    whole = {name.lower(): name for name in names}
    bare: dict[str, list[str]] = {}
    for name in whole.values():
        bare.setdefault(plain(name)[0].lower(), []).append(name)
    return {short: some[0] for short, some in bare.items() if len(some) == 1} | whole


def in_units(columns: Columns, name: str, channel: str, with_units: Container[str] = ()) -> Array:
    """A column in SI units, as its name says; as it is where units of the channel are given."""
    unit = plain(name)[1]
    if unit is None or channel in with_units:
        return columns[name]
    factor = factor_of(channel, unit)
    if factor is None:
        allowed = units_of(channel)
        raise DataError("recordings.unit_of_column", column=name, unit=unit, channel=channel, allowed=allowed)
    return columns[name] if factor == 1.0 else columns[name] * factor


# Units of positions belong to joints that turn or to joints that slide.


_CHANNELS = ("q", "qm", "qd", "qdd", "wanted")
_OF_TURNS, _OF_SLIDES = ("rad", "deg", "turn"), ("m", "mm")


def require_kinds(subject: Subject, channels: Mapping[str, Array], units: Mapping[str, Any]) -> None:
    """An error where positions of a joint that slides are said to be degrees, or those of one that turns millimetres.

    Radians and metres are allowed for all: they change nothing.
    """
    for channel in _CHANNELS:
        unit = units.get(channel)
        joints = _joints(subject, channels[channel].shape[1]) if unit is not None and channel in channels else ()
        of_joints = list(unit) if isinstance(unit, list | tuple) else [unit] * len(joints)
        for joint, one in zip(joints, of_joints, strict=False):
            _require_kind(channel, joint, one)


def _require_kind(channel: str, joint: Joint, unit: Any) -> None:
    if not isinstance(unit, str) or (factor := factor_of(channel, unit)) in (None, 1.0):
        return
    allowed = _OF_TURNS if joint.revolute else _OF_SLIDES
    if factor not in [factor_of("q", name) for name in allowed]:
        code = "recordings.unit_of_revolute" if joint.revolute else "recordings.unit_of_prismatic"
        raise DataError(code, channel=channel, unit=unit, joint=joint.label, allowed=allowed)


def _joints(subject: Subject, width: int) -> Sequence[Joint]:
    """The joints that so many columns belong to: all variables, those of the description, or the motors."""
    described = [joint for joint in subject.description.joints[: subject.description.link_count] if joint.variable]
    return next((joints for joints in (described, subject.variables, subject.motors) if len(joints) == width), ())


# Which column of a file is which channel: time, positions, torques.


_PREFIXES = {
    "q": ("q", "pos", "position", "angle", "theta"),
    "qm": ("qm", "motor", "motor_position"),
    "qd": ("qd", "dq", "vel", "velocity", "speed"),
    "qdd": ("qdd", "ddq", "acc", "acceleration"),
    "tau": ("tau", "torque", "effort", "trq", "force", "gam", "current"),
    "wanted": ("wanted", "qr", "reference", "desired", "q_ref"),
}
"""Words for a channel of joints, in front of a joint's number or name."""
_OWN_NAME = {"q": ("{variable}", "{name}")}
_NUMBERED = re.compile(r"([a-z]+)_?(\d+)")
"""A word for a channel with the number of a joint."""
_TIMES = ("t", "time", "timestamp", "stamp", "time_s", "seconds")
VECTORS = {"quat": 4, "V0": 6, "VP0": 6, "wrench": 6, "pose": 7}
"""Channels of a free base and their sizes; `wrench` is the measured force and moment on it, as a plate measures it.

`pose` is that of a platform: x, y, z and a quaternion x, y, z, w."""
CHANNELS = ("t", *_PREFIXES, *VECTORS)


@dataclass(frozen=True)
class ByChannel(Kind):
    """A dictionary by channel; CHANNEL=A,B on the command line, which may be repeated."""

    numeric: bool = False
    """Whether what belongs to a channel may be numbers."""
    annotation = "Mapping[str, Any]"
    repeated = True

    def accepts(self, value: Any, about: Any = None) -> bool:
        return isinstance(value, Mapping)

    def allowed(self, about: Any = None) -> Sequence[Any]:
        return [Finding("recordings.by_channel", channels=CHANNELS)]

    def read(self, text: Any) -> Any:
        words = [one.partition("=") for one in text]
        if not all(rest for _, _, rest in words):
            return text
        return {name.strip(): self._of_channel(name.strip(), rest.split(",")) for name, _, rest in words}

    def _of_channel(self, channel: str, words: Sequence[str]) -> Any:
        """Names of columns, one for the time; names of units, or factors."""
        values: list[Any] = [word.strip() for word in words]
        if not self.numeric:
            return values[0] if channel == "t" and len(values) == 1 else values
        with suppress(ValueError):
            values = [float(word) for word in values]
        return values[0] if len(values) == 1 else values


def time_name(columns: Columns) -> str | None:
    """The name of the column of time, where there is one."""
    by_name = by_plain_name(columns)
    return next((by_name[name] for name in _TIMES if name in by_name), None)


def time_of(columns: Columns, with_units: Container[str] = ()) -> Array | None:
    """The column of time, where there is one; units of channels in `with_units` are not those of the names."""
    name = time_name(columns)
    return None if name is None else in_units(columns, name, "t", with_units)


def joints_of(columns: Columns, channel: str, joints: Sequence[Joint], with_units: Container[str] = ()) -> Array | None:
    """The columns of a channel for these joints, (samples, joints); None where no column of it is there."""
    by_name = by_plain_name(columns)
    if len(joints) == 1:  # the word alone is enough
        by_name = by_name | {f"{word}1": by_name[word] for word in _PREFIXES[channel] if word in by_name}
    names = [next((by_name[x.lower()] for x in _candidates(channel, j, k) if x.lower() in by_name), None)
             for k, j in enumerate(joints, 1)]  # fmt: skip
    if all(x is None for x in names):
        return None
    missing = [joint.label for joint, x in zip(joints, names, strict=True) if x is None]
    if missing:
        tried = list(_candidates(channel, *next((j, k) for k, j in enumerate(joints, 1) if names[k - 1] is None)))
        from_0 = f"{channel}0" in by_name or f"{channel}_0" in by_name
        raise DataError(
            "recordings.no_column_of_joint",
            channel=channel,
            joint=missing[0],
            tried=tried,
            columns=listed(columns),
            hint=Finding("recordings.numbers_from_1") if from_0 else "",
        )
    return np.column_stack([in_units(columns, x, channel, with_units) for x in names if x is not None])


def of_other_joints(columns: Iterable[str], joints: int) -> list[str]:
    """Columns of positions and torques with the number of a joint that the robot does not have."""
    words = {*_PREFIXES["q"], *_PREFIXES["tau"]}
    matches = ((name, _NUMBERED.fullmatch(plain(name)[0].lower())) for name in columns)
    return [name for name, of in matches if of and of.group(1) in words and not 1 <= int(of.group(2)) <= joints]


def vector_of(columns: Columns, channel: str) -> Array | None:
    """The columns quat1 … or quat_1 … of a channel of a free base."""
    by_name = by_plain_name(columns)
    for pattern in ("{}{}", "{}_{}"):
        names = [pattern.format(channel, k).lower() for k in range(1, VECTORS[channel] + 1)]
        if all(name in by_name for name in names):
            return np.column_stack([columns[by_name[name]] for name in names])
    return None


def _candidates(channel: str, joint: Joint, number: int) -> Iterator[str]:
    """Names that a column of a joint may have, the most probable first."""
    labels = {"variable": str(joint.variable), "name": joint.label}
    yield from (pattern.format(**labels) for pattern in _OWN_NAME.get(channel, ()))
    for word in _PREFIXES[channel]:
        yield f"{word}_{labels['name']}"
        yield f"{labels['name']}.{word}"
        yield f"{labels['name']}_{word}"
        yield f"{word}{number}"
        yield f"{word}_{number}"


def columns_of(columns: Columns, channel: str, names: Any, where: str, with_units: Container[str] = ()) -> Array:
    """The columns that a mapping names for a channel: one name, or one for each joint."""
    by_name = by_plain_name(columns)
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list | tuple) or not names or not all(isinstance(name, str) for name in names):
        raise DataError("recordings.names_of_columns", channel=channel, names=f"{names!r:.60}")
    for name in names:
        if name not in columns and str(name).lower() not in by_name:
            close = get_close_matches(str(name), list(columns), n=3)
            there_are = Finding("recordings.there_are", names=listed(columns))
            hint = Finding("recordings.did_you_mean", names=_one_of(close)) if close else there_are
            raise DataError("recordings.no_column", channel=channel, name=name, hint=hint, place=Place(where))
    in_file = [name if name in columns else by_name[str(name).lower()] for name in names]
    table = np.column_stack([in_units(columns, name, channel, with_units) for name in in_file])
    return table[:, 0] if channel == "t" else table


def _one_of(names: Sequence[str]) -> str | Finding:
    """Names in a message, with "or" before the last one."""
    if len(names) == 1:
        return names[0]
    return Finding("recordings.or", first=names[:-1], second=names[-1])


def by_channel(values: Mapping[str, Any] | None, option: str) -> dict[str, Any]:
    """A mapping whose keys are channels; an error for other keys."""
    for name in values or {}:
        if name not in CHANNELS:
            raise DataError("recordings.not_a_channel", option=Argument(option), name=name, allowed=CHANNELS)
    return dict(values or {})


# All positions of a robot from the measured ones: springs between two measured sides.


def all_positions(subject: Subject, q: Array, qm: Array | None, where: str) -> Array:
    """The positions of all variables of the regressor, (samples, variables); of loops, the motors may be enough."""
    n = len(subject.variables)
    if _has_pairs(subject) and q.shape[1] < n:
        q = _in_pairs(subject, q, qm, where)
    if subject.robot.cuts and q.shape[1] == len(subject.motors) < n:
        return q  # `loop_runs` closes them
    if q.shape[1] != n:
        raise DataError(
            "recordings.width", channel="q", count=q.shape[1], robot=subject.robot.name, allowed=n, place=Place(where)
        )
    return q


def _has_pairs(subject: Subject) -> bool:
    return any(joint.elastic and joint.actuated for joint in subject.description.joints)


def _in_pairs(subject: Subject, q: Array, qm: Array | None, where: str) -> Array:
    """The position of each motor and the deformation q − qm of its spring, in the order of the variables."""
    joints = [joint for joint in subject.description.joints[: subject.description.link_count] if joint.variable]
    pairs = [joint for joint in joints if joint.elastic and joint.actuated]
    if qm is None or qm.shape[1] not in (len(pairs), sum(joint.actuated for joint in joints)):
        raise DataError("recordings.both_sides", place=Place(where))
    sides = [joint for joint in joints if joint.actuated] if qm.shape[1] > len(pairs) else pairs
    motor = {joint.index: qm[:, k] for k, joint in enumerate(sides)}
    columns = []
    for k, joint in enumerate(joints):
        if joint in pairs:
            columns += [motor[joint.index], q[:, k] - motor[joint.index]]
        else:
            columns.append(q[:, k])
    return np.column_stack(columns)


# Measured quaternions: q and −q are one rotation, and recordings may change from one to the other.


_WINDOW = 0.05
"""Seconds between two orientations from which an angular velocity is taken: noise of single samples matters little."""


def without_flips(x: Array) -> Array:
    """The same rotations without changes of the sign, which filters and interpolation would take for motion.

    The last four columns are the quaternion: a pose has its position before it. One that is 0 is a lost sample.
    """
    continuous = np.array(x, dtype=float)
    quat = continuous[:, -4:]
    quat[~quat.any(axis=1)] = np.nan
    known = np.flatnonzero(np.isfinite(quat).all(axis=1))
    changes = np.einsum("ti,ti->t", quat[known[1:]], quat[known[:-1]]) < 0
    quat[known[1:]] *= np.cumprod(np.where(changes, -1.0, 1.0))[:, None]
    return continuous


def turning(quat: Array, period: float) -> tuple[Array, Array, slice]:
    """Angular velocities of orientations (x, y, z, w), in their own frame and in that of the world; and their rows."""
    step = max(1, min(round(_WINDOW / period), len(quat) // 4))
    before, behind = Rotation.from_quat(quat[:-step]), Rotation.from_quat(quat[step:])
    body, world = before.inv() * behind, behind * before.inv()
    half = step // 2
    rows = slice(half, half + len(quat) - step)
    return body.as_rotvec() / (step * period), world.as_rotvec() / (step * period), rows


# The channels of one recording of a robot: from a file, from arrays by name, or from a data frame.


def channels_of(
    subject: Subject, one: Any, chosen: Mapping[str, Any], where: str, with_units: Container[str]
) -> tuple[dict[str, Array], list[Finding]]:
    """The channels of one recording, and a warning about columns of joints that the robot does not have.

    They are in the units that columns name; those of `with_units` are as they were recorded.
    """
    table: Columns = {}
    if isinstance(one, Mapping):
        channels = {name: _array(name, x, with_units) for name, x in by_channel(one, "data").items()}
    else:
        table, channels = _of_table(subject, one, chosen, where, with_units)
    _require_channels(subject, channels, where, table)
    _require_widths(subject, channels, where)
    return channels, [] if chosen else _foreign(subject, table, where)


def with_motors_of_legs(subject: Subject, channels: dict[str, Array]) -> dict[str, Array]:
    """The channels, in SI units, with the positions of the motors of legs: the pose gives those that are missing."""
    if not _lacks_motors_of_legs(subject, channels):
        return channels
    from symoro.identification.subject.paths import motor_positions

    motors = motor_positions(subject, channels["pose"])
    return channels | {"q": np.hstack([motors, channels["q"]]) if "q" in channels else motors}


def _lacks_motors_of_legs(subject: Subject, channels: Mapping[str, Array]) -> bool:
    """Whether a pose is measured, and no position of the motors of legs: other joints may be."""
    others = len(subject.variables) - len(subject.coordinates.driving)
    width = channels["q"].shape[-1] if "q" in channels else 0
    return width == others and "pose" in channels and "pose" in subject.channels


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
    position = "pose" if _lacks_motors_of_legs(subject, channels) else "q"
    needed = [position, "tau", *(("quat", "V0") if subject.has_free_base else ())]
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
    if not lengths["tau"]:
        raise DataError("recordings.no_samples", place=Place(where))


def _foreign(subject: Subject, table: Columns, where: str) -> list[Finding]:
    """A warning about columns of joints that the robot does not have."""
    foreign = of_other_joints(table, len(subject.description.joints))
    if not foreign:
        return []
    robot = subject.description.name
    return [Finding("recordings.other_joints", columns=listed(foreign), robot=robot, place=Place(where))]


def _array(name: str, source: Any, with_units: Container[str]) -> Array:
    """A channel that is given as an array, or as a file that has its columns alone, with a time or without."""
    if isinstance(source, str | Path):
        table = read_table(source)
        time = time_name(table)
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
    """The channels that are found by names, or that a mapping names, each in its units as in `channels_of`."""
    channels = {name: columns_of(table, name, names, where, with_units) for name, names in chosen.items()}
    if "t" not in channels and (t := time_of(table, with_units)) is not None:
        channels["t"] = t
    described = [j for j in subject.description.joints[: subject.description.link_count] if j.variable]
    motors = [j for j in described if j.actuated]
    lists = {"q": subject.variables, "qm": motors, "tau": subject.motors, "wanted": subject.motors}
    for channel, joints in lists.items():
        if channel not in channels and (channel != "qm" or len(described) < len(subject.variables)):
            x = _by_name(table, channel, joints, described if channel == "q" else motors, with_units)
            channels |= {} if x is None else {channel: x}
    for channel in subject.channels:
        if channel not in channels and (x := vector_of(table, channel)) is not None:
            channels[channel] = x
    return channels


def _by_name(
    table: Columns, channel: str, joints: Sequence[Any], fewer: Sequence[Any], with_units: Container[str]
) -> Array | None:
    """The columns of these joints; where some are missing, of fewer joints: the motors of a robot with loops."""
    try:
        return joints_of(table, channel, joints, with_units)
    except SymoroError:
        active = [joint for joint in joints if joint.actuated]
        for others in (fewer, active):
            if list(others) != list(joints):
                try:
                    return joints_of(table, channel, others, with_units)
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
    allowed |= {name: {size} for name, size in VECTORS.items()}
    if _lacks_motors_of_legs(subject, channels):
        del allowed["q"]
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
