"""What the server says and the page shows in French: options and reasons."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import symoro.models.conditions
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


def reasons() -> list[str]:
    """The reasons of conditions as the page shows them: their first part."""
    tree = ast.parse(Path(symoro.models.conditions.__file__).read_text(encoding="utf-8"))
    found = []
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.returns):
        for node in ast.walk(function):
            if isinstance(node, ast.Return) and node.value is not None:
                values = [node.value.body] if isinstance(node.value, ast.IfExp) else [node.value]
                values += [node.value.orelse] if isinstance(node.value, ast.IfExp) else []
                found += [_text(value) for value in values if isinstance(value, ast.Constant | ast.JoinedStr)]
    return [text.split(";")[0] for text in found if text]


def _text(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "joint 1 moves" for part in node.values)


def test_every_option_and_choice_has_french() -> None:
    rows = catalogue()
    texts = [option["help"] for row in rows for option in row["options"]]
    choices = {c for row in rows for o in row["options"] if o["kind"] == "choice" for c in o["choices"]}
    missing = [text for text in dict.fromkeys([*texts, *sorted(choices - {"newton-euler"})]) if not known(text)]
    assert missing == []


def test_every_reason_has_french() -> None:
    found = reasons()
    assert len(found) > 10
    assert [text for text in found if not known(text.replace("base moves joint 1 moves", "base moves freely"))] == []


def test_places_are_kept() -> None:
    assert [text for text, french in TERMS.items() if text.count("{}") != french.count("{}")] == []
