"""Dynamics of parallel robots against Pinocchio's legs, a free body and Lagrange multipliers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.platform_loops import Loops
from support.platforms import Platform, joint_positions, random_motion, reachable_pose, with_random_inertias
from symoro.errors import LoopWarning, NotApplicable
from symoro.models.parallel.mechanism import structure
from symoro.models.parallel.platform import home, moved
from symoro.robot import library
from symoro.robot.robot import Robot
from symoro.runtime import Function
from symoro.solve.given import model as make

QUICK = ("3rps", "gough-stewart")
NAMES = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.long, id=name) for name in library.parallel_names()
]
FREEDOMS = {
    "3rps": ("z", "rotation about x", "rotation about y"),
    "agile-eye": ("rotation about x", "rotation about y", "rotation about z"),
    "delta": ("x", "y", "z"),
    "five-bar-legs": ("x", "y"),
    "orthoglide-legs": ("x", "y", "z"),
    "planar-3rrr": ("x", "y", "rotation about z"),
}


@cache
def model(name: str, row: str, **options: Any) -> Function:
    return make(row, name, optimize=False, **options).compile("numpy")


def described(name: str, seed: int) -> tuple[Robot, dict[str, float]]:
    robot = symoro.load(name)
    assert robot.platforms
    other = with_random_inertias(robot, np.random.default_rng(seed))
    return other, other.values.numbers()


def cases(name: str, seeds: range) -> list[tuple[Platform, np.random.Generator, dict[str, float]]]:
    found = []
    for seed in seeds:
        rng = np.random.default_rng(seed)
        robot, numbers = described(name, seed)
        T = reachable_pose(robot, rng)
        platform = Platform(robot, T, joint_positions(robot, T))
        assert platform.closure() < 1e-12
        found.append((platform, rng, numbers))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_inverse_and_direct_dynamics_are_those_of_multipliers(name: str) -> None:
    inverse, direct = model(name, "inverse_dynamics"), model(name, "direct_dynamics")
    for platform, rng, numbers in cases(name, range(2 if name in QUICK else 5)):
        V, VP, u, ud = random_motion(platform, rng)
        assert_close(inverse(platform.T, V, VP, values=numbers), platform.torques(u, ud), 1e-9)
        tau = rng.normal(size=len(platform.robot.motors))
        assert_close(direct(platform.T, V, tau, values=numbers), platform.acceleration(u, tau), 1e-9, 10)


@pytest.mark.parametrize("name", NAMES)
def test_base_parameters_give_the_same_torques(name: str) -> None:
    standard, base = model(name, "inverse_dynamics"), model(name, "inverse_dynamics", params="base")
    ((platform, rng, numbers),) = cases(name, range(1))
    V, VP, _, _ = random_motion(platform, rng)
    assert_close(base(platform.T, V, VP, values=numbers), standard(platform.T, V, VP, values=numbers), 1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_matrix_and_bias_are_those_of_the_inverse_model(name: str) -> None:
    ((platform, rng, _),) = cases(name, range(1))
    V, VP, _, _ = random_motion(platform, rng)
    f = model(name, "inverse_dynamics")
    A, H = model(name, "inertia_matrix")(platform.T), model(name, "bias")(platform.T, V)
    JINV = model(name, "jacobian_inverse")(platform.T)
    left = list(structure(platform.robot).independent)
    S = platform.freedoms() @ np.linalg.inv(platform.freedoms()[left])  # ones at the components that are left
    assert_close(S.T @ JINV.T @ f(platform.T, V, VP), A @ VP[left] + H, 1e-9)
    assert_close(A, A.T, 1e-12)
    assert np.linalg.eigvalsh(A).min() > 0


@pytest.mark.parametrize("name", ["gough-stewart", "3rps"])
def test_models_on_the_motors(name: str) -> None:
    """Γ = A_m q̈_a + H_m, with the motors' accelerations by J and J̇ q̇."""
    ((platform, rng, _),) = cases(name, range(1))
    V, VP, u, ud = random_motion(platform, rng)
    motors = platform.motors()
    J = model(name, "jacobian")(platform.T)
    assert_close(J @ (motors.T @ u), V, 1e-10)
    assert_close(J @ (motors.T @ ud) + model(name, "jdot_qdot")(platform.T, V), VP, 1e-9)
    A = model(name, "inertia_matrix", space="motors")(platform.T)
    H = model(name, "bias", space="motors")(platform.T, V)
    assert_close(A @ (motors.T @ ud) + H, model(name, "inverse_dynamics")(platform.T, V, VP), 1e-9)
    still = np.zeros(6)
    Q = model(name, "gravity", space="motors")(platform.T)
    assert_close(Q, model(name, "inverse_dynamics")(platform.T, still, still), 1e-10)


@pytest.mark.parametrize("name", ["gough-stewart", "3rps"])
def test_attachment_forces_carry_the_platform(name: str) -> None:
    """The sum of the wrenches of the legs is what the platform alone needs."""
    ((platform, rng, numbers),) = cases(name, range(1))
    V, VP, _, _ = random_motion(platform, rng)
    found = model(name, "cut_wrenches")(platform.T, V, VP, values=numbers)
    M, h = (x[..., -6:] for x in platform.equations(np.r_[np.zeros(len(platform.q)), V]))
    points = np.array([platform.T[:3, :3] @ tie.A.translation for tie in platform.attached])
    moments = np.cross(points, found[:, :3]) + found[:, 3:]
    assert_close(np.r_[found[:, :3].sum(0), moments.sum(0)], M[-6:] @ VP + h, 1e-9)


@pytest.mark.parametrize("name", ["planar-3rrr", "five-bar-legs", "agile-eye", "delta-parallelogram", "3rps"])
def test_least_attachment_forces(name: str) -> None:
    """Where legs hold the platform more than once, the least of the forces that carry all links and the platform."""
    ((platform, rng, numbers),) = cases(name, range(1))
    V, VP, u, ud = random_motion(platform, rng)
    M, h = platform.equations(u)
    needed = M @ ud + h + platform.exerted - platform.motors() @ platform.torques(u, ud)
    expected = platform.least_wrenches(needed, platform.attached)
    least = model(name, "cut_wrenches", least_norm=True)
    assert_close(least(platform.T, V, VP, values=numbers), expected, 1e-9)
    if name == "3rps":  # rigid bodies determine them
        assert_close(model(name, "cut_wrenches")(platform.T, V, VP, values=numbers), expected, 1e-9)
    else:
        with pytest.raises(NotApplicable, match="not determined by rigid bodies; least_norm=True gives the least"):
            model(name, "cut_wrenches")


@pytest.mark.parametrize("given", ["joints", "motors"])
def test_least_attachment_forces_by_joints_and_motors(given: str) -> None:
    """The same as by the pose."""
    name = "planar-3rrr"
    ((platform, rng, numbers),) = cases(name, range(1))
    V, VP, u, ud = random_motion(platform, rng)
    motors = platform.motors().T
    q = platform.q if given == "joints" else motors[:, : len(platform.q)] @ platform.q
    expected = model(name, "cut_wrenches", least_norm=True)(platform.T, V, VP, values=numbers)
    by_joints = model(name, "cut_wrenches", least_norm=True, given=given)
    assert_close(by_joints(q, motors @ u, motors @ ud, values=numbers), expected, 1e-8)


@pytest.mark.parametrize("name", FREEDOMS)
def test_freedoms_of_platforms(name: str) -> None:
    found = symoro.mobility(name)
    assert found.directions == FREEDOMS[name]
    assert found.redundancy == 0
    ((platform, _, _),) = cases(name, range(1))
    assert platform.freedoms().shape[1] == found.freedom


def test_broken_constraints_are_reported() -> None:
    f = symoro.inverse_dynamics("planar-3rrr").compile()
    T, still = np.eye(4), np.zeros(6)
    f(T, still, still)
    with pytest.warns(LoopWarning, match="residual"):
        f(T, np.array([0, 0, 1.0, 0, 0, 0]), still)
    position, velocity = f.residual(T, np.array([0, 0, 1.0, 0, 0, 0]))
    assert position < 1e-12
    assert velocity > 0.1


def test_operations_of_the_gough_stewart_platform() -> None:
    """By hand it is about 2,300."""
    ops = symoro.inverse_dynamics("gough-stewart", params="base").ops
    assert ops.total <= 2_000
    assert ops.trig == 0


@pytest.mark.long
def test_closed_loops_of_the_same_bodies_need_a_few_operations_more() -> None:
    """The search sees them as legs; by the rows of the loops they need nineteen times as many."""
    robot = symoro.load("gough-stewart")
    assert robot.platforms
    loops, at = Loops(robot, symbols=False), home(robot)
    q = loops.configuration(joint_positions(robot, at), at)
    mine = symoro.inverse_dynamics(robot, params="base").ops.total
    theirs = make("inverse_dynamics", loops.closed(), params="base", at=tuple(q)).ops.total
    print(f"platform and legs {mine}, closed loops {theirs}, ratio {theirs / mine:.1f}")
    assert mine <= theirs <= 1.3 * mine


def test_a_turned_platform_is_reported_where_the_models_are_those_of_one_that_translates() -> None:
    f = symoro.inverse_dynamics("orthoglide-legs", optimize=False).compile("numpy")
    still = np.zeros(6)
    assert max(f.residual(np.eye(4), still, still)) < 1e-12
    turned = moved(np.eye(4), np.array([0, 0, 0, 0.1, 0, 0]))
    assert f.residual(turned, still, still)[0] > 0.09
    with pytest.warns(LoopWarning):
        f(turned, still, still)
