"""Closed loops against Pinocchio's own constrained dynamics, which cuts no joint where symoro does."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.free_robots import Array, State, close, driven
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
    expected = reference.accelerations(state)[driven(robot)]
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


def test_every_kind_of_loop_is_among_the_random_robots() -> None:
    robots = [random_closed_robot(seed)[0] for seed in range(50)]
    cuts = [(robot.joint(cut.joint), robot.joint(cut.mate)) for robot in robots for cut in robot.cuts]
    assert {len(robot.cuts) for robot in robots} == {1, 2}
    assert min(sum(joint.prismatic for joint, _ in cuts), sum(joint.revolute for joint, _ in cuts)) >= 10
    assert sum(mate.parent > 0 for _, mate in cuts) >= 10
    assert {loop.kind for robot in robots[:2] for loop in symoro.mobility(robot).loops} == {"planar", "spatial"}
