"""Coulomb friction that sticks: closed forms of a sliding block, loads that do not move, and SciPy's least squares."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq, minimize

import symoro
from support.close import assert_close
from support.families import without_friction
from support.raised import raised
from symoro.motion.dry import friction
from symoro.robot.robot import Robot
from symoro.robot.values import as_value

NO_GRAVITY = symoro.load("satellite").gravity


def block(mass: float = 2.0, **drive: float) -> Robot:
    """A mass on a line."""
    return symoro.Robot.from_mdh([{"kind": "prismatic", "inertia": {"M": mass}, "drive": drive}], gravity=NO_GRAVITY)


METHODS = {"sticking": 1e-5, "stick-slip": 1e-9}
"""The methods, and how exact they are across changes between sticking and sliding."""


@pytest.mark.parametrize("method", METHODS)
def test_a_sliding_block_stops_where_the_closed_form_says_and_stays(method: str) -> None:
    """v = v0 − F t / m; it stops after m v0 / F, having gone m v0² / 2F."""
    s = symoro.simulate(block(FS=3.0), duration=2.0, qd0=[1.5], method=method)
    stop, way = 2.0 * 1.5 / 3.0, 2.0 * 1.5**2 / (2 * 3.0)
    sliding = s.t < stop
    assert_close(s.q[sliding, 0], 1.5 * s.t[sliding] - 3.0 * s.t[sliding] ** 2 / 4, 1e-9)
    assert_close(s.q[-1, 0], way, METHODS[method])
    assert (s.qd[s.t > stop + 0.002] == 0).all()
    assert len(np.unique(s.q[s.t > stop + 0.002])) == 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("push", "moves"), [(2.9, False), (-2.9, False), (3.5, True), (-3.5, True)])
def test_a_push_moves_the_block_only_above_its_friction(push: float, moves: bool, method: str) -> None:
    s = symoro.simulate(block(FS=3.0), lambda t, q, qd: [push], duration=1.0, method=method)
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
    v = free - W @ friction(free, W, lower, upper).f
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


def test_a_block_that_is_shaken_sticks_and_slips_as_the_closed_form_says() -> None:
    """5 sin t against friction 3: it slips where 5 sin t = 3, and stops where the integral of 5 sin t − 3 is 0."""
    s = symoro.simulate(
        block(FS=3.0), lambda t, q, qd: [5 * np.sin(t)], duration=2.2 * np.pi, period=np.pi / 500, method="stick-slip"
    )
    slip = np.arcsin(3 / 5)

    def speed(t: Any) -> Any:
        return (5 * (np.cos(slip) - np.cos(t)) - 3 * (t - slip)) / 2.0

    def way(t: Any) -> Any:
        return (5 * (np.cos(slip) * (t - slip) - np.sin(t) + np.sin(slip)) - 3 * (t - slip) ** 2 / 2) / 2.0

    stop = brentq(speed, slip + 0.1, np.pi + slip)
    forth = np.where(s.t < slip, 0.0, way(np.clip(s.t, slip, stop)))
    assert_close(s.q[s.t < np.pi + slip, 0], forth[s.t < np.pi + slip], 1e-9)
    assert_close(s.q[-1, 0], 0.0, 1e-8)  # back again
    assert (s.qd[(s.t > stop) & (s.t < np.pi + slip)] == 0).all()


PARALLELOGRAM = {"L1": 0.4, "L2": 0.45, "L3": 0.4, "L4": 0.45, "G2": 0.0, "FV1": 0.0, "FV2": 0.0, "FV3": 0.0}


def parallelogram() -> Robot:
    """A four-bar linkage whose coupler does not turn, with friction in its motor and in two passive joints."""
    found = symoro.load("four-bar").with_values(PARALLELOGRAM)
    sizes = (0.1, 0.2, 0.3)
    drives = tuple(replace(d, FS=as_value(size)) for d, size in zip(found.drives, sizes, strict=False))
    return replace(found, drives=(*drives, *found.drives[len(sizes) :]))


@pytest.mark.parametrize("method", METHODS)
def test_friction_in_all_joints_of_a_loop(method: str) -> None:
    """The crank of a parallelogram sees ZZ1 + IA1 + M2 L1² + ZZ3 and the friction of all three joints."""
    robot = parallelogram()
    v = robot.values.numbers()
    inertia = v["ZZ1"] + v["IA1"] + v["M2"] * 0.4**2 + v["ZZ3"]
    s = symoro.simulate(robot, q0=[0.6, -0.6, 0.6], qd0=[1.5], duration=1.0, period=2e-3, method=method)
    brake = 0.1 + 0.2 + 0.3
    stop = inertia * 1.5 / brake
    t = np.minimum(s.t, stop)
    assert stop < 0.8
    assert_close(s.q[:, 0], 0.6 + 1.5 * t - brake / inertia * t**2 / 2, 10 * METHODS[method])
    assert (s.qd[s.t > stop + 0.004] == 0).all()
    assert symoro.loop_geometry(robot).compile().closure(s.q).residual.max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("push", "moves"), [(0.55, False), (0.65, True)])
def test_a_loop_is_held_by_the_friction_of_all_its_joints(method: str, push: float, moves: bool) -> None:
    s = symoro.simulate(
        parallelogram(), lambda t, q, qd: [push], q0=[0.6, -0.6, 0.6], duration=0.1, period=2e-3, method=method
    )
    assert bool((s.q == s.q[0]).all()) != moves


FLOATING = """
format = 1
name = "two-masses"
gravity = [0, 0, 0]
[base]
kind = "floating"
inertia = {M = 3.0, XX = 1.0, YY = 1.0, ZZ = 1.0}
[[joints]]
kind = "prismatic"
inertia = {M = 2.0, XX = 0.1, YY = 0.1, ZZ = 0.1}
drive = {FS = 1.5}
"""


@pytest.mark.parametrize("method", METHODS)
def test_two_masses_that_float_come_to_rest_to_each_other(method: str, tmp_path: Path) -> None:
    """The reduced mass 3 · 2 / (3 + 2) is braked; the common centre goes straight on."""
    (tmp_path / "masses.toml").write_text(FLOATING)
    s = symoro.simulate(tmp_path / "masses.toml", qd0=[1.0], duration=1.2, period=2e-3, method=method)
    stop = 1.2 * 1.0 / 1.5
    t = np.minimum(s.t, stop)
    assert_close(s.q[:, 0], t - 1.5 / 1.2 * t**2 / 2, 2 * METHODS[method])
    assert (s.qd[s.t > stop + 0.004] == 0).all()
    z = s.part("position")[:, 2]
    assert_close(3 * z + 2 * (z + s.q[:, 0]), 2.0 * s.t, 1e-9)


@pytest.mark.long
@pytest.mark.parametrize(("name", "q0"), [("five-bar", [2.0, 1.0]), ("diff-drive-2r", None), ("satellite", None)])
def test_fixed_steps_are_near_the_events(name: str, q0: Any) -> None:
    robot = symoro.load(name)
    robot = replace(robot, drives=tuple(replace(drive, FS=as_value(0.4)) for drive in robot.drives))
    given: dict[str, Any] = {"q0": q0, "duration": 0.4}
    given |= {} if q0 else {"qd0": np.linspace(1.0, 0.2, symoro.computed_torque(robot).motors)}
    exact = symoro.simulate(robot, method="stick-slip", period=0.04, **given).q[-1]
    for h in (4e-3, 1e-3):  # of order 1 across changes
        found = symoro.simulate(robot, method="sticking", period=h, **given).q[-1]
        assert np.abs(found - exact).max() < h


def test_static_friction_is_refused() -> None:
    with raised("simulation.no_coulomb"):
        symoro.simulate(block(FS=3.0, FST=4.0), duration=0.1, method="stick-slip")
