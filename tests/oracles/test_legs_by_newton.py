"""Legs whose loops determine joints on the way to their end, against Pinocchio's open legs with multipliers."""

from __future__ import annotations

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.loop_legs import KINDS, pose_near_home, random_robot
from support.platforms import Platform, joint_positions, random_motion, with_random_inertias
from symoro.model import model as make
from symoro.models.parallel.motions import random_motions
from symoro.robot.parallel import ParallelRobot


def some(*first: tuple[str, int], seeds: int) -> list[object]:
    """All kinds with some seeds, of which the first ones belong to the short tests."""
    every = [(kind, seed) for kind in KINDS for seed in range(seeds)]
    return [pytest.param(*one, marks=() if one in first else pytest.mark.long) for one in every]


def case(kind: str, seed: int) -> tuple[Platform, np.random.Generator]:
    rng = np.random.default_rng(seed)
    robot = with_random_inertias(random_robot(kind, seed), rng)
    T = pose_near_home(robot, rng)
    platform = Platform(robot, T, joint_positions(robot, T))
    assert platform.closure() < 1e-11
    return platform, rng


def forms(robot: ParallelRobot, name: str, **options: str) -> symoro.Function:
    return make(name, robot, optimize=False, **options).compile("numpy")


@pytest.mark.parametrize(("kind", "seed"), some(("planar four-bar", 0), seeds=5))
def test_dynamics_are_those_of_multipliers(kind: str, seed: int) -> None:
    platform, rng = case(kind, seed)
    robot, T = platform.robot, platform.T
    V, VP, u, ud = random_motion(platform, rng)
    assert_close(forms(robot, "inverse_dynamics")(T, V, VP), platform.torques(u, ud), 1e-9)
    tau = rng.normal(size=len(robot.motors))
    assert_close(forms(robot, "direct_dynamics")(T, V, tau), platform.acceleration(u, tau), 1e-9, 10)
    assert_close(forms(robot, "jacobian_inverse")(T) @ V, platform.motors().T @ u, 1e-9)
