"""Coulomb friction that sticks: closed forms of a sliding block, loads that do not move, and SciPy's least squares."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import symoro
from support.close import assert_close
from support.families import without_friction
from symoro.motion.sticking import held
from symoro.robot.robot import Robot

NO_GRAVITY = symoro.load("satellite").gravity


def block(mass: float = 2.0, **drive: float) -> Robot:
    """A mass on a line."""
    return symoro.Robot.from_mdh([{"kind": "prismatic", "inertia": {"M": mass}, "drive": drive}], gravity=NO_GRAVITY)


def test_a_sliding_block_stops_where_the_closed_form_says_and_stays() -> None:
    """v = v0 − F t / m; it stops after m v0 / F, having gone m v0² / 2F."""
    s = symoro.simulate(block(FS=3.0), duration=2.0, qd0=[1.5], method="sticking")
    stop, way = 2.0 * 1.5 / 3.0, 2.0 * 1.5**2 / (2 * 3.0)
    sliding = s.t < stop
    assert_close(s.q[sliding, 0], 1.5 * s.t[sliding] - 3.0 * s.t[sliding] ** 2 / 4, 1e-9)
    assert_close(s.q[-1, 0], way, 1e-5)
    assert (s.qd[s.t > stop + 0.002] == 0).all()
    assert len(np.unique(s.q[s.t > stop + 0.002])) == 1


@pytest.mark.parametrize(("push", "moves"), [(2.9, False), (-2.9, False), (3.5, True), (-3.5, True)])
def test_a_push_moves_the_block_only_above_its_friction(push: float, moves: bool) -> None:
    s = symoro.simulate(block(FS=3.0), lambda t, q, qd: [push], duration=1.0, method="sticking")
    expected = np.sign(push) * (abs(push) - 3.0) / 2.0 * s.t**2 / 2 if moves else np.zeros_like(s.t)
    assert_close(s.q[:, 0], expected, 1e-9)
    if not moves:
        assert not s.q.any()


def test_friction_that_differs_by_direction() -> None:
    robot = block(FS=3.0, FA=1.0, FO=0.5)
    ways = []
    for push in (4.4, -1.4, 5.0, -2.0):  # forward 4.5, backward 1.5 are needed
        s = symoro.simulate(robot, lambda t, q, qd, push=push: [push], duration=1.0, method="sticking")
        ways.append(float(s.q[-1, 0]))
    assert_close(ways, [0.0, 0.0, 0.5 / 4, -0.5 / 4], 1e-9)


def test_an_arm_that_friction_can_hold_does_not_move_at_all() -> None:
    robot = symoro.load("planar2r")
    weight = np.abs(symoro.gravity(robot).compile()(np.array([1.2, 0.4])))
    numbers = {f"FS{j}": float(2 * weight[j - 1] + 0.1) for j in (1, 2)}
    s = symoro.simulate(robot.with_values(numbers), duration=5.0, q0=[1.2, 0.4], method="sticking", period=0.005)
    assert (s.q == s.q[0]).all()
    slipping = symoro.simulate(robot, duration=0.3, q0=[1.2, 0.4], method="sticking", values={"FS1": 0.01, "FS2": 0.01})
    assert np.abs(slipping.q[-1] - slipping.q[0]).max() > 0.05


def test_without_dry_friction_it_is_a_method_of_order_2() -> None:
    robot = without_friction(symoro.load("planar2r"))
    given: dict[str, Any] = {"duration": 0.4, "q0": [0.5, 1.0]}
    exact = symoro.simulate(robot, method="DOP853", period=0.02, **given).q[-1]
    errors = [
        np.abs(symoro.simulate(robot, method="sticking", period=h, **given).q[-1] - exact).max() for h in (2e-3, 1e-3)
    ]
    assert errors[1] < 1e-4
    assert 3.5 < errors[0] / errors[1] < 4.5


@pytest.mark.parametrize("seed", range(30))
def test_the_friction_of_a_step_is_the_least_of_its_convex_problem(seed: int) -> None:
    """½ fᵀ W f − v_freeᵀ f between the bounds, by SciPy's minimiser."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 7))
    root = rng.normal(size=(n, n))
    W, free = root @ root.T + 0.3 * np.eye(n), rng.normal(size=n)
    upper = rng.uniform(0, 1, n) * rng.choice([0, 1, 1], n)
    lower = -rng.uniform(0, 1, n) * (upper > 0)
    v = held(free, W, lower, upper)
    peer = minimize(
        lambda f: f @ W @ f / 2 - free @ f,
        np.zeros(n),
        jac=lambda f: W @ f - free,
        bounds=list(zip(lower, upper, strict=True)),
        method="L-BFGS-B",
        options={"ftol": 1e-16, "gtol": 1e-11, "maxiter": 5000},
    )
    assert_close(v, free - W @ peer.x, 1e-6)


def test_a_controlled_arm_with_friction_comes_to_rest() -> None:
    """An integral frees an arm that sticks; PD with gravity alone leaves it inside K_p |e| ≤ F_s (K13:9.16)."""
    robot = symoro.load("planar2r").with_values({"FS1": 2.0, "FS2": 1.0, "FV1": 0.0, "FV2": 0.0})
    goal = symoro.trajectory([0.5, 0.5], [0.5, 0.5], velocity=1.0)
    KP = np.array([100.0, 40.0])
    s = symoro.simulate(
        robot, symoro.pd_gravity(robot, KP, [6.0, 2.0]), goal, q0=[0, 0], duration=3.0, method="sticking"
    )
    assert not s.qd[-1].any()
    assert (np.abs(KP * s.error[-1]) <= [2.0, 1.0]).all()
    assert np.abs(s.error[-1]).max() > 1e-4


@pytest.mark.parametrize("name", ["five-bar", "satellite", "diff-drive-2r"])
def test_other_families_are_refused(name: str) -> None:
    q0 = {"q0": [2.0, 1.0]} if name == "five-bar" else {}
    with pytest.raises(symoro.SymoroError, match="sticking is for trees on a fixed base"):
        symoro.simulate(name, duration=0.1, method="sticking", **q0)
