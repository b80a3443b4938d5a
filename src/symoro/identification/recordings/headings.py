"""Units in the names of columns: `q1 [deg]` and `tau_1 (Nm)` are q1 in degrees and tau_1 in N·m."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.readers.columns import Columns
from symoro.identification.recordings.units import factor_of, units_of

_WITH_UNIT = re.compile(r"(.*\S)\s*(?:\[([^\[\]]*)\]|\(([^()]*)\))")


def plain(name: str) -> tuple[str, str | None]:
    """The name of a column and its unit; `position[0]` has an index, not a unit."""
    found = _WITH_UNIT.fullmatch(name.strip())
    unit = (found.group(2) or found.group(3) or "").strip() if found else ""
    if found is None or not unit or unit.isdigit():
        return name.strip(), None
    return found.group(1), unit


def by_plain_name(names: Iterable[str]) -> dict[str, str]:
    """Names of columns in small letters, as they are and without their units: the column that has them."""
    whole = {name.lower(): name for name in names}
    bare: dict[str, list[str]] = {}
    for name in whole.values():
        bare.setdefault(plain(name)[0].lower(), []).append(name)
    return {short: some[0] for short, some in bare.items() if len(some) == 1} | whole


def in_units(columns: Columns, name: str, channel: str, given: Container[str] = ()) -> Array:
    """A column in SI units, as its name says; as it is where units of the channel are given."""
    unit = plain(name)[1]
    if unit is None or channel in given:
        return columns[name]
    factor = factor_of(channel, unit)
    if factor is None:
        allowed = f"allowed: {', '.join(units_of(channel))}, or units={{{channel!r}: factor}}"
        raise DataError(f"column {name!r}: {unit} is not a unit of {channel} ({allowed})")
    return columns[name] if factor == 1.0 else columns[name] * factor
