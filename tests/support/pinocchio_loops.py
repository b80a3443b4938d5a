"""Closed loops by Pinocchio's own constrained dynamics.

A cut joint becomes a joint like the others. Behind it is half of the body that carries its mate, and a rigid constraint
glues this half to the other one: whatever the cut joint is, Pinocchio knows it as a joint, and no matrix is singular.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin

from support.free_robots import Array, State, Tree, driven, movable
from support.loops import cut_positions
from support.pinocchio_robot import oracle
from symoro.bind.interface import robot_numbers
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import evaluate as value_of

#: On a mate that stands still it does not matter which body is welded to the base.
ANY_BODY = pin.Inertia(1.0, np.zeros(3), 0.1 * np.eye(3))
NONE = np.zeros(0)
#: Where rows depend on each other (a planar loop out of its plane) these steps find the accelerations all the same.
ACCURACY, DAMPING, STEPS = 1e-14, 1e-8, 1000


def opened(robot: Robot) -> Robot:
    """The tree with the cut joints as joints and the mates as frames fixed on their links, both without inertia."""
    new = 2 * len(robot.cuts)
    return replace(
        robot,
        closures=(),
        inertias=(*robot.inertias, *[Inertia()] * new),
        drives=(*robot.drives, *[Drive()] * new),
        wrenches=(*robot.wrenches, *[Wrench()] * new),
    )


class ConstrainedRobot:
    """A robot with loops as Pinocchio's model of a tree with glued halves, at a closed configuration q of its tree.

    Its base is fixed or floats; accelerations of a floating base are classical ones, as symoro's.
    """

    def __init__(self, robot: Robot, q: Array, quat: Array | None = None) -> None:
        self.robot, self.numbers = robot, robot_numbers(robot)
        self.o = oracle(opened(robot), self.numbers, free=robot.base.free)
        self.model = self.o.model
        self.q = self.o.q(np.r_[q, cut_positions(robot, q)], quat)
        self.base = list(range(6 * robot.base.free))
        self.tree = self.o.velocity_index[: len(q)]
        self.active = [*self.base, *(self.tree[k] for k in driven(robot))]
        self._rotors()
        self.constraints = pin.StdVec_RigidConstraintModel()
        for cut in robot.cuts:
            self._halve(cut.joint, cut.mate)
            self.constraints.append(self._glue(cut.joint, cut.mate))

    def _rotors(self) -> None:
        armature = np.zeros(self.model.nv)
        armature[self.tree] = [value_of(self.robot.drive(j).IA, self.numbers) for j in movable(self.robot)]
        self.model.armature = armature

    def _halve(self, joint: int, mate: int) -> None:
        o, bodies = self.o, self.model.inertias
        carrier, near = o.joint_of[mate], o.joint_of[joint]
        if carrier:
            half = pin.Inertia.FromDynamicParameters(bodies[carrier].toDynamicParameters() / 2)
            bodies[carrier] = half
            bodies[near] = bodies[near] + o.pose_in[mate].actInv(half)
        else:
            bodies[near] = bodies[near] + ANY_BODY

    def _glue(self, joint: int, mate: int) -> pin.RigidConstraintModel:
        sides = [(self.o.joint_of[j], self.o.pose_in[j]) for j in (joint, mate)]
        return pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, self.model, *sides[0], *sides[1], pin.LOCAL)

    def velocities(self, given: Array) -> Array:
        """The velocities of all joints for those of base and motors."""
        data, details = self.model.createData(), self._details()
        pin.computeJointJacobians(self.model, data, self.q)
        J = np.array(pin.getConstraintsJacobian(self.model, data, self.constraints, details))
        rest = [k for k in range(self.model.nv) if k not in self.active]
        v = np.zeros(self.model.nv)
        v[self.active] = given
        v[rest] = -np.linalg.pinv(J[:, rest], rcond=1e-10) @ (J[:, self.active] @ given)
        return v

    def inertia(self) -> Array:
        """A of base and motors: the kinetic energy is ½ uᵀ A u of their velocities u."""
        G = np.array([self.velocities(unit) for unit in np.eye(len(self.active))])
        M = np.triu(pin.crba(self.model, self.model.createData(), self.q))
        return np.asarray(G @ (M + np.triu(M, 1).T) @ G.T)

    def _details(self) -> pin.StdVec_RigidConstraintData:
        details = pin.StdVec_RigidConstraintData()
        details.extend([constraint.createData() for constraint in self.constraints])
        return details

    def accelerations(self, state: State) -> Array:
        """Of base and motors, for velocities `qd` and torques `tau` of the motors; `wrench` acts on the links."""
        V0 = state.get("V0", NONE)
        v = self.velocities(np.r_[V0, state["qd"]])
        spin = np.zeros(self.model.nv)  # of the base: its acceleration less that of its components
        if self.base:
            spin[:3] = np.cross(V0[3:], V0[:3])
        torques = np.zeros(self.model.nv)
        torques[[*self.base, *self.tree]] = self._torques(state, v[self.tree], -spin[: len(self.base)])
        data, details = self.model.createData(), self._details()
        pin.initConstraintDynamics(self.model, data, self.constraints, details)
        settings = pin.ProximalSettings(ACCURACY, DAMPING, STEPS)
        found = pin.constraintDynamics(self.model, data, self.q, v, torques, self.constraints, details, settings)
        return np.asarray((found + spin)[self.active])

    def _torques(self, state: State, qd: Array, base: Array) -> Array:
        """The torques on base and joints of the tree: motors and springs minus friction and wrenches."""
        tree = Tree(self.robot, state, qd)
        still = np.zeros(tree.o.model.nv)
        still[: len(base)] = base
        index = [*self.base, *tree.o.velocity_index]
        known = pin.rnea(tree.o.model, tree.o.data, tree.q, tree.v, still)[index]
        return np.asarray(tree.torques(state["tau"]) - (tree.h - known))
