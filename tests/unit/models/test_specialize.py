"""A specialised model: same outputs, fewer operations, fewer parameters."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.raised import raised
from symoro.errors import ParameterError
from symoro.ir.evaluate import evaluate
from symoro.model import Model


def assert_same_outputs(a: Model, b: Model) -> None:
    """Two models with the same inputs give the same outputs in twenty states."""
    rng = np.random.default_rng(1)
    inputs = {x.name: rng.normal(size=(20, *x.shape)) for x in a.program.inputs}
    first = evaluate(a.program, inputs, {name: value or 0.0 for name, value in a.parameters.items()})
    second = evaluate(b.program, inputs, {name: value or 0.0 for name, value in b.parameters.items()})
    for name in first:
        assert_close(second[name], first[name], 1e-12)


@pytest.mark.parametrize("name", ["inverse_dynamics", "inertia_matrix", "direct_dynamics"])
@pytest.mark.parametrize("robot", ["planar3r", "scara"])
def test_all_numbers_of_the_robot_leave_no_parameter(name: str, robot: str) -> None:
    model = getattr(symoro, name)(robot)
    special = model.specialize()
    assert special.parameters == {}
    assert special.setup_ops.total == 0
    assert special.ops.total < model.ops.total
    assert_same_outputs(model, special)


def test_some_numbers_leave_the_other_parameters() -> None:
    model = symoro.inverse_dynamics("puma560", params="base")
    special = model.specialize({"D3": 0, "RL3": 0})
    assert {"D3", "RL3", "M4"} <= set(model.parameters)
    assert {"D3", "RL3", "M4"} & set(special.parameters) == {"M4"}
    assert special.ops.total < model.ops.total
    assert special.inputs == model.inputs


def test_the_paper_form_stays_the_paper_form() -> None:
    model = symoro.inverse_dynamics("scara", optimize=False)
    special = model.specialize()
    assert special.formulation == "newton-euler, plain"
    assert_same_outputs(model, special)


def test_texts_are_exact() -> None:
    model = symoro.transform("general6r", 0, 2)
    assert model.specialize({"alpha2": "pi/2"}).ops.total < model.specialize({"alpha2": 1.57}).ops.total


def test_a_derivative_folds_too() -> None:
    derivative = symoro.inverse_dynamics("planar2r").derivative("q")
    special = derivative.specialize()
    assert special.parameters == {}
    assert_same_outputs(derivative, special)


def test_columns_stay() -> None:
    model = symoro.dynamic_regressor("planar2r")
    assert model.specialize().columns == model.columns


def test_a_folded_parameter_cannot_be_given() -> None:
    function = symoro.inverse_dynamics("planar2r").specialize().compile()
    with pytest.raises(ParameterError):
        function([0.1, 0.2], [0, 0], [0, 0], values={"M1": 2.0})


def test_unknown_names_and_symbols_are_refused() -> None:
    model = symoro.inverse_dynamics("planar2r")
    with raised("models.no_parameter", ParameterError):
        model.specialize({"nothing": 1})
    with raised("models.not_a_number", ParameterError):
        model.specialize({next(iter(model.parameters)): "x + 1"})
