"""Units of measured channels: every channel is converted to seconds, radians, metres, N and N·m."""

from __future__ import annotations

from math import pi
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.readers.columns import Array

FACTORS = {
    "t": {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9},
    "q": {"rad": 1.0, "deg": pi / 180, "turn": 2 * pi, "m": 1.0, "mm": 1e-3},
    "tau": {"Nm": 1.0, "mNm": 1e-3, "Ncm": 1e-2, "kNm": 1e3, "N": 1.0, "mN": 1e-3, "kN": 1e3},
}
_LIKE = {"qm": "q", "wanted": "q", "qd": "q", "qdd": "q"}


def converted(array: Array, channel: str, unit: Any) -> Array:
    """The channel in SI units. A unit is a name, a factor, or a name or factor for each joint."""
    if unit is None:
        return array
    table = FACTORS.get(_LIKE.get(channel, channel), {})
    given = [unit] if isinstance(unit, str) or np.ndim(unit) == 0 else list(unit)
    if len(given) not in (1, array.shape[-1]):
        raise DataError(f"units: {channel} has {len(given)} units for {array.shape[-1]} joints")
    factors = []
    for one in given:
        if isinstance(one, str) and one not in table:
            raise DataError(f"units: {channel}: {one!r} is not a unit (allowed: {', '.join(table)}, or a factor)")
        factors.append(table[one] if isinstance(one, str) else float(one))
    if not np.isfinite(factors).all() or 0.0 in factors:
        raise DataError(f"units: {channel}: {unit!r} is not a factor (allowed: numbers that are not 0)")
    return np.asarray(array * (np.array(factors) if len(factors) > 1 else factors[0]))
