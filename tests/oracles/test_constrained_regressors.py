"""Regressors of robots on a free base, on wheels and with loops: columns times parameters are Pinocchio's torques."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.constrained import motor_torques
from support.free_robots import Array, State, Tree, driven, movable, random_state, with_floating_base
from support.library_robots import loop_names, wheeled_names
from support.loops import closed_configuration, random_loop
from support.random_robots import random_robot
from support.samples import named, some
from support.wheeled_robots import random_vehicle, tricycle
from symoro.bind.interface import robot_numbers
from symoro.ir.spec import validate
from symoro.robot.joint import Joint
from symoro.robot.link import Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO, evaluate

PARAMS = ("standard", "base")
SLOW = ("akr3000", "two-loops", "orthoglide")
LOOPS = named(loop_names(), SLOW)


def plain(robot: Robot) -> Robot:
    """The robot without springs and wrenches: a regressor has no columns for them."""

    def rigid(joint: Joint) -> Joint:
        return replace(joint, elastic=False, stiffness=ZERO, rest=ZERO)

    wrenches = tuple(Wrench() for _ in robot.wrenches)
    return replace(robot, joints=tuple(map(rigid, robot.joints)), wrenches=wrenches)


def parameters(robot: Robot, model: symoro.Model) -> Array:
    known = robot_numbers(robot)
    for j in range(robot.link_count + 1):  # symbols may be shared, columns are not
        table = (*robot.inertia(j).items(), *(robot.drive(j).items() if j else ()))
        known |= {f"{n}{j}": evaluate(x, known) for n, x in table}
    known |= symoro.base_parameters(robot, friction=True, every_branch=True).numbers
    return np.array([known[name] for name in model.columns])


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("seed", some(4, of=8, long=8))
def test_floating_base(seed: int, params: str) -> None:
    """The regressor has six more rows: the wrench on the base for its acceleration VP0."""
    structure = ("serial", "tree")[seed % 2]
    robot = plain(with_floating_base(random_robot(seed, structure=structure, moving_base=0), seed))
    if seed == 0:
        robot = plain(symoro.load("satellite"))
    model = symoro.dynamic_regressor(robot, params=params, optimize=seed % 4 == 3)
    validate(model.program)
    state = random_state(model.program, seed)
    tree = Tree(robot, {n: x for n, x in state.items() if n != "VP0"})
    expected = tree.M @ np.r_[state["VP0"], state["qdd"]] + tree.h
    assert_close(model.compile("numpy")(**state) @ parameters(robot, model), expected, 1e-9)


def states_on_wheels(robot: Robot, count: int) -> list[State]:
    rng = np.random.default_rng(3)
    n, m = len(movable(robot)), len(driven(robot))
    return [{"q": rng.uniform(-3, 3, n), "qd": rng.normal(size=m), "qdd": rng.normal(size=m)} for _ in range(count)]


def assert_torques(robot: Robot, params: str, states: list[State], optimize: bool) -> None:
    model = symoro.dynamic_regressor(robot, params=params, optimize=optimize)
    validate(model.program)
    assert model.outputs["D"] == (len(driven(robot)), len(model.columns))
    D, K = model.compile("numpy"), parameters(robot, model)
    for state in states:
        expected = motor_torques(robot, {**state, "wrench": np.zeros((0, 6))})
        assert_close(D(**state) @ K, expected, 1e-9)


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize(
    "robot", [*map(symoro.load, wheeled_names()), tricycle(), *map(random_vehicle, range(6))], ids=lambda r: r.name
)
def test_wheels(robot: Robot, params: str) -> None:
    assert_torques(plain(robot), params, states_on_wheels(robot, 4), optimize=False)


def states_of_loops(robot: Robot, starts: list[Array]) -> list[State]:
    rng = np.random.default_rng(4)
    m = len(driven(robot))
    return [{"q": q, "qd": rng.normal(size=m), "qdd": rng.normal(size=m)} for q in starts]


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("name", LOOPS)
def test_loops_of_the_library(name: str, params: str) -> None:
    """Five closed configurations; they may lie on different branches."""
    robot = plain(symoro.load(name))
    starts = [closed_configuration(robot, seed) for seed in range(5)]
    assert_torques(robot, params, states_of_loops(robot, starts), optimize=name == "four-bar")


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("seed", some(4, of=10, long=10))
def test_random_loops(seed: int, params: str) -> None:
    robot, q = random_loop(seed)
    robot = plain(robot)
    assert_torques(robot, params, states_of_loops(robot, [q]), optimize=False)
