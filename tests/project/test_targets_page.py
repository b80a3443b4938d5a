"""docs/targets.md, which docs/targets.py writes, has a row for every target."""

from __future__ import annotations

import re
from pathlib import Path

from symoro.emit import target, targets

PAGE = Path(__file__).parents[2] / "docs" / "targets.md"


def test_every_target_has_a_row() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \|", PAGE.read_text(encoding="utf-8"), flags=re.M)
    assert [(name, title) for name, title, _ in rows] == [(name, target(name).title) for name in targets()]
    assert all(f"NAME{target(name).suffix}`" in files or name == "rust" for name, _, files in rows)
