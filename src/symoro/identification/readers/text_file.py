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
from symoro.identification.arrays import Array
from symoro.identification.readers.columns import Columns
from symoro.identification.readers.dates import seconds_of
from symoro.identification.readers.text_layout import Layout, has_thousands, is_number, layout_of

_OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".xz": lzma.open}
_WIDE = (b"\xff\xfe", b"\xfe\xff")
"""The first bytes of a text in UTF-16."""


def read_text(file: Path) -> Columns:
    """The columns by name; c1, c2 … where no line has names. A cell that is not a number becomes NaN.

    Dates with a time become seconds from the first row on. Lines that begin with #, % or // are comments, and the last
    one before the numbers may have the names. Between cells are commas, semicolons, tabs or spaces; beside semicolons
    and tabs, numbers may have a decimal comma.
    """
    layout = layout_of(_text(file))
    if layout is None:
        raise DataError(f"{file}: the file is empty")
    names = layout.names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{file}:1: two columns are called {twice!r}")
    if (cell := has_thousands(layout)) is not None:
        raise DataError(f"{file}: {cell!r} has points and commas: write numbers without separators of thousands")
    return dict(zip(names, _numbers(layout, file).T, strict=True))


def _text(file: Path) -> str:
    """The text: UTF-8 or UTF-16 with or without a mark of order, else as Windows writes western languages."""
    try:
        with _OPEN.get(file.suffix, open)(file, "rb") as stream:
            content = bytes(stream.read())
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise DataError(f"{file}: this is not a text file ({error})") from None
    try:
        return content.decode("utf-16" if content[:2] in _WIDE else "utf-8-sig")
    except UnicodeDecodeError as error:
        if any(byte < 9 for byte in content[:10_000]):  # no text has such bytes
            raise DataError(f"{file}: this is not a text file ({error})") from None
        return content.decode("cp1252", errors="replace")


def _numbers(layout: Layout, file: Path) -> Array:
    """The rows as numbers: at once where every cell is one, else cell by cell."""
    width = len(layout.names)
    if not layout.lines:
        return np.empty((0, width))
    if not (layout.comma and (layout.delimiter == "," or layout.quoted)):
        rows = "\n".join(line for _, line in layout.lines)
        try:
            text = StringIO(rows.replace(",", ".") if layout.comma else rows)
            table = np.loadtxt(text, delimiter=layout.delimiter, ndmin=2, comments=None, quotechar='"')
            if table.shape[1] == width:
                return np.asarray(table)
        except ValueError:
            pass
    table = np.array([_row(layout, line, width, file, k) for k, line in layout.lines])
    dated = [k for k, cell in enumerate(layout.cells(layout.lines[0][1])) if np.isfinite(seconds_of(cell))]
    table[:, dated] -= table[0, dated]
    return table


def _row(layout: Layout, line: str, width: int, file: Path, number: int) -> list[float]:
    cells = layout.cells(line)
    if len(cells) > width:
        decimal = len(cells) in (2 * width - 1, 2 * width) and layout.delimiter == ","
        hint = ": are these decimal commas? Put semicolons between the columns" if decimal else ""
        raise DataError(f"{file}:{number}: {len(cells)} cells in a file of {width} columns{hint}")
    found = [float(cell) if is_number(cell) else seconds_of(cell) for cell in cells]
    return found + [np.nan] * (width - len(found))
