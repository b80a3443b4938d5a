"""Units of measured channels, in names of columns too: all become seconds, radians, metres, N and N·m."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from math import pi
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.read.columns import Columns
from symoro.identification.subject.subject import Subject
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
