"""Tables of figures in Markdown, and their place in the pages of docs/. The benchmarks that write pages share it."""

from __future__ import annotations

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
