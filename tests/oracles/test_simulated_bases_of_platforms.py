"""Simulated platforms on bases that move, against Pinocchio's open tree with multipliers and laws of mechanics."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import symoro
from support.close import assert_close
from support.free_robots import Array, with_floating_base
from support.mechanisms import Mechanism
from support.platforms import joint_positions
from support.raised import raised
from symoro.motion.simulation import Simulation
from symoro.report.frames import frames
from symoro.robot.base import Base, BaseKind
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO, as_value

MOTION = tuple(map(as_value, (0.3, -0.2, 0.1, 0.4, -0.5, 0.6)))
V0 = np.array([0.3, -0.2, 0.1, 0.4, -0.5, 0.6])
RATES = np.array([0.2, -0.1, 0.15])


@cache
def tripod(kind: BaseKind, weightless: bool = False) -> Robot:
    """Three legs on a base, without friction."""
    robot = symoro.load("3rps")
    robot = robot.with_values({name: 0 for name in robot.values if name[:2] in ("FV", "FS")})
    gravity = (ZERO,) * 3 if weightless else tuple(map(as_value, (1.0, 2.0, -9.0)))
    if kind is BaseKind.FLOATING:
        return replace(with_floating_base(robot, 3), gravity=gravity)
    return replace(robot, gravity=gravity, base=Base(kind, velocity=MOTION, acceleration=MOTION[::-1]))


def torques(t: float) -> Array:
    return 40 + 10 * np.sin(3 * t + np.arange(3))


def run(robot: Robot, law: object, duration: float = 0.3, **start: object) -> Simulation:
    found = symoro.simulate(
        robot, law, duration=duration, qd0=RATES, method="DOP853", rtol=1e-11, period=duration / 4, **start
    )
    assert not found.stopped
    return found


def times(a: Array, b: Array) -> Array:
    """The product of two quaternions x y z w."""
    return np.r_[a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3]), a[3] * b[3] - a[:3] @ b[:3]]


def rotation(quat: Array) -> Array:
    return np.asarray(pin.Quaternion(quat / np.linalg.norm(quat)).toRotationMatrix())


def pose(position: Array, quat: Array) -> Array:
    return np.block([[rotation(quat), position[:, None]], [np.eye(4)[3:]]])


def at(s: Simulation, row: int) -> Mechanism:
    """The mechanism in a row of a run."""
    T = pose(s.part("platform_position")[row], s.part("platform_quat")[row])
    return Mechanism(s.robot, T, joint_positions(s.robot, T), s.part("quat")[row])


def velocities(s: Simulation, row: int) -> tuple[Mechanism, Array]:
    """The mechanism and its velocities u in a row of a run on a floating base."""
    m, given = at(s, row), np.r_[s.part("V0")[row], s.part("V")[row]]
    u = m.velocities_for(given, [*range(6), *range(m.count - 6, m.count)])
    assert_close(np.r_[u[:6], u[-6:]], given, 1e-9)
    return m, u


@pytest.mark.long
def test_a_floating_platform_moves_as_multipliers_say() -> None:
    """All coordinates of the open tree are integrated: those of the base, of every joint and of the platform."""
    robot = tripod(BaseKind.FLOATING)
    quat = np.array([0.1, -0.2, 0.3, 0.9])
    s = run(robot, lambda t, q, qd: torques(t), V0=V0, position0=[1.0, 2.0, 3.0], quat0=quat)
    m, u = velocities(s, 0)
    n = len(m.q)

    def rates(t: float, y: Array) -> Array:
        base, q, platform, v = y[:7], y[7 : 7 + n], y[7 + n : 14 + n], y[14 + n :]
        now = Mechanism(robot, pose(platform[:3], platform[3:]), q, base[3:] / np.linalg.norm(base[3:]))
        vd = now.direct(v, torques(t))
        vd[:3] -= np.cross(v[3:6], v[:3])  # the components in frame 0 change because it turns
        moved = np.r_[rotation(base[3:]) @ v[:3], times(base[3:], np.r_[v[3:6] / 2, 0])]
        return np.r_[moved, v[6 : 6 + n], v[-6:-3], times(np.r_[v[-3:] / 2, 0], platform[3:]), vd]

    base, platform = (np.r_[s.part(f"{of}position")[0], s.part(f"{of}quat")[0]] for of in ("", "platform_"))
    first = np.r_[base, m.q, platform, u]
    end = solve_ivp(rates, (0, s.t[-1]), first, method="DOP853", rtol=1e-9, atol=1e-11).y[:, -1]
    for name, place in (("position", slice(3)), ("platform_position", slice(7 + n, 10 + n))):
        assert_close(s.part(name)[-1], end[place], 1e-6)
    for name, place in (("quat", slice(3, 7)), ("platform_quat", slice(10 + n, 14 + n))):
        assert_close(rotation(s.part(name)[-1]), rotation(end[place]), 1e-6)
    assert_close(s.part("V0")[-1], end[14 + n : 20 + n], 1e-6)
    assert_close(s.part("V")[-1], end[-6:], 1e-6)


@pytest.mark.long
def test_a_platform_on_a_base_with_a_given_motion_moves_as_multipliers_say() -> None:
    robot = tripod(BaseKind.MOVING)
    s = run(robot, lambda t, q, qd: torques(t))
    T = pose(s.part("platform_position")[0], s.part("platform_quat")[0])
    n = len(joint_positions(robot, T))
    still = Mechanism(robot, T, joint_positions(robot, T), VP0=V0[::-1])
    u = np.zeros(still.count)
    u[:6] = V0
    fixed = Mechanism(replace(robot, base=Base()), T, still.q)
    u[6:] = fixed.velocities_for(s.part("V")[0], list(range(n, n + 6)))

    def rates(t: float, y: Array) -> Array:
        q, platform, v = y[:n], y[n : n + 7], np.r_[V0, y[n + 7 :]]
        vd = Mechanism(robot, pose(platform[:3], platform[3:]), q, VP0=V0[::-1]).direct(v, torques(t))
        return np.r_[v[6 : 6 + n], v[-6:-3], times(np.r_[v[-3:] / 2, 0], platform[3:]), vd[6:]]

    first = np.r_[still.q, s.part("platform_position")[0], s.part("platform_quat")[0], u[6:]]
    end = solve_ivp(rates, (0, s.t[-1]), first, method="DOP853", rtol=1e-9, atol=1e-11).y[:, -1]
    assert_close(s.part("platform_position")[-1], end[n : n + 3], 1e-6)
    assert_close(s.part("V")[-1], end[-6:], 1e-6)


def test_energy_and_momentum_of_a_floating_platform_are_kept() -> None:
    """No motor works and nothing has weight: energy, and momentum in the world, do not change."""
    s = run(tripod(BaseKind.FLOATING, weightless=True), None, V0=V0)
    energies, momenta = [], []
    for row in range(len(s.t)):
        m, u = velocities(s, row)
        C, A = m.centroidal()
        R, p = m.orientation, s.part("position")[row]
        linear, angular = R @ (A[:3] @ u), R @ (A[3:] @ u)
        energies.append(m.energies(u)["E"])
        momenta.append(np.r_[linear, angular + np.cross(p + R @ C, linear)])
    assert_close(s.energy.kinetic, energies, 1e-9)
    assert_close(energies, np.full(len(s.t), energies[0]), 1e-8)
    assert_close(np.array(momenta), np.tile(momenta[0], (len(s.t), 1)), 1e-8)
    assert np.abs(s.part("V0")[-1] - V0).max() > 0.01


def test_the_velocity_of_the_platform_may_follow_that_of_the_base() -> None:
    robot = tripod(BaseKind.FLOATING)
    s = run(robot, None, duration=0.02, V0=V0)
    both = symoro.simulate(robot, duration=0.02, V0=np.r_[V0, s.part("V")[0]], period=0.005)
    assert_close(both.part("V0")[0], V0, 1e-12)
    assert_close(both.qd[0], RATES, 1e-9)
    with raised("simulation.twist_shape"):
        symoro.simulate(robot, duration=0.02, V0=np.zeros(5))


def test_frames_of_a_run_lie_in_the_world() -> None:
    s = run(tripod(BaseKind.FLOATING), None, duration=0.1, V0=V0)
    seen = {name: np.array(x).reshape(-1, 4, 4) for name, x in frames(s, rate=40.0)["poses"].items()}
    base = np.array([pose(p, quat) for p, quat in zip(s.part("position"), s.part("quat"), strict=True)])
    assert_close(seen["0"], base, 1e-12)
    assert_close(seen["platform"], base @ s.T, 1e-12)


@pytest.mark.long
@pytest.mark.parametrize("kind", [BaseKind.FLOATING, BaseKind.MOVING])
def test_a_controller_with_a_model_makes_the_errors_of_motors_linear(kind: BaseKind) -> None:
    """ë + 2 ω ė + ω² e = 0 however the base moves, so that e = e₀ (1 + ω t) exp(−ω t)."""
    robot = tripod(kind)
    home = symoro.simulate(robot, duration=0.001).q[0]
    stay = symoro.trajectory(home, home + 0.02, duration=0.4)
    s = symoro.simulate(
        robot, symoro.computed_torque(robot, 20.0), stay, q0=home - 0.01, qd0=np.zeros(3), method="DOP853", period=0.05
    )
    expected = 0.01 * (1 + 20 * s.t) * np.exp(-20 * s.t)
    assert_close(s.error, np.tile(expected[:, None], 3), 1e-6)
    assert "V0" in s.plant.places or kind is BaseKind.MOVING


@pytest.mark.long
def test_motors_that_stick_make_the_robot_one_body() -> None:
    """With friction that nothing overcomes, the platform keeps its place on the base, and the momentum its value."""
    robot = tripod(BaseKind.FLOATING, weightless=True)
    stuck = robot.with_values({name: 1e5 for name in robot.values if name[:2] == "FS"})
    s = symoro.simulate(stuck, duration=0.1, V0=V0, method="sticking", period=0.002)
    assert not s.stopped
    assert np.abs(s.q - s.q[0]).max() < 1e-9
    assert np.abs(s.part("V")).max() < 1e-9
    assert_close(s.energy.kinetic, np.full(len(s.t), s.energy.kinetic[0]), 1e-4)


def test_the_inertia_that_motors_see_on_a_free_base_must_be_given() -> None:
    robot = tripod(BaseKind.FLOATING)
    with raised("controllers.inertia_unknown"):
        symoro.pid(robot, 10.0)
    assert set(symoro.pid(robot, 10.0, inertia=3.0).model.inputs) == {"q", "qd", "qr", "qrd", "qrdd", "z"}
