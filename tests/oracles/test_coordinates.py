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
from support.samples import some
from symoro.interface import robot_numbers
from symoro.robot.joint import Joint
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import as_value, evaluate

ROBOTS = some(12, of=200)


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


@pytest.mark.parametrize("seed", some(4, of=40))
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


@pytest.mark.parametrize("seed", some(6, of=60))
def test_base_parameters_are_as_many_as_the_rank(seed: int) -> None:
    robot = robot_of(seed, joints=4)
    model = symoro.dynamic_regressor(robot, friction=False, offset=False)
    states = np.random.default_rng(seed).uniform(-1.5, 1.5, (3, 400, *model.inputs["q"]))
    D = model.compile()(*states).reshape(-1, model.outputs["D"][1])
    values = np.linalg.svd(D / np.maximum(np.linalg.norm(D, axis=0), 1e-12), compute_uv=False)
    assert len(symoro.base_parameters(robot)) == (values > 1e-9 * values[0]).sum()
    q, qd, qdd = states[:, 0]
    expected = symoro.inverse_dynamics(robot).compile()(q, qd, qdd)
    assert_close(symoro.inverse_dynamics(robot, params="base").compile()(q, qd, qdd), expected, 1e-9)


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
