"""Models of platforms for given joints of their legs, against Pinocchio's tree and Lagrange multipliers."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import symoro
from support.close import assert_close
from support.free_robots import Array
from support.platform_links import Links, links, turned, weight
from support.samples import named
from symoro.errors import NotApplicable
from symoro.robot import library
from symoro.runtime import Function
from symoro.solve.given import model as make

QUICK = ("3rps", "five-bar-legs", "orthoglide-legs")
NAMES = [name for name in library.parallel_names() if name != "cooperating-arms"]  # whose motors are redundant
ROBOTS = pytest.mark.parametrize("name", named(NAMES, set(NAMES) - {*QUICK}))
EVERY = pytest.mark.parametrize("name", named(NAMES, set(NAMES) - {*QUICK, "delta", "planar-3rrr"}))
STEP = 1e-6


@cache
def function(name: str, row: str, **options: Any) -> Function:
    return make(row, name, optimize=False, given="joints", **options).compile("numpy")


@cache
def state(name: str) -> Links:
    return links(symoro.load(name), 1)[0]


def value(name: str, row: str, *inputs: Array, **options: Any) -> Any:
    """The model at inputs, with the bodies of the random robot."""
    return function(name, row, **options)(*inputs, values=state(name).platform.numbers)


def motion(at: Links) -> tuple[Array, Array, Array]:
    """q of all joints, q̇ and q̈ of the motors."""
    return at.platform.q, at.motors, at.platform.motors().T @ at.ud


def by_motors(at: Links) -> Array:
    """u = G q̇_a."""
    G: Array = at.G @ np.linalg.inv(at.platform.motors().T @ at.G)
    return G


def along(at: Links, name: str, row: str, *, step: float = STEP) -> Array:
    """The rate of a model of q in the motion, to the first order of a step that keeps the loops closed as far."""
    q, qd = at.platform.q, at.u[: at.n]
    ends = [np.asarray(value(name, row, q + h * qd)) for h in (step, -step)]
    return np.asarray((ends[0] - ends[1]) / (2 * step))


@EVERY
def test_torques_and_accelerations(name: str) -> None:
    at = state(name)
    q, qd, qdd = motion(at)
    M, h = at.platform.equations(at.u)
    torques = at.at_motors(M @ at.ud + h)
    for params in ("standard", "base"):
        assert_close(value(name, "inverse_dynamics", q, qd, qdd, params=params), torques, 1e-8)
    assert_close(value(name, "direct_dynamics", q, qd, torques), qdd, 1e-6)


@ROBOTS
def test_the_searched_model_agrees(name: str) -> None:
    at = state(name)
    M, h = at.platform.equations(at.u)
    searched = make("inverse_dynamics", name, given="joints").compile()
    assert_close(searched(*motion(at), values=at.platform.numbers), at.at_motors(M @ at.ud + h), 1e-8)


@EVERY
def test_matrix_and_torques_at_the_motors(name: str) -> None:
    at, q, qd = state(name), *motion(state(name))[:2]
    G, (M, h) = by_motors(at), at.platform.equations(at.u)
    coasting = at.ud - G @ motion(at)[2]
    rubbing = np.r_[at.joint_forces("friction"), np.zeros(6)]
    assert_close(value(name, "inertia_matrix", q), G.T @ M @ G, 1e-8)
    assert_close(value(name, "bias", q, qd), G.T @ (h + M @ coasting), 1e-8)
    assert_close(value(name, "gravity", q), G.T @ weight(at), 1e-8)
    assert_close(value(name, "friction", q, qd), G.T @ rubbing, 1e-8)
    energies = value(name, "energies", q, qd)
    assert_close([energies.E, energies.U], [x for k, x in at.platform.energies(at.u).items() if k != "US"], 1e-9)


@ROBOTS
def test_coriolis_matrix(name: str) -> None:
    """C q̇ are the Coriolis torques, and Ȧ − 2C is skew-symmetric along the motion."""
    at, q, qd = state(name), *motion(state(name))[:2]
    G, (M, h) = by_motors(at), at.platform.equations(at.u)
    rubbing = np.r_[at.joint_forces("friction"), np.zeros(6)]
    torques = G.T @ (h - weight(at) - rubbing + M @ (at.ud - G @ motion(at)[2]))
    C = value(name, "coriolis", q, qd)
    assert_close(value(name, "coriolis_torques", q, qd), torques, 1e-8)
    assert_close(C @ qd, torques, 1e-8)
    skew = along(at, name, "inertia_matrix") - 2 * C
    assert np.abs(skew + skew.T).max() <= 1e-5 * (1 + np.abs(C).max())


@ROBOTS
def test_motion_of_links(name: str) -> None:
    at = state(name)
    q, qd, qdd = motion(at)
    G, last = by_motors(at), at.robot.link_count
    frames = [at.frame(link) for link in range(1, last + 1)]
    assert_close(value(name, "forward_geometry", q), at.platform.T, 1e-10)
    assert_close(value(name, "transform", q, i=last, j=1), np.linalg.inv(at.platform.T) @ frames[0][0], 1e-10)
    assert_close(value(name, "velocities", q, qd), [turned(T[:3, :3], v) for T, v, _, _ in frames], 1e-8)
    assert_close(value(name, "accelerations", q, qd, qdd), [turned(T[:3, :3], a) for T, _, a, _ in frames], 1e-7)
    assert_close(value(name, "jacobian", q), G[at.n :], 1e-8)
    assert_close(value(name, "jacobian_inverse", q) @ G[at.n :], np.eye(len(qd)), 1e-8)
    for link in (1, last):
        assert_close(value(name, "jacobian", q, link=link), frames[link - 1][3] @ G, 1e-8)
    assert_close(value(name, "jdot_qdot", q, qd), at.VP - G[at.n :] @ qdd, 1e-7)
    assert_close(value(name, "loop_kinematics", q).G, G[: at.n], 1e-8)


@ROBOTS
def test_momentum_and_operational_space(name: str) -> None:
    at, q, qd = state(name), *motion(state(name))[:2]
    mass, moments, p, l = at.sums()
    momentum = np.r_[p, l - np.cross(moments / mass, p)]
    assert_close(value(name, "centre_of_mass", q), moments / mass, 1e-10)
    assert_close(value(name, "centre_of_mass_jacobian", q) @ qd, p / mass, 1e-8)
    assert_close(value(name, "centroidal_momentum", q, qd), momentum, 1e-8)
    assert_close(value(name, "centroidal_momentum_matrix", q) @ qd, momentum, 1e-8)
    G, (M, _) = by_motors(at), at.platform.equations(at.u)
    J = at.frame(at.robot.link_count)[3] @ G
    inertia = np.linalg.pinv(J @ np.linalg.inv(G.T @ M @ G) @ J.T, rcond=1e-9)
    assert_close(value(name, "operational_inertia", q, link=at.robot.link_count), inertia, 1e-7)


@ROBOTS
def test_columns_of_parameters_give_torques_and_power(name: str) -> None:
    at = state(name)
    q, qd, qdd = motion(at)
    M, h = at.platform.equations(at.u)
    torques = at.at_motors(M @ at.ud + h)
    for row, expected in (("dynamic_regressor", torques), ("power_regressor", torques @ qd)):
        columns = make(row, name, optimize=False, given="joints").columns
        K = np.array([at.platform.numbers[column] for column in columns])
        assert_close(value(name, row, q, qd, qdd) @ K, expected, 1e-8)


@ROBOTS
def test_energy_between_two_states(name: str) -> None:
    """The second state is the first one, twice as fast: three times the kinetic energy is between them."""
    at, q, qd = state(name), *motion(state(name))[:2]
    columns = make("energy_difference_regressor", name, optimize=False, given="joints").columns
    row = value(name, "energy_difference_regressor", q, qd, q, 2 * qd)
    K = np.array([at.platform.numbers[column] for column in columns])
    assert_close(row @ K, 3 * at.platform.energies(at.u)["E"], 1e-8)


@ROBOTS
def test_derivatives_go_along_the_closed_legs(name: str) -> None:
    at, q = state(name), state(name).platform.q
    slope = make("gravity", name, optimize=False, given="joints").derivative("q").compile("numpy")
    assert_close(slope(q, values=at.platform.numbers) @ at.motors, along(at, name, "gravity"), 1e-5)


@EVERY
def test_closed_legs_have_no_gap(name: str) -> None:
    at = state(name)
    assert np.abs(value(name, "loop_closure", at.platform.q).E).max() < 1e-10
    opened = at.platform.q + np.r_[0.01, np.zeros(at.n - 1)]
    assert np.abs(value(name, "loop_closure", opened).E).max() > 1e-4


@pytest.mark.parametrize("name", ["3rps", pytest.param("gough-stewart", marks=pytest.mark.long)])
def test_wrenches_of_the_legs_are_those_of_the_given_pose(name: str) -> None:
    at = state(name)
    platform = make("cut_wrenches", name, optimize=False).compile("numpy")
    expected = platform(at.platform.T, at.V, at.VP, values=at.platform.numbers)
    assert_close(value(name, "cut_wrenches", *motion(at)), expected, 1e-8)
    by_pose = make("reactions", name, optimize=False).compile("numpy")
    expected = by_pose(at.platform.T, at.V, at.VP, values=at.platform.numbers)
    assert_close(value(name, "reactions", *motion(at)), expected, 1e-8)


def test_redundant_motors_are_no_coordinates() -> None:
    with pytest.raises(NotApplicable, match="12 motors for 6 freedoms"):
        make("inverse_dynamics", "cooperating-arms", given="joints", optimize=False)
