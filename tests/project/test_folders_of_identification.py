"""docs/architecture.md names the folders of identification as they are."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ROOT / "src" / "symoro" / "identification"
TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
LISTED = dict(re.findall(r"^- `(\w+)/`: (.*?)(?=^- `|\n\n)", TEXT, re.MULTILINE | re.DOTALL))
"""Folder: what the page says about it."""


def test_every_folder_has_its_paragraph() -> None:
    assert sorted(LISTED) == sorted(folder.parent.name for folder in FOLDERS.glob("*/__init__.py"))


def test_the_files_that_a_paragraph_names_are_in_its_folder() -> None:
    named = {(folder, file) for folder, text in LISTED.items() for file in re.findall(r"`(\w+\.py)`", text)}
    assert len(named) > 30
    assert [f"{folder}/{file}" for folder, file in sorted(named) if not (FOLDERS / folder / file).is_file()] == []
