"""Times that are written as a date and a time of day, as tables of data frames have them."""

from __future__ import annotations

import re

import numpy as np

_DATE = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:Z|[+-]\d\d:?\d\d)?")
"""ISO 8601, with a blank or T between date and time; a zone at the end is the same for all rows."""


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
