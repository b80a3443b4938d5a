"""docs/motion.md is run block by block, and prints what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.pages import run_page
from symoro.motion.profiles import KINDS

PAGE = Path(__file__).parents[2] / "docs" / "motion.md"


def test_every_block_of_the_page_prints_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for ran in run_page(PAGE, tmp_path):
        if ran.expected is not None:
            assert ran.printed == ran.expected, f"line {ran.block.line}"


def test_the_page_has_a_row_for_each_profile() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in KINDS if f"| `{name}` |" not in text] == []
