"""docs/families.md is what docs/families.py writes, and what it promises can be built."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import symoro
from symoro.models.catalogue import entries
from symoro.robot.robot import Robot

SCRIPT = Path(__file__).parents[2] / "docs" / "families.py"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("families_page", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


ROBOTS: dict[str, Robot] = script().families()


def test_the_page_is_the_one_of_the_code() -> None:
    assert script().main(["--check"]) == 0, "the table has changed: run python docs/families.py"


@pytest.mark.parametrize("family", ROBOTS)
def test_what_the_table_promises_is_built(family: str) -> None:
    robot = ROBOTS[family]
    wanted: dict[str, Any] = {"i": 0, "j": 1, "link": 2}
    for entry in entries():
        given = {option.name: wanted[option.name] for option in entry.of(robot).options if option.name in wanted}
        if entry.reason(robot) is None:
            assert getattr(symoro, entry.name)(robot, optimize=False, **given).outputs
        else:
            with pytest.raises(symoro.SymoroError):
                getattr(symoro, entry.name)(robot, optimize=False, **given)
