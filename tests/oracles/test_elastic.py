"""Springs and passive joints against Pinocchio; K13's motors with springs against Lagrange's form in 2n coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.free_robots import Array, Tree, driven, random_state, with_springs
from support.library_robots import elastic_names
from support.random_robots import random_robot
from support.samples import some
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.ir.spec import validate
from symoro.robot.base import BaseKind
from symoro.robot.joint import JointKind
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs
from symoro.robot.values import Symbol, as_value
from symoro.robot.values import evaluate as value_of

NONE = np.zeros(0)
FIFTY = some(3, of=50)


def elastic(seed: int) -> Robot:
    """A random tree with passive joints, some of them with springs."""
    kinds = ("mixed", "prismatic")[seed % 2]
    return with_springs(random_robot(seed, structure=("serial", "tree")[seed % 2], kinds=kinds), seed, 0.6)


def assert_agrees(robot: Robot, seed: int, **options: object) -> None:
    numbers = robot_numbers(robot)
    direct = validate(symoro.direct_dynamics(robot, **options).program)
    state = random_state(direct, seed)
    tree = Tree(robot, state)
    found = evaluate(direct, state, numbers)["QDP"]
    assert_close(found, tree.accelerations(state.get("tau", NONE)), 1e-9, tree.condition)
    if len(driven(robot)) == len(found):
        return
    inverse = validate(symoro.inverse_dynamics(robot, **options).program)
    if "tau" in state:
        state["qdd"] = found[driven(robot)]
    again = evaluate(inverse, {k: x for k, x in state.items() if k != "tau"}, numbers)
    passive = [k for k in range(len(found)) if k not in driven(robot)]
    assert_close(again["QDP"], found[passive], 1e-9, tree.condition)
    assert_close(tree.torques(again.get("GAM", NONE)), tree.torques(state.get("tau", NONE)), 1e-9, tree.condition)


@pytest.mark.parametrize("seed", FIFTY)
def test_random_robots(seed: int) -> None:
    assert_agrees(elastic(seed), seed, optimize=seed % 3 == 0)


def with_a_passive_joint(seed: int) -> bool:
    robot = elastic(seed)
    return len(driven(robot)) < sum(j.movable for j in robot.joints)


@pytest.mark.parametrize("seed", [case for case in FIFTY if with_a_passive_joint(*case.values)])
def test_through_the_inertia_matrix(seed: int) -> None:
    assert_agrees(elastic(seed), seed, method="inertia-matrix", optimize=False)


@pytest.mark.parametrize("seed", FIFTY)
def test_base_parameters(seed: int) -> None:
    assert_agrees(elastic(seed), seed, params="base", optimize=False)


def test_every_case_is_among_the_random_robots() -> None:
    robots = [elastic(seed) for seed in range(50)]
    joints = [joint for robot in robots for joint in robot.joints]
    rows = [(robot.joint(j.parent), j) for robot in robots for j in robot.joints if j.parent]
    assert sum(robot.joint(1).elastic and robot.base.kind is BaseKind.FIXED for robot in robots) >= 5
    assert sum(before.elastic and after.elastic for before, after in rows) >= 5
    assert sum(joint.elastic and joint.prismatic for joint in joints) >= 5
    assert sum(joint.movable and not joint.actuated and not joint.elastic for joint in joints) >= 5


@pytest.mark.parametrize("name", elastic_names())
def test_library_robots(name: str) -> None:
    """A motor with a spring (K13) is expanded to a pair of joints first."""
    for seed in range(5):
        assert_agrees(motor_spring_pairs(symoro.load(name)), seed, optimize=seed == 0)


def with_transmissions(seed: int, rigid: int | None = None) -> Robot:
    """A random robot with an elastic transmission (K13) at each movable joint except joint `rigid`."""
    robot = random_robot(seed, joints=4, structure=("serial", "tree")[seed % 2], moving_base=0)
    springy = [joint.index for joint in robot.joints if joint.movable and joint.index != rigid]
    joints = tuple(
        replace(joint, elastic=True, stiffness=Symbol(f"K{joint.index}")) if joint.index in springy else joint
        for joint in robot.joints
    )
    values = {f"K{j}": as_value(10.0 + j) for j in springy}
    return replace(robot, joints=joints, values={**robot.values, **values})  # type: ignore[arg-type]


def lagrange_2n(robot: Robot, q: Array, qd: Array, state: dict[str, Array], tau: Array) -> tuple[Array, Array]:
    """q̈ of the links and of the motors by K13:7.35, from A and H of the rigid robot by Pinocchio.

    q and qd hold the links first, then the motors. Friction and rotor inertias act on the motors.
    """
    n = len(q) // 2
    movable = [j for j in robot.joints if j.movable]
    numbers = robot_numbers(robot)
    bare = replace(robot, joints=tuple(replace(j, elastic=False) for j in robot.joints), drives=())
    tree = Tree(bare, {"q": q[:n], **state}, qd[:n])
    drive = {
        k: np.array([value_of(getattr(robot.drive(j.index), k), numbers) for j in movable]) for k in ("IA", "FV", "FS")
    }
    k = np.array([value_of(j.stiffness, numbers) for j in movable])
    pull = k * (q[:n] - q[n:])
    links = np.linalg.solve(tree.M, -pull - tree.h)  # (K13:7.35a)
    motors = (tau + pull - drive["FV"] * qd[n:] - drive["FS"] * np.sign(qd[n:])) / drive["IA"]  # (K13:7.35b)
    return links, motors


@pytest.mark.parametrize("seed", FIFTY)
def test_motors_with_springs(seed: int) -> None:
    assert_agrees_with_lagrange(with_transmissions(seed), seed)


@pytest.mark.parametrize("seed", range(5))
def test_library_motors_with_springs(seed: int) -> None:
    assert_agrees_with_lagrange(symoro.load("flexible-joints"), seed)


def assert_agrees_with_lagrange(robot: Robot, seed: int) -> None:
    """Compare the accelerations of motors and links; then get the torques back by the inverse model."""
    direct, inverse = (
        validate(model(robot, optimize=False).program) for model in (symoro.direct_dynamics, symoro.inverse_dynamics)
    )
    state = random_state(direct, seed)
    n = len(state["tau"])
    assert len(state["q"]) == 2 * n
    # motor and deformation in turns -> link and motor
    q, qd = (np.r_[x[0::2] + x[1::2], x[0::2]] for x in (state["q"], state["qd"]))
    wrench = {"wrench": state["wrench"]} if "wrench" in state else {}
    links, motors = lagrange_2n(robot, q, qd, wrench, state["tau"])
    found = evaluate(direct, state, robot_numbers(robot))["QDP"]
    assert_close(found[0::2], motors, 1e-9)
    assert_close(found[0::2] + found[1::2], links, 1e-9)
    given = {**{k: x for k, x in state.items() if k != "tau"}, "qdd": motors}
    again = evaluate(inverse, given, robot_numbers(robot))
    assert_close(again["GAM"], state["tau"], 1e-9)
    assert_close(again["QDP"], links - motors, 1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_a_pair_of_joints_gives_the_pose_of_the_joint_it_replaces(seed: int) -> None:
    """The pose of every link is that of the rigid robot at q = motor + deformation."""
    robot = with_transmissions(seed, rigid=3)
    pairs = motor_spring_pairs(robot)
    assert symoro.check(pairs) == symoro.check(robot)
    numbers = robot_numbers(robot)
    rng = np.random.default_rng(seed)
    expanded = symoro.forward_geometry(pairs, pairs.link_count).program
    q = rng.normal(size=expanded.inputs[0].shape)
    names = [v.name for v in expanded.inputs[0].variables]
    value = dict(zip(names, q, strict=True))
    joined = [
        value[f"qm{j.index}"] + value[f"qs{j.index}"] if j.elastic else value[f"q{j.index}"]
        for j in robot.joints
        if j.movable
    ]
    rigid = symoro.forward_geometry(robot, robot.link_count).program
    (one,), (other,) = (evaluate(p, {"q": np.array(x)}, numbers).values() for p, x in ((expanded, q), (rigid, joined)))
    assert_close(one, other, 1e-13)


def test_robots_without_springs_stay_as_they_are() -> None:
    robot = symoro.load("rx90")
    assert motor_spring_pairs(robot) is robot


def test_springs_behind_coupled_motors() -> None:
    """The transmissions couple the motors before the springs: only the rotors' part Nᵀ IA N of A changes."""
    robot = symoro.load("flexible-joints")
    one, zero, half = as_value(1), as_value(0), as_value("1/2")
    coupled = replace(robot, coupling=((one, zero), (half, one)))
    rng = np.random.default_rng(0)
    q, qd, tau, numbers = rng.normal(size=4), rng.normal(size=4), rng.normal(size=2), robot_numbers(robot)
    A, C = (
        evaluate(symoro.inertia_matrix(r, optimize=False).program, {"q": q}, numbers)["A"] for r in (robot, coupled)
    )
    N, IA = np.linalg.inv([[1, 0], [0.5, 1]]), np.diag([value_of(robot.drive(j).IA, numbers) for j in (1, 2)])
    expected = A.copy()
    expected[np.ix_([0, 2], [0, 2])] += N.T @ IA @ N - IA
    assert_close(C, expected, 1e-12)
    qdd = symoro.direct_dynamics(coupled, optimize=False).compile()(q, qd, tau)
    found = symoro.inverse_dynamics(coupled, optimize=False).compile()(q, qd, qdd[[0, 2]])
    assert_close(found.GAM, tau, 1e-9)
    assert_close(found.QDP, qdd[[1, 3]], 1e-9)


def test_spring_mass_by_hand() -> None:
    """M2 z̈ = −K (q − rest) + M2 g for the outer mass seen from the world."""
    f = symoro.direct_dynamics("spring-mass").compile()
    v = robot_numbers(symoro.load("spring-mass"))
    q = np.array([-0.4, -0.5])
    a = f(q, np.zeros(2))
    pull = [-v[f"K{j}"] * (q[j - 1] - v[f"Z{j}"]) for j in (1, 2)]
    assert_close(a[0], (pull[0] - pull[1]) / v["M1"] + v["G3"], 1e-12)
    assert_close(a[0] + a[1], pull[1] / v["M2"] + v["G3"], 1e-12)
    assert symoro.load("spring-mass").joint(1).kind is JointKind.PRISMATIC
