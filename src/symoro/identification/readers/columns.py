"""Columns of a file by name."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array

Columns = dict[str, Array]
"""Columns by name, each (samples,)."""


def in_columns(arrays: Mapping[str, Any], file: Path) -> Columns:
    """Arrays as columns by name: a matrix called q becomes q1 … qn, a single number is left out."""
    found: Columns = {}
    for name, given in arrays.items():
        try:
            array = np.atleast_1d(np.squeeze(np.asarray(given)).astype(float))
        except (TypeError, ValueError):
            continue  # texts and structures are no measurements
        if array.ndim > 2:
            raise DataError(f"{file}: {name} has {array.ndim} axes (allowed: samples, or samples and joints)")
        if array.ndim == 2:
            found |= {f"{name}{k + 1}": array[:, k] for k in range(array.shape[1])}
        elif array.size > 1 or np.asarray(given).ndim == 1:
            found[name] = array
    return found
