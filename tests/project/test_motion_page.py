"""docs/motion.md lists what there is; that its blocks run is a matter of `test_pages_for_users`."""

from __future__ import annotations

from pathlib import Path

from symoro.motion.profiles import KINDS

PAGE = Path(__file__).parents[2] / "docs" / "motion.md"


def test_the_page_has_a_row_for_each_profile() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in KINDS if f"| `{name}` |" not in text] == []
