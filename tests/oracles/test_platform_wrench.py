"""A wrench of the platform on its environment, against Pinocchio's legs with multipliers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.platforms import Platform, joint_positions, random_motion, reachable_pose
from symoro.errors import ShapeError
from symoro.model import model
from symoro.robot.link import Wrench
from symoro.robot.parallel import ParallelRobot
from symoro.robot.values import Symbol

SYMBOLIC = Wrench(*(Symbol(f"{name}P") for name in Wrench.names()))


def loaded(name: str) -> ParallelRobot:
    robot = symoro.load(name)
    assert isinstance(robot, ParallelRobot)
    return replace(robot, platform_wrench=SYMBOLIC)


@pytest.mark.parametrize(
    "name", ["3rps", *(pytest.param(n, marks=pytest.mark.long) for n in ("gough-stewart", "delta-parallelogram"))]
)
def test_a_wrench_of_the_platform(name: str) -> None:
    robot, rng = loaded(name), np.random.default_rng(3)
    T = reachable_pose(robot, rng)
    platform = Platform(robot, T, joint_positions(robot, T))
    V, VP, u, ud = random_motion(platform, rng)
    W, R, n = rng.normal(size=6), T[:3, :3], len(platform.q)
    needed = np.r_[np.zeros(n), R @ W[:3], R @ W[3:]]  # exerted on the environment: the motors give it, too
    inverse = model("inverse_dynamics", robot, optimize=False)
    assert inverse.inputs == {"T": (4, 4), "V": (6,), "VP": (6,), "wrench": (6,)}
    f = inverse.compile("numpy")
    assert_close(f(T, V, VP, wrench=W), platform.torques(u, ud, needed), 1e-9)
    assert_close(f(T, V, VP, wrench=np.zeros(6)), platform.torques(u, ud), 1e-9)
    tau = rng.normal(size=len(robot.motors))
    g = model("direct_dynamics", robot, optimize=False).compile("numpy")
    assert_close(g(T, V, tau, wrench=W), platform.acceleration(u, tau, needed), 1e-9, 10)
    A, H = (model(row, robot, optimize=False).compile("numpy") for row in ("inertia_matrix", "bias"))
    S = platform.freedoms()
    D = model("jacobian_inverse", robot, optimize=False).compile("numpy")(T)
    assert_close(S.T @ (A(T) @ VP + H(T, V, wrench=W)), S.T @ D.T @ f(T, V, VP, wrench=W), 1e-9)


def test_the_robot_s_numbers_are_the_default() -> None:
    robot = loaded("planar-3rrr").with_values({f"{name}P": 0 for name in Wrench.names()} | {"FYP": 2.5})
    T, still = np.eye(4), np.zeros(6)
    f = model("inverse_dynamics", robot, optimize=False).compile("numpy")
    assert_close(f(T, still, still), f(T, still, still, wrench=[0, 2.5, 0, 0, 0, 0]), 1e-12)
    Q = model("gravity", robot, space="motors", optimize=False).compile("numpy")
    assert_close(f(T, still, still, wrench=np.zeros(6)), Q(T), 1e-12)
    with pytest.raises(ShapeError, match="wrench"):
        f(T, still, still, wrench=[1, 2, 3])
