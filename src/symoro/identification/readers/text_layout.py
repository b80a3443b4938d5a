"""How a text file writes its table: what is between cells, which sign is in decimal numbers, which line has the names.

Spreadsheets of countries with a decimal comma put semicolons between cells; loggers put comments in front of the table.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from dataclasses import dataclass

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
        found = cells(line, self.delimiter)
        return [cell.replace(",", ".") if _DECIMAL_COMMA.fullmatch(cell) else cell for cell in found]


def layout_of(text: str) -> Layout | None:
    """The layout of a text; None where it has no line."""
    every = [(k, line.strip("\r\x00 ")) for k, line in enumerate(text.splitlines(), 1) if line.strip()]
    told = _SEPARATOR.fullmatch(every[0][1]) if every else None
    every = every[1:] if told else every
    remarks = [line for _, line in every if line.startswith(_COMMENTS)]
    lines = [item for item in every if not item[1].startswith(_COMMENTS)]
    if not every:
        return None
    first = [line for _, line in lines[:10]]
    delimiter = told.group(1) if told else _delimiter(first or [_plain(remarks[-1])])
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
            if len(found := cells(_plain(line), between)) == width and not all(map(is_number, found)):
                return found
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
