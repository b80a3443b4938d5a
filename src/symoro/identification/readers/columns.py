"""Columns of a file by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array

Columns = dict[str, Array]
"""Columns by name, each (samples,)."""
_LISTED = 20
"""Names that a message lists."""


def in_columns(arrays: Mapping[str, Any], file: Path) -> Columns:
    """Arrays as columns by name: a matrix called q becomes q1 … qn, a single number is left out.

    A matrix has a row for each sample; or a row for each joint where its columns are as many as the times.
    """
    numbers = {name: x for name, given in arrays.items() if (x := _numbers(given)) is not None}
    counts = {x.size for x in numbers.values() if x.ndim == 1}
    found: Columns = {}
    for name, array in numbers.items():
        if array.ndim > 2:
            raise DataError(f"{file}: {name} has {array.ndim} axes (allowed: samples, or samples and joints)")
        if array.ndim == 2:
            rows = array.T if counts == {array.shape[1]} and array.shape[0] not in counts else array
            found |= {f"{name}{k + 1}": rows[:, k] for k in range(rows.shape[1])}
        else:
            found[name] = array
    return found


def _numbers(given: Any) -> Array | None:
    """An array without axes of length 1; None for texts, structures and single numbers, which are no measurements."""
    try:
        array = np.atleast_1d(np.squeeze(np.asarray(given)).astype(float))
    except (TypeError, ValueError):
        return None
    return array if array.size > 1 or array.ndim > 1 or np.ndim(given) == 1 else None


def listed(names: Iterable[str]) -> str:
    """Names of columns in a message; of many the first ones."""
    some = list(names)
    return ", ".join(some[:_LISTED]) + (f" and {len(some) - _LISTED} more" if len(some) > _LISTED else "")
