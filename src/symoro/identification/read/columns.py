"""Columns of a file by name: numbers, dates, data frames."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from symoro.errors import DataError
from symoro.findings import Finding, Place
from symoro.identification.arrays import Array

# Columns of a file by name.


Columns = dict[str, Array]
"""Columns by name, each (samples,)."""
_LISTED = 20
"""Names that a message lists."""


def in_columns(arrays: Mapping[str, Any], file: Path) -> Columns:
    """Arrays as columns by name: a matrix called q becomes q1 … qn, a single number is left out.

    A matrix has a row for each sample; or a row for each joint where its columns are as many as the times.
    """
    numbers = {name: x for name, values in arrays.items() if (x := _numbers(values)) is not None}
    counts = {x.size for x in numbers.values() if x.ndim == 1}
    columns: Columns = {}
    for name, array in numbers.items():
        if array.ndim > 2:
            raise DataError("recordings.axes", name=name, axes=array.ndim, place=Place(str(file)))
        if array.ndim == 2:
            rows = array.T if counts == {array.shape[1]} and array.shape[0] not in counts else array
            columns |= {f"{name}{k + 1}": rows[:, k] for k in range(rows.shape[1])}
        else:
            columns[name] = array
    return columns


def _numbers(values: Any) -> Array | None:
    """An array without axes of length 1; None for texts, structures and single numbers, which are no measurements."""
    try:
        array = np.atleast_1d(np.squeeze(np.asarray(values)).astype(float))
    except (TypeError, ValueError):
        return None
    return array if array.size > 1 or array.ndim > 1 or np.ndim(values) == 1 else None


def listed(names: Iterable[str]) -> list[str] | Finding:
    """Names of columns in a message; of many the first ones."""
    every = list(names)
    if len(every) <= _LISTED:
        return every
    return Finding("recordings.and_more", names=every[:_LISTED], more=len(every) - _LISTED)


# Times that are written as a date and a time of day, as tables of data frames have them.


_DATE = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?:Z|[+-]\d\d:?\d\d)?")
"""ISO 8601, with a blank or T between date and time; a zone at the end is the same for all rows."""


def seconds_of(cell: str) -> float:
    """Seconds since 1970 of a date and time; NaN where the cell is none."""
    date = _DATE.fullmatch(cell)
    if date is None:
        return float("nan")
    try:
        at = np.datetime64(f"{date.group(1)}T{date.group(2).replace(',', '.')}", "ns")
    except ValueError:  # such as a month 13
        return float("nan")
    return float(at.astype(np.int64)) * 1e-9


# Data frames, of polars or of pandas, as columns of numbers.


class DataFrame(Protocol):
    """What data frames of polars and pandas have in common."""

    @property
    def columns(self) -> Any: ...

    @property
    def dtypes(self) -> Any: ...

    def __getitem__(self, name: Any, /) -> Any: ...


def is_frame(source: Any) -> bool:
    return all(hasattr(source, name) for name in ("columns", "dtypes", "__getitem__"))


def numbers_of(frame: DataFrame) -> dict[str, Any]:
    """The columns by name; dates and durations as seconds from the first row on."""
    numbers = {}
    for name in frame.columns:
        x = np.asarray(frame[name])
        numbers[str(name)] = (x - x[~np.isnat(x)][:1]) / np.timedelta64(1, "s") if x.dtype.kind in "mM" else x
    return numbers
