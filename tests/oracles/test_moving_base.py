"""Robots on a floating base, or on a base with given motion, against Pinocchio's free-flyer models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.free_robots import (
    Array,
    State,
    Tree,
    driven,
    movable,
    random_state,
    with_floating_base,
    with_springs,
)
from support.library_robots import floating_names, solid_tree_names
from support.numeric_rank import rank_of
from support.pinocchio_robot import oracle
from support.random_robots import random_robot
from support.samples import named, some
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.spec import validate
from symoro.robot.link import Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate as value_of

NONE = np.zeros(0)
FIFTY = some(3, of=50)

FLOATED = named(solid_tree_names(), set(solid_tree_names()) - {"scara", "two-arm"})


def floating(seed: int) -> Robot:
    robot = with_floating_base(random_robot(seed, structure=("serial", "tree")[seed % 2], moving_base=0), seed)
    return with_springs(robot, seed, 0.3) if seed % 5 == 4 else robot


def assert_agrees(robot: Robot, seed: int, **options: object) -> None:
    numbers = robot_numbers(robot)
    direct = validate(symoro.direct_dynamics(robot, **options).program)
    state = random_state(direct, seed)
    tree = Tree(robot, state)
    expected = tree.accelerations(state.get("tau", NONE))
    found = evaluate(direct, state, numbers)
    assert_close(found["VP0"], expected[:6], 1e-9, tree.condition)
    assert_close(found["QDP"], expected[6:], 1e-9, tree.condition)
    inverse = validate(symoro.inverse_dynamics(robot, **options).program)
    if "tau" in state:
        state["qdd"] = found["QDP"][driven(robot)]
    again = evaluate(inverse, {k: x for k, x in state.items() if k != "tau"}, numbers)
    assert_close(again["VP0"], found["VP0"], 1e-9, tree.condition)
    residual = tree.M @ np.r_[again["VP0"], found["QDP"]] + tree.h - tree.torques(again.get("GAM", NONE))
    assert np.abs(residual).max() <= 1e-9 * (1 + np.abs(tree.h).max()) * tree.condition


@pytest.mark.parametrize("seed", some(3, of=50))
def test_random_robots(seed: int) -> None:
    assert_agrees(floating(seed), seed, optimize=seed % 3 == 0)


@pytest.mark.parametrize("seed", FIFTY)
def test_through_the_inertia_matrix(seed: int) -> None:
    robot = floating(seed)
    for model, given in ((symoro.direct_dynamics, "tau"), (symoro.inverse_dynamics, "qdd")):
        recursive, matrix = (model(robot, optimize=False, **m).program for m in ({}, {"method": "inertia-matrix"}))
        state = random_state(recursive, seed)
        assert given in state or not driven(robot)
        one, other = (evaluate(p, state, robot_numbers(robot)) for p in (recursive, matrix))
        condition = Tree(robot, state).condition
        for name in one:
            assert_close(other[name], one[name], 1e-9, condition)


@pytest.mark.parametrize("seed", FIFTY)
def test_base_parameters(seed: int) -> None:
    assert_agrees(floating(seed), seed, params="base", optimize=False)


@pytest.mark.parametrize("seed", FIFTY)
def test_inertia_matrix_and_bias(seed: int) -> None:
    robot = floating(seed)
    numbers = robot_numbers(robot)
    bias = symoro.bias(robot, optimize=False).program
    state = random_state(bias, seed)
    tree = Tree(robot, state)
    A = evaluate(symoro.inertia_matrix(robot, optimize=False).program, {"q": state["q"]}, numbers)["A"]
    assert_close(A, tree.M, 1e-9)
    assert_close(evaluate(bias, state, numbers)["H"], tree.h, 1e-9)


@pytest.mark.parametrize("name", floating_names())
def test_library_robots(name: str) -> None:
    assert_agrees(symoro.load(name), 0, optimize=name != "eel50")


@pytest.mark.parametrize("name", FLOATED)
def test_library_robots_on_a_floating_base(name: str) -> None:
    assert_agrees(with_floating_base(symoro.load(name), 0), 0, optimize=False)


@pytest.mark.parametrize("seed", FIFTY)
def test_given_base_motion(seed: int) -> None:
    robot = random_robot(seed, structure=("serial", "tree")[seed % 2], moving_base=1)
    numbers = robot_numbers(robot)
    direct, inverse = (
        validate(model(robot, optimize=False).program) for model in (symoro.direct_dynamics, symoro.inverse_dynamics)
    )
    state = random_state(direct, seed)
    tree = Tree(robot, state)
    expected = tree.accelerations(state["tau"])
    assert_close(evaluate(direct, state, numbers)["QDP"], expected, 1e-9, tree.condition)
    given = {**random_state(inverse, seed), **{k: x for k, x in state.items() if k != "tau"}}
    assert_close(evaluate(inverse, given, numbers)["GAM"], tree.M @ given["qdd"] + tree.h, 1e-9)


def test_wrench_on_the_base() -> None:
    """The base acts on its environment with a wrench, as links do."""
    robot = floating(3)
    loaded = replace(robot, base=replace(robot.base, wrench=Wrench.symbolic(0)))
    program = symoro.direct_dynamics(loaded, optimize=False).program
    state = random_state(program, 0)
    without = {**state, "wrench": state["wrench"][1:]} if len(state["wrench"]) > 1 else state
    tree = Tree(robot, {k: x for k, x in without.items() if k != "wrench" or len(state["wrench"]) > 1})
    right = tree.torques(state["tau"]) - tree.h
    right[:6] -= state["wrench"][0]
    expected = np.linalg.solve(tree.M, right)
    found = evaluate(program, state, robot_numbers(robot))
    assert_close(np.r_[found["VP0"], found["QDP"]], expected, 1e-9, tree.condition)


def free_flyer_derivatives(robot: Robot, state: State) -> dict[str, Array]:
    """∂(VP0, q̈) of the direct model by Pinocchio, whose v̇ of the base is VP0 − ω × v."""
    tree = Tree(robot, state)
    o, joints = tree.o, movable(robot)
    IA, FV, FS = (
        np.array([value_of(getattr(robot.drive(j), n), tree.numbers) for j in joints]) for n in ("IA", "FV", "FS")
    )
    o.model.armature = o.v(IA)
    tau = o.v(state["tau"] - FV * state["qd"] - FS * np.sign(state["qd"]))
    pin.computeABADerivatives(o.model, o.data, tree.q, tree.v, tau, tree.forces)
    index = [*range(6), *o.velocity_index]
    by_q, by_v, inverse = (x[np.ix_(index, index)] for x in (o.data.ddq_dq, o.data.ddq_dv, o.data.Minv))
    inverse = np.triu(inverse) + np.triu(inverse, 1).T
    by_v[:, 6:] -= inverse[:, 6:] * FV
    by_v[:3, :6] += np.hstack([pin.skew(state["V0"][3:]), -pin.skew(state["V0"][:3])])
    return {"quat": by_q[:, 3:6], "q": by_q[:, 6:], "V0": by_v[:, :6], "qd": by_v[:, 6:], "tau": inverse[:, 6:]}


@pytest.mark.parametrize("seed", some(3, of=50))
def test_derivatives(seed: int) -> None:
    robot = with_floating_base(random_robot(seed, structure=("serial", "tree")[seed % 2], moving_base=0), seed)
    model = symoro.direct_dynamics(robot, optimize=False)
    state = random_state(model.program, seed)
    condition = Tree(robot, state).condition
    for by, expected in free_flyer_derivatives(robot, state).items():
        found = evaluate(model.derivative(by).program, state, robot_numbers(robot))
        assert_close(np.vstack([found[f"dVP0_d{by}"], found[f"dQDP_d{by}"]]), expected, 1e-9, condition)


def turned(quat: Array, axis: int, angle: float) -> Array:
    """The quaternion after a rotation about an axis of the base."""
    turn = np.zeros(4)
    turn[axis], turn[3] = np.sin(angle / 2), np.cos(angle / 2)
    product = pin.Quaternion(quat) * pin.Quaternion(turn)
    return np.array(product.coeffs())


def test_derivatives_by_the_orientation_are_tangent() -> None:
    robot = floating(1)
    model = symoro.inverse_dynamics(robot)
    derivative, f = model.derivative("quat").compile(), model.compile()
    state = random_state(model.program, 0)
    found = derivative(**state)
    assert found[0].shape == (6, 3)
    for axis in range(3):
        ahead, behind = (f(**{**state, "quat": turned(state["quat"], axis, h)}) for h in (1e-5, -1e-5))
        assert_close(found[0][:, axis], (ahead.VP0 - behind.VP0) / 2e-5, 1e-8)


@pytest.mark.parametrize("robot", [symoro.load("satellite"), *map(floating, range(4))], ids=lambda robot: robot.name)
def test_number_of_base_parameters_is_the_rank(robot: Robot) -> None:
    """The regressor includes the six rows of the base."""
    o = oracle(robot, robot_numbers(robot), free=True)
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(4 * len(robot.joints) + 20):
        turn = rng.normal(size=4)
        n = len(o.velocity_index)
        q = o.q(rng.normal(size=n), turn / np.linalg.norm(turn))
        v, a = (o.v(rng.normal(size=n), rng.normal(size=6)) for _ in range(2))
        rows.append(pin.computeJointTorqueRegressor(o.model, o.data, q, v, a))
    bare = replace(robot, drives=(), inertias=tuple(Inertia.symbolic(j) for j in range(1, robot.link_count + 1)))
    found = rank_of(np.vstack(rows))
    assert found.clear
    assert len(symoro.base_parameters(bare).inertial) == found.rank
