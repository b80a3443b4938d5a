"""Robots of all families, and the motion that their constraints give to Pinocchio's model of the open tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import symoro
from support.constrained import Motion, loop_motion, on_wheels
from support.free_robots import Array, State, Tree, driven, with_floating_base
from support.random_loops import random_closed_robot
from support.random_robots import random_robot
from support.springs_in_series import moved
from support.wheeled_robots import UPRIGHT, loops_on_wheels, random_vehicle
from symoro.bind.interface import robot_numbers
from symoro.ir.evaluate import evaluate
from symoro.model import Model
from symoro.models.identification.regressors.selection import column_names
from symoro.robot.base import Base
from symoro.robot.joint import JointKind
from symoro.robot.link import Drive, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO

Case = tuple[Robot, Array | None]
"""A robot, and a closed configuration where it has loops."""


def floating(seed: int) -> Case:
    robot = random_robot(seed, joints=1 + seed % 5, structure="tree", kinds="prismatic", moving_base=0)
    return with_floating_base(robot, seed), None


def loops(seed: int) -> Case:
    return random_closed_robot(seed)


def loops_on_floating_base(seed: int) -> Case:
    robot, q = random_closed_robot(seed)
    return with_floating_base(robot, seed), q


def wheels(seed: int) -> Case:
    return random_vehicle(seed), None


FAMILIES: dict[str, Callable[[int], Case]] = {
    "floating": floating,
    "loops": loops,
    "loops-floating": loops_on_floating_base,
    "wheels": wheels,
    "loops-wheels": loops_on_wheels,
}


@dataclass(frozen=True)
class Projected:
    """The open tree in the motion of given velocities and accelerations of the coordinates that are left."""

    motion: Motion
    tree: Tree
    spin: Array  # acceleration of the base's origin less the derivative of its components, where these are meant

    @property
    def forces(self) -> Array:
        """Gᵀ (M u̇ + h), without springs."""
        return np.asarray(self.motion.G.T @ (self.tree.M @ (self.motion.ud + self.spin) + self.tree.h))


def projected(robot: Robot, state: State) -> Projected:
    """`qd` and `qdd` of the motors; accelerations VP0 of a floating base are 0."""
    if robot.base.wheels:
        motion = moved(robot, state, driven(robot), state["qdd"])[0]
        tree = Tree(on_wheels(robot), {**state, "V0": motion.u[:6], "quat": UPRIGHT}, motion.u[6:])
        return Projected(motion, tree, np.r_[np.cross(motion.u[3:6], motion.u[:3]), np.zeros(len(motion.u) - 3)])
    n = len(state["q"])
    motion = loop_motion(replace(robot, base=Base()), _joints(state)) if robot.cuts else _open(state)
    tree = Tree(robot, state, motion.u)
    if robot.base.free:
        G = np.block([[np.eye(6), np.zeros((6, motion.G.shape[1]))], [np.zeros((n, 6)), motion.G]])
        motion = Motion(G, np.r_[state["V0"], motion.u], np.r_[np.zeros(6), motion.ud])
    return Projected(motion, tree, np.zeros(len(motion.u)))


def _joints(state: State) -> State:
    return {name: x for name, x in state.items() if name not in ("quat", "V0", "VP0")}


def _open(state: State) -> Motion:
    return Motion(np.eye(len(state["q"])), state["qd"], state["qdd"])


def without_drives(robot: Robot) -> Robot:
    """The links and rotors alone: no friction, no wrench."""
    return without_wrenches(without_friction(robot))


def without_wrenches(robot: Robot) -> Robot:
    return replace(robot, wrenches=tuple(Wrench() for _ in robot.wrenches))


def without_friction(robot: Robot) -> Robot:
    return replace(robot, drives=tuple(replace(Drive(), IA=drive.IA) for drive in robot.drives))


def without_rotors(robot: Robot) -> Robot:
    """The links alone, with their wrenches."""
    return replace(robot, drives=tuple(Drive() for _ in robot.drives))


def weightless(robot: Robot) -> Robot:
    return replace(robot, gravity=(ZERO, ZERO, ZERO))


def body_afloat(seed: int, fixed_links: int = 2) -> Robot:
    """A floating robot with fixed joints only."""
    robot = random_robot(seed, joints=fixed_links, structure="serial", kinds="revolute", moving_base=0)
    joints = tuple(replace(j, kind=JointKind.FIXED, actuated=False, theta=ZERO, variable=None) for j in robot.joints)
    return with_floating_base(replace(robot, joints=joints), seed)


def drawn(family: str, seed: int) -> tuple[Robot, State]:
    """A robot of a family, and a random state of all its inputs."""
    robot, q = FAMILIES[family](seed)
    rng = np.random.default_rng(seed)
    program = symoro.inverse_dynamics(robot, optimize=False).program
    state = {array.name: rng.normal(size=array.shape) for array in program.inputs}
    if "quat" in state:
        state["quat"] /= np.linalg.norm(state["quat"])
    return robot, state if q is None else {**state, "q": q}


def value(model: Model, state: State) -> dict[str, Any]:
    inputs = {name: state[name] for name in model.inputs}
    return evaluate(model.program, inputs, robot_numbers(model.robot))


def columns_of(model: Model, output: str) -> tuple[str, ...]:
    (array,) = (array for array in model.program.outputs if array.name == output)
    return column_names(array)
