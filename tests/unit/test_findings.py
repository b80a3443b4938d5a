"""Findings: their codes, their sentences in each language, and what the sources say with them."""

from __future__ import annotations

import ast
import builtins
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter
from typing import Any

import pytest

import symoro
from symoro.errors import MissingParameter, OptionError, SymoroError
from symoro.findings import LANGUAGES, Argument, Finding, Part, Place, areas, rows, sentence, text_of

SOURCES = Path(symoro.__file__).parent
COMPOSED = ("options", "symbols", "variables", "titles", "derivations", "report", "terms")
"""Tables whose codes are composed: of the name of a model, the letters of a parameter, a kind of step."""
CODES = [(f"{area}.{name}", row) for area in areas() for name, row in rows(area).items()]


def fields(text: str) -> dict[str, str]:
    """The fields of a sentence, with their formats."""
    return {name: spec or conversion or "" for _, name, spec, conversion in Formatter().parse(text) if name}


def sample(spec: str) -> Any:
    """A value that a format takes."""
    if spec in ("r", "s", "a"):
        return "a"
    return 2 if "|" in spec or (spec and spec[-1] in "fgedn%") else ["a", Finding("options.joint")]


@pytest.mark.parametrize(("code", "row"), CODES, ids=[code for code, _ in CODES])
def test_each_code_is_written_in_each_language(code: str, row: Any) -> None:
    english, french = (fields(row.texts[language]) for language in LANGUAGES)
    assert french.keys() <= english.keys()
    finding = Finding(code, **{name: sample(spec) for name, spec in (french | english).items()})
    written = {language: finding.text(language) for language in LANGUAGES}
    assert all(text.strip() and not re.search(r"\{\w", text) for text in written.values())
    assert row.severity in ("error", "warning", "note")


def test_a_sentence_has_lists_words_for_several_and_findings_of_its_language() -> None:
    rows("options")
    several = Finding(
        "options.value", option=Argument("dead_zone"), value=1, allowed=["auto", Finding("options.joint")]
    )
    assert str(several) == "dead_zone = 1 is not allowed (allowed: auto, joint)"
    assert several.text("fr", flags=True) == "--dead-zone = 1 n'est pas permis (permis : auto, articulation)"
    assert str(several.at(file="a.toml", line=3, joint=2)).startswith("a.toml:3: joint 2: dead_zone")
    assert several.at(leg=1, joint=2).text("fr").startswith("jambe 1 : articulation 2 :")
    assert text_of("text", "fr") == "text"


def test_what_is_allowed_is_a_part_of_its_own() -> None:
    wrong = Finding("options.value", option=Argument("dead_zone"), value=1, allowed=["auto"], place=Place(joint=2))
    around = Finding("errors.no_value", names=["M1"], how=wrong.placed())
    assert Part(wrong).text() == "joint 2: dead_zone = 1 is not allowed"
    assert (Part(wrong, allowed=True).text(), Part(wrong, allowed=True).text("fr")) == ("auto", "auto")
    assert text_of(Part(around), "fr").endswith("dead_zone = 1 n'est pas permis")
    assert (around.allowed(), Finding("options.joint").allowed()) == ("auto", "")


def test_a_sentence_is_a_text_that_knows_its_finding() -> None:
    text = sentence("symbols.regrouped", what=sentence("symbols.FV", j=3, axis="", of_link=None))
    assert text == "viscous friction of joint 3, regrouped"
    assert text_of(pickle.loads(pickle.dumps(text)), "fr") == "frottement visqueux de l'articulation 3, regroupé"


def test_errors_say_their_finding_and_survive_another_process() -> None:
    error = OptionError("options.missing", function="f", options=["a", "b"])
    again = pickle.loads(pickle.dumps(error))
    assert isinstance(again, OptionError)
    assert again.finding == error.finding
    assert str(again) == "f needs a, b"
    assert MissingParameter(["M1"]).finding.code == "errors.no_value"
    assert pickle.loads(pickle.dumps(Finding("options.joint", place=Place(joint=3)))).joint == 3
    assert SymoroError(Finding("options.joint")).finding.severity == "error"


# What the sources say.

#: Calls whose first argument is a code, and whose keywords are its fields.
_ERRORS = {name for name, kind in vars(symoro.errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
_OTHERS = {"place", "error"}


def said() -> Iterator[tuple[str, int, str, set[str] | None]]:
    """File, line and code of each finding in the sources, and the names of its fields; None where there are more."""
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            first = node.args[0]
            if (
                (name == "Finding" or name in _ERRORS or name.endswith("Error"))
                and not hasattr(builtins, name)
                and isinstance(first, ast.Constant)
                and isinstance(first.value, str)
            ):
                keywords = {k.arg for k in node.keywords}
                whole = None if None in keywords else {k for k in keywords if k and k not in _OTHERS}
                yield str(file.relative_to(SOURCES)), node.lineno, first.value, whole


def test_findings_have_the_fields_of_their_sentences() -> None:
    known = dict(CODES)
    for file, line, code, given in said():
        assert code in known, f"{file}:{line}: {code!r} is no code"
        if given is None:
            continue
        wanted = fields(known[code].texts["en"]).keys()
        assert given == wanted, f"{file}:{line}: {code} has {sorted(given)}, its sentence {sorted(wanted)}"


def test_every_code_in_the_sources_has_a_sentence() -> None:
    """A code is `area.name`; a name that ends in _ is completed elsewhere."""
    known, area = dict(CODES), "|".join(areas())
    for file in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            if re.fullmatch(rf"({area})\.\w*[a-zA-Z0-9]", text) and not text.endswith(".html"):
                assert text in known, f"{file.relative_to(SOURCES)}:{node.lineno}: {text} has no sentence"


def test_warnings_of_identification_are_warnings() -> None:
    """What a function yields there is a warning, or a note: without `severity` a row is an error."""
    known = dict(CODES)
    for file in (SOURCES / "identification").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            call = node.value if isinstance(node, ast.Yield) else None
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Finding":
                code = call.args[0]
                if isinstance(code, ast.Constant) and code.value in known:
                    assert known[code.value].severity != "error", code.value


def test_every_code_is_said_somewhere() -> None:
    texts = "\n".join(file.read_text(encoding="utf-8") for file in SOURCES.rglob("*.py"))
    unused = [code for code, _ in CODES if f'"{code}"' not in texts and code.partition(".")[0] not in COMPOSED]
    assert not unused
