"""Units of positions belong to joints that turn or to joints that slide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.recordings.units import factor_of
from symoro.identification.subject.subject import Subject
from symoro.robot.joint import Joint

_CHANNELS = ("q", "qm", "qd", "qdd", "wanted")
_OF_TURNS, _OF_SLIDES = ("rad", "deg", "turn"), ("m", "mm")


def require_kinds(subject: Subject, channels: Mapping[str, Array], units: Mapping[str, Any]) -> None:
    """An error where positions of a joint that slides are said to be degrees, or those of one that turns millimetres.

    Radians and metres are allowed for all: they change nothing.
    """
    for channel in _CHANNELS:
        unit = units.get(channel)
        joints = _joints(subject, channels[channel].shape[1]) if unit is not None and channel in channels else ()
        given = list(unit) if isinstance(unit, list | tuple) else [unit] * len(joints)
        for joint, one in zip(joints, given, strict=False):
            _require_kind(channel, joint, one)


def _require_kind(channel: str, joint: Joint, unit: Any) -> None:
    if not isinstance(unit, str) or (factor := factor_of(channel, unit)) in (None, 1.0):
        return
    own, does = (_OF_TURNS, "turns") if joint.revolute else (_OF_SLIDES, "slides")
    if factor not in [factor_of("q", name) for name in own]:
        what = f"units: {channel}: {unit!r} is not a unit of joint {joint.label}, which {does}"
        raise DataError(f"{what} (allowed for it: {', '.join(own)}; give a unit for each joint)")


def _joints(subject: Subject, width: int) -> Sequence[Joint]:
    """The joints that so many columns belong to: all variables, those of the description, or the motors."""
    own = [joint for joint in subject.given.joints[: subject.given.link_count] if joint.variable]
    return next((joints for joints in (own, subject.variables, subject.motors) if len(joints) == width), ())
