"""Derivatives by wrenches and by parameters: torques are linear in both, and accelerations follow."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from support.close import assert_close
from support.random_robots import random_robot
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.spec import validate
from symoro.model import Model
from symoro.robot.robot import Robot
from symoro.solve.given import model

METHODS = ("recursive", "inertia-matrix")


@pytest.fixture(params=["serial", "tree"])
def robot(request: pytest.FixtureRequest) -> Robot:
    found = (random_robot(seed, joints=4, structure=request.param, moving_base=0.0) for seed in range(100))
    return next(r for r in found if any(not w.is_zero for w in r.wrenches) and r.joint(4).movable)


@pytest.fixture
def state(robot: Robot) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    arrays = model("inverse_dynamics", robot, optimize=False).program.inputs
    return {a.name: rng.normal(size=a.shape) for a in arrays}


def run(m: Model, state: dict[str, Any], numbers: dict[str, float]) -> np.ndarray:
    program = validate(m.program)
    (value,) = evaluate(program, {a.name: state[a.name] for a in program.inputs}, numbers).values()
    return value


@pytest.mark.parametrize("name", ["M4", "ZZ4", "MX4", "IA4", "FV4", "G3"])
def test_by_a_parameter(robot: Robot, state: dict[str, np.ndarray], name: str) -> None:
    numbers = robot_numbers(robot)
    torques = model("inverse_dynamics", robot, optimize=False)
    more = run(torques, state, numbers | {name: numbers[name] + 1}) - run(torques, state, numbers)
    slope = run(torques.derivative(name), state, numbers) if name in torques.parameters else 0 * more
    assert_close(slope, more, 1e-12)
    A = run(model("inertia_matrix", robot, optimize=False), state, numbers)
    state["tau"] = run(torques, state, numbers)
    for method in METHODS:
        direct = model("direct_dynamics", robot, method=method, optimize=False)
        if name in direct.parameters:
            assert_close(run(direct.derivative(name), state, numbers), -np.linalg.solve(A, more), 1e-10)


def test_by_the_wrenches(robot: Robot, state: dict[str, np.ndarray]) -> None:
    numbers = robot_numbers(robot)
    torques = model("inverse_dynamics", robot, optimize=False)
    slope = run(torques.derivative("wrench"), state, numbers)
    none = run(torques, state | {"wrench": 0 * state["wrench"]}, numbers)
    effect = np.tensordot(slope, state["wrench"], 2)
    assert_close(effect, run(torques, state, numbers) - none, 1e-12)
    A = run(model("inertia_matrix", robot, optimize=False), state, numbers)
    state["tau"] = run(torques, state, numbers)
    for method in METHODS:
        direct = model("direct_dynamics", robot, method=method, optimize=False).derivative("wrench")
        got = np.tensordot(run(direct, state, numbers), state["wrench"], 2)
        assert_close(got, -np.linalg.solve(A, effect), 1e-10)


def test_a_derivative_has_counts_and_equations() -> None:
    slope = model("bias", "scara").derivative("qd")
    assert slope.ops.total > 0
    assert slope.outputs == {"dH_dqd": (4, 4)}
    assert slope.equations()
