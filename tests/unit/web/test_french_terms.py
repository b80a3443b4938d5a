"""What the page translates of the catalogue: options and their choices."""

from __future__ import annotations

import json
import re
from pathlib import Path

from symoro.web.menus import catalogue

ROOT = Path(__file__).parents[3]
TERMS: dict[str, str] = {
    text: french
    for name in ("terms", "messages")
    for text, french in json.loads((ROOT / "frontend" / "src" / f"{name}.fr.json").read_text(encoding="utf-8")).items()
}


def known(text: str) -> bool:
    patterns = (".+".join(map(re.escape, term.split("{}"))) for term in TERMS)
    return any(re.fullmatch(pattern, text) for pattern in patterns)


def test_every_option_and_choice_has_french() -> None:
    rows = catalogue()
    texts = [option["help"] for row in rows for option in row["options"]]
    choices = {c for row in rows for o in row["options"] if o["kind"] == "choice" for c in o["choices"]}
    missing = [text for text in dict.fromkeys([*texts, *sorted(choices - {"newton-euler"})]) if not known(text)]
    assert missing == []


def test_places_are_kept() -> None:
    assert [text for text, french in TERMS.items() if text.count("{}") != french.count("{}")] == []
