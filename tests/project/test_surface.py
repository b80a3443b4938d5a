"""The public surface is a contract: other programs call it."""

from __future__ import annotations

import inspect

import pytest

import symoro
from symoro.models.catalogue import entries, find

#: Names that are not models of the catalogue. `model` names a module as well as a function; the module may win.
NAMES = [
    "BaseParameters", "Model", "Procedure", "Robot", "SymoroError", "base_parameters", "check", "load", "loop_geometry",
    "mobility", "singularities", "write",
]  # fmt: skip

#: Models that exist; one may be added here, none may go or change its name.
MODELS = {"transform", "forward_geometry", "inverse_dynamics"}

MODEL = {
    "robot", "program", "name", "title", "citation", "options", "ops", "setup_ops", "inputs", "outputs", "parameters",
    "columns", "formulation", "specialize", "equations", "emit", "compile", "derivative", "latex", "to_sympy",
    "by_column",
}  # fmt: skip


def test_the_names_of_the_package() -> None:
    assert symoro.__all__ == NAMES
    for name in NAMES:
        assert getattr(symoro, name) is not None


def test_every_model_of_the_catalogue_is_a_function_and_nothing_else_is() -> None:
    names = [entry.name for entry in entries()]
    assert dir(symoro) == sorted([*NAMES, *names])
    assert set(names) >= MODELS
    assert not hasattr(symoro, "no_such_model")


def test_a_models_attributes() -> None:
    assert {name for name in dir(symoro.Model) if not name.startswith("_")} == MODEL


@pytest.mark.parametrize("entry", list(entries()), ids=lambda entry: entry.name)
def test_a_row_says_all_that_its_users_need(entry: object) -> None:
    function = getattr(symoro, entry.name)  # type: ignore[attr-defined]
    parameters = list(inspect.signature(function).parameters)
    assert parameters[0] == "robot"
    assert parameters[1:] == [option.name for option in entry.all_options]  # type: ignore[attr-defined]
    assert function.__doc__.startswith(entry.title)  # type: ignore[attr-defined]
    assert all((entry.title, entry.menu, entry.citation, entry.oracle))  # type: ignore[attr-defined]


def test_names_and_aliases_are_unique() -> None:
    names = [name for entry in entries() for name in (entry.name, *entry.aliases)]
    assert len(names) == len(set(names))
    assert all(find(alias) is entry for entry in entries() for alias in entry.aliases)


def test_the_signatures_of_the_contract() -> None:
    assert list(inspect.signature(symoro.transform).parameters)[:3] == ["robot", "i", "j"]
    assert list(inspect.signature(symoro.forward_geometry).parameters)[:2] == ["robot", "link"]
    assert {"method", "params", "optimize"} <= set(inspect.signature(symoro.inverse_dynamics).parameters)


def test_six_lines_of_python() -> None:
    robot = symoro.load("puma560")
    model = symoro.inverse_dynamics(robot)
    assert model.inputs == {"q": (6,), "qd": (6,), "qdd": (6,), "wrench": (1, 6)}
    assert model.outputs == {"GAM": (6,)}
    assert model.ops.total == model.ops.mul + model.ops.add + model.ops.div
    assert model.compile()([0.1] * 6, [0.2] * 6, [0.3] * 6).shape == (6,)
