"""The optimised form is as accurate as the plain one, in float64 and in float32."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import symoro
from symoro.ir.evaluate import evaluate
from symoro.model import Model

ROBOTS = [
    "puma560", "puma560-symmetric", "rx90", "rx90-symmetric", "stanford", "th8", "general6r", "snake20",
    "ur5", "two-arm",
]  # fmt: skip
MODELS = ["inverse_dynamics", "inertia_matrix", "bias", "direct_dynamics", "dynamic_regressor", "lagrange_coefficients"]
TOO_LARGE = {("snake20", "lagrange_coefficients")}
CASES = [(robot, name) for robot in ROBOTS for name in MODELS if (robot, name) not in TOO_LARGE]

pytestmark = pytest.mark.long


def states(model: Model, reach: float, count: int = 1000) -> dict[str, np.ndarray]:
    """Random states; every fifth one has joints at and near multiples of a quarter turn, where arms are singular."""
    rng = np.random.default_rng(7)
    inputs = {x.name: rng.normal(size=(count, *x.shape)) for x in model.program.inputs}
    q = rng.uniform(-reach, reach, size=(count, *model.inputs["q"]))
    quarters = np.round(q / (np.pi / 2)) * (np.pi / 2) + rng.choice([0.0, 1e-9, 1e-4], size=q.shape)
    q[::5] = quarters[::5]
    return {**inputs, "q": q}


def run(model: Model, inputs: dict[str, np.ndarray], dtype: type = np.float64) -> np.ndarray:
    values = {name: value or 0.0 for name, value in model.parameters.items()}
    results = evaluate(model.program, inputs, values, dtype).values()
    return np.concatenate([x.reshape(len(x), -1) for x in results], axis=1).astype(float)


@cache
def forms(robot: str, name: str) -> tuple[Model, Model]:
    """The plain and the optimised form of a model."""
    make = getattr(symoro, name)
    return make(robot, params="base", optimize=False), make(robot, params="base")


def condition(robot: str, inputs: dict[str, np.ndarray]) -> np.ndarray:
    """cond(A) in each state."""
    n = inputs["q"].shape[-1]
    A = run(symoro.inertia_matrix(robot, params="base", optimize=False), {"q": inputs["q"]})
    return np.linalg.cond(A.reshape(-1, n, n))


@pytest.mark.parametrize(("robot", "name"), CASES)
def test_the_optimised_form_computes_what_the_plain_one_does(robot: str, name: str) -> None:
    plain, lean = forms(robot, name)
    inputs = states(plain, 100)
    expected = run(plain, inputs)
    off = np.abs(run(lean, inputs) - expected).max(axis=1) / (1 + np.abs(expected).max(axis=1))
    if name == "direct_dynamics":
        off /= condition(robot, inputs)
    assert off.max() < 1e-12


@pytest.mark.parametrize(("robot", "name"), CASES)
def test_single_precision_is_as_good_as_the_plain_form(robot: str, name: str) -> None:
    plain, lean = forms(robot, name)
    inputs = states(plain, np.pi)
    exact = run(plain, inputs)
    scale = 1 + np.abs(exact).max(axis=1)
    errors = [np.abs(run(m, inputs, np.float32) - exact).max(axis=1) / scale for m in (plain, lean)]
    of_plain, of_lean = (np.sqrt(np.mean(error**2)) for error in errors)
    assert of_lean <= 4 * of_plain
    assert errors[1].max() <= 4 * errors[0].max()
