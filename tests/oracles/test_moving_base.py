"""Robots on a free base against Pinocchio's free-flyer models, and robots on wheels against Lagrange multipliers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.free_robots import Array, Tree, close, driven, movable, random_state, with_floating_base, with_springs
from support.numeric_rank import rank_of
from support.pinocchio_robot import oracle
from support.random_robots import random_robot
from symoro.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.spec import validate
from symoro.robot.base import Base, BaseKind, Wheel
from symoro.robot.joint import Joint
from symoro.robot.link import Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, as_value

NONE = np.zeros(0)
FLOATING = ["satellite", "eel50"]


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
    assert close(found["VP0"], expected[:6], 1e-9, tree.condition)
    assert close(found["QDP"], expected[6:], 1e-9, tree.condition)
    inverse = validate(symoro.inverse_dynamics(robot, **options).program)
    if "tau" in state:
        state["qdd"] = found["QDP"][driven(robot)]
    again = evaluate(inverse, {k: x for k, x in state.items() if k != "tau"}, numbers)
    assert close(again["VP0"], found["VP0"], 1e-9, tree.condition)
    residual = tree.M @ np.r_[again["VP0"], found["QDP"]] + tree.h - tree.torques(again.get("GAM", NONE))
    assert np.abs(residual).max() <= 1e-9 * (1 + np.abs(tree.h).max()) * tree.condition


@pytest.mark.parametrize("seed", range(50))
def test_random_robots(seed: int) -> None:
    assert_agrees(floating(seed), seed, optimize=seed % 3 == 0)


@pytest.mark.parametrize("seed", range(0, 50, 5))
def test_through_the_inertia_matrix(seed: int) -> None:
    robot = floating(seed)
    for model, given in ((symoro.direct_dynamics, "tau"), (symoro.inverse_dynamics, "qdd")):
        recursive, matrix = (model(robot, optimize=False, **m).program for m in ({}, {"method": "inertia-matrix"}))
        state = random_state(recursive, seed)
        assert given in state or not driven(robot)
        one, other = (evaluate(p, state, robot_numbers(robot)) for p in (recursive, matrix))
        condition = Tree(robot, state).condition
        assert all(close(other[name], one[name], 1e-9, condition) for name in one)


@pytest.mark.parametrize("seed", range(0, 50, 5))
def test_base_parameters(seed: int) -> None:
    assert_agrees(floating(seed), seed, params="base", optimize=False)


@pytest.mark.parametrize("seed", range(10))
def test_inertia_matrix_and_bias(seed: int) -> None:
    robot = floating(seed)
    numbers = robot_numbers(robot)
    bias = symoro.bias(robot, optimize=False).program
    state = random_state(bias, seed)
    tree = Tree(robot, state)
    A = evaluate(symoro.inertia_matrix(robot, optimize=False).program, {"q": state["q"]}, numbers)["A"]
    assert close(A, tree.M, 1e-9)
    assert close(evaluate(bias, state, numbers)["H"], tree.h, 1e-9)


@pytest.mark.parametrize("name", FLOATING)
def test_library_robots(name: str) -> None:
    assert_agrees(symoro.load(name), 0, optimize=name != "eel50")


def test_wrench_on_the_base() -> None:
    """A wrench of the base on its environment, like one of a link."""
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
    assert close(np.r_[found["VP0"], found["QDP"]], expected, 1e-9, tree.condition)


def turned(quat: Array, axis: int, angle: float) -> Array:
    """quat ⊗ a turn about an axis of the base."""
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
        np.testing.assert_allclose(found[0][:, axis], (ahead.VP0 - behind.VP0) / 2e-5, atol=1e-6)


# on wheels


def tricycle() -> Robot:
    """The differential drive's arm on another base: a steered and driven front wheel, two wheels that are towed."""
    robot = symoro.load("diff-drive-2r")
    left, right, turret, arm = robot.joints
    steer = Joint(5, "steer", 0, d=as_value("0.5"))
    front = Joint(6, "front", 5, alpha=as_value("-pi/2"))
    towed = tuple(replace(joint, actuated=False) for joint in (left, right))
    radius = Symbol("R")
    base = replace(robot.base, wheels=tuple(Wheel(j, radius) for j in (1, 2, 6)))
    inertias = (*robot.inertias, robot.inertia(1), robot.inertia(1))
    return replace(
        robot, name="tricycle", joints=(*towed, turret, arm, steer, front), base=base, inertias=inertias,
        drives=(*robot.drives, robot.drive(1), robot.drive(1)), wrenches=(*robot.wrenches, *robot.wrenches[:2]),
    )  # fmt: skip


def touching(robot: Robot, q: Array) -> Array:
    """The rows of what stands still: vz ωx ωy of the base, and the points of the wheels on the ground."""
    o = oracle(robot, robot_numbers(robot), free=True)
    pin.computeJointJacobians(o.model, o.data, o.q(q))
    rows = [np.eye(6 + len(q))[[2, 3, 4]]]
    for wheel in robot.base.wheels:
        at = pin.SE3(np.eye(3), o.data.oMi[o.joint_of[wheel.joint]].translation - [0, 0, robot_numbers(robot)["R"]])
        world = pin.getJointJacobian(o.model, o.data, o.joint_of[wheel.joint], pin.WORLD)
        J = at.toActionMatrixInverse() @ world
        rows.append(J[:2, [*range(6), *o.velocity_index]])
    return np.vstack(rows)


def rate_of(rows: Callable[[float], Array], h: float = 2e-2) -> Array:
    """The derivative at 0 by central differences of the eighth order: the rows change as the joints move."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    return np.asarray(sum(w * (rows(k * h) - rows(-k * h)) for k, w in weights.items()) / h)


@pytest.mark.parametrize("make", [lambda: symoro.load("diff-drive-2r"), tricycle], ids=["differential", "tricycle"])
def test_wheels_against_lagrange_multipliers(make: object) -> None:
    robot = make()  # type: ignore[operator]
    numbers = robot_numbers(robot)
    program = validate(symoro.direct_dynamics(robot).program)
    for seed in range(10):
        state = random_state(program, seed)
        act = [6 + k for k in driven(robot)]
        C = touching(robot, state["q"])
        rest = [k for k in range(C.shape[1]) if k not in act]
        u = np.zeros(C.shape[1])
        u[act] = state["qd"]
        u[rest] = -np.linalg.pinv(C[:, rest]) @ (C[:, act] @ state["qd"])
        change = rate_of(lambda h, q=state["q"], u=u: touching(robot, q + h * u[6:]))
        free = replace(robot, base=Base(BaseKind.FLOATING, inertia=robot.base.inertia))
        tree = Tree(free, {**state, "V0": u[:6], "quat": np.array([0, 0, 0, 1.0])}, u[6:])
        spin = np.r_[np.cross(u[3:6], u[:3]), np.zeros(len(u) - 3)]  # classical acceleration less that of components
        right = tree.torques(state["tau"]) - tree.h - tree.M @ spin
        n, m = len(u), len(C)
        system = np.block([[tree.M, C.T], [C, np.zeros((m, m))]])
        x = np.linalg.lstsq(system, np.r_[right, -change @ u], rcond=1e-12)[0][:n]
        found = evaluate(program, state, numbers)
        assert close(found["V0"], u[:6], 1e-9)
        assert close(found["QDP"], x[act], 1e-9, tree.condition)
        assert close(found["VP0"], (x + spin)[:6], 1e-9, tree.condition)
        inverse = symoro.inverse_dynamics(robot, optimize=False).program
        torques = {**{k: v for k, v in state.items() if k != "tau"}, "qdd": found["QDP"]}
        assert close(evaluate(inverse, torques, numbers)["GAM"], state["tau"], 1e-9, tree.condition)
    assert len(movable(robot)) == len(state["q"])


def test_wheels_that_do_not_fix_the_base() -> None:
    robot = symoro.load("diff-drive-2r")
    one = replace(robot, base=replace(robot.base, wheels=robot.base.wheels[:1]))
    with pytest.raises(symoro.SymoroError, match="2 independent equations"):
        symoro.inverse_dynamics(one)


@pytest.mark.parametrize("robot", [symoro.load("satellite"), *map(floating, range(4))], ids=lambda robot: robot.name)
def test_number_of_base_parameters_is_the_rank(robot: Robot) -> None:
    """The base's six rows count too."""
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
