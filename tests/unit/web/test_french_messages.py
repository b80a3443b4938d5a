"""What modules say in messages has a French template, by which the page speaks French; other modules stay English."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from symoro.formats import toml
from symoro.models.problems import platform_problems
from symoro.robot import library

ROOT = Path(__file__).parents[3]
SOURCES = ROOT / "src" / "symoro"
MODULES = [
    *(
        f"robot/{name}.py"
        for name in ("check", "_rules", "parallel", "_expression", "values", "robot", "joint", "link")
    ),
    *(f"formats/{name}.py" for name in ("__init__", "toml", "_toml_part", "_toml_parallel", "_report", "dh", "par")),
    *(f"formats/{name}.py" for name in ("_par_text", "_xml", "urdf", "mjcf", "sdf", "xacro")),
    *(f"formats/{name}" for name in ("macros", "mujoco", "simulation", "tree")),
    *(f"models/geometric/inverse/{name}.py" for name in ("arm_angle", "chain", "closed", "tasks")),
    *(f"solve/{name}.py" for name in ("ways", "question", "closed", "held", "general/robot")),
    *(f"web/{name}.py" for name in ("jobs", "tasks", "results", "motion", "redundant", "general")),
    *("web/requests.py", "web/security.py", "motion/following.py", "motion/torques.py"),
    "models/parallel/mechanism.py",
]
NO_MESSAGES = re.compile(
    r"default-src .*|img-src .*|Callable\[.*|.*joint \{\} of the code .*|or convention ="
    "|True, False, 1, 0|passive joints in an open robot|it moves no mass|not in"
    "|.*end of document.*|arg, find, optenv, dirname, eval"
)
"""Texts of code, and beginnings of messages that are compared."""


@cache
def templates() -> list[re.Pattern[str]]:
    names = ("terms", "messages")
    tables = [json.loads((ROOT / "frontend" / "src" / f"{n}.fr.json").read_text(encoding="utf-8")) for n in names]
    assert not tables[0].keys() & tables[1].keys(), "a template is in two tables"
    return [re.compile(".+".join(map(re.escape, text.split("{}")))) for table in tables for text in table]


def known(text: str) -> bool:
    return any(template.fullmatch(text) for template in templates())


def parts(text: str) -> Iterator[str]:
    """What the page looks up by itself: sentences, and what is allowed."""
    for part in re.split(r"\s*\(allowed: |; ", text):
        stripped = part.strip(" :,")
        whole = stripped if stripped.count("(") >= stripped.count(")") else stripped.removesuffix(")")
        if len([word for word in whole.replace("{}", " ").split() if re.fullmatch("[A-Za-z]{2,}[,.:]?", word)]) > 1:
            yield whole


def said(module: str) -> Iterator[str]:
    """The texts of a module, or of all modules of a folder, but for docstrings; {} is a place."""
    if (folder := SOURCES / module).is_dir():
        for path in sorted(folder.glob("*.py")):
            yield from said(str(path.relative_to(SOURCES)))
        return
    tree = ast.parse((SOURCES / module).read_text(encoding="utf-8"))
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if id(node) in statements or id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@pytest.mark.parametrize("module", MODULES)
def test_every_message_of_a_module_has_french(module: str) -> None:
    found = [part for text in dict.fromkeys(said(module)) if not known(text) for part in parts(text)]
    assert [part for part in found if not known(part) and not NO_MESSAGES.fullmatch(part)] == []


def test_a_singular_home_pose_is_named_in_french() -> None:
    text = library.text("planar-3rrr").replace("home = [0, 0, 0]", f"home = [0, {-0.25 + 1e-10!r}, 0]")
    problems = platform_problems(toml.read_text(text, "planar-3rrr").robot)
    said = [part for problem in problems if problem.severity != "note" for part in parts(problem.message)]
    assert len(said) > 1
    assert [part for part in said if not known(part)] == []
