"""Legs with closed loops, against Pinocchio's open legs with multipliers at attachments and at cuts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from support.close import assert_close
from support.other_legs import ROBOTS
from support.platforms import Platform, joint_positions, random_motion, reachable_pose, with_random_inertias
from symoro.model import model as make
from symoro.runtime import Function

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
