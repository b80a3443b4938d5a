"""The motion of a robot of any family, by Pinocchio's model of its open tree and rows between its velocities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from support.constrained import Motion, followed, on_wheels
from support.coordinates import Map, plain
from support.every_robot import Case
from support.free_robots import Array, State, Tree
from support.springs_in_series import rows
from support.wheeled_robots import UPRIGHT
from symoro.bind.interface import robot_numbers
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.values import Value, evaluate


@dataclass(frozen=True)
class Multipliers:
    """M ẇ + h = τ + Cᵀ λ in the velocities w of a free base, then of the variables; the rows C w = 0 are dependent.

    `left` are the places in w of the velocities that the rows leave, in the order of the model's `qd`.
    """

    case: Case
    state: State
    left: list[int]

    @property
    def robot(self) -> Robot:
        return self.case.bare

    @cached_property
    def owners(self) -> list[Joint]:
        return [joint for joint in self.robot.joints[: self.robot.link_count] if joint.variable]

    @cached_property
    def base(self) -> int:
        return 6 if self.robot.base.free else 0

    @cached_property
    def links(self) -> Robot:
        """The tree with a variable for each joint."""
        return plain(self.robot)

    @cached_property
    def coordinates(self) -> Map:
        return Map(self.robot)

    @cached_property
    def E(self) -> Array:
        """u = E w: the velocities of the base and of all joint coordinates."""
        F = self.coordinates.F(self.state["q"])
        return np.block([[np.eye(self.base), np.zeros((self.base, F.shape[1]))], [np.zeros((len(F), self.base)), F]])

    def curve(self, w: Array) -> Array:
        """Ė w."""
        return np.r_[np.zeros(self.base), self.coordinates.curve(self.state["q"], w[self.base :])]

    def rows(self, w: Array) -> tuple[Array, Array]:
        """C and Ċ w of loops and wheels."""
        if not (self.robot.cuts or self.robot.base.wheels):
            return np.zeros((0, len(w))), np.zeros(0)
        C, drift = rows(self.links, self.at(joints_only=True), self.E @ w)
        return C @ self.E, drift + C @ self.curve(w)

    def at(self, joints_only: bool = False) -> State:
        kept = ("wrench",) if joints_only else ("wrench", "quat", "V0", "VP0")
        return {**{n: x for n, x in self.state.items() if n in kept}, "q": self.coordinates.x(self.state["q"])}

    def motion(self, rates: Array, accelerations: Array) -> Motion:
        """The motion of all w for given velocities and accelerations of those that are left."""
        still = np.zeros(self.base + len(self.owners))
        w = followed(*self.rows(still), self.left, rates, accelerations).u
        return followed(*self.rows(w), self.left, rates, accelerations)

    def equations(self, w: Array) -> tuple[Array, Array]:
        """M and h of w, with drives and springs."""
        u, curve, state = self.E @ w, self.curve(w), self.at()
        links = self.links
        if links.base.wheels:
            links, state = on_wheels(links), {**state, "V0": u[:6], "quat": UPRIGHT}
            curve[:3] += np.cross(u[3:6], u[:3])  # the acceleration of a base whose components are constant
        elif self.base:
            state = {**state, "V0": w[:6]}
        tree = Tree(links, state, u[self.base :], self.case.loads)
        M = self.E.T @ tree.M @ self.E + np.diag(np.r_[np.zeros(self.base), self._drive("IA")])
        qd = w[self.base :]
        own = self._drive("FV") * qd + self._drive("FS") * np.sign(qd) + self._springs()
        return M, self.E.T @ (tree.M @ curve + tree.h) + np.r_[np.zeros(self.base), own]

    def _drive(self, name: str) -> Array:
        return np.array([self._number(getattr(self.robot.drive(joint.index), name)) for joint in self.owners])

    def _springs(self) -> Array:
        pairs = zip(self.owners, self.state["q"], strict=True)
        return np.array(
            [self._number(j.stiffness) * (q - self._number(j.rest)) if j.elastic else 0.0 for j, q in pairs]
        )

    def _number(self, value: Value) -> float:
        return evaluate(value, robot_numbers(self.robot))


def configured(case: Case, state: State) -> State:
    """The state with a closed configuration and a quaternion of length 1."""
    state = {**state, "q": case.q}
    if "quat" in state:
        state["quat"] = state["quat"] / np.linalg.norm(state["quat"])
    return state
