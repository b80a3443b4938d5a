"""Robots with loops or wheels and springs that no constraint determines, and their motion by Lagrange multipliers."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from support.constrained import Motion, followed, on_wheels
from support.free_robots import Array, State, Tree, movable
from support.loops import Loops
from support.pinocchio_robot import oracle
from support.wheeled_robots import UPRIGHT, touching
from symoro.bind.interface import robot_numbers
from symoro.robot.base import Base
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, as_value


def with_spring(robot: Robot, j: int, motor: bool) -> Robot:
    """A spring in joint j: between its motor and its link, or in the place of the motor."""
    joint = replace(robot.joint(j), actuated=motor, elastic=True, stiffness=Symbol("KS"), rest=as_value("0.1"))
    joints = tuple(joint if old.index == j else old for old in robot.joints)
    return replace(robot, joints=joints, values={**robot.values, "KS": as_value(20)})  # type: ignore[arg-type]


@dataclass(frozen=True)
class Solved:
    """The accelerations of all coordinates of the tree, and A of those that are left."""

    accelerations: Array
    A: Array


def rows(robot: Robot, state: State, u: Array) -> tuple[Array, Array]:
    """C and Ċ u of wheels and loops, by Pinocchio; on wheels, the base's six coordinates come first."""
    parts: list[tuple[Array, Array]] = []
    if robot.base.wheels:
        parts.append(touching(robot, oracle(on_wheels(robot), robot_numbers(robot), free=True), state["q"], u))
    if robot.cuts:
        loops = Loops(Tree(replace(robot, base=Base()), {**state}, u[-len(state["q"]) :]))
        parts.append((np.hstack([np.zeros((len(loops.J), len(u) - len(state["q"]))), loops.J]), loops.gamma))
    return np.vstack([C for C, _ in parts]), np.hstack([drift for _, drift in parts])


def moved(robot: Robot, state: State, left: list[int], qdd: Array) -> tuple[Motion, Array]:
    """The motion of all coordinates for the velocities `qd` of the joints at these places of q; and the rows C."""
    base = 6 if robot.base.wheels else 0
    places = [base + k for k in left]
    u = followed(*rows(robot, state, np.zeros(base + len(state["q"]))), places, state["qd"], qdd).u
    C, drift = rows(robot, state, u)
    return followed(C, drift, places, state["qd"], qdd), C


def solved(robot: Robot, state: State, left: list[int]) -> Solved:
    """M u̇ + h = τ + Cᵀ λ, C u̇ = −Ċ u."""
    motion, C = moved(robot, state, left, np.zeros(len(left)))
    u, n = motion.u, len(motion.u)
    free, spin = robot, np.zeros(n)
    if robot.base.wheels:
        free, state = on_wheels(robot), {**state, "V0": u[:6], "quat": UPRIGHT}
        spin[:3] = np.cross(u[3:6], u[:3])
    tree = Tree(free, state, u[-len(state["q"]) :])
    right = tree.torques(state["tau"]) - tree.h - tree.M @ spin
    system = np.block([[tree.M, C.T], [C, np.zeros((len(C), len(C)))]])
    x = np.linalg.lstsq(system, np.r_[right, C @ motion.ud], rcond=1e-12)[0][:n]
    return Solved(x, motion.G.T @ tree.M @ motion.G)


def places_left(robot: Robot, dependent: set[int]) -> list[int]:
    return [n for n, j in enumerate(movable(robot)) if j not in dependent]
