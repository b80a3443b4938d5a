"""Centre of mass and centroidal momentum against Pinocchio, whose world is frame 0 turned by the base's quaternion."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin
import pytest

import symoro
from support.close import assert_close
from support.free_robots import Tree, driven, random_state, with_floating_base
from support.kinematics import one
from support.loops import Loops, random_loop, regularity
from support.pinocchio_robot import oracle
from support.raised import raised
from support.random_robots import random_robot
from support.samples import some
from symoro.bind.interface import robot_numbers
from symoro.errors import NotApplicable
from symoro.robot import library
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate as value_of

TOLERANCE = 1e-10
Array = np.ndarray[Any, np.dtype[np.float64]]


class Peer:
    """The robot on a free-flyer; every vector is turned from Pinocchio's world into frame 0."""

    def __init__(self, robot: Robot, q: Array, quaternion: Array) -> None:
        self.o = oracle(robot, robot_numbers(robot), free=True)
        self.q = self.o.q(q, quaternion)
        self.turn = pin.Quaternion(quaternion).matrix().T
        base = [*range(6)] if robot.base.kind is BaseKind.FLOATING else []
        self.columns = [*base, *self.o.velocity_index]

    @property
    def centre(self) -> Array:
        return self.turn @ pin.centerOfMass(self.o.model, self.o.data, self.q)

    @property
    def jacobian(self) -> Array:
        return self.turn @ pin.jacobianCenterOfMass(self.o.model, self.o.data, self.q)[:, self.columns]

    def momentum(self, qd: Array, V0: Array) -> Array:
        v = self.o.v(qd, V0)
        return np.kron(np.eye(2), self.turn) @ pin.computeCentroidalMomentum(self.o.model, self.o.data, self.q, v)

    @property
    def map(self) -> Array:
        matrix = pin.computeCentroidalMap(self.o.model, self.o.data, self.q)
        return np.kron(np.eye(2), self.turn) @ matrix[:, self.columns]


def check(robot: Robot, seed: int, **options: Any) -> None:
    momentum = symoro.centroidal_momentum(robot, **options)
    state = random_state(momentum.program, seed)
    quaternion = np.random.default_rng(seed).normal(size=4)
    peer = Peer(robot, state["q"], quaternion / np.linalg.norm(quaternion))
    wanted = peer.momentum(state["qd"], state.get("V0", np.zeros(6)))
    assert_close(one(symoro.centre_of_mass(robot, **options), **state), peer.centre, TOLERANCE)
    assert_close(one(symoro.centre_of_mass_jacobian(robot, **options), **state), peer.jacobian, TOLERANCE)
    assert_close(one(momentum, **state), wanted, TOLERANCE)
    assert_close(one(symoro.centroidal_momentum_matrix(robot, **options), **state), peer.map, TOLERANCE)


@pytest.mark.parametrize("seed", some(4, of=150))
def test_random_trees(seed: int) -> None:
    kinds = ("mixed", "prismatic", "revolute")[seed % 3]
    robot = random_robot(seed, structure="tree" if seed % 2 else "serial", kinds=kinds)
    check(robot, seed, optimize=seed % 4 == 1)


@pytest.mark.parametrize("seed", some(3, of=100))
def test_random_robots_on_a_floating_base(seed: int) -> None:
    robot = with_floating_base(random_robot(seed, structure="tree" if seed % 2 else "serial", moving_base=0), seed)
    check(robot, seed, optimize=seed % 4 == 1)


@pytest.mark.parametrize("name", ["puma560", "humanoid", "two-arm"])
def test_library_robots(name: str) -> None:
    robot = symoro.load(name)
    check(robot, 3)


@pytest.mark.parametrize("seed", some(3, of=40))
def test_closed_loops(seed: int) -> None:
    """The columns of the motors: those of the tree, times the velocities that the loops give to all joints."""
    robot, q = random_loop(seed)
    active, n = driven(robot), len(q)
    idle = {"q": q, "wrench": np.zeros((sum(not w.is_zero for w in robot.wrenches), 6))}
    loops = Loops(Tree(robot, idle, np.zeros(n)))
    G = np.column_stack([loops.consistent(active, unit) for unit in np.eye(len(active))])
    peer = Peer(robot, q, np.array([0.0, 0.0, 0.0, 1.0]))
    qd = np.random.default_rng(seed).normal(size=len(active))
    condition = 1 / regularity(robot, q)
    assert_close(one(symoro.centre_of_mass(robot), q=q), peer.centre, TOLERANCE)
    J = one(symoro.centre_of_mass_jacobian(robot, optimize=False), q=q)
    assert_close(J, peer.jacobian @ G, TOLERANCE, condition)
    assert_close(one(symoro.centroidal_momentum_matrix(robot, optimize=False), q=q), peer.map @ G, TOLERANCE, condition)
    h = one(symoro.centroidal_momentum(robot, optimize=False), q=q, qd=qd)
    assert_close(h, peer.map @ G @ qd, TOLERANCE, condition)


def test_a_robot_on_wheels() -> None:
    """The momentum is the matrix times the velocities of the motors."""
    robot = symoro.load(next(name for name in library.names() if symoro.load(name).base.wheels))
    momentum = symoro.centroidal_momentum(robot)
    state = random_state(momentum.program, 1)
    assert set(state) == {"q", "qd"}
    A = one(symoro.centroidal_momentum_matrix(robot), **state)
    assert_close(one(momentum, **state), A @ state["qd"], TOLERANCE)
    mass = sum(value_of(robot.inertia(j).M, robot_numbers(robot)) for j in range(robot.link_count + 1))
    J = one(symoro.centre_of_mass_jacobian(robot), **state)
    assert_close(A[:3], mass * J, TOLERANCE)


def test_without_masses_there_is_no_centre_of_mass() -> None:
    robot = replace(symoro.load("planar2r"), inertias=())
    with raised("models.no_mass", NotApplicable):
        symoro.centre_of_mass(robot)
