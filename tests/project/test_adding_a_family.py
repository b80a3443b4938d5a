"""docs/adding-a-family.md is run block by block: the file and the row that it shows make a family of robots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from support.pages import as_module, blocks
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import Result, extract
from symoro.models import families

PAGE = Path(__file__).parents[2] / "docs" / "adding-a-family.md"
MODULE = "symoro.models.belts"
CODE = blocks(PAGE, "python")


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, Any]:
    """The names of the page's last block, run with the page's file as a module and its row in the table."""
    module = as_module(CODE["src/symoro/models/belts.py"], MODULE, tmp_path, monkeypatch)
    code = compile(CODE["a row of CONSTRAINTS"].strip(), str(PAGE), "eval")
    row = eval(code, {**vars(families), **vars(module)})
    monkeypatch.setattr(families, "CONSTRAINTS", (*families.CONSTRAINTS, row))
    names: dict[str, Any] = {}
    exec(compile(CODE["use"], str(PAGE), "exec"), names)
    return names


def test_the_inverse_model_is_that_of_the_tree_projected(use: dict[str, Any]) -> None:
    symoro, robot, arm = use["symoro"], use["robot"], use["arm"]
    assert use["model"].inputs == {"q": (2,), "qd": (1,), "qdd": (1,), "wrench": (1, 6)}
    assert use["model"].outputs == {"GAM": (1,)}
    tree, q = symoro.inverse_dynamics(arm).compile(), [0.3, -0.8]
    for options in ({}, {"optimize": False}, {"params": "base"}):
        torque = symoro.inverse_dynamics(robot, **options).compile()(q, [0.7], [-1.1])
        assert torque == pytest.approx([sum(tree(q, [0.7, 0.7], [-1.1, -1.1]))], rel=1e-12)


def test_the_other_models_come_with_it(use: dict[str, Any]) -> None:
    symoro, robot = use["symoro"], use["robot"]
    q, qd, tau = [0.3, -0.8], [0.7], [1.3]
    A, H = symoro.inertia_matrix(robot).compile()(q), symoro.bias(robot).compile()(q, qd)
    qdd = symoro.direct_dynamics(robot).compile()(q, qd, tau)
    assert A @ qdd + H == pytest.approx(tau, rel=1e-12)
    D = symoro.dynamic_regressor(robot)
    assert D.outputs["D"][0] == 1
    along = symoro.inverse_dynamics(robot).derivative("q").compile()(q, qd, qdd)
    step, f = 1e-6 * np.ones(2), symoro.inverse_dynamics(robot).compile()
    assert along == pytest.approx((f(q + step, qd, qdd) - f(q - step, qd, qdd))[:, None] / 2e-6, rel=1e-6)


def test_the_page_shows_a_family_that_the_table_lacks() -> None:
    assert "belts" not in [row.name for row in families.CONSTRAINTS]


def test_platforms_are_composed_as_the_page_says() -> None:
    names: dict[str, Any] = {}
    exec(compile(CODE["platforms"], str(PAGE), "exec"), names)
    symoro, legs, torques = names["symoro"], names["legs"], names["torques"]
    model = symoro.inverse_dynamics("five-bar-legs", optimize=False).program
    found = Result("GAM", (len(torques),), tuple(torques.values()), tuple(f"G{j}" for j in torques))
    rng = np.random.default_rng(0)
    inputs = {array.name: rng.uniform(0.2, 1.0, array.shape) for array in model.inputs}
    numbers = {parameter.name: rng.uniform(0.2, 1.0) for parameter in model.parameters}
    composed = extract(legs.s.graph, model.inputs, model.parameters, [found])
    expected = evaluate(model, inputs, numbers)["GAM"]
    assert evaluate(composed, inputs, numbers)["GAM"] == pytest.approx(expected, rel=1e-12)
