"""Torques and regressors of robots with loops or wheels, projected from Pinocchio's model of the tree."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pinocchio as pin

from support.free_robots import Array, State, Tree, driven
from support.loops import Loops, gap, regularity
from support.pinocchio_robot import Oracle, oracle
from support.wheeled_robots import UPRIGHT, touching
from symoro.bind.interface import robot_numbers
from symoro.robot.base import Base, BaseKind
from symoro.robot.robot import Robot


@dataclass(frozen=True)
class Motion:
    """G with u = G q̇_a of all coordinates of the tree, u and its derivative (of components, where the base moves)."""

    G: Array
    u: Array
    ud: Array


def on_wheels(robot: Robot) -> Robot:
    """The same tree on a floating base."""
    return replace(robot, base=Base(BaseKind.FLOATING, inertia=robot.base.inertia))


def followed(C: Array, drift: Array, active: list[int], qd: Array, qdd: Array) -> Motion:
    """The motion of all coordinates for that of some of them, by C u = 0 and C u̇ + drift = 0."""
    rest = [k for k in range(C.shape[1]) if k not in active]
    back = -np.linalg.pinv(C[:, rest], rcond=1e-10)
    G = np.zeros((C.shape[1], len(active)))
    G[active], G[rest] = np.eye(len(active)), back @ C[:, active]
    ud = G @ qdd
    ud[rest] += back @ drift
    return Motion(G, G @ qd, ud)


def wheel_motion(robot: Robot, state: State) -> Motion:
    free = on_wheels(robot)
    o = oracle(free, robot_numbers(robot), free=True)
    active = [6 + k for k in driven(robot)]
    C, drift = touching(robot, o, state["q"], np.zeros(6 + len(state["q"])))
    u = followed(C, drift, active, state["qd"], state["qdd"]).u
    return followed(*touching(robot, o, state["q"], u), active, state["qd"], state["qdd"])


def loop_motion(robot: Robot, state: State) -> Motion:
    still = Loops(Tree(robot, state, np.zeros(len(state["q"]))))
    u = still.consistent(driven(robot), state["qd"])
    loops = Loops(Tree(robot, state, u))
    return followed(loops.J, loops.gamma, driven(robot), state["qd"], state["qdd"])


def motor_torques(robot: Robot, state: State) -> Array:
    """Gᵀ (M u̇ + h) of loops and wheels; springs are left out."""
    if robot.cuts:
        motion = loop_motion(robot, state)
        tree = Tree(robot, state, motion.u)
        return motion.G.T @ (tree.M @ motion.ud + tree.h)
    motion = wheel_motion(robot, state)
    tree = Tree(on_wheels(robot), {**state, "V0": motion.u[:6], "quat": UPRIGHT}, motion.u[6:])
    spin = np.r_[np.cross(motion.u[3:6], motion.u[:3]), np.zeros(len(motion.u) - 3)]
    return motion.G.T @ (tree.M @ (motion.ud + spin) + tree.h)


def regressor_rows(robot: Robot, state: State) -> Array:
    """Gᵀ D by Pinocchio's regressor of the tree, for wheels on a free base: columns of all bodies, then of rotors."""
    wheels = bool(robot.base.wheels)
    motion = wheel_motion(robot, state) if wheels else loop_motion(robot, state)
    o: Oracle = oracle(on_wheels(robot) if wheels else robot, robot_numbers(robot), free=wheels)
    base = 6 if wheels else 0
    q = o.q(state["q"], UPRIGHT if wheels else None)
    v, a = (o.v(x[base:], x[:base] if wheels else None) for x in (motion.u, motion.ud))
    D = pin.computeJointTorqueRegressor(o.model, o.data, q, v, a)[[*range(base), *o.velocity_index]]
    return motion.G.T @ np.hstack([D, np.diag(motion.ud)[:, base:]])


def wandered(robot: Robot, start: Array, count: int, seed: int) -> list[Array]:
    """Closed configurations along a path that follows tangents of the loops."""
    rng = np.random.default_rng(seed)
    q, way, found = np.array(start), rng.normal(size=len(start)), []
    for _ in range(10 * count):
        J = Loops(Tree(robot, {"q": q, "wrench": np.zeros((0, 6))}, np.zeros(len(q)))).J
        tangent = way - np.linalg.pinv(J, rcond=1e-8) @ (J @ way)
        ahead = q + 0.15 * tangent / np.linalg.norm(tangent)
        closed = closed_near(robot, ahead)
        good = np.abs(gap(robot, closed)).max() < 1e-12 and np.abs(closed - ahead).max() < 0.1
        way = tangent + 0.3 * rng.normal(size=len(q)) if good else rng.normal(size=len(q))
        q = closed if good else q
        if good and regularity(robot, q) > 1e-3:
            found.append(q)
        if len(found) == count:
            return found
    raise AssertionError(f"{robot.name}: few closed configurations on the branch")


def closed_near(robot: Robot, q: Array, steps: int = 4) -> Array:
    """A closed configuration near q, by Gauss-Newton steps."""
    for _ in range(steps):
        here = gap(robot, q)
        slope = np.array([(gap(robot, q + 1e-7 * e) - here) / 1e-7 for e in np.eye(len(q))]).T
        q = q - np.linalg.pinv(slope, rcond=1e-6) @ here
    return q
