"""Springs that loops and wheels do not determine, and loops on wheels, against Lagrange multipliers."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.free_robots import Array, State, driven, movable
from support.random_loops import random_closed_robot
from support.samples import some
from support.springs_in_series import places_left, solved, with_spring
from support.wheeled_robots import loops_on_wheels, random_vehicle
from symoro.bind.interface import robot_numbers
from symoro.bind.symbols import Symbols
from symoro.ir.evaluate import evaluate
from symoro.ir.graph import Graph
from symoro.models.families import constraint_of
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs


def assert_agrees(robot: Robot, q: Array | None, seed: int, springs: int = 0) -> None:
    """Direct, inverse, A, H and regressor; `robot` has motors and springs apart. q is that of its joints."""
    dependent = {k for k in constraint_of(Symbols(robot, Graph())).dependent if k > 0}
    left = places_left(robot, dependent)
    direct, inverse, inertia, bias = (
        getattr(symoro, name)(robot, optimize=False).program
        for name in ("direct_dynamics", "inverse_dynamics", "inertia_matrix", "bias")
    )
    rng = np.random.default_rng(seed)
    state: State = {array.name: rng.normal(size=array.shape) for array in direct.inputs}
    state |= {} if q is None else {"q": q}
    assert state["qd"].shape == (len(left),)
    assert len(left) - len(driven(robot)) == springs
    expected, numbers = solved(robot, state, left), robot_numbers(robot)
    x = expected.accelerations[len(expected.accelerations) - len(state["q"]) :]
    condition = float(np.linalg.cond(expected.A))
    found = evaluate(direct, state, numbers)["QDP"]
    assert_close(found, x[left], 1e-9, condition)
    moving = {name: v for name, v in state.items() if name != "tau"}
    again = evaluate(inverse, moving | {"qdd": x[driven(robot)]}, numbers)
    assert_close(again["GAM"], state["tau"], 1e-9, condition)
    free = [k for k in left if k not in driven(robot)]
    if free:
        assert_close(again["QDP"], x[free], 1e-9, condition)
    A, H = evaluate(inertia, {"q": state["q"]}, numbers)["A"], evaluate(bias, moving, numbers)["H"]
    assert_close(A, expected.A, 1e-9, condition)
    torque = np.zeros(len(left))
    torque[[left.index(k) for k in driven(robot)]] = state["tau"]
    assert_close(A @ x[left] + H, torque, 1e-9, condition)
    regressor = symoro.dynamic_regressor(robot, optimize=False)
    assert regressor.inputs["qdd"] == (len(left),)


@pytest.mark.parametrize("motor", [False, True], ids=["passive", "with a motor"])
@pytest.mark.parametrize("seed", some(2, of=30))
def test_a_spring_in_an_arm_on_loops(seed: int, motor: bool) -> None:
    robot, q = random_closed_robot(seed)
    arm = max(movable(robot))  # behind the loops
    assert robot.joint(arm).actuated
    springy = motor_spring_pairs(with_spring(robot, arm, motor))
    assert_agrees(springy, np.r_[q[:-1], -0.3, q[-1] + 0.3] if motor else q, seed, springs=1)


@pytest.mark.parametrize("seed", some(2, of=30))
def test_a_spring_between_a_motor_and_a_loop(seed: int) -> None:
    robot, q = random_closed_robot(seed)
    dependent = constraint_of(Symbols(robot, Graph())).dependent
    place = next(n for n, j in enumerate(movable(robot)) if robot.joint(j).actuated and j in loop_joints(robot))
    j = movable(robot)[place]
    assert j not in dependent
    springy = motor_spring_pairs(with_spring(robot, j, motor=True))
    assert_agrees(springy, np.r_[q[:place], -0.3, q[place] + 0.3, q[place + 1 :]], seed, springs=1)


def loop_joints(robot: Robot) -> set[int]:
    return {j for loop in symoro.mobility(robot).loops for j in loop.joints}


@pytest.mark.parametrize("motor", [False, True], ids=["passive", "with a motor"])
@pytest.mark.parametrize("seed", some(2, of=30))
def test_a_spring_in_an_arm_on_wheels(seed: int, motor: bool) -> None:
    robot = random_vehicle(seed)
    arm = min(movable(robot))
    assert_agrees(motor_spring_pairs(with_spring(robot, arm, motor)), None, seed, springs=1)


@pytest.mark.parametrize("seed", some(2, of=30))
def test_loops_on_wheels(seed: int) -> None:
    robot, q = loops_on_wheels(seed)
    assert_agrees(robot, q, seed)


@pytest.mark.long
@pytest.mark.parametrize("seed", some(2, of=20))
def test_a_spring_in_an_arm_on_loops_on_wheels(seed: int) -> None:
    robot, q = loops_on_wheels(seed)
    arm = max(j for j in movable(robot) if j not in loop_joints(robot) and "wheel" not in robot.joint(j).name)
    assert_agrees(with_spring(robot, arm, motor=False), q, seed, springs=1)


def test_the_advice_about_two_joints_works() -> None:
    """A motor with a spring before a loop was refused, with the advice of two joints, which was refused, too."""
    robot = with_spring(symoro.load("four-bar"), 1, motor=True)
    model = symoro.inverse_dynamics(robot)
    assert model.inputs["q"] == (4,)
    assert model.inputs["qd"] == (2,)
    assert model.outputs == {"QDP": (1,), "GAM": (1,)}
