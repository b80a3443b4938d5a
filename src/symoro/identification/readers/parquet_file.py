"""Parquet files, by polars."""

from __future__ import annotations

from pathlib import Path

from symoro.errors import DataError
from symoro.identification.extras import needed
from symoro.identification.readers.columns import Columns, in_columns
from symoro.identification.readers.frame import numbers_of


def read_parquet(file: Path) -> Columns:
    """The columns by name; texts are left out, dates are seconds, and what is missing is NaN."""
    polars = needed("polars", "reading Parquet files")
    try:
        frame = polars.read_parquet(file)
    except polars.exceptions.PolarsError as error:
        raise DataError(f"{file}: this is not a Parquet file ({error})") from None
    return in_columns(numbers_of(frame), file)
