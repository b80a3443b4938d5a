"""The forms in which constraints are applied give the same outputs; the search keeps the one that counts least."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.raised import raised
from symoro.errors import NotApplicable
from symoro.ir.evaluate import evaluate
from symoro.ir.graph import Graph
from symoro.models.build import _draft, symbols_of
from symoro.models.catalogue import find
from symoro.models.families import FORMS, LEGS_OF_PLATFORM, constraint_of

MODELS = ["inverse_dynamics", "direct_dynamics", "bias", "gravity", "velocities", "dynamic_regressor", "cut_wrenches"]
SOLVED = "multipliers by solution"


def has_forms(robot: str, model: str) -> bool:
    described = symoro.load(robot)
    return not find(model).reason(described) and SOLVED in find(model).constraint_forms(described)


def values(robot: str, model: str, form: str) -> np.ndarray:
    """The outputs of the plain algorithm at random inputs and parameters, which depend on their names alone."""

    def drawn(name: str, shape: tuple[int, ...] = ()) -> np.ndarray:
        return np.random.default_rng(list(name.encode())).uniform(0.2, 1.5, size=shape)

    own = find(model).of(symoro.load(robot))
    options = own.checked(symoro.load(robot), {}) | {"optimize": False}
    algorithm = next(method for method in own.methods if not method.on_request).forms[0].algorithm
    s = symbols_of(symoro.load(robot), options, Graph(), form)
    program = _draft(own, s, options, algorithm).write()
    inputs = {x.name: drawn(x.name, (5, *x.shape)) for x in program.inputs}
    found = evaluate(program, inputs, {p.name: drawn(p.name) for p in program.parameters})
    return np.concatenate([x.ravel() for x in found.values()])


ROBOTS = ("four-bar", "five-bar", "two-loops", "orthoglide", "diff-drive-2r")
CASES = [(robot, model) for robot in ROBOTS for model in MODELS if has_forms(robot, model)]


@pytest.mark.parametrize(("robot", "model"), CASES)
def test_forms_give_the_same_outputs(robot: str, model: str) -> None:
    expected = values(robot, model, "")
    assert set(FORMS) == {"", SOLVED, LEGS_OF_PLATFORM}  # legs are compared in closed configurations
    assert_close(values(robot, model, SOLVED), expected, 1e-8)


@pytest.mark.parametrize(
    ("robot", "kept"), [("orthoglide", LEGS_OF_PLATFORM), ("five-bar", SOLVED), ("four-bar", ""), ("five-bar-legs", "")]
)
def test_the_search_keeps_the_form_that_counts_least(robot: str, kept: str) -> None:
    _, *form = symoro.inverse_dynamics(robot).formulation.split("; ")
    assert form == ([kept] if kept else [])


def test_what_has_no_rows_has_none_to_solve() -> None:
    with raised("loops.no_rows", NotApplicable):
        constraint_of(symbols_of(symoro.load("puma560"), {}, Graph(), SOLVED))
