"""Units of measured channels: every channel is converted to seconds, radians, metres, N and N·m."""

from __future__ import annotations

import re
from math import pi
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array

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
    given = list(np.ravel(unit)) if isinstance(unit, np.ndarray) else unit if isinstance(unit, list | tuple) else [unit]
    if len(given) not in (1, array.shape[-1]):
        raise DataError(f"units: {channel} has {len(given)} units for {array.shape[-1]} joints")
    factors = [_factor(channel, one) for one in given]
    if not np.isfinite(factors).all() or 0.0 in factors:
        raise DataError(f"units: {channel}: {unit!r} is not a factor (allowed: numbers that are not 0)")
    return np.asarray(array * (np.array(factors) if len(factors) > 1 else factors[0]))


def _factor(channel: str, unit: Any) -> float:
    found = factor_of(channel, unit) if isinstance(unit, str) else unit
    if isinstance(found, bool) or not isinstance(found, int | float | np.number):
        allowed = ", ".join((*units_of(channel), "or a factor"))
        raise DataError(f"units: {channel}: {unit!r} is not a unit (allowed: {allowed})")
    return float(found)
