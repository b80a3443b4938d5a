"""Times that are written as a date and a time of day, as tables of data frames have them."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

_DATE = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:Z|[+-]\d\d:?\d\d)?")
"""ISO 8601, with a blank or T between date and time; a zone at the end is the same for all rows."""
_UNITS = {"ms": 1e-3, "us": 1e-6, "ns": 1e-9}


def seconds_of(cell: str) -> float:
    """Seconds since 1970 of a date and time; NaN where the cell is none."""
    found = _DATE.fullmatch(cell)
    if found is None:
        return float("nan")
    try:
        at = np.datetime64(f"{found.group(1)}T{found.group(2).replace(',', '.')}", "ns")
    except ValueError:  # such as a month 13
        return float("nan")
    return float(at.astype(np.int64)) * 1e-9


def numbers_of(frame: Any) -> dict[str, Any]:
    """The columns of a data frame of polars that are numbers; dates and durations as seconds from the first row on."""
    found = {}
    for name, kind in frame.schema.items():
        if kind.is_numeric():
            found[name] = frame[name].to_numpy()
        elif (factor := _UNITS.get(getattr(kind, "time_unit", ""))) is not None:
            whole = frame[name].to_physical()
            found[name] = ((whole - whole.drop_nulls().first()) * factor).to_numpy()
    return found
