"""What the page shows of options in French: their help, which is in their rows, and their choices."""

from __future__ import annotations

import json
from pathlib import Path

from symoro.web.menus import catalogue

ROOT = Path(__file__).parents[3]
TERMS: dict[str, str] = json.loads((ROOT / "frontend" / "src" / "terms.fr.json").read_text(encoding="utf-8"))


def test_every_option_and_choice_has_french() -> None:
    rows = catalogue()
    assert all(option["help"]["en"] and option["help"]["fr"] for row in rows for option in row["options"])
    choices = {c for row in rows for o in row["options"] if "choices" in o for c in o["choices"] if c}
    assert not choices - {"newton-euler", "fast", "best"} - TERMS.keys()
