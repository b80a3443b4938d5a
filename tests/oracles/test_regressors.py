"""Identification models against torques, work and filtered torques that Pinocchio computes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import symoro
from support.close import assert_close
from support.pinocchio_robot import Oracle, oracle
from support.random_robots import random_robot
from support.samples import named
from support.trees import tree_names
from symoro.bind.interface import robot_numbers
from symoro.models.identification.regressors.filtered import filters
from symoro.robot.base import BaseKind
from symoro.robot.link import Drive, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, evaluate

PARAMS = ("standard", "base")
MASSLESS = ("rx90-k13",)  # its parameters are base parameters; Pinocchio accepts physical bodies only
LONGER = ("stanford", "two-arm", "planar3r", "puma560-symmetric")
MOVERS = named(("rx90", "scara", *LONGER), LONGER)


def drive_numbers(robot: Robot) -> dict[str, np.ndarray]:
    movable = [j.index for j in robot.joints[: robot.link_count] if j.movable]
    known = robot_numbers(robot)
    return {n: np.array([evaluate(getattr(robot.drive(j), n), known) for j in movable]) for n in ("IA", "FV", "FS")}


def model_of(robot: Robot) -> Oracle:
    """Pinocchio's model with the rotor inertias of the robot."""
    o = oracle(robot, robot_numbers(robot), free=robot.base.kind is BaseKind.MOVING)
    armature = np.zeros(o.model.nv)
    armature[o.velocity_index] = drive_numbers(robot)["IA"]
    o.model.armature = armature
    return o


def torques(robot: Robot, o: Oracle, state: dict[str, np.ndarray]) -> np.ndarray:
    """Pinocchio's torques with friction added (K97:20)."""
    base = None
    if "V0" in state:  # Pinocchio takes the spatial acceleration, the papers the classical one
        base = state["VP0"] - np.r_[np.cross(state["V0"][3:], state["V0"][:3]), 0, 0, 0]
    q, v, a = o.q(state["q"]), o.v(state["qd"], state.get("V0")), o.v(state["qdd"], base)
    drives = drive_numbers(robot)
    friction = drives["FV"] * state["qd"] + drives["FS"] * np.sign(state["qd"])
    return pin.rnea(o.model, o.data, q, v, a)[o.velocity_index] + friction


def numbers(robot: Robot, columns: tuple[str, ...]) -> np.ndarray:
    """The values of the parameters that the columns belong to."""
    known = robot_numbers(robot) | symoro.base_parameters(robot, friction=True).numbers
    return np.array([known[name] for name in columns])


@cache
def robots() -> list[Robot]:
    kinds = ("mixed", "prismatic", "revolute")
    found = [random_robot(s, structure=("serial", "tree")[s % 2], kinds=kinds[s // 2 % 3]) for s in range(12)]
    return [*found, *(symoro.load(name) for name in tree_names() if name not in MASSLESS)]


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("robot", robots(), ids=lambda robot: robot.name)
def test_regressor_times_parameters_is_torque(robot: Robot, params: str) -> None:
    rng = np.random.default_rng(4)
    model = symoro.dynamic_regressor(robot, params=params, optimize=False)
    state = {array.name: rng.normal(size=array.shape) for array in model.program.inputs}
    D = model.compile("numpy")(**state)
    assert D.shape[-1] == len(model.columns)
    assert_close(D @ numbers(robot, model.columns), torques(robot, model_of(robot), state), 1e-10)


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("name", ["rx90", "scara"])
def test_optimised_regressors_are_the_same(name: str, params: str) -> None:
    rng = np.random.default_rng(5)
    for make in (
        symoro.dynamic_regressor,
        symoro.energy_regressor,
        symoro.energy_difference_regressor,
        symoro.power_regressor,
        symoro.filtered_regressor,
    ):
        plain, lean = make(name, params=params, optimize=False), make(name, params=params)
        state = {array.name: rng.normal(size=array.shape) for array in plain.program.inputs}
        pairs = zip(_arrays(plain, state), _arrays(lean, state), strict=True)
        for a, b in pairs:
            assert_close(a, b, 1e-12)
        assert lean.ops.total <= plain.ops.total


def _arrays(model: symoro.Model, state: dict[str, np.ndarray]) -> tuple[np.ndarray, ...]:
    found = model.compile("numpy")(**state)
    return found if isinstance(found, tuple) else (found,)


def fixed_base(robots: list[Robot]) -> list[Robot]:
    return [robot for robot in robots if robot.base.kind is BaseKind.FIXED]


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("robot", fixed_base(robots()), ids=lambda robot: robot.name)
def test_power_is_velocity_times_torque(robot: Robot, params: str) -> None:
    rng = np.random.default_rng(6)
    model = symoro.power_regressor(robot, params=params, optimize=False)
    state = {array.name: rng.normal(size=array.shape) for array in model.program.inputs}
    dh = model.compile("numpy")(**state)
    expected = state["qd"] @ torques(robot, model_of(robot), state)
    assert_close(dh @ numbers(robot, model.columns), expected, 1e-10)


def without_friction(robot: Robot) -> Robot:
    drives = tuple(Drive(IA=Symbol(f"IA{j}")) for j, _ in enumerate(robot.drives, 1))
    values = {**{f"IA{j}": 0.3 for j, _ in enumerate(drives, 1)}, **robot.values}
    return replace(robot, drives=drives, wrenches=(Wrench(),) * robot.link_count, values=values)  # type: ignore[arg-type]


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("name", MOVERS)
def test_work_along_a_simulated_motion(name: str, params: str) -> None:
    """Simulate with torques that change with time; their work is the difference of h times the parameters (K97:47)."""
    robot = without_friction(symoro.load(name))
    o, n = model_of(robot), len(drive_numbers(robot)["IA"])
    rng = np.random.default_rng(7)
    amplitude, rate = rng.normal(size=n) * 3, rng.uniform(1, 6, size=n)

    def motion(t: float, x: np.ndarray) -> np.ndarray:
        q, qd, torque = x[:n], x[n : 2 * n], amplitude * np.cos(rate * t)
        qdd = pin.aba(o.model, o.data, o.q(q), o.v(qd), o.v(torque))[o.velocity_index]
        return np.r_[qd, qdd, torque @ qd]

    start = np.r_[rng.normal(size=2 * n) * 0.5, 0]
    run = solve_ivp(motion, (0, 0.6), start, method="DOP853", rtol=1e-12, atol=1e-12, t_eval=[0.2, 0.4, 0.6])
    model = symoro.energy_regressor(robot, params=params, optimize=False)
    h, K = model.compile(), numbers(robot, model.columns)
    states = np.column_stack([start, run.y])
    q, qd, work = states[:n].T, states[n : 2 * n].T, states[-1]
    assert_close(np.diff(h(q, qd) @ K), np.diff(work), 1e-8)
    difference = symoro.energy_difference_regressor(robot, params=params, optimize=False)
    assert difference.columns == model.columns
    assert_close(difference.compile()(q[:-1], qd[:-1], q[1:], qd[1:]) @ K, np.diff(work), 1e-8)


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("robot", fixed_base(robots()), ids=lambda robot: robot.name)
def test_the_difference_of_energies(robot: Robot, params: str) -> None:
    """DH is h at the end minus h at the start; friction is not part of it."""
    model = symoro.energy_difference_regressor(robot, params=params, optimize=False)
    start, end = np.random.default_rng(10).normal(size=(2, 2, *model.inputs["q"]))
    energy = symoro.energy_regressor(robot, params=params, friction=False, offset=False, optimize=False)
    h = energy.compile("numpy")
    assert model.columns == energy.columns
    assert_close(model.compile("numpy")(*start, *end), h(*end) - h(*start), 1e-12)


def swinging(n: int, seed: int) -> Callable[[float], tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """A smooth motion that starts at rest; no joint turns back in the first second."""
    rng = np.random.default_rng(seed)
    size, rate = rng.uniform(0.2, 0.6, size=n), rng.uniform(1, 2, size=n)

    def at(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        q = size * (1 - np.cos(rate * t))
        return q, size * rate * np.sin(rate * t), size * rate**2 * np.cos(rate * t)

    return at


@pytest.mark.parametrize("params", PARAMS)
def test_work_with_friction(params: str) -> None:
    """The work of friction is the integral of hf times the friction parameters."""
    robot = replace(symoro.load("scara"), wrenches=())
    o, at = model_of(robot), swinging(4, 8)
    model = symoro.energy_regressor(robot, params=params, offset=True, optimize=False)
    f = model.compile()
    hf = [name.partition("_")[2] for name in model.program.outputs[1].names]

    def motion(t: float, x: np.ndarray) -> np.ndarray:
        q, qd, qdd = at(t)
        power = qd @ torques(robot, o, {"q": q, "qd": qd, "qdd": qdd})
        return np.r_[power, f(q, qd).hf]

    run = solve_ivp(motion, (0.1, 1.0), np.zeros(1 + len(hf)), rtol=1e-11, atol=1e-12)
    known = robot_numbers(robot) | {f"FO{j}": 0.0 for j in range(1, 5)}
    K = numbers(robot, tuple(c for c in model.columns if c not in hf))
    stored = (f(*at(1.0)[:2]).h - f(*at(0.1)[:2]).h) @ K
    taken = run.y[1:, -1] @ np.array([known[name] for name in hf])
    assert_close(stored + taken, run.y[0, -1], 1e-8)


@pytest.mark.parametrize("params", PARAMS)
@pytest.mark.parametrize("name", MOVERS)
def test_filtered_model_is_the_filtered_torque(name: str, params: str) -> None:
    """Torques and columns pass the same second-order filter (K97:44-46), which is integrated numerically."""
    robot = replace(symoro.load(name), wrenches=())
    o, n, a = model_of(robot), len(drive_numbers(robot)["IA"]), 30.0
    F, derived = filters(a)
    assert F.numerator == (a * a,)
    assert derived.numerator == (a * a, 0.0)
    at = swinging(n, 9)
    model = symoro.filtered_regressor(robot, params=params, optimize=False)
    f, K = model.compile(), numbers(robot, model.columns)

    def motion(t: float, x: np.ndarray) -> np.ndarray:
        q, qd, qdd = at(t)
        D = f(q, qd)
        given = np.r_[torques(robot, o, {"q": q, "qd": qd, "qdd": qdd}), D.D1 @ K, D.D2 @ K]
        y, yd = x[: 3 * n], x[3 * n :]
        return np.r_[yd, F.numerator[0] * given - F.denominator[1] * yd - F.denominator[2] * y]

    run = solve_ivp(motion, (0, 1.0), np.zeros(6 * n), rtol=1e-9, atol=1e-9, t_eval=np.linspace(0.1, 1, 10))
    torque, _, second = run.y[: 3 * n].reshape(3, n, -1)
    first = run.y[3 * n :].reshape(3, n, -1)[1]
    assert_close(first + second, torque, 1e-6)
