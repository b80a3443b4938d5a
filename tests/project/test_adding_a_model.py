"""docs/adding-a-model.md is run block by block: the file and the row that it shows make a model."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import symoro
from support.pages import as_module, blocks
from symoro.cli import main
from symoro.models import catalogue
from symoro.models.dynamic import rows

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-model.md"
MODULE = "symoro.models.dynamic.potential_energy"


CODE = blocks(PAGE, "python")
COMMANDS = next(iter(blocks(PAGE, "sh").values())).splitlines()


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """The page's file as a module, its row among those of its package, and its names in the catalogue."""
    module = as_module(CODE["src/symoro/models/dynamic/potential_energy.py"], MODULE, tmp_path, monkeypatch)
    row = evaluated("a row of ROWS", vars(rows) | {"potential_energy": module})
    monkeypatch.setattr(rows, "ROWS", (*rows.ROWS, row))
    package, names = evaluated("a line of the names", {})
    for name in names.split():
        monkeypatch.setitem(catalogue.PACKAGE_OF, name, package)
    catalogue.rows.cache_clear()
    monkeypatch.chdir(tmp_path)
    yield row.name
    catalogue.rows.cache_clear()


def evaluated(block: str, names: dict[str, object]) -> Any:
    """The value of a block of the page."""
    return eval(compile(CODE[block].strip(), str(PAGE), "eval"), names)


def test_the_row_makes_a_public_function(model: str) -> None:
    assert model in dir(symoro)
    assert symoro.potential_energy("planar2r").outputs == {"U": ()}


def test_the_use_works(model: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(CODE["use"], str(PAGE), "exec"), {})
    assert "MSC" in capsys.readouterr().out
    assert (tmp_path / "energy" / "selftest.c").exists()


def test_the_oracle_agrees(model: str) -> None:
    names: dict[str, object] = {}
    exec(compile(CODE["tests/oracles/test_potential_energy.py"], str(PAGE), "exec"), names)
    names["test_potential_energy_is_pinocchios"]()  # type: ignore[operator]


@pytest.mark.parametrize("line", COMMANDS)
def test_the_command_line_knows_it(model: str, line: str, capsys: pytest.CaptureFixture[str]) -> None:
    program, *words = shlex.split(line)
    assert program == "symoro"
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 0
    assert "MSC" in capsys.readouterr().out or "count" in words or "generate" in words


def test_the_page_shows_a_model_that_the_catalogue_lacks() -> None:
    assert "potential_energy" not in [e.name for e in catalogue.entries()]
