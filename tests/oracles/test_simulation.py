"""Simulated motions against SciPy's solvers with Pinocchio's accelerations, and against laws of mechanics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import symoro
from support.close import assert_close
from support.families import without_drives, without_friction
from support.free_robots import Tree
from support.pinocchio_loops import ConstrainedRobot
from support.samples import named
from symoro.formats import toml
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs

Array = Any


def pushed(t: float, n: int) -> Array:
    """Torques that change with time."""
    return np.array([2 * np.sin(3 * t + j) for j in range(n)])


def spun(quat: Array, omega: Array) -> Array:
    """The derivative of a quaternion x y z w for an angular velocity in the body, by Pinocchio."""
    whole = pin.Quaternion(*quat[[3, 0, 1, 2]]) * pin.Quaternion(0.0, *omega)
    return whole.coeffs() / 2


def tree_rates(robot: Robot, motors: list[int]) -> Callable[[float, Array], Array]:
    n = sum(joint.movable for joint in robot.joints)

    def rates(t: float, y: Array) -> Array:
        q, qd = y[:n], y[n:]
        return np.r_[qd, Tree(robot, {"q": q, "qd": qd}).accelerations(pushed(t, len(motors)))]

    return rates


def floating_rates(robot: Robot, motors: list[int]) -> Callable[[float, Array], Array]:
    n = len(motors)

    def rates(t: float, y: Array) -> Array:
        quat, V0, q, qd = y[:4], y[4:10], y[10 : 10 + n], y[10 + n :]
        state = {"quat": quat / np.linalg.norm(quat), "V0": V0, "q": q, "qd": qd}
        found = Tree(robot, state).accelerations(pushed(t, n))
        found[:3] -= np.cross(V0[3:], V0[:3])
        return np.r_[spun(quat, V0[3:]), found[:6], qd, found[6:]]

    return rates


def loop_rates(robot: Robot, motors: list[int]) -> Callable[[float, Array], Array]:
    m = len(motors)

    def rates(t: float, y: Array) -> Array:
        q, v = y[:-m], y[-m:]
        peer = ConstrainedRobot(robot, q)
        tau = pushed(t, m)
        return np.r_[peer.velocities(v)[peer.tree], peer.accelerations({"q": q, "qd": v, "tau": tau})]

    return rates


CASES = ["puma560", "two-arm", "flexible-joints", "satellite", "four-bar", "five-bar"]


def case(name: str) -> Robot:
    return without_drives(symoro.load(name)) if name != "flexible-joints" else symoro.load(name)


@pytest.mark.parametrize("name", named(CASES, ("two-arm", "four-bar", "five-bar", "flexible-joints")))
def test_a_motion_under_torques_is_that_of_pinocchio(name: str) -> None:
    """Over 2 s; the five-bar linkage, which comes to a dead point, over 0.5 s."""
    robot = case(name)
    duration = 0.5 if name == "five-bar" else 2.0
    q0 = {"four-bar": [1.3], "five-bar": [2.0, 1.0]}.get(name)
    m = len([j for j in robot.joints[: robot.link_count] if j.actuated])
    s = symoro.simulate(
        robot, lambda t, q, qd: pushed(t, m), duration=duration, period=0.1, method="DOP853", q0=q0, rtol=1e-11
    )
    tree = motor_spring_pairs(robot)
    motors = [j.index for j in tree.joints[: tree.link_count] if j.actuated]
    parts = [x for x in ("quat", "V0", "q", "qd") if x in s.plant.parts]
    make = loop_rates if robot.cuts else floating_rates if "V0" in parts else tree_rates
    start = np.concatenate([s.part(part)[0] for part in parts])
    peer = solve_ivp(make(tree, motors), (0, duration), start, method="DOP853", rtol=1e-9, atol=1e-11)
    assert peer.success
    found = np.concatenate([s.part(part)[-1] for part in parts])
    assert np.abs(found - start).max() > 0.05
    assert_close(found, peer.y[:, -1], 1e-6)


@pytest.mark.parametrize("name", ["planar2r", "rx90", "satellite", "flexible-joints", "five-bar", "diff-drive-2r"])
def test_fixed_and_adaptive_steps_agree(name: str) -> None:
    robot = without_friction(symoro.load(name))
    start = {"q0": [2.0, 1.0]} if name == "five-bar" else {}
    springs = name == "flexible-joints"  # they need shorter steps
    fixed = symoro.simulate(robot, duration=0.5, substeps=8 if springs else 1, **start)
    adaptive = symoro.simulate(robot, duration=0.5, method="DOP853", **start)
    assert_close(fixed.states, adaptive.states, 1e-7)


@pytest.mark.parametrize("name", named(["planar2r", "rx90", "four-bar", "panda"], ("panda",)))
def test_energy_is_kept_without_friction_and_drive(name: str) -> None:
    robot = without_friction(symoro.load(name))
    n = len(robot.joints)
    starts = {"four-bar": [0.3], "panda": [0.5, 0.6, 0.7, -0.7, 0.8, 0.9, 1.0]}
    q0 = starts.get(name, np.linspace(0.5, 1.0, n))
    s = symoro.simulate(robot, duration=10.0, q0=q0)
    total = s.energy.kinetic + s.energy.potential
    assert s.energy.kinetic.max() > 0.5
    assert_close(total, np.full_like(total, total[0]), 1e-6)


def test_the_momentum_of_a_satellite_is_kept_in_the_world() -> None:
    robot = symoro.load("satellite")
    t = symoro.trajectory([0.0, 0.0, 0.0], [1.0, -0.5, 2.0], duration=1.0)
    V0 = [0.1, -0.2, 0.05, 0.3, 0.2, -0.1]
    s = symoro.simulate(robot, symoro.computed_torque(robot), t, V0=V0, quat0=[0.1, 0.2, 0.3, 0.9])
    momentum = symoro.centroidal_momentum(robot).compile()
    h = momentum(**{name: s.part(name) for name in momentum.inputs})
    turned = np.array([pin.Quaternion(*x[[3, 0, 1, 2]]).matrix() for x in s.part("quat")])
    h = np.asarray(h if isinstance(h, np.ndarray) else h[0]).reshape(len(s.t), 2, 3)
    world = np.einsum("tij,tkj->tki", turned, h)
    assert_close(world, np.broadcast_to(world[0], world.shape), 1e-9)


def test_the_centre_of_mass_of_a_satellite_goes_straight_on() -> None:
    robot = symoro.load("satellite")
    t = symoro.trajectory([0.0, 0.0, 0.0], [1.0, -0.5, 2.0], duration=1.0)
    s = symoro.simulate(robot, symoro.computed_torque(robot), t, V0=[0.1, -0.2, 0.05, 0.3, 0.2, -0.1])
    centre = np.asarray(symoro.centre_of_mass(robot).compile()(s.q))
    turned = np.array([pin.Quaternion(*x[[3, 0, 1, 2]]).matrix() for x in s.part("quat")])
    world = s.part("position") + np.einsum("tij,tj->ti", turned, centre)
    line = world[0] + s.t[:, None] * (world[-1] - world[0]) / s.t[-1]
    assert_close(world, line, 1e-9)


@pytest.mark.parametrize("method", ["rk4", "DOP853"])
@pytest.mark.parametrize(("name", "q0", "duration"), [("four-bar", [0.3], 1.0), ("five-bar", [2.0, 1.0], 0.5)])
def test_loops_stay_closed(name: str, q0: list[float], duration: float, method: str) -> None:
    robot = without_friction(symoro.load(name))
    s = symoro.simulate(robot, duration=duration, q0=q0, method=method, rtol=1e-6)
    assert not s.stopped
    assert np.ptp(s.q, axis=0).max() > 0.1
    assert symoro.loop_geometry(robot).compile().closure(s.q).residual.max() < 1e-9


def test_at_a_dead_point_the_simulation_stops_and_keeps_closed_rows() -> None:
    """A five-bar linkage that falls freely comes to a dead point after 0.565 s, by DOP853 to 1e-10."""
    robot = without_friction(symoro.load("five-bar"))
    s = symoro.simulate(robot, duration=3.0, q0=[2.0, 1.0])
    assert s.ended is not None
    assert s.ended.fields["reason"].code == "simulation.dead_point_met"
    assert 0.56 < s.t[-1] < 0.565
    assert len(s.q) == len(s.t) == len(s.tau)
    assert symoro.loop_geometry(robot).compile().closure(s.q).residual.max() < 1e-9


@pytest.mark.parametrize("method", ["rk4", "DOP853"])
def test_quaternions_stay_unit(method: str) -> None:
    s = symoro.simulate("satellite", duration=5.0, V0=[0, 0, 0, 2.0, 1.0, 3.0], method=method, rtol=1e-6, period=0.01)
    assert_close(np.linalg.norm(s.part("quat"), axis=1), np.ones(len(s.t)), 1e-14)


def test_a_vehicle_on_a_circle() -> None:
    """Wheels at constant speeds: the base moves on the circle of the textbook."""
    robot = symoro.load("diff-drive-2r")
    radius, half = 0.1, 0.25
    left, right = 5.0, 7.0
    t = symoro.trajectory([0, 0, 0, 0], [2 * left, 2 * right, 0, 0], "linear", duration=2.0)
    s = symoro.simulate(robot, symoro.computed_torque(robot, 20.0), t, qd0=[left, right, 0, 0], duration=2.0)
    speed, turn = radius * (left + right) / 2, radius * (right - left) / (2 * half)
    angle = turn * s.t
    circle = speed / turn * np.column_stack([np.sin(angle), 1 - np.cos(angle), 0 * angle])
    assert_close(s.part("position"), circle, 1e-6)


def test_the_runs_of_a_batch_are_those_of_single_ones() -> None:
    robot = symoro.load("planar3r")
    t = symoro.trajectory(np.zeros(3), np.ones(3), duration=0.3)
    control = symoro.pid(robot, 8.0)
    starts = np.random.default_rng(0).normal(size=(4, 3), scale=0.1)
    many = symoro.simulate(robot, control, t, q0=starts)
    for k, q0 in enumerate(starts):
        one = symoro.simulate(robot, control, t, q0=q0)
        assert_close(many.q[k], one.q, 1e-12)
        assert_close(many.tau[k], one.tau, 1e-12)
    assert many.error.shape == (4, len(t.times(301)), 3)


def test_a_controller_that_is_a_function_of_python() -> None:
    robot = symoro.load("planar2r")
    t = symoro.trajectory([0.0, 0.0], [1.0, 0.5], duration=0.2)
    law = symoro.computed_torque(robot)
    f = law.compile()
    by_hand = symoro.simulate(robot, lambda time, q, qd: f(q, qd, *t(time)), t)
    compiled = symoro.simulate(robot, law, t)
    assert_close(by_hand.q, compiled.q, 1e-12)
    assert_close(by_hand.tau, compiled.tau, 1e-10)


def test_wrenches_act() -> None:
    """A force along z of the tool of a SCARA: its prismatic joint is pushed as Newton says."""
    robot = without_friction(symoro.load("scara"))
    drop = symoro.simulate(robot, duration=0.2)
    pushed = symoro.simulate(robot, duration=0.2, wrench=[[0.0, 0.0, 5.0, 0.0, 0.0, 0.0]])
    changing = symoro.simulate(
        robot, duration=0.2, wrench=lambda t: np.tile([0.0, 0.0, 5.0, 0.0, 0.0, 0.0], (len(t), 1, 1))
    )
    assert_close(pushed.q, changing.q, 1e-14)
    accelerations = symoro.direct_dynamics(robot).compile()
    zero = np.zeros(4)
    push = np.array([[0.0, 0.0, 5.0, 0.0, 0.0, 0.0]])
    gained = accelerations(zero, zero, zero, wrench=push) - accelerations(zero, zero, zero)
    assert_close((pushed.q - drop.q)[-1], gained * 0.2**2 / 2, 1e-6)
    assert np.abs(gained).max() > 0.1


def test_what_is_simulated_has_its_own_values() -> None:
    robot = symoro.load("planar2r")
    heavy = symoro.simulate(robot, duration=0.5, q0=[0.3, 0.2], values={"M2": 9.0, "ZZ2": 1.0})
    other = symoro.simulate(robot.with_values({"M2": 9.0, "ZZ2": 1.0}), duration=0.5, q0=[0.3, 0.2])
    assert_close(heavy.q, other.q, 1e-14)
    assert np.abs(heavy.q - symoro.simulate(robot, duration=0.5, q0=[0.3, 0.2]).q).max() > 1e-3


def test_more_steps_in_a_period_are_more_exact() -> None:
    robot = without_friction(symoro.load("planar2r"))
    exact = symoro.simulate(robot, duration=1.0, q0=[1.0, 0.5], period=0.01, method="DOP853", rtol=1e-12, atol=1e-13)
    errors = [
        np.abs(symoro.simulate(robot, duration=1.0, q0=[1.0, 0.5], period=0.01, substeps=n).q - exact.q).max()
        for n in (1, 2, 4)
    ]
    assert errors[0] / errors[1] > 12  # 16 is order 4
    assert errors[1] / errors[2] > 12


def test_friction_takes_the_energy_away() -> None:
    """The loss of energy is the work of friction, which the friction model gives."""
    robot = symoro.load("four-bar")
    robot = replace(robot, drives=tuple(replace(d, FS=symoro.load("planar2r").drives[0].FS) for d in robot.drives))
    s = symoro.simulate(robot, duration=1.0, q0=[0.3])
    loss = symoro.friction(robot).compile()
    power = np.einsum("ti,ti->t", np.atleast_2d(loss(s.q, s.qd)), s.qd)
    total = s.energy.kinetic + s.energy.potential
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * np.diff(s.t))])
    assert_close(total + work, np.full_like(total, total[0]), 1e-5)
    assert total[0] - total[-1] > 0.01


CASTOR = """
name = "castor"
[base]
kind = "mobile"
inertia = {M = 8, XX = 0.5, YY = 0.5, ZZ = 0.6}
wheels = [{joint = "left", radius = 0.1}, {joint = "right", radius = 0.1}, {joint = "wheel", radius = 0.05}]
[[joints]]
name = "left"
alpha = "-pi/2"
r = 0.3
[[joints]]
name = "swivel"
parent = 0
d = -0.25
actuated = false
[[joints]]
name = "wheel"
alpha = "-pi/2"
d = -0.03
actuated = false
[[joints]]
name = "right"
parent = 0
alpha = "-pi/2"
r = -0.3
"""


def test_a_castor_swivels_as_it_rolls() -> None:
    """It does not slip sideways: b (ω + ṡ) = v sin s − ω d cos s, with its trail b behind the pivot at d."""
    robot = toml.read_text(CASTOR, "castor").robot
    s = symoro.simulate(robot, duration=0.5, q0=[0.0, 0.3, 0.0, 0.0], qd0=[3.0, 1.0])
    v, w, b, d = 0.1 * (3 + 1) / 2, 0.1 * (1 - 3) / 0.6, -0.03, -0.25

    def swivels(_: float, angle: Any) -> Any:
        return (v * np.sin(angle) - w * d * np.cos(angle)) / b - w

    wanted = solve_ivp(swivels, (0, 0.5), [0.3], rtol=1e-10, atol=1e-12).y[0, -1]
    assert_close(s.q[-1], [1.5, wanted, s.q[-1, 2], 0.5], 1e-8)
    rolled = np.gradient(s.q[:, 2], s.t) * 0.05
    along = v * np.cos(s.q[:, 1]) + w * d * np.sin(s.q[:, 1])
    assert_close(rolled[2:-2], along[2:-2], 1e-4)
    law = symoro.computed_torque(robot, 10.0)
    path = symoro.trajectory([0.0, 0.0], [1.0, 2.0], duration=0.5)
    held = symoro.simulate(robot, law, path, q0=[0.05, 0.3, 0.0, 0.0], method="DOP853", period=0.05)
    assert_close(held.error[:, 0], -0.05 * (1 + 10 * held.t) * np.exp(-10 * held.t), 1e-7)
