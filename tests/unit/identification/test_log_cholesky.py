"""Log-Cholesky coordinates: bodies that can exist for every value, the semidefinite answer, and synthetic truth."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest
from scipy.optimize._numdiff import approx_derivative

import symoro
from support.raised import raised
from support.samples import named
from support.says import says
from support.synthetic import fourier
from symoro.errors import OptionError
from symoro.identification.estimate.bodies import (
    NAMES,
    OFF_DIAGONAL,
    LogCholeskyBody,
    PhysicalCoordinates,
    parameters,
    problem_of,
    pseudo_inertia,
    slopes,
)
from symoro.identification.estimate.physical import semidefinite
from symoro.robot.values import as_value

PERIOD, COUNT = 2e-3, 3000
FS, FST, BST = [2.0, 1.0, 0.3, 3.0], [6.0, 3.0, 1.0, 8.0], [4.0, 9.0, 6.0, 12.0]


@pytest.mark.parametrize("free", [tuple(OFF_DIAGONAL), ((0, 3), (1, 3)), ((0, 1), (2, 3)), ()])
def test_every_value_is_a_body_and_every_body_has_a_value(free: tuple[tuple[int, int], ...]) -> None:
    rng = np.random.default_rng(0)
    body = LogCholeskyBody(np.diag([0.02, 0.05, 0.03, 4.0]), 1e-3, free)
    for _ in range(20):
        theta = rng.normal(size=body.count)
        P = body.matrix(theta)
        assert np.linalg.eigvalsh(P)[0] > 0
        assert all(P[i, j] == pytest.approx(0.0, abs=1e-15) for i, j in OFF_DIAGONAL if (i, j) not in free)
        assert body.coordinates(P) == pytest.approx(theta, abs=1e-6)
        assert pseudo_inertia(dict(zip(NAMES, parameters(P), strict=True))) == pytest.approx(P, abs=1e-12)

        def flat(x: np.ndarray) -> np.ndarray:
            return parameters(body.matrix(x))

        assert slopes(flat, theta) == pytest.approx(approx_derivative(flat, theta), rel=1e-5, abs=1e-6)


def noisy(robot: symoro.Robot, noise: float, count: int = COUNT) -> dict[str, np.ndarray]:
    q, qd, qdd = fourier(count, len(robot.joints), PERIOD, 5)
    tau = symoro.inverse_dynamics(robot).compile()(q, qd, qdd)
    errors = np.random.default_rng(2).normal(size=tau.shape) * noise * tau.std(axis=0)
    return {"t": PERIOD * np.arange(count), "q": q, "tau": tau + errors}


@pytest.mark.parametrize("name", named(["planar2r", "scara", "rx90"], ["rx90"]))
def test_linear_rows_have_the_semidefinite_answer(name: str) -> None:
    """From the prior on, not from the answer; with noise of 30 % it lies on the border of what can exist."""
    robot = symoro.load(name)
    r = symoro.identify(robot, noisy(robot, 0.3))
    R = r.triangles.stacked(1 / r.estimate.deviations)[:-1]
    problem = problem_of(r.subject, r.triangles.names)
    expected, _ = semidefinite(problem, R, 1e-2)
    coordinates = PhysicalCoordinates(problem, np.maximum(np.abs(expected), 1e-3))
    start = coordinates.values(np.zeros(len(coordinates.coordinates(expected))))
    found = coordinates.fitted(start, lambda b: R[:, :-1] @ b - R[:, -1], lambda b: R[:, :-1], 1e-2)
    moved = problem.places @ (found - expected) / r.estimate.sigma
    assert np.abs(moved).max() < 0.02


def test_the_public_option_gives_the_same_robot_both_ways(tmp_path: Path) -> None:
    robot = symoro.load("scara")
    r = symoro.identify(robot, noisy(robot, 0.3), physical="log-cholesky")
    same = symoro.identify(robot, noisy(robot, 0.3), physical=True)
    assert r.consistent is not None
    assert same.consistent is not None
    assert (r.consistent.status, same.consistent.status) == ("log-cholesky", "optimal")
    assert r.consistent.beta == pytest.approx(same.consistent.beta, abs=1e-3 * np.abs(same.consistent.beta).max())
    assert r.consistent.loss == pytest.approx(same.consistent.loss, abs=1e-6)
    assert min(r.consistent.smallest.values()) > 0
    path = tmp_path / "robot.xml"
    symoro.write(r.robot, path)
    assert mujoco.MjModel.from_xml_path(str(path)).nv == 4


def with_stribeck(robot: symoro.Robot) -> symoro.Robot:
    """The robot with static friction that fades at another speed for each motor."""
    values = zip(robot.drives, FS, FST, BST, strict=True)
    drives = (replace(d, FS=as_value(a), FST=as_value(b), BST=as_value(c)) for d, a, b, c in values)
    return replace(robot, drives=tuple(drives))


def test_speeds_of_stribecks_curve_are_found_with_bodies_that_can_exist() -> None:
    robot = symoro.load("scara")
    truth = with_stribeck(robot)
    data = noisy(truth, 0.005, 8000)
    r = symoro.identify(robot, data, friction="stribeck", physical=True)
    linear = symoro.identify(robot, data, friction="stribeck", physical="semidefinite")
    assert r.consistent is not None
    assert linear.consistent is not None
    found = r.consistent.others
    assert [found[f"FST{j}"] for j in range(1, 5)] == pytest.approx(FST, rel=0.05)
    assert [found[f"BST{j}"] for j in range(1, 5)] == pytest.approx(BST, rel=0.06)
    assert r.consistent.error == pytest.approx(
        linear.consistent.error, rel=1e-3
    )  # both have the speeds of the estimate
    assert not says(r.warnings, "estimates.no_place")
    motion = fourier(200, 4, 2e-2, 9)
    torques, true = (symoro.inverse_dynamics(one).compile()(*motion) for one in (r.robot, truth))
    assert np.linalg.norm(torques - true) < 0.01 * np.linalg.norm(true)


def test_essential_parameters_and_physical_ones_go_together() -> None:
    robot = symoro.load("scara")
    r = symoro.identify(robot, noisy(robot, 0.05), essential="sigma", physical=True)
    assert r.consistent is not None
    assert len(r) < len(r.consistent.beta)
    assert np.isfinite(r.consistent.loss)


def test_what_cannot_be_is_said() -> None:
    robot = symoro.load("planar2r")
    with raised("options.value", OptionError):
        symoro.identify(robot, noisy(robot, 0.01), physical="cholesky")
    given = {"boxes": {1: [[-1, -1, -1], [1, 1, 1]]}, "physical": "log-cholesky"}
    with raised("estimates.boxes_need_semidefinite", OptionError):
        symoro.identify(robot, noisy(robot, 0.01), **given)
