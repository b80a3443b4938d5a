"""Dynamics of closed loops against Lagrange multipliers on Pinocchio's model of the tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
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
)
from support.library_robots import loop_names
from support.loop_robots import spherical_four_bar, three_cranks, triangular_coupler
from support.loops import Loops, closed_configuration, gap, random_loop, regular_configuration
from support.random_loops import random_closed_robot
from support.random_robots import physical_inertia
from support.samples import named, some
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program
from symoro.ir.spec import validate
from symoro.robot.base import Base, BaseKind
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, as_value

LARGE = ("orthoglide", "akr3000", "two-loops")


@dataclass(frozen=True)
class Models:
    """The programs of one robot, built once for all its states."""

    robot: Robot
    options: Mapping[str, object]

    @cached_property
    def direct(self) -> Program:
        return validate(symoro.direct_dynamics(self.robot, **self.options).program)

    @cached_property
    def inverse(self) -> Program:
        return validate(symoro.inverse_dynamics(self.robot, **self.options).program)

    @cached_property
    def inertia(self) -> Program:
        return validate(symoro.inertia_matrix(self.robot, **self.options).program)


def assert_agrees(robot: Robot, q: Array, seed: int, **options: object) -> None:
    assert_models_agree(Models(robot, options), q, seed)


def assert_models_agree(models: Models, q: Array, seed: int) -> None:
    """Compare with the solution of M q̈ + h = τ + Jᵀ λ and J q̈ = −J̇ q̇ by Lagrange multipliers."""
    robot = models.robot
    numbers = robot_numbers(robot)
    rng = np.random.default_rng(seed)
    state: State = {array.name: rng.normal(size=array.shape) for array in models.direct.inputs} | {"q": q}
    active = driven(robot)
    qd = Loops(Tree(robot, state, np.zeros(len(q)))).consistent(active, state["qd"])
    tree = Tree(robot, state, qd)
    loops = Loops(tree)
    n, m = len(q), len(loops.J)
    system = np.block([[tree.M, -loops.J.T], [loops.J, np.zeros((m, m))]])
    right = np.r_[tree.torques(state["tau"]) - tree.h, -loops.gamma]
    x = np.linalg.lstsq(system, right, rcond=1e-13)[0][:n]
    G = _project(loops.J, active)
    condition = float(np.linalg.cond(G.T @ tree.M @ G) * np.linalg.cond(G))
    found = evaluate(models.direct, state, numbers)["QDP"]
    assert_close(found, x[active], 1e-9, condition)
    given = {**{k: v for k, v in state.items() if k != "tau"}, "qdd": found}
    assert_close(evaluate(models.inverse, given, numbers)["GAM"], state["tau"], 1e-9, condition)
    A = evaluate(models.inertia, {"q": q}, numbers)["A"]
    assert_close(A, G.T @ tree.M @ G, 1e-9, float(np.linalg.cond(G)))


def _project(J: Array, active: list[int]) -> Array:
    """G = ∂q/∂q_a: the velocities of all joints for those of the active ones."""
    passive = [k for k in range(J.shape[1]) if k not in active]
    G = np.zeros((J.shape[1], len(active)))
    G[active] = np.eye(len(active))
    G[passive] = -np.linalg.pinv(J[:, passive], rcond=1e-10) @ J[:, active]
    return G


@pytest.mark.parametrize("seed", some(3, of=50))
def test_random_loops(seed: int) -> None:
    robot, q = random_loop(seed)
    assert np.abs(gap(robot, q)).max() < 1e-9
    assert_agrees(robot, q, seed, optimize=False)


@pytest.mark.parametrize("seed", some(3, of=50))
def test_random_loops_of_any_kind(seed: int) -> None:
    """Sliding joints, sliding cuts, two loops, loops on a column."""
    robot, q = random_closed_robot(seed)
    assert_agrees(robot, q, seed, optimize=seed % 8 == 4, params=("standard", "base")[seed % 3 == 2])


#: The directions in which three parallel cranks and their coupler turn together.
PARALLEL = np.array([1.0, -1.0, 1.0, 1.0])


def _offset(robot: Robot) -> Array:
    return np.array([0, 0, 0, robot.values.numbers().get("G3", 0.0)])


def with_bodies(robot: Robot, rng: np.random.Generator) -> Robot:
    """The robot with random bodies in an oblique field of gravity."""
    bodies = [{n: as_value(float(x)) for n, x in physical_inertia(rng).items()} for _ in robot.inertias]
    return replace(robot, inertias=tuple(Inertia(**body) for body in bodies), gravity=tuple(map(as_value, (1, -9, 2))))


@pytest.mark.parametrize("robot", [three_cranks(), triangular_coupler()], ids=lambda robot: robot.name)
@pytest.mark.parametrize("optimize", [False, pytest.param(True, marks=pytest.mark.long)])
def test_three_parallel_cranks(optimize: bool, robot: Robot) -> None:
    """It has one equation too many, which the others imply where the cranks are parallel."""
    heavy, offset = with_bodies(robot, np.random.default_rng(7)), _offset(robot)
    for seed, angle in enumerate((0.4, 1.1, -2.0)):
        assert_agrees(heavy, angle * PARALLEL - offset, seed, at=0.7 * PARALLEL - offset, optimize=optimize)


@pytest.mark.parametrize("params", ["standard", "base"])
@pytest.mark.parametrize("seed", some(2, of=20))
def test_random_loops_on_a_moving_base(seed: int, params: str) -> None:
    robot, q = random_closed_robot(seed)
    assert_agrees(replace(robot, base=Base(BaseKind.MOVING)), q, seed, optimize=False, params=params)


@pytest.mark.parametrize("name", named(loop_names(), LARGE))
def test_library_robots_on_a_moving_base(name: str) -> None:
    robot = replace(symoro.load(name), base=Base(BaseKind.MOVING))
    assert_agrees(robot, closed_configuration(robot, 0), 0, optimize=False, params="base")


@pytest.mark.parametrize("name", named(loop_names(), LARGE))
def test_library_robots(name: str) -> None:
    models = Models(symoro.load(name), {})
    for seed in range(3):
        assert_models_agree(models, closed_configuration(models.robot, seed), seed)


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "sr400"])
def test_base_parameters_of_the_tree(name: str) -> None:
    robot = symoro.load(name)
    assert_agrees(robot, closed_configuration(robot, 1), 1, params="base", optimize=False)


def test_springs_in_loops() -> None:
    robot, q = random_loop(1)
    last = max(j for j in movable(robot) if not robot.joint(j).actuated)
    joints = tuple(
        replace(j, elastic=True, stiffness=Symbol("KS"), rest=as_value("0.1")) if j.index == last else j
        for j in robot.joints
    )
    springy = replace(robot, joints=joints, values={**robot.values, "KS": as_value(20)})  # type: ignore[arg-type]
    assert_agrees(springy, q, 0, optimize=False)


@pytest.mark.parametrize("seed", [0, 1, 3])
def test_wrenches_in_cut_joints(seed: int) -> None:
    """When the wrenches of the cuts act on the open tree, the torques of the passive joints are zero."""
    robot, q = random_loop(seed)
    numbers = robot_numbers(robot)
    program = symoro.cut_wrenches(robot, optimize=False).program
    rng = np.random.default_rng(seed)
    state: State = {array.name: rng.normal(size=array.shape) for array in program.inputs} | {"q": q}
    FC = evaluate(program, state, numbers)["FC"]
    qd = Loops(Tree(robot, state, np.zeros(len(q)))).consistent(driven(robot), state["qd"])
    tree = Tree(robot, state, qd)
    loops = Loops(tree)
    qdd = np.zeros(len(q))
    passive = [k for k in range(len(q)) if k not in driven(robot)]
    qdd[driven(robot)] = state["qdd"]
    qdd[passive] = np.linalg.pinv(loops.J[:, passive], rcond=1e-10) @ (
        -loops.gamma - loops.J[:, driven(robot)] @ state["qdd"]
    )
    needed = tree.M @ qdd + tree.h - loops.J.T @ np.hstack([row[:5] for row in FC])
    assert np.abs(needed[passive]).max() <= 1e-8 * (1 + np.abs(FC).max())
    given = evaluate(symoro.inverse_dynamics(robot, optimize=False).program, state, numbers)["GAM"]
    assert_close(given, needed[driven(robot)], 1e-8)


def spherical_loop_cut_aside() -> Robot:
    """Four axes that meet in a point, with the frames of the cut away from it: forces in the cut need moments there."""
    robot = spherical_four_bar()
    aside = [replace(joint, r=as_value("0.3")) if joint.index > 3 else joint for joint in robot.joints]
    return replace(robot, joints=tuple(aside))


@pytest.mark.parametrize(
    ("robot", "parallel"),
    [
        pytest.param(spherical_loop_cut_aside(), False, id="spherical"),
        pytest.param(symoro.load("four-bar"), False, id="planar"),
        pytest.param(three_cranks(), True, id="three-cranks"),
        pytest.param(triangular_coupler(), True, id="triangular-coupler"),
    ],
)
def test_least_wrenches_in_cut_joints(robot: Robot, parallel: bool) -> None:
    """They are the least multipliers of all five rows of each cut joint, by NumPy's least squares."""
    q = 0.7 * PARALLEL - _offset(robot) if parallel else regular_configuration(robot)
    robot = with_bodies(robot, np.random.default_rng(7))
    model = symoro.cut_wrenches(robot, least_norm=True, optimize=False, at=q)
    state = random_state(model.program, 0) | {"q": q}
    active = driven(robot)
    qd = Loops(Tree(robot, state, np.zeros(len(q)))).consistent(active, state["qd"])
    tree = Tree(robot, state, qd)
    loops = Loops(tree)
    G, coasting = _project(loops.J, active), -np.linalg.pinv(loops.J, rcond=1e-10) @ loops.gamma
    needed = tree.M @ (coasting + G @ (state["qdd"] - coasting[active])) + tree.h
    needed[active] -= G.T @ needed  # the torques of the motors
    multipliers = np.linalg.lstsq(loops.J.T, needed, rcond=1e-10)[0]
    assert np.abs(loops.J.T @ multipliers - needed).max() < 1e-9 * (1 + np.abs(needed).max())
    FC = evaluate(model.program, state, robot_numbers(robot))["FC"]
    assert_close(FC, np.hstack([multipliers.reshape(-1, 5), np.zeros((len(FC), 1))]), 1e-8)


@pytest.mark.parametrize("afloat", [False, True], ids=["fixed", "afloat"])
@pytest.mark.parametrize("seed", some(2, of=20))
def test_derivatives_follow_the_loops(seed: int, afloat: bool) -> None:
    """∂Γ/∂q of the inverse model has a column for each motor; the reference is differences along closed motions."""
    robot, q = random_closed_robot(seed)
    robot = with_floating_base(robot, seed) if afloat else robot
    model = symoro.inverse_dynamics(robot, optimize=False)
    state = random_state(model.program, seed) | {"q": q}

    def of(program: Program, at: Array) -> Array:
        return np.concatenate(list(evaluate(program, {**state, "q": at}, robot_numbers(robot)).values()))

    G = _project(Loops(Tree(robot, state, np.zeros(len(q)))).J, driven(robot))
    found = of(model.derivative("q").program, q)
    steps = [(of(model.program, q + 1e-5 * way) - of(model.program, q - 1e-5 * way)) / 2e-5 for way in G.T]
    assert_close(found, np.array(steps).T, 1e-6)
