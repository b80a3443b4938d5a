"""The target of docs/adding-a-target.md works as it stands there."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.tools import needs_node
from symoro.emit import Source
from symoro.emit.package import package
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.program import Input, Program, Variable

RECIPE = Path(__file__).parents[3] / "docs" / "adding-a-target.md"


def program() -> Program:
    g = Graph()
    q, m, new = g.symbol("q1"), g.symbol("M"), g.symbol("new")
    elements = (m * g.sin(q) + new, g.select(g.less(q, m), abs(q), m) - g.less(m, q))
    q_array = Input("q", (1,), (Variable("q1"),))
    return extract(g, [q_array], [Variable("M"), Variable("new")], [Result("GAM", (2,), elements, ("GAM1", "GAM2"))])


@pytest.fixture
def text() -> str:
    found = re.search(r"```python\n(.*?)```", RECIPE.read_text(encoding="utf-8"), re.S)
    assert found is not None
    scope: dict[str, Any] = {}
    exec(found.group(1), scope)
    return scope["TARGET"].write(package([Source(program(), "toy", "A toy")], scope["TARGET"]))["toy.mjs"]


def test_the_recipe_writes_a_module(text: str) -> None:
    assert "export function toy(constants, q) {" in text
    assert "const new_ = constants.new_;" in text
    assert "Math.sin(q1)" in text


@needs_node
def test_the_module_of_the_recipe_agrees_with_evaluate(text: str, tmp_path: Path) -> None:
    call = "console.log(JSON.stringify(toy({M: 0.5, new_: 0.25}, [0.75]).GAM));"
    (tmp_path / "toy.mjs").write_text(text + call, encoding="utf-8")
    ran = subprocess.run(["node", tmp_path / "toy.mjs"], capture_output=True, text=True, check=True)
    wanted = evaluate(program(), {"q": [0.75]}, {"M": 0.5, "new": 0.25})["GAM"]
    assert json.loads(ran.stdout) == pytest.approx(wanted.tolist(), rel=1e-12)
