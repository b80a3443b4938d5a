"""Tables of figures in Markdown, and their place in the pages of docs/. The benchmarks that write pages share it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def markdown(lines: Sequence[Sequence[str]]) -> str:
    """A table whose first line has the heads and whose second has the rules."""
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def put(page: str, name: str, new: str) -> None:
    """Replace the part of a page that is between the two marks of this name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    path = DOCS / page
    before, _, rest = path.read_text(encoding="utf-8").partition(begin)
    path.write_text(f"{before}{begin}\n{new}\n\n{end}{rest.partition(end)[2]}", encoding="utf-8")


def arguments(text: str | None, robots: Sequence[str], processes: int) -> argparse.ArgumentParser:
    """The arguments of a benchmark that measures robots in several processes and writes a page."""
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robots", nargs="*", default=list(robots))
    parser.add_argument("--processes", type=_count, default=processes)
    parser.add_argument("--rounds", type=_count, default=20)
    parser.add_argument("--write", action="store_true", help="write the page")
    return parser


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1 on")
    return number
