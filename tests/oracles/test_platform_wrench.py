"""A wrench of the platform on its environment, against Pinocchio's legs with multipliers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import trapezoid

import symoro
from support.close import assert_close
from support.platforms import Platform, joint_positions, random_motion, reachable_pose
from support.raised import raised
from symoro.errors import ShapeError
from symoro.models.parallel.mechanism import structure
from symoro.robot.link import Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol
from symoro.solve.given import model

SYMBOLIC = Wrench(*(Symbol(f"{name}P") for name in Wrench.names()))


def loaded(name: str) -> Robot:
    robot = symoro.load(name)
    assert robot.platforms
    return robot.exert(SYMBOLIC, "platform")


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
    left = list(structure(robot).independent)
    S = platform.freedoms() @ np.linalg.inv(platform.freedoms()[left])  # ones at the components that are left
    D = model("jacobian_inverse", robot, optimize=False).compile("numpy")(T)
    assert_close(A(T) @ VP[left] + H(T, V, wrench=W), S.T @ D.T @ f(T, V, VP, wrench=W), 1e-9)


def test_the_robot_s_numbers_are_the_default() -> None:
    robot = loaded("planar-3rrr").with_values({f"{name}P": 0 for name in Wrench.names()} | {"FYP": 2.5})
    T, still = np.eye(4), np.zeros(6)
    f = model("inverse_dynamics", robot, optimize=False).compile("numpy")
    assert_close(f(T, still, still), f(T, still, still, wrench=[0, 2.5, 0, 0, 0, 0]), 1e-12)
    Q = model("gravity", robot, space="motors", optimize=False).compile("numpy")
    assert_close(f(T, still, still, wrench=np.zeros(6)), Q(T), 1e-12)
    with raised("runtime.shape", ShapeError):
        f(T, still, still, wrench=[1, 2, 3])


@pytest.mark.long
def test_a_wrench_that_grows_acts_in_a_simulation() -> None:
    """By fixed steps as by adaptive ones, and with the work that is missing in the energy."""
    robot = loaded("3rps").with_values({name: 0 for name in symoro.load("3rps").values if name[:2] in ("FV", "FS")})

    def push(t: np.ndarray) -> np.ndarray:
        return np.outer(t, [0.0, 0.0, 300.0, 0.0, 5.0, 0.0])

    given = {"duration": 0.1, "wrench": push}
    fixed = symoro.simulate(robot, period=1e-4, **given)
    adaptive = symoro.simulate(robot, method="DOP853", period=1e-4, **given)
    assert_close(fixed.states, adaptive.states, 1e-3)  # the wrench is held in each period
    V, R = adaptive.part("V"), adaptive.T[:, :3, :3]
    own = np.concatenate([np.einsum("tji,tj->ti", R, V[:, :3]), np.einsum("tji,tj->ti", R, V[:, 3:])], axis=1)
    power = (own * push(adaptive.t)).sum(axis=1)
    total = adaptive.energy.kinetic + adaptive.energy.potential
    assert abs(total[-1] - total[0]) > 0.1
    assert_close(total[-1] - total[0], -trapezoid(power, adaptive.t), 1e-6)
