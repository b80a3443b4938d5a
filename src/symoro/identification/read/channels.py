"""Which column of a file is which channel: time, positions, torques, quaternions."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from symoro.errors import DataError
from symoro.findings import Argument, Finding, Place
from symoro.identification.arrays import Array
from symoro.identification.read.columns import Columns, listed
from symoro.identification.read.units import by_plain_name, in_units, plain
from symoro.identification.subject.subject import Subject
from symoro.options import Kind
from symoro.robot.joint import Joint

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
    """The column of time, where there is one; `given` are channels whose units are given, not those of the names."""
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


def chosen(columns: Columns, channel: str, names: Any, where: str, with_units: Container[str] = ()) -> Array:
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
        return q  # `assembled_runs` closes them
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
