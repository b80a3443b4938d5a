"""Text files: a line of names, then a line of numbers for each sample (.csv, .tsv, .txt, also .gz and .xz)."""

from __future__ import annotations

import gzip
import lzma
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.identification.readers.columns import Array, Columns

_DELIMITERS = (",", ";", "\t")
_OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}


def read_text(file: Path) -> Columns:
    """The columns by name; c1, c2 … where the first line has numbers. A cell that is not a number becomes NaN."""
    try:
        with _OPEN.get(file.suffix, open)(file, "rt", encoding="utf-8-sig") as stream:
            text = stream.read()
    except (UnicodeDecodeError, EOFError, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise DataError(f"{file}: this is not a text file ({error})") from None
    lines = text.lstrip().partition("\n")
    if not lines[0].strip():
        raise DataError(f"{file}: the file is empty")
    delimiter = max(_DELIMITERS, key=lines[0].count)
    separator = delimiter if delimiter in lines[0] else None
    names = [cell.strip().strip('"').lstrip("#").strip() for cell in lines[0].split(separator)]
    rows = lines[2]
    if all(_is_number(name) for name in names):
        names, rows = [f"c{k}" for k in range(1, len(names) + 1)], text
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{file}:1: two columns are called {twice!r}")
    table = _numbers(rows, separator, len(names), file)
    return dict(zip(names, table.T, strict=True))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _numbers(rows: str, separator: str | None, width: int, file: Path) -> Array:
    """The rows as numbers: at once where every cell is one, else cell by cell."""
    if not rows.strip():
        return np.empty((0, width))
    try:
        table = np.loadtxt(StringIO(rows), delimiter=separator, ndmin=2, comments=None)
        if table.shape[1] == width:
            return np.asarray(table)
    except ValueError:
        pass
    return np.array([_row(line, separator, width, file, k) for k, line in enumerate(rows.splitlines(), 2) if line])


def _row(line: str, separator: str | None, width: int, file: Path, number: int) -> list[float]:
    cells = line.split(separator)
    if len(cells) > width:
        raise DataError(f"{file}:{number}: {len(cells)} cells in a file of {width} columns")
    found = [float(cell) if _is_number(cell) else np.nan for cell in cells]
    return found + [np.nan] * (width - len(found))
