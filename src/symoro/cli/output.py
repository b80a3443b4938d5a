"""What commands print: tables and lines for people, JSON for programs, progress and errors on stderr."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from math import isfinite
from pathlib import Path
from time import monotonic
from typing import Any, Literal

from symoro.errors import CheckError, FormatError, OptionError, SymoroError
from symoro.findings import Finding, text_of
from symoro.formats import FORMATS, WRITTEN
from symoro.models.results import reporting
from symoro.saving import suffix_of

_SECONDS = 2.0
"""How often long work says how far it is."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of texts under a title; the columns named in `right` are aligned to the right."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: frozenset[str] = frozenset()


def show_table(table: Table) -> None:
    """Print a table: with frames on a terminal, as plain text in a pipe."""
    if sys.stdout.isatty():
        _rich_table(table)
    else:
        print("\n".join(plain_lines(table)))


def plain_lines(table: Table) -> list[str]:
    """The table as aligned text without frames."""
    cells = [list(table.columns), *map(list, table.rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(table.columns))]
    right = [column in table.right for column in table.columns]
    lines = [table.title] if table.title else []
    for row in cells:
        parts = (c.rjust(w) if r else c.ljust(w) for c, w, r in zip(row, widths, right, strict=True))
        lines.append("  ".join(parts).rstrip())
    return lines


def _rich_table(table: Table) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    drawn = RichTable(title=table.title or None, title_justify="left", box=SIMPLE_HEAD, padding=0, pad_edge=False)
    for place, column in enumerate(table.columns):
        side: Literal["left", "right"] = "right" if column in table.right else "left"
        drawn.add_column(column, justify=side, no_wrap=place == 0, overflow="fold")
    for row in table.rows:
        drawn.add_row(*map(Text, row))
    Console().print(drawn)


def show_json(data: Any) -> None:
    """Print the data as one JSON document. JSON has finite numbers alone: others are null."""
    print(json.dumps(_finite(data), indent=2, ensure_ascii=False, default=str, allow_nan=False))


def _finite(data: Any) -> Any:
    if isinstance(data, Mapping):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return None if isinstance(data, float) and not isfinite(data) else data


def writable(path: Path, force: bool) -> Path:
    """The path of a file to write; an error, before the work, where it cannot be written or may not be overwritten."""
    if path.exists() and not force:
        raise SymoroError("commands.exists", path=str(path))
    if not path.parent.is_dir():
        raise SymoroError("commands.no_folder", path=str(path), folder=str(path.parent))
    if not os.access(path.parent, os.W_OK):
        raise SymoroError("commands.folder_not_writable", path=str(path), folder=str(path.parent))
    return path


def format_of(path: Path) -> Path:
    """The path of a file to write; an error of usage where its suffix is not that of a format."""
    if path.suffix.lower() not in FORMATS:
        raise OptionError("commands.not_a_format", path=str(path), suffix=suffix_of(path), allowed=WRITTEN)
    return path


def note(text: str | Finding) -> None:
    """A line on stderr, beside the result on stdout."""
    print(text_of(text, flags=True), file=sys.stderr)


@contextmanager
def progress(text: str, *, details: bool = False) -> Iterator[None]:
    """Say on stderr what is being done: an animated line on a terminal, else a plain line.

    What takes longer than two seconds says its steps, one in two seconds; with `details` each step from the first on.
    """
    with ExitStack() as stack:
        if sys.stderr.isatty():
            from rich.console import Console

            update: Callable[[str], None] = stack.enter_context(Console(stderr=True).status(text)).update
        else:
            update = note
            note(f"{text} ...")
        last = monotonic()

        def step(what: str | Finding) -> None:
            nonlocal last
            if details or monotonic() - last >= _SECONDS:
                last = monotonic()
                update(f"{text}: {what}")

        stack.enter_context(reporting(step))
        yield


def failed(error: SymoroError, as_json: bool) -> None:
    """Say on stderr what is wrong, one line for each problem, and with --json on stdout too."""
    note(error.finding.text(flags=True))
    if as_json:
        problems = error.problems if isinstance(error, FormatError | CheckError) else (error.finding,)
        show_json({"error": str(error), "problems": [problem_data(p) for p in problems]})


def problem_data(problem: Finding) -> dict[str, Any]:
    """A problem as data for JSON."""
    return {name: getattr(problem, name) for name in ("severity", "file", "line", "joint", "message")}


def use_any_encoding() -> None:
    """Print a question mark in the place of a letter that the terminal's encoding does not have, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
