"""Text files: how they write their table, a line of numbers for each sample (.csv, .tsv, .txt, also .gz and .xz)."""

from __future__ import annotations

import csv
import gzip
import lzma
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from symoro.errors import DataError
from symoro.findings import Place
from symoro.identification.arrays import Array
from symoro.identification.read.columns import Columns, seconds_of

# How a text file writes its table: what is between cells, which sign is in decimal numbers, which line has the names.
#
# Spreadsheets of countries with a decimal comma put semicolons between cells; loggers put comments in front of the
# table.


_DELIMITERS = (";", "\t", ",")
"""What may be between cells; else spaces."""
_COMMENTS = ("#", "%", "//")
_SEPARATOR = re.compile(r'"?sep=(.)"?')
"""The first line of some spreadsheets."""
_DECIMAL_COMMA = re.compile(r"[-+]?\d*,\d+([eE][-+]?\d+)?")
_BOTH = re.compile(r"[-+]?\d{1,3}((\.\d{3})+,|(,\d{3})+\.)\d+")
"""A decimal number whose thousands are separated, too."""


@dataclass(frozen=True)
class Layout:
    """The names of the columns, the lines of samples with their numbers in the file, and how cells are written."""

    names: tuple[str, ...]
    lines: tuple[tuple[int, str], ...]
    delimiter: str | None
    comma: bool
    """Whether numbers have a decimal comma."""

    @property
    def quoted(self) -> bool:
        """Whether a cell may hold the delimiter."""
        return any('"' in line for _, line in self.lines)

    def cells(self, line: str) -> list[str]:
        """The cells of a line; decimal commas become points."""
        words = cells(line, self.delimiter)
        return [cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell for cell in words]


def layout_of(text: str) -> Layout | None:
    """The layout of a text; None where it has no line."""
    every = [(k, line.strip("\r\x00 ")) for k, line in enumerate(text.splitlines(), 1) if line.strip()]
    separator = _SEPARATOR.fullmatch(every[0][1]) if every else None
    every = every[1:] if separator else every
    remarks = [line for _, line in every if line.startswith(_COMMENTS)]
    lines = [item for item in every if not item[1].startswith(_COMMENTS)]
    if not every:
        return None
    first = [line for _, line in lines[:10]]
    delimiter = separator.group(1) if separator else _delimiter(first or [_plain(remarks[-1])])
    names = cells(first[0], delimiter) if first else cells(_plain(remarks[-1]), delimiter)
    if first and all(map(_numeric, names)):
        names = _before(remarks, delimiter, len(names))
    else:
        lines = lines[1:]
        if lines and _has_units(units := cells(lines[0][1], delimiter), len(names)):
            names = [
                f"{name} [{unit.strip('[]()')}]" if unit else name for name, unit in zip(names, units, strict=True)
            ]
            lines = lines[1:]
    while lines and not any(cells(lines[-1][1], delimiter)):  # spreadsheets end with empty cells
        lines = lines[:-1]
    comma = any(_DECIMAL_COMMA.fullmatch(cell) for _, line in lines[:20] for cell in cells(line, delimiter))
    return Layout(tuple(names), tuple(lines), delimiter, comma)


def _has_units(line: Sequence[str], width: int) -> bool:
    """Whether the line below the names has units: each cell is empty or a word, and some are words."""
    words = [cell for cell in line if cell]
    return len(line) == width and len(words) > 1 and not any(map(_numeric, words))


def _numeric(cell: str) -> bool:
    return is_number(cell) or _DECIMAL_COMMA.fullmatch(cell) is not None


def _before(remarks: Sequence[str], delimiter: str | None, width: int) -> list[str]:
    """The names in the last comment that has one for each column, else c1, c2 …"""
    for line in reversed(remarks):
        for between in (delimiter, *_DELIMITERS, None):
            if len(names := cells(_plain(line), between)) == width and not all(map(is_number, names)):
                return names
    return [f"c{k}" for k in range(1, width + 1)]


def _plain(remark: str) -> str:
    """A comment without its signs."""
    return remark.lstrip("#%/ ")


def _delimiter(lines: Sequence[str]) -> str | None:
    """What is between cells: with it the first two lines have as many; None for spaces."""
    for one in _DELIMITERS:
        counts = [len(cells(line, one)) for line in lines[:2]]
        if counts[0] > 1 and counts[0] == counts[-1]:
            return one
    most = max(_DELIMITERS, key=lines[0].count)
    return most if most in lines[0] else None


def cells(line: str, delimiter: str | None) -> list[str]:
    """The cells of a line, without quotes and spaces."""
    if delimiter is None:
        return [cell.strip('"') for cell in line.split()]
    if '"' not in line:
        return [cell.strip() for cell in line.split(delimiter)]
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))]


def is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def has_thousands(layout: Layout) -> str | None:
    """The first cell whose thousands are separated, which cannot be read."""
    some = (cell for _, line in layout.lines[:200] for cell in cells(line, layout.delimiter))
    return next((cell for cell in some if _BOTH.fullmatch(cell)), None)


# Text files: a line of names, then a line of numbers for each sample (.csv, .tsv, .txt, also .gz and .xz).


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
        raise DataError("recordings.empty", place=Place(str(file)))
    names = layout.names
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError("recordings.same_name", name=twice, place=Place(str(file), 1))
    if (cell := has_thousands(layout)) is not None:
        raise DataError("recordings.thousands", cell=cell, place=Place(str(file)))
    return dict(zip(names, _numbers(layout, file).T, strict=True))


def _text(file: Path) -> str:
    """The text: UTF-8 or UTF-16 with or without a mark of order, else as Windows writes western languages."""
    try:
        with _OPEN.get(file.suffix, open)(file, "rb") as stream:
            content = bytes(stream.read())
    except (EOFError, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise DataError("recordings.not_text", reason=str(error), place=Place(str(file))) from None
    try:
        return content.decode("utf-16" if content[:2] in _WIDE else "utf-8-sig")
    except UnicodeDecodeError as error:
        if any(byte < 9 for byte in content[:10_000]):  # no text has such bytes
            raise DataError("recordings.not_text", reason=str(error), place=Place(str(file))) from None
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
        code = "recordings.cells_with_commas" if decimal else "recordings.cells"
        raise DataError(code, cells=len(cells), columns=width, place=Place(str(file), number))
    numbers = [float(cell) if is_number(cell) else seconds_of(cell) for cell in cells]
    return numbers + [np.nan] * (width - len(numbers))
