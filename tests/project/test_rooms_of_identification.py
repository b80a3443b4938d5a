"""docs/architecture.md names the rooms of identification as they are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ROOT / "src" / "symoro" / "identification"
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LISTED = dict(re.findall(r"^- `(\w+)/`: (.*?)(?=^- `|\n\n)", TEXT, re.MULTILINE | re.DOTALL))
"""Room: what the page says about it."""


def test_every_room_has_its_paragraph() -> None:
    assert sorted(LISTED) == sorted(folder.parent.name for folder in ROOMS.glob("*/__init__.py"))


def test_the_files_that_a_paragraph_names_are_in_its_room() -> None:
    named = {(room, file) for room, text in LISTED.items() for file in re.findall(r"`(\w+\.py)`", text)}
    assert len(named) > 30
    assert [f"{room}/{file}" for room, file in sorted(named) if not (ROOMS / room / file).is_file()] == []
