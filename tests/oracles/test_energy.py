"""Energy is conserved in ten seconds of motion: springs, loops, wheels, floating in space, an eel.

The models give the accelerations; the energy comes from Pinocchio's mass matrix and potential, and from the springs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import symoro
from support.free_robots import Array, Tree, driven, movable
from support.loops import closed_configuration
from symoro.interface import robot_numbers
from symoro.robot.base import Base, BaseKind
from symoro.robot.link import Drive, Wrench
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs
from symoro.robot.values import ZERO
from symoro.robot.values import evaluate as value_of

SECONDS, TOLERANCE = 10.0, 1e-6
UPRIGHT = np.array([0.0, 0.0, 0.0, 1.0])


def ideal(name: str) -> Robot:
    """A robot of the library without friction, and with nothing acting on it; K13's joints as pairs."""
    robot = motor_spring_pairs(symoro.load(name))
    return replace(
        robot, drives=tuple(Drive(IA=d.IA) for d in robot.drives), wrenches=tuple(Wrench() for _ in robot.wrenches)
    )


def energy(robot: Robot, q: Array, qd: Array, base: tuple[Array, Array, Array] | None = None) -> tuple[float, float]:
    """Kinetic and potential; `base` is position, orientation and velocity of a free one."""
    free = replace(robot, base=Base(BaseKind.FLOATING, inertia=robot.base.inertia)) if base else robot
    place, quat, V0 = base or (np.zeros(3), UPRIGHT, np.zeros(6))
    tree = Tree(free, {"q": q, "quat": quat, "V0": V0}, qd)
    u = np.r_[V0, qd] if base else qd
    at = tree.q.copy()
    if base:
        at[:3] = place
    potential = pin.computePotentialEnergy(tree.o.model, tree.o.data, at)
    for k, j in enumerate(movable(robot)):
        joint = robot.joint(j)
        if joint.elastic:
            stiffness, rest = (value_of(x, robot_numbers(robot)) for x in (joint.stiffness, joint.rest))
            potential += stiffness * (q[k] - rest) ** 2 / 2
    return float(u @ tree.M @ u / 2), float(potential)


def assert_conserved(
    rate: Callable[[float, Array], Array], y0: Array, energies: Callable[[Array], tuple[float, float]]
) -> None:
    solution = solve_ivp(
        rate, (0, SECONDS), y0, method="DOP853", rtol=1e-11, atol=1e-12, t_eval=np.linspace(0, SECONDS, 11)
    )
    assert solution.success
    table = np.array([energies(y) for y in solution.y.T])
    total = table.sum(axis=1)
    assert table[:, 0].max() > 1e-3  # it moved
    assert np.abs(total - total[0]).max() <= TOLERANCE * max(abs(total[0]), table[:, 0].max())


@pytest.mark.long
@pytest.mark.parametrize("name", ["spring-mass", "flexible-arm", "flexible-joints"])
def test_springs(name: str) -> None:
    robot = ideal(name)
    f, n = symoro.direct_dynamics(robot).compile(), len(movable(robot))
    idle = (np.zeros(len(driven(robot))),) if driven(robot) else ()
    y0 = np.r_[np.random.default_rng(0).uniform(-0.3, 0.3, n), np.zeros(n)]
    assert_conserved(lambda t, y: np.r_[y[n:], f(y[:n], y[n:], *idle)], y0, lambda y: energy(robot, y[:n], y[n:]))


@pytest.mark.long
@pytest.mark.parametrize("name", ["four-bar", "five-bar", "slider-crank"])
def test_loops(name: str) -> None:
    robot = ideal(name)
    f, kinematics = symoro.direct_dynamics(robot).compile(), symoro.loop_kinematics(robot).compile()
    n, idle = len(movable(robot)), np.zeros(len(driven(robot)))

    def G(q: Array) -> Array:
        return np.asarray(kinematics(q, idle).G)

    def rate(t: float, y: Array) -> Array:
        return np.r_[G(y[:n]) @ y[n:], f(y[:n], y[n:], idle)]

    y0 = np.r_[closed_configuration(robot, 0), 0.2 * np.ones(len(idle))]
    assert_conserved(rate, y0, lambda y: energy(robot, y[:n], G(y[:n]) @ y[n:]))


def floating_rate(robot: Robot) -> Callable[[float, Array], Array]:
    """y = position, quaternion, V0, q, qd."""
    f, n = symoro.direct_dynamics(robot, optimize=False).compile(), len(movable(robot))
    idle = np.zeros(n)

    def rate(t: float, y: Array) -> Array:
        quat, V0, q, qd = y[3:7] / np.linalg.norm(y[3:7]), y[7:13], y[13 : 13 + n], y[13 + n :]
        found = f(quat, V0, q, qd, idle)
        v, w = V0[:3], V0[3:]
        x, s = quat[:3], quat[3]
        t2 = 2 * np.cross(x, v)
        turning = np.r_[s * w + np.cross(x, w), -x @ w] / 2
        change = found.VP0 - np.r_[np.cross(w, v), np.zeros(3)]  # of components in a frame that turns
        return np.r_[v + s * t2 + np.cross(x, t2), turning, change, qd, found.QDP]

    return rate


@pytest.mark.long
@pytest.mark.parametrize("name", ["satellite", "eel50"])
def test_floating(name: str) -> None:
    robot = replace(ideal(name), gravity=(ZERO, ZERO, ZERO))  # falling would hide how it moves
    n = len(movable(robot))
    rng = np.random.default_rng(0)
    y0 = np.r_[np.zeros(3), UPRIGHT, rng.normal(size=6) * 0.2, rng.uniform(-0.3, 0.3, n), rng.normal(size=n) * 0.5]

    def energies(y: Array) -> tuple[float, float]:
        quat = y[3:7] / np.linalg.norm(y[3:7])
        return energy(robot, y[13 : 13 + n], y[13 + n :], (y[:3], quat, y[7:13]))

    assert_conserved(floating_rate(robot), y0, energies)


@pytest.mark.long
def test_wheels() -> None:
    robot = ideal("diff-drive-2r")
    f, n = symoro.direct_dynamics(robot).compile(), len(movable(robot))
    idle = np.zeros(n)

    def energies(y: Array) -> tuple[float, float]:
        V0 = f(y[:n], y[n:], idle).V0
        return energy(robot, y[:n], y[n:], (np.zeros(3), UPRIGHT, V0))

    y0 = np.r_[np.zeros(n - 1), 0.5, 1.0, -0.5, 0.3, 0.0]
    assert_conserved(lambda t, y: np.r_[y[n:], f(y[:n], y[n:], idle).QDP], y0, energies)
