"""Energy is conserved in ten seconds of motion: robots with springs, loops, wheels and floating bases.

The models give the accelerations; the energy comes from Pinocchio's mass matrix and potential, and from the springs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import symoro
from support.close import assert_close
from support.free_robots import Array, Tree, driven, movable
from support.library_robots import elastic_names, floating_names, loop_names, wheeled_names
from support.loops import closed_configuration, gap, regular_configuration
from support.samples import named
from support.wheeled_robots import UPRIGHT
from symoro.bind.interface import robot_numbers
from symoro.robot.base import Base, BaseKind
from symoro.robot.link import Drive, Wrench
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs
from symoro.robot.values import ZERO
from symoro.robot.values import evaluate as value_of

SECONDS, TOLERANCE = 10.0, 1e-6
LARGE = {"eel50", "orthoglide", "akr3000"}


def ideal(name: str) -> Robot:
    """A robot of the library without friction and wrenches; a motor with a spring becomes a pair of joints."""
    robot = motor_spring_pairs(symoro.load(name))
    return replace(
        robot, drives=tuple(Drive(IA=d.IA) for d in robot.drives), wrenches=tuple(Wrench() for _ in robot.wrenches)
    )


def energy(robot: Robot, q: Array, qd: Array, base: tuple[Array, Array, Array] | None = None) -> tuple[float, float]:
    """Kinetic and potential energy; `base` is the position, orientation and velocity of a floating base."""
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
) -> Array:
    """Simulate, assert that the total energy stays, and return the last state."""
    solution = solve_ivp(
        rate, (0, SECONDS), y0, method="DOP853", rtol=1e-11, atol=1e-12, t_eval=np.linspace(0, SECONDS, 11)
    )
    assert solution.success
    table = np.array([energies(y) for y in solution.y.T])
    total = table.sum(axis=1)
    assert table[:, 0].max() > 1e-3  # it moved
    drift = np.abs(total - total[0]).max() / table[:, 0].max()
    print(f"{drift:.1e} of the largest kinetic energy")
    assert drift <= TOLERANCE
    return np.asarray(solution.y[:, -1])


@pytest.mark.parametrize("name", named(elastic_names(), LARGE))
def test_springs(name: str) -> None:
    robot = ideal(name)
    f, n = symoro.direct_dynamics(robot).compile(), len(movable(robot))
    idle = (np.zeros(len(driven(robot))),) if driven(robot) else ()
    y0 = np.r_[np.random.default_rng(0).uniform(-0.3, 0.3, n), np.zeros(n)]
    assert_conserved(lambda t, y: np.r_[y[n:], f(y[:n], y[n:], *idle)], y0, lambda y: energy(robot, y[:n], y[n:]))


@pytest.mark.parametrize("name", named(elastic_names(), LARGE))
def test_the_model_of_energies_has_that_of_springs(name: str) -> None:
    """E and U + US of the robot as it is described: a motor with a spring is taken as a pair of joints."""
    robot, found = ideal(name), symoro.energies(name, optimize=False)
    q, qd = np.random.default_rng(1).uniform(-1, 1, (2, len(movable(robot))))
    energies = found.compile("numpy")(q, qd)
    assert_close(energies.E, energy(robot, q, qd)[0], 1e-10)
    assert_close(sum(energies[1:]), energy(robot, q, qd)[1], 1e-10)
    assert ("US" in found.outputs) == any(joint.elastic for joint in robot.joints)


@dataclass(frozen=True)
class Linkage:
    """A robot with loops that moves from q0. Its state y is q of the tree and q̇ of the motors; these give −K Δq."""

    robot: Robot
    q0: Array
    K: Array

    @cached_property
    def _kinematics(self) -> Callable[..., Any]:
        return symoro.loop_kinematics(self.robot, optimize=False).compile()

    @cached_property
    def _dynamics(self) -> Callable[..., Array]:
        return symoro.direct_dynamics(self.robot, optimize=False).compile()

    def split(self, y: Array) -> tuple[Array, Array, Array, Array]:
        """q and q̇ of the tree, q̇ and displacements of the motors."""
        q, qd = y[: len(self.q0)], y[len(self.q0) :]
        return q, self._kinematics(q, qd).G @ qd, qd, (q - self.q0)[driven(self.robot)]

    def rate(self, t: float, y: Array) -> Array:
        q, every, qd, moved = self.split(y)
        return np.r_[every, self._dynamics(q, qd, -self.K @ moved)]

    def energies(self, y: Array) -> tuple[float, float]:
        q, every, _, moved = self.split(y)
        kinetic, potential = energy(self.robot, q, every)
        return kinetic, potential + float(moved @ self.K @ moved) / 2


@pytest.mark.parametrize("name", named(loop_names(), LARGE))
def test_loops(name: str) -> None:
    """The motors act as springs, at 10 rad/s: without them most robots would move to a singular configuration."""
    robot = ideal(name)
    q0 = regular_configuration(robot)
    K = 10.0**2 * symoro.inertia_matrix(robot, optimize=False).compile()(q0)
    linkage = Linkage(robot, q0, K)
    last = assert_conserved(linkage.rate, np.r_[q0, 0.2 * np.ones(len(K))], linkage.energies)
    assert np.abs(gap(robot, last[: len(q0)])).max() < 1e-9


@pytest.mark.parametrize("name", ["four-bar", "slider-crank"])
def test_loops_that_turn_freely(name: str) -> None:
    robot = ideal(name)
    linkage = Linkage(robot, closed_configuration(robot, 0), np.zeros((1, 1)))
    assert_conserved(linkage.rate, np.r_[linkage.q0, 0.2], linkage.energies)


def floating_rate(robot: Robot) -> Callable[[float, Array], Array]:
    """ẏ of y = position, quaternion, V0, q, qd."""
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


@pytest.mark.parametrize("name", named(floating_names(), LARGE))
def test_floating(name: str) -> None:
    robot = replace(ideal(name), gravity=(ZERO, ZERO, ZERO))  # falling would hide how it moves
    n = len(movable(robot))
    rng = np.random.default_rng(0)
    y0 = np.r_[np.zeros(3), UPRIGHT, rng.normal(size=6) * 0.2, rng.uniform(-0.3, 0.3, n), rng.normal(size=n) * 0.5]

    def energies(y: Array) -> tuple[float, float]:
        quat = y[3:7] / np.linalg.norm(y[3:7])
        return energy(robot, y[13 : 13 + n], y[13 + n :], (y[:3], quat, y[7:13]))

    assert_conserved(floating_rate(robot), y0, energies)


@pytest.mark.parametrize("name", wheeled_names())
def test_wheels(name: str) -> None:
    robot = ideal(name)
    f, n = symoro.direct_dynamics(robot).compile(), len(movable(robot))
    idle = np.zeros(n)

    def energies(y: Array) -> tuple[float, float]:
        V0 = f(y[:n], y[n:], idle).V0
        return energy(robot, y[:n], y[n:], (np.zeros(3), UPRIGHT, V0))

    y0 = np.r_[np.zeros(n - 1), 0.5, 1.0, -0.5, 0.3, np.zeros(n - 3)]
    assert_conserved(lambda t, y: np.r_[y[n:], f(y[:n], y[n:], idle).QDP], y0, energies)
