"""What the page translates of the catalogue: options and their choices."""

from __future__ import annotations

import json
from pathlib import Path

from symoro.web.menus import catalogue

ROOT = Path(__file__).parents[3]
TERMS: dict[str, str] = json.loads((ROOT / "frontend" / "src" / "terms.fr.json").read_text(encoding="utf-8"))


def test_every_option_and_choice_has_french() -> None:
    rows = catalogue()
    texts = [option["help"] for row in rows for option in row["options"]]
    choices = {c for row in rows for o in row["options"] if o["kind"] == "choice" for c in o["choices"]}
    missing = [text for text in dict.fromkeys([*texts, *sorted(choices - {"newton-euler"})]) if text not in TERMS]
    assert missing == []
