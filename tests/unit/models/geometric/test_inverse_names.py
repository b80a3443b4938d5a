"""Names that people see: of the quantities in a derivation, and of generated code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import symoro
from support.arms import ARMS

QUICK = ("gantry", "gantry-wrist", "scara-rrpr", "planar-prr")


def arms() -> list[Any]:
    return [name if name in QUICK else pytest.param(name, marks=pytest.mark.long) for name in ARMS]


@pytest.mark.parametrize("name", arms())
def test_a_derivation_has_no_names_of_the_program(name: str) -> None:
    derivation = symoro.inverse_geometry(ARMS[name]).derivation
    assert not re.search(r"\b(Q\d+_\d+|OK\d+|ERR\d+|FREE\d+_\d+)\b", derivation.text())
    assert not re.search(r"Q_\{\d+\\?_\d+\}", derivation.latex())


@pytest.mark.parametrize(
    ("robot", "options", "name"),
    [
        ("scara", {}, "scara_inverse_geometry"),
        ("scara", {"method": "paul"}, "scara_inverse_geometry_method_paul"),
        ("scara", {"link": 3}, "scara_inverse_geometry_link3"),
        ("youbot", {"task": "axis-x"}, "youbot_inverse_geometry_task_axis_x"),
        ("kuka-iiwa", {"redundant": {3: "q3"}}, "kuka_iiwa_inverse_geometry_redundant3"),
        ("kuka-iiwa", {"redundant": {"arm": "psi"}}, "kuka_iiwa_inverse_geometry_redundant_arm"),
        ("four-bar", {"link": 3}, "four_bar_inverse_geometry_link3"),
    ],
)
def test_code_is_named_by_what_was_chosen(robot: str, options: dict[str, Any], name: str, tmp_path: Path) -> None:
    files = symoro.inverse_geometry(robot, **options).emit("c", tmp_path)
    assert {path.stem for path in files} >= {name}
