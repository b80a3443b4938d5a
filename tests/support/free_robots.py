"""Random robots with a free base, springs, passive joints or closed loops, and oracles for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pinocchio as pin

from support.pinocchio_robot import Loads, Oracle, external_forces, oracle
from support.random_robots import physical_inertia
from symoro.bind.interface import robot_numbers
from symoro.ir.program import Program
from symoro.robot.base import Base, BaseKind
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, as_value
from symoro.robot.values import evaluate as value_of

Array = np.ndarray[Any, np.dtype[np.float64]]
State = dict[str, Array]


def with_floating_base(robot: Robot, seed: int) -> Robot:
    values = {f"{n}0": as_value(float(x)) for n, x in physical_inertia(np.random.default_rng(1000 + seed)).items()}
    base = Base(BaseKind.FLOATING, inertia=Inertia.symbolic(0))
    return replace(robot, base=base, values={**robot.values, **values})  # type: ignore[arg-type]


def with_springs(robot: Robot, seed: int, share: float = 0.5) -> Robot:
    """The robot without some of its motors; most joints without a motor get a spring."""
    rng = np.random.default_rng(seed + 77)
    joints, values = [], {}
    for joint in robot.joints:
        j = joint.index
        if joint.movable and rng.random() < share:
            joint = replace(joint, actuated=False)
            if rng.random() < 0.7:
                joint = replace(joint, elastic=True, stiffness=Symbol(f"K{j}"), rest=Symbol(f"REST{j}"))
                values |= {f"K{j}": as_value(float(rng.uniform(1, 50))), f"REST{j}": as_value(float(rng.normal()))}
        joints.append(joint)
    return replace(robot, joints=tuple(joints), values={**robot.values, **values})  # type: ignore[arg-type]


def movable(robot: Robot) -> list[int]:
    return [j.index for j in robot.joints[: robot.link_count] if j.movable]


def driven(robot: Robot) -> list[int]:
    """The positions of the joints with motors in the list of movable joints."""
    return [n for n, j in enumerate(movable(robot)) if robot.joint(j).actuated]


def random_state(program: Program, seed: int) -> State:
    rng = np.random.default_rng(seed)
    state = {array.name: rng.normal(size=array.shape) for array in program.inputs}
    if "quat" in state:
        state["quat"] /= np.linalg.norm(state["quat"])
    return state


class Tree:
    """M and h of M u̇ + h = τ by Pinocchio, drives and springs included; u̇ has classical accelerations of the base."""

    def __init__(
        self, robot: Robot, state: Mapping[str, Array], qd: Array | None = None, loads: Loads = MappingProxyType({})
    ) -> None:
        self.robot, self.numbers = robot, robot_numbers(robot)
        floating = robot.base.free
        moving = "VP0" in state
        self.o: Oracle = oracle(robot, self.numbers, free=floating or moving, loads=loads)
        joints = movable(robot)
        index = [*range(6 * floating), *self.o.velocity_index]
        qd = state["qd"] if qd is None else qd
        V0 = state.get("V0", np.zeros(6))
        links = [j for j in range(1, robot.link_count + 1) if not robot.wrench(j).is_zero]
        self.forces = external_forces(self.o, dict(zip(links, state.get("wrench", ()), strict=True)))
        self.q, self.v = self.o.q(state["q"], state.get("quat")), self.o.v(qd, V0)
        still = np.zeros(self.o.model.nv)
        if floating or moving:  # Pinocchio takes the spatial acceleration
            base = state["VP0"].copy() if moving else np.zeros(6)
            base[:3] -= np.cross(V0[3:], V0[:3])
            still[:6] = base
        M = pin.crba(self.o.model, self.o.data, self.q)
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(index, index)]
        h = pin.rnea(self.o.model, self.o.data, self.q, self.v, still, self.forces)[index]
        drive = {
            n: np.array([value_of(getattr(robot.drive(j), n), self.numbers) for j in joints]) for n in Drive.names()
        }
        n = len(joints)
        self.M = M + np.diag(np.r_[np.zeros(len(index) - n), drive["IA"]])
        self.h = h + np.r_[np.zeros(len(index) - n), drive["FV"] * qd + drive["FS"] * np.sign(qd)]
        self.spring = np.zeros(len(index))
        for k, j in enumerate(joints):
            joint = robot.joint(j)
            if joint.elastic:
                stiffness, rest = (value_of(x, self.numbers) for x in (joint.stiffness, joint.rest))
                self.spring[len(index) - n + k] = -stiffness * (state["q"][k] - rest)

    def torques(self, tau: Array) -> Array:
        """The torques on all coordinates: motors and springs; zero on the base."""
        out = self.spring.copy()
        first = len(out) - len(movable(self.robot))
        out[[first + k for k in driven(self.robot)]] += tau
        return out

    def accelerations(self, tau: Array) -> Array:
        return np.linalg.solve(self.M, self.torques(tau) - self.h)

    @property
    def condition(self) -> float:
        return float(np.linalg.cond(self.M))
