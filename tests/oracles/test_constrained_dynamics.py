"""Closed loops against Pinocchio's own constrained dynamics, which cuts no joint where symoro does."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.free_robots import Array, State, close, random_state, with_floating_base
from support.library_robots import loop_names
from support.loops import closed_configuration, gap
from support.pinocchio_loops import ConstrainedRobot
from support.random_loops import random_closed_robot
from symoro.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program
from symoro.ir.spec import validate
from symoro.robot.robot import Robot

TOLERANCE = 1e-9


def programs(robot: Robot, **options: object) -> list[Program]:
    models = (symoro.direct_dynamics, symoro.inverse_dynamics, symoro.inertia_matrix)
    return [validate(model(robot, **options).program) for model in models]


def assert_agrees(robot: Robot, models: list[Program], q: Array, seed: int) -> None:
    """q̈ for random torques; the torques for that q̈; the motors' inertia."""
    direct, inverse, inertia = models
    numbers, reference = robot_numbers(robot), ConstrainedRobot(robot, q)
    rng = np.random.default_rng(seed)
    state: State = {array.name: rng.normal(size=array.shape) for array in direct.inputs} | {"q": q}
    expected = reference.accelerations(state)
    assert close(evaluate(direct, state, numbers)["QDP"], expected, TOLERANCE)
    A = reference.inertia()
    assert close(evaluate(inertia, {"q": q}, numbers)["A"], A, TOLERANCE)
    given = {name: x for name, x in state.items() if name != "tau"} | {"qdd": expected}
    assert close(evaluate(inverse, given, numbers)["GAM"], state["tau"], TOLERANCE, float(np.linalg.cond(A)))


@pytest.mark.parametrize("seed", [*range(12), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(12, 100))])
def test_random_robots(seed: int) -> None:
    robot, q = random_closed_robot(seed)
    assert np.abs(gap(robot, q)).max() < 1e-12
    assert_agrees(robot, programs(robot, optimize=seed % 9 == 4), q, seed)


@pytest.mark.parametrize("name", loop_names())
def test_library_robots(name: str) -> None:
    robot = symoro.load(name)
    models = programs(robot, optimize=False)
    for seed in range(3):
        assert_agrees(robot, models, closed_configuration(robot, seed), seed)


def assert_agrees_afloat(robot: Robot, models: list[Program], q: Array, seed: int) -> None:
    """The same with six equations and accelerations more."""
    direct, inverse, inertia, bias = models
    numbers, state = robot_numbers(robot), random_state(direct, seed) | {"q": q}
    reference = ConstrainedRobot(robot, q, state["quat"])
    expected, A = reference.accelerations(state), reference.inertia()
    condition = float(np.linalg.cond(A))
    found = evaluate(direct, state, numbers)
    assert close(np.r_[found["VP0"], found["QDP"]], expected, TOLERANCE, condition)
    assert close(evaluate(inertia, {"q": q}, numbers)["A"], A, TOLERANCE)
    moving = {name: x for name, x in state.items() if name != "tau"}
    again = evaluate(inverse, moving | {"qdd": expected[6:]}, numbers)
    assert close(again["VP0"], expected[:6], TOLERANCE, condition)
    assert close(again["GAM"], state["tau"], TOLERANCE, condition)
    H = evaluate(bias, moving, numbers)["H"]
    assert close(A @ expected + H, np.r_[np.zeros(6), state["tau"]], TOLERANCE, condition)


@pytest.mark.parametrize("seed", [*range(8), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(8, 50))])
def test_random_robots_afloat(seed: int) -> None:
    robot, q = random_closed_robot(seed)
    afloat = with_floating_base(robot, seed)
    params = ("standard", "base")[seed % 3 == 2]
    models = [*programs(afloat, optimize=seed % 9 == 4, params=params), symoro.bias(afloat, params=params).program]
    assert_agrees_afloat(afloat, models, q, seed)


@pytest.mark.parametrize("name", loop_names())
def test_library_robots_afloat(name: str) -> None:
    robot = with_floating_base(symoro.load(name), 0)
    models = [*programs(robot, optimize=False), symoro.bias(robot, optimize=False).program]
    assert_agrees_afloat(robot, models, closed_configuration(robot, 0), 0)


def test_every_kind_of_loop_is_among_the_random_robots() -> None:
    robots = [random_closed_robot(seed)[0] for seed in range(50)]
    cuts = [(robot.joint(cut.joint), robot.joint(cut.mate)) for robot in robots for cut in robot.cuts]
    assert {len(robot.cuts) for robot in robots} == {1, 2}
    assert min(sum(joint.prismatic for joint, _ in cuts), sum(joint.revolute for joint, _ in cuts)) >= 10
    assert sum(mate.parent > 0 for _, mate in cuts) >= 10
    assert {loop.kind for robot in robots[:2] for loop in symoro.mobility(robot).loops} == {"planar", "spatial"}
