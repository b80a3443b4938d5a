"""Dynamics of a robot by Pinocchio, with drives added by hand: what symoro's dynamic models are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pinocchio as pin

from support.pinocchio_robot import Oracle, external_forces, oracle
from symoro.bind.interface import robot_numbers
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate

State = dict[str, np.ndarray]


@dataclass
class Reference:
    """One robot in one state. The drives must be plain: IA, FV, FS, each motor at its own joint."""

    robot: Robot
    state: State

    @cached_property
    def numbers(self) -> dict[str, float]:
        return robot_numbers(self.robot)

    @cached_property
    def movable(self) -> list[int]:
        return [j.index for j in self.robot.joints[: self.robot.link_count] if j.movable]

    @cached_property
    def oracle(self) -> Oracle:
        return oracle(self.robot, self.numbers, free="V0" in self.state)

    @cached_property
    def still(self) -> Oracle:
        """The same robot on a base that stands still."""
        return oracle(self.robot, self.numbers)

    def drive(self, name: str) -> np.ndarray:
        return np.array([evaluate(getattr(self.robot.drive(j), name), self.numbers) for j in self.movable])

    @cached_property
    def friction(self) -> np.ndarray:
        return self.drive("FV") * self.state["qd"] + self.drive("FS") * np.sign(self.state["qd"])

    @cached_property
    def forces(self) -> pin.StdVec_Force:
        links = [j for j in range(1, self.robot.link_count + 1) if not self.robot.wrench(j).is_zero]
        return external_forces(self.oracle, dict(zip(links, self.state.get("wrench", ()), strict=True)))

    def _rnea(self, qdd: np.ndarray) -> np.ndarray:
        o, base = self.oracle, None
        if o.free:  # Pinocchio takes the spatial acceleration, the papers the classical one
            base = self.state["VP0"].copy()
            base[:3] -= np.cross(self.state["V0"][3:], self.state["V0"][:3])
        v, a = o.v(self.state["qd"], self.state.get("V0")), o.v(qdd, base)
        return pin.rnea(o.model, o.data, o.q(self.state["q"]), v, a, self.forces)[o.velocity_index]

    def torques(self, qdd: np.ndarray) -> np.ndarray:
        return self._rnea(qdd) + self.drive("IA") * qdd + self.friction

    @cached_property
    def inertia(self) -> np.ndarray:
        o = self.still
        M = np.triu(pin.crba(o.model, o.data, o.q(self.state["q"])))
        M = M + np.triu(M, 1).T
        return M[np.ix_(o.velocity_index, o.velocity_index)] + np.diag(self.drive("IA"))

    @cached_property
    def bias(self) -> np.ndarray:
        return self.torques(0 * self.state["qd"])

    @cached_property
    def gravity(self) -> np.ndarray:
        o = self.still
        return pin.computeGeneralizedGravity(o.model, o.data, o.q(self.state["q"]))[o.velocity_index]

    @cached_property
    def coriolis(self) -> np.ndarray:
        o = self.still
        all_of_it = pin.nonLinearEffects(o.model, o.data, o.q(self.state["q"]), o.v(self.state["qd"]))
        return all_of_it[o.velocity_index] - self.gravity

    def energies(self) -> tuple[float, float]:
        """Kinetic and potential energy; the base itself has no mass."""
        o = self.oracle
        q, v = o.q(self.state["q"]), o.v(self.state["qd"], self.state.get("V0"))
        rotors = 0.5 * self.drive("IA") @ self.state["qd"] ** 2
        kinetic = pin.computeKineticEnergy(o.model, o.data, q, v) + rotors
        o = self.still
        welded = o.model.inertias[0]  # Pinocchio leaves out what hangs on the base by fixed joints
        constant = -welded.mass * o.model.gravity.linear @ welded.lever
        return kinetic, pin.computePotentialEnergy(o.model, o.data, o.q(self.state["q"])) + constant

    def reactions(self, qdd: np.ndarray) -> dict[int, np.ndarray]:
        """[f; m] on each movable link from its antecedent."""
        self._rnea(qdd)
        o = self.oracle
        return {j: o.data.f[o.joint_of[j]].vector.copy() for j in self.movable}

    def accelerations(self, tau: np.ndarray) -> np.ndarray:
        """By the articulated-body algorithm, the rotors as Pinocchio's armature; for a base that stands still."""
        o = oracle(self.robot, self.numbers)
        self.armed(o)
        q, v, t = o.q(self.state["q"]), o.v(self.state["qd"]), o.v(tau - self.friction)
        return pin.aba(o.model, o.data, q, v, t, self.forces)[o.velocity_index]

    def armed(self, o: Oracle) -> None:
        armature = np.zeros(o.model.nv)
        armature[o.velocity_index] = self.drive("IA")
        o.model.armature = armature
