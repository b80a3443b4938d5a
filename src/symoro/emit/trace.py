"""Which lines of generated files come from which instructions, and where on them each symbol stands.

The package is written a second time with marks: characters for private use around each name, and in front of each right
side. Removing them gives the files as they are, and their places. So no template knows of it, and no text is searched.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_NAME, _END, _RIGHT = "\ue000", "\ue001", "\ue002"
_FIRST = 0xF0000  # the number of a symbol is one character: those for private use begin here
_MOST = 0x10FFFD - _FIRST
_MARK = re.compile(f"{_NAME}(.)|{_RIGHT}(.)|{_END}|\n", re.DOTALL)
_INVISIBLE = re.compile(f"[{_NAME}{_RIGHT}].|{_END}", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Marks:
    """Numbers the symbols of a package and puts marks around their names; the default marks nothing."""

    on: bool = False
    numbers: dict[str, int] = field(default_factory=dict)

    def name(self, symbol: str, written: str) -> str:
        """The name of a symbol in the code."""
        return f"{_NAME}{self._number(symbol)}{written}{_END}" if self.on else written

    def right(self, symbol: str, texts: tuple[str, ...]) -> tuple[str, ...]:
        """The lines of the right side of the statement that defines a symbol."""
        return tuple(f"{_RIGHT}{self._number(symbol)}{text}" for text in texts) if self.on else texts

    def _number(self, symbol: str) -> str:
        number = self.numbers.setdefault(symbol, len(self.numbers))
        return chr(_FIRST + min(number, _MOST))


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A symbol on a line: both count from 0, the columns as characters."""

    line: int
    column: int
    length: int
    symbol: str


@dataclass(frozen=True, slots=True)
class Traced:
    """A file: its text, the statement of each line that has one (by the symbol it defines), and every symbol."""

    text: str
    statements: Mapping[int, str]
    places: tuple[CodePlace, ...]


def traced(marked: str, marks: Marks) -> Traced:
    """The file without its marks, and what they say."""
    symbols = list(marks.numbers)
    statements: dict[int, str] = {}
    places: list[CodePlace] = []
    for kind, line, column, length, number in _placed_marks(marked):
        if kind == _NAME:
            places.append(CodePlace(line, column, length, symbols[number]))
        else:
            statements[line] = symbols[number]
    return Traced(without_marks(marked), statements, tuple(places))


def _placed_marks(marked: str) -> Iterator[tuple[str, int, int, int, int]]:
    """(kind, line, column, length, number) of each mark, in the text without marks."""
    line = column = at = 0
    opened: tuple[int, int] | None = None
    for mark in _MARK.finditer(marked):
        column, at = column + mark.start() - at, mark.end()
        if mark[0] == "\n":
            line, column = line + 1, 0
        elif mark[0] == _END and opened is not None:
            yield _NAME, line, opened[0], column - opened[0], opened[1]
            opened = None
        elif mark[1]:
            opened = column, ord(mark[1]) - _FIRST
        elif mark[2]:
            yield _RIGHT, line, column, 0, ord(mark[2]) - _FIRST


def without_marks(text: str) -> str:
    return _INVISIBLE.sub("", text)


def wrap(text: str, width: int) -> list[str]:
    """A long text in lines, broken at spaces; marks have no width."""
    lines = textwrap.wrap(without_marks(text), width, break_long_words=False, break_on_hyphens=False)
    words = iter(text.split())
    return [" ".join(next(words) for _ in line.split()) for line in lines]
