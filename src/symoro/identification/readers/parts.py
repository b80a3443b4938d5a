"""Rows of a large file without reading all of it: .npy by a memory map, .parquet by its row groups."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.extras import needed
from symoro.identification.readers.columns import Columns, in_columns
from symoro.identification.readers.frame import numbers_of

ENDINGS = (".npy", ".parquet")


def row_count(file: Path) -> int:
    """The number of samples of a file."""
    opened = _opened(file)
    if file.suffix == ".npy":
        return len(opened)
    return int(opened.select(needed("polars", "reading Parquet files").len()).collect().item())


def read_rows(file: Path, first: int, last: int) -> Columns:
    """The columns of some rows."""
    opened = _opened(file)
    if file.suffix == ".npy":
        part = np.array(opened[first:last])
        named = {name: part[name] for name in part.dtype.names} if part.dtype.names else {"c": part}
        return in_columns(named, file)
    return in_columns(numbers_of(opened.slice(first, last - first).collect()), file)


def _opened(file: Path) -> Any:
    if not file.exists():
        raise DataError(f"{file}: no such file")
    if file.suffix not in ENDINGS:
        raise DataError(
            f"{file}: {file.suffix or 'no ending'!r} cannot be read in parts (allowed: {', '.join(ENDINGS)})"
        )
    try:
        if file.suffix == ".npy":
            return np.load(file, mmap_mode="r", allow_pickle=False)
        return needed("polars", "reading Parquet files").scan_parquet(file)
    except (ValueError, OSError, EOFError) as error:
        raise DataError(f"{file}: this is not a file of measurements ({error})") from None
