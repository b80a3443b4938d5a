"""The reference pages have every public name."""

from __future__ import annotations

from pathlib import Path

import pytest

import symoro
from symoro.models.catalogue import entries


@pytest.fixture
def reference(monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "docs")
    import reference

    return reference


def test_the_python_interface_has_every_name(reference) -> None:
    page = reference.api()
    missing = [name for name in dir(symoro) if f"symoro.{name}" not in page and f"### {name}" not in page]
    assert missing == []
    for kind in reference.classes():
        members = [name for name in dir(kind) if not name.startswith("_")]
        assert [name for name in members if f"`{name}`" not in page and f"`{name}(" not in page] == [], kind


def test_every_model_has_its_help(reference) -> None:
    page = reference.models()
    for entry in entries():
        assert f"## {entry.name}\n" in page
        assert str(getattr(symoro, entry.name).__doc__) in page


def test_every_command_is_on_its_page(reference) -> None:
    from symoro.cli.app import COMMANDS

    page = reference.commands()
    assert [name for name in COMMANDS if f"## symoro {name}\n" not in page] == []
