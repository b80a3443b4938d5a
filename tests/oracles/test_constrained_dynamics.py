"""Dynamics of closed loops against Pinocchio's constrained dynamics, which has the cut joints in its model."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.free_robots import Array, random_state, with_floating_base
from support.library_robots import loop_names
from support.loops import closed_configuration, gap
from support.pinocchio_loops import ConstrainedRobot
from support.random_loops import random_closed_robot
from support.samples import named, some
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program
from symoro.ir.spec import validate
from symoro.robot.robot import Robot

TOLERANCE = 1e-9
LARGE = ("orthoglide", "akr3000")


def programs(robot: Robot, **options: object) -> list[Program]:
    models = (symoro.direct_dynamics, symoro.inverse_dynamics, symoro.inertia_matrix, symoro.bias)
    return [validate(model(robot, **options).program) for model in models]


def assert_agrees(robot: Robot, models: list[Program], q: Array, seed: int) -> None:
    """Compare the accelerations for random torques; then get the torques back by the inverse model and by A and H.

    A floating base adds six accelerations, and six equations without a torque.
    """
    direct, inverse, inertia, bias = models
    numbers, state = robot_numbers(robot), random_state(direct, seed) | {"q": q}
    reference = ConstrainedRobot(robot, q, state.get("quat"))
    expected, A = reference.accelerations(state), reference.inertia()
    base, condition = expected[: len(reference.base)], float(np.linalg.cond(A))
    found = evaluate(direct, state, numbers)
    assert_close(np.r_[found.get("VP0", base), found["QDP"]], expected, TOLERANCE)
    assert_close(evaluate(inertia, {"q": q}, numbers)["A"], A, TOLERANCE)
    moving = {name: x for name, x in state.items() if name != "tau"}
    again = evaluate(inverse, moving | {"qdd": expected[len(base) :]}, numbers)
    assert_close(np.r_[again.get("VP0", base), again["GAM"]], np.r_[base, state["tau"]], TOLERANCE, condition)
    H = evaluate(bias, moving, numbers)["H"]
    assert_close(A @ expected + H, np.r_[0 * base, state["tau"]], TOLERANCE, condition)


@pytest.mark.parametrize("seed", some(3, of=100))
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


@pytest.mark.parametrize("seed", some(2, of=50))
def test_random_robots_on_a_floating_base(seed: int) -> None:
    robot, q = random_closed_robot(seed)
    afloat = with_floating_base(robot, seed)
    models = programs(afloat, optimize=seed % 9 == 4, params=("standard", "base")[seed % 3 == 2])
    assert_agrees(afloat, models, q, seed)


@pytest.mark.parametrize("name", named(loop_names(), LARGE))
def test_library_robots_on_a_floating_base(name: str) -> None:
    robot = with_floating_base(symoro.load(name), 0)
    assert_agrees(robot, programs(robot, optimize=False), closed_configuration(robot, 0), 0)


def test_every_kind_of_loop_is_among_the_random_robots() -> None:
    robots = [random_closed_robot(seed)[0] for seed in range(32)]
    cuts = [(robot.joint(cut.joint), robot.joint(cut.mate)) for robot in robots for cut in robot.cuts]
    assert {len(robot.cuts) for robot in robots} == {1, 2}
    assert min(sum(joint.prismatic for joint, _ in cuts), sum(joint.revolute for joint, _ in cuts)) >= 10
    assert sum(mate.parent > 0 for _, mate in cuts) >= 10
    assert {loop.kind for robot in robots[:2] for loop in symoro.mobility(robot).loops} == {"planar", "spatial"}
