"""docs/functions.md is run block by block, in its order; its assertions hold."""

from __future__ import annotations

from pathlib import Path

from support.pages import blocks

PAGE = Path(__file__).parents[2] / "docs" / "functions.md"


def test_every_block_of_the_page_runs() -> None:
    found, names = blocks(PAGE, "python"), dict[str, object]()
    for text in found.values():
        exec(compile(text, str(PAGE), "exec"), names)
    assert len(found) == 3
