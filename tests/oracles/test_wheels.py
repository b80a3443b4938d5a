"""Robots on wheels that roll without slipping against Lagrange multipliers on Pinocchio's free-flyer model."""

from __future__ import annotations

from dataclasses import replace

import pytest

import symoro
from support.close import assert_close
from support.free_robots import driven, random_state
from support.library_robots import wheeled_names
from support.samples import some
from support.wheeled_robots import random_vehicle, rolled, tricycle
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program
from symoro.ir.spec import validate
from symoro.robot.robot import Robot


def programs(robot: Robot, **options: object) -> list[Program]:
    models = (symoro.direct_dynamics, symoro.inverse_dynamics, symoro.inertia_matrix, symoro.bias)
    return [validate(model(robot, **options).program) for model in models]


def assert_agrees(robot: Robot, models: list[Program], seed: int) -> None:
    """Compare the motion for random torques; then get the torques back by the inverse model and by A and H."""
    direct, inverse, inertia, bias = models
    numbers = robot_numbers(robot)
    state = random_state(direct, seed)
    expected = rolled(robot, state)
    loose = expected.condition
    found = evaluate(direct, state, numbers)
    qdd = expected.accelerations[[6 + k for k in driven(robot)]]
    base = (expected.accelerations + expected.spin)[:6]
    assert_close(found["V0"], expected.u[:6], 1e-9)
    assert_close(found["QDP"], qdd, 1e-9, loose)
    assert_close(found["VP0"], base, 1e-9, loose)
    moving = {name: x for name, x in state.items() if name != "tau"}
    again = evaluate(inverse, {**moving, "qdd": qdd}, numbers)
    assert_close(again["GAM"], state["tau"], 1e-9, loose)
    assert_close(again["VP0"], base, 1e-9, loose)
    A, H = evaluate(inertia, {"q": state["q"]}, numbers)["A"], evaluate(bias, moving, numbers)["H"]
    assert_close(A @ qdd + H, state["tau"], 1e-9, loose)


@pytest.mark.parametrize("seed", some(3, of=50))
def test_random_robots(seed: int) -> None:
    robot = random_vehicle(seed)
    assert_agrees(robot, programs(robot, optimize=seed % 5 == 4), seed)


@pytest.mark.parametrize("robot", [*map(symoro.load, wheeled_names()), tricycle()], ids=lambda robot: robot.name)
def test_library_robots(robot: Robot) -> None:
    models = programs(robot)
    for seed in range(10):
        assert_agrees(robot, models, seed)


def test_wheels_that_do_not_determine_the_motion_of_the_base_are_refused() -> None:
    robot = symoro.load("diff-drive-2r")
    one = replace(robot, base=replace(robot.base, wheels=robot.base.wheels[:1]))
    with pytest.raises(symoro.SymoroError, match="2 independent equations"):
        symoro.inverse_dynamics(one)
