"""Joint coordinates as functions of variables: the torques of a plain robot, mapped by SymPy's derivatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.coordinates import Array, Map, plain, with_functions
from support.free_robots import with_floating_base
from support.random_robots import random_robot
from support.samples import named, some
from symoro.bind.interface import robot_numbers
from symoro.robot.joint import Joint
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import as_value, evaluate

ROBOTS = some(3, of=200)


def robot_of(seed: int, **options: object) -> Robot:
    options = {"structure": ("serial", "tree")[seed % 2], "moving_base": 0, **options}
    return with_functions(random_robot(seed, **options), seed)  # type: ignore[arg-type]


def drive_torques(robot: Robot, qd: Array, qdd: Array) -> Array:
    """IA q̈ + FV q̇ + FS sign q̇ at the variables (K97:20)."""
    numbers, owners = robot_numbers(robot), [j.index for j in robot.joints if j.variable]
    IA, FV, FS = (
        np.array([evaluate(getattr(robot.drive(j), name), numbers) for j in owners]) for name in ("IA", "FV", "FS")
    )
    return IA * qdd + FV * qd + FS * np.sign(qd)


@pytest.mark.parametrize("optimize", [False, True])
@pytest.mark.parametrize("seed", ROBOTS)
def test_dynamics_by_the_chain_rule(seed: int, optimize: bool) -> None:
    robot = robot_of(seed)
    f, links = Map(robot), symoro.inverse_dynamics(plain(robot), optimize=False).compile()
    q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, sum(bool(j.variable) for j in robot.joints)))
    F = f.F(q)
    expected = F.T @ links(f.x(q), F @ qd, F @ qdd + f.curve(q, qd)) + drive_torques(robot, qd, qdd)
    assert_close(symoro.inverse_dynamics(robot, optimize=optimize).compile()(q, qd, qdd), expected, 1e-9)
    A = symoro.inertia_matrix(robot, optimize=optimize).compile()(q)
    H = symoro.bias(robot, optimize=optimize).compile()(q, qd)
    assert_close(A @ qdd + H, expected, 1e-9)
    found = symoro.direct_dynamics(robot, optimize=optimize).compile()(q, qd, expected)
    assert_close(found, qdd, 1e-9, float(np.linalg.cond(A)))


@pytest.mark.parametrize("seed", ROBOTS)
def test_jacobian_and_velocities(seed: int) -> None:
    robot = robot_of(seed)
    f, n = Map(robot), robot.link_count
    q, qd, qdd = np.random.default_rng(seed).uniform(-1, 1, (3, sum(bool(j.variable) for j in robot.joints)))
    F = f.F(q)
    x, xd, xdd = f.x(q), F @ qd, F @ qdd + f.curve(q, qd)
    assert_close(symoro.jacobian(robot, n).compile()(q), symoro.jacobian(plain(robot), n).compile()(x) @ F, 1e-9)
    assert_close(symoro.velocities(robot).compile()(q, qd), symoro.velocities(plain(robot)).compile()(x, xd), 1e-9)
    links = symoro.accelerations(plain(robot)).compile()
    assert_close(symoro.accelerations(robot).compile()(q, qd, qdd), links(x, xd, xdd), 1e-9)


@pytest.mark.parametrize("seed", some(2, of=40))
def test_floating_bases(seed: int) -> None:
    robot = with_functions(with_floating_base(random_robot(seed, joints=4, moving_base=0), seed), seed)
    bare, f = plain(robot), Map(robot)
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.uniform(-1, 1, (3, sum(bool(j.variable) for j in robot.joints)))
    quat, V0 = rng.normal(size=4), rng.uniform(-1, 1, 6)
    quat /= np.linalg.norm(quat)
    found = symoro.inverse_dynamics(robot).compile()(quat, V0, q, qd, qdd)
    F = f.F(q)
    links = symoro.inverse_dynamics(bare, optimize=False).compile()(quat, V0, f.x(q), F @ qd, F @ qdd + f.curve(q, qd))
    assert_close(found.VP0, links.VP0, 1e-8)
    assert_close(found.GAM, F.T @ links.GAM + drive_torques(robot, qd, qdd), 1e-8)


@pytest.mark.parametrize("seed", some(3, of=60))
def test_base_parameters_are_as_many_as_the_rank(seed: int) -> None:
    robot = robot_of(seed, joints=4)
    model = symoro.dynamic_regressor(robot, friction=False, offset=False)
    states = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, 400, *model.inputs["q"]))
    D = model.compile()(*states).reshape(-1, model.outputs["D"][1])
    values = np.linalg.svd(D / np.maximum(np.linalg.norm(D, axis=0), 1e-12), compute_uv=False)
    rank = (values > 1e-9 * values[0]).sum()
    assert len(symoro.base_parameters(robot)) == rank
    assert len(symoro.base_parameters(robot, every_branch=True)) == rank  # the parameters of params="base"
    q, qd, qdd = states[:, 0]
    expected = symoro.inverse_dynamics(robot).compile()(q, qd, qdd)
    assert_close(symoro.inverse_dynamics(robot, params="base").compile()(q, qd, qdd), expected, 1e-9)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["planar2r", "scara"])
def test_base_parameters_hold_for_other_numbers(name: str, seed: int) -> None:
    """Relations of gear ratios are expressions: models with params="base" are right for any ratio and lengths."""
    robot = with_functions(symoro.load(name), seed)
    found = symoro.base_parameters(robot)
    assert len(symoro.base_parameters(robot, every_branch=True)) == len(found)
    f, expected = (symoro.inverse_dynamics(robot, params=p, optimize=False).compile() for p in ("base", "standard"))
    rng = np.random.default_rng(seed)
    states = rng.uniform(-1, 1, (3, 5, *f.inputs["q"]))
    lengths = {name: rng.uniform(0.5, 2) for name in ("L1", "D2", "D3") if name in robot.values}
    for values in ({"NG": 3.1}, {"NG": -0.4} | lengths):
        assert_close(f(*states, values=values), expected(*states, values=values), 1e-9)


def test_the_rotor_of_a_geared_joint_regroups() -> None:
    """With θ = N q, ½ IA q̇² is ½ IA/N² θ̇²: the inertia at the joint is ZZ + IA/N²."""
    robot = symoro.load("planar2r")
    first = replace(robot.joints[0], theta=as_value("N1*q1 + pi/4"))
    geared = replace(robot, joints=(first, *robot.joints[1:])).with_values({"N1": 2})
    plain_ones, found = symoro.base_parameters(robot), symoro.base_parameters(geared)
    assert len(found) == len(plain_ones)
    assert found.relations["ZZR1"] == plain_ones.relations["ZZR1"].replace("IA1", "1/N1^2*IA1")


def test_a_reversed_axis() -> None:
    """The case of one link: MX1 = 1 on an axis turned by π/2 about x, gravity −9.81 along z."""
    joint = Joint(1, "arm", 0, alpha=as_value("pi/2"), theta=as_value("-t1"), variable="t1")

    robot = Robot(
        "reversed", (joint,), (Inertia(MX=as_value(1), ZZ=as_value(1)),), (Drive(),),
        gravity=(as_value(0), as_value(0), as_value(-9.81)), wrenches=(Wrench(),),
    )  # fmt: skip
    torque = symoro.inverse_dynamics(robot).compile()([0.3], [0.0], [0.0])
    assert torque == pytest.approx([-9.81 * np.cos(0.3)])
    assert symoro.jacobian(robot, 1).compile()([0.3])[3:, 0] == pytest.approx([0, 1, 0])
    geared = replace(robot, joints=(replace(joint, theta=as_value("2*t1")),))
    assert symoro.inverse_dynamics(geared).compile()([0.3], [0.0], [0.0]) == pytest.approx([2 * 9.81 * np.cos(0.6)])


@pytest.mark.parametrize("seed", some(10, of=1000))
def test_newton_euler_and_lagrange_agree(seed: int) -> None:
    """On fixed and moving bases, with wrenches and drives; the two methods share no equation of motion."""
    robot = robot_of(seed, moving_base=seed % 3 == 0, joints=4)
    found = symoro.inverse_dynamics(robot, optimize=seed % 2 == 0).compile()
    expected = symoro.inverse_dynamics(robot, method="lagrange", optimize=False).compile()
    rng = np.random.default_rng(seed)
    given = {name: rng.uniform(-1, 1, shape) for name, shape in found.inputs.items()}
    assert_close(found(**given), expected(**given), 1e-9)


LOOPS = named(["four-bar", "five-bar", "slider-crank", "two-loops"], {"two-loops"})


@pytest.mark.parametrize("name", LOOPS)
def test_closed_loops_with_reversed_and_geared_joints(name: str) -> None:
    """x_j = a_j q_j + c_j in each joint of the tree: torques of motors are a_j times those of the plain robot."""
    robot = symoro.load(name)
    rng = np.random.default_rng(len(name))
    a = rng.choice([-1.0, 2.0, -0.5], robot.link_count)
    joints = list(robot.joints)
    for j in range(robot.link_count):
        if joints[j].movable:
            text = f"({a[j]:g})*({joints[j].variable} + 1/4)"
            joints[j] = replace(joints[j], **{joints[j].moving: as_value(text)})
    geared = replace(robot, joints=tuple(joints), drives=tuple(Drive() for _ in robot.drives))
    bare = replace(robot, drives=geared.drives)
    moving = [j for j in range(robot.link_count) if robot.joints[j].movable]
    active = [n for n, j in enumerate(moving) if robot.joints[j].actuated]
    x = symoro.loop_geometry(bare).compile()(np.full(len(active), 0.4))
    slope = a[moving]
    q = x / slope - 0.25
    qd, qdd = rng.uniform(-1, 1, (2, len(active)))
    own = slope[active]
    expected = own * symoro.inverse_dynamics(bare).compile()(x, own * qd, own * qdd)
    assert_close(symoro.inverse_dynamics(geared).compile()(q, qd, qdd), expected, 1e-9)
    assert_close(symoro.direct_dynamics(geared).compile()(q, qd, expected), qdd, 1e-7)
    J = symoro.jacobian(geared, robot.link_count).compile()(q)
    assert_close(J, symoro.jacobian(bare, robot.link_count).compile()(x) * own, 1e-9)
    assert_close(symoro.loop_geometry(geared).compile().gap(q), 0 * symoro.loop_geometry(bare).compile().gap(x), 1e-9)


def test_springs_between_motors_and_reversed_joints() -> None:
    """The motor of a reversed, geared and coupled elastic joint turns the same coordinate as its spring."""
    arm = symoro.load("planar2r")
    first, second = arm.joints
    first = replace(first, theta=as_value("-2*q1"), elastic=True, stiffness=as_value(100))
    second = replace(second, theta=as_value("q2 - q1"))
    elastic = replace(arm, joints=(first, second))
    model = symoro.inertia_matrix(elastic)
    q = np.array([0.3, 0.0, -0.4])  # motor, spring, joint 2
    A = model.compile()(q)
    rigid = replace(elastic, joints=(replace(first, elastic=False), second))
    R = symoro.inertia_matrix(rigid).compile()([0.3, -0.4])
    turn = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])  # the spring stands still
    assert_close(turn.T @ A @ turn, R, 1e-12)
