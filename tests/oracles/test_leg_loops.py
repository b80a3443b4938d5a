"""Legs with closed loops, against Pinocchio's open legs with multipliers at attachments and at cuts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.delta_loops import delta_as_loops
from support.other_legs import ROBOTS
from support.platform_regressors import require_columns
from support.platforms import Platform, joint_positions, random_motion, reachable_pose, with_random_inertias
from symoro.robot.link import Inertia
from symoro.runtime import Function
from symoro.solve.given import model as make

NAMES = [pytest.param(name, marks=() if name == "delta-parallelogram" else pytest.mark.long) for name in ROBOTS]


@cache
def model(name: str, row: str, **options: str) -> Function:
    return make(row, ROBOTS[name](), optimize=False, **options).compile("numpy")


def case(name: str, seed: int) -> tuple[Platform, np.random.Generator]:
    rng = np.random.default_rng(seed)
    robot = with_random_inertias(ROBOTS[name](), rng)
    T = reachable_pose(robot, rng, 0.08)
    platform = Platform(robot, T, joint_positions(robot, T))
    assert platform.closure() < 1e-11
    return platform, rng


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_dynamics_are_those_of_multipliers(name: str) -> None:
    inverse, direct = model(name, "inverse_dynamics"), model(name, "direct_dynamics")
    for seed in range(3):
        platform, rng = case(name, seed)
        numbers = platform.numbers
        V, VP, u, ud = random_motion(platform, rng)
        assert_close(inverse(platform.T, V, VP, values=numbers), platform.torques(u, ud), 1e-9)
        tau = rng.normal(size=len(platform.robot.motors))
        assert_close(direct(platform.T, V, tau, values=numbers), platform.acceleration(u, tau), 1e-9, 10)
        motors = platform.motors().T @ u
        assert_close(model(name, "jacobian_inverse")(platform.T, values=numbers) @ V, motors, 1e-9)


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.long) for name in ROBOTS if name != "6usp"])
def test_base_parameters_give_the_same_torques(name: str) -> None:
    platform, rng = case(name, 0)
    V, VP, _, _ = random_motion(platform, rng)
    base, standard = model(name, "inverse_dynamics", params="base"), model(name, "inverse_dynamics")
    numbers = platform.numbers
    assert_close(base(platform.T, V, VP, values=numbers), standard(platform.T, V, VP, values=numbers), 1e-9)


@pytest.mark.long
@pytest.mark.parametrize("name", ["planar-3rrp", "delta-parallelogram"])
def test_columns_of_the_regressor_give_the_torques(name: str) -> None:
    require_columns(with_random_inertias(ROBOTS[name](), np.random.default_rng(1)))


@pytest.mark.long
def test_a_parallelogram_of_light_bars_is_a_rod_of_both_bars() -> None:
    """The rods of a parallelogram translate alike: together they are one rod, and the robot is the library's delta."""
    bars, rod = ROBOTS["delta-parallelogram"](), symoro.load("delta")
    inertial = Inertia.names()
    light = {f"{n}5_{i}": 0.0 for n in inertial for i in (1, 2, 3)}
    both = {f"{n}3_{i}": bars.values.numbers()[f"{n}3_{i}"] * 2 for n in inertial for i in (1, 2, 3)}
    cross = {f"{n}2_{i}": bars.values.numbers()[f"{n}2_{i}"] for n in inertial for i in (1, 2, 3)}
    f = make("inverse_dynamics", bars, optimize=False).compile("numpy")
    g = make("inverse_dynamics", rod, optimize=False).compile("numpy")
    rng = np.random.default_rng(5)
    for _ in range(50):
        T, V, VP = np.eye(4), np.r_[rng.normal(size=3), 0, 0, 0], np.r_[rng.normal(size=3), 0, 0, 0]
        T[:3, 3] = rng.uniform([-0.1, -0.1, -0.7], [0.1, 0.1, -0.5])
        assert_close(f(T, V, VP, values=light), g(T, V, VP, values=both | cross), 1e-9)


@pytest.mark.long
def test_dynamics_are_those_of_closed_loops() -> None:
    """The Delta robot as one tree with five cuts: three parallelograms, and two legs at the platform."""
    robot = ROBOTS["delta-parallelogram"]()
    loops = delta_as_loops(robot)
    inverse, J, drift = (model(robot.name, row) for row in ("inverse_dynamics", "jacobian_inverse", "jdot_qdot"))
    rng, f = np.random.default_rng(7), None
    for _ in range(50):
        T, V, VP = np.eye(4), np.r_[rng.normal(size=3), 0, 0, 0], np.r_[rng.normal(size=3), 0, 0, 0]
        T[:3, 3] = rng.uniform([-0.1, -0.1, -0.7], [0.1, 0.1, -0.5])
        q = joint_positions(robot, T)
        every = np.r_[q, -q[0] - q[1]]  # the platform keeps its orientation
        f = f or make("inverse_dynamics", loops, optimize=False, at=every).compile("numpy")
        qd = J(T) @ V
        assert_close(inverse(T, V, VP), f(every, qd, J(T) @ (VP - drift(T, V))), 1e-9)
