"""The page of the architecture and the glossary agree with the tree: layers, files that they name, and words."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "symoro"
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def contract() -> list[set[str]]:
    """The layers that import-linter checks, from the top."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = (c for c in project["tool"]["importlinter"]["contracts"] if c["id"] == "layers")
    return [set(re.findall(r"\w+", layer)) for layer in layers["layers"] if layer != "__main__"]


def test_the_picture_has_the_layers_that_are_checked() -> None:
    picture = PAGE.split("## The layers")[1].split("```")[1]
    drawn = [set(re.findall(r"^(\w+)", part, re.MULTILINE)) for part in re.split(r"\n\s*\n", picture)]
    assert drawn == contract()


def test_what_the_page_names_exists() -> None:
    named = re.findall(r"`([\w/]+(?:/|\.py|\.md))`", PAGE)
    assert len(named) > 50
    places = [ROOT, SOURCES, *(path for path in SOURCES.rglob("*") if path.is_dir())]
    assert [name for name in named if not any((place / name).exists() for place in places)] == []


def test_every_word_of_the_glossary_has_one_meaning() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = Counter(re.findall(r"^\| ([^|]+) \|", page, re.MULTILINE))
    assert [word for word, times in words.items() if times > 1 and word != "word"] == []
