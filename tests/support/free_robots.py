"""Random robots with a free base, springs, passive joints or closed loops, and oracles for them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pinocchio as pin

from support.pinocchio_robot import Oracle, external_forces, oracle, placement, shift, turn
from support.random_robots import physical_inertia, random_robot
from symoro.interface import robot_numbers
from symoro.ir.program import Program
from symoro.robot.base import Base, BaseKind
from symoro.robot.joint import Joint, JointKind
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Cut, Robot
from symoro.robot.values import ZERO, Symbol, as_value
from symoro.robot.values import evaluate as value_of

Array = np.ndarray[Any, np.dtype[np.float64]]
State = dict[str, Array]


def close(found: Array, expected: Array, tolerance: float, condition: float = 1.0) -> bool:
    """Agreement as the design says: max|Δ| / (1 + max|reference|), times cond(A) for direct models."""
    return bool(np.abs(found - expected).max() <= tolerance * condition * (1 + np.abs(expected).max()))


def with_floating_base(robot: Robot, seed: int) -> Robot:
    values = {f"{n}0": as_value(float(x)) for n, x in physical_inertia(np.random.default_rng(1000 + seed)).items()}
    base = Base(BaseKind.FLOATING, inertia=Inertia.symbolic(0))
    return replace(robot, base=base, values={**robot.values, **values})  # type: ignore[arg-type]


def with_springs(robot: Robot, seed: int, share: float = 0.5) -> Robot:
    """Some joints lose their motors; most of these get a spring."""
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
    """Where the joints with motors are among the movable ones."""
    return [n for n, j in enumerate(movable(robot)) if robot.joint(j).actuated]


def random_state(program: Program, seed: int) -> State:
    rng = np.random.default_rng(seed)
    state = {array.name: rng.normal(size=array.shape) for array in program.inputs}
    if "quat" in state:
        state["quat"] /= np.linalg.norm(state["quat"])
    return state


class Tree:
    """M and h of M u̇ + h = τ by Pinocchio, drives and springs included; u̇ has classical accelerations of the base."""

    def __init__(self, robot: Robot, state: Mapping[str, Array], qd: Array | None = None) -> None:
        self.robot, self.numbers = robot, robot_numbers(robot)
        floating = robot.base.free
        moving = "VP0" in state
        self.o: Oracle = oracle(robot, self.numbers, free=floating or moving)
        joints = movable(robot)
        index = [*range(6 * floating), *self.o.velocity_index]
        qd = state["qd"] if qd is None else qd
        V0 = state.get("V0", np.zeros(6))
        links = [j for j in range(1, robot.link_count + 1) if not robot.wrench(j).is_zero]
        forces = external_forces(self.o, dict(zip(links, state.get("wrench", ()), strict=True)))
        self.q, self.v = self.o.q(state["q"], state.get("quat")), self.o.v(qd, V0)
        still = np.zeros(self.o.model.nv)
        if floating or moving:  # Pinocchio takes the spatial acceleration
            base = state["VP0"].copy() if moving else np.zeros(6)
            base[:3] -= np.cross(V0[3:], V0[:3])
            still[:6] = base
        M = pin.crba(self.o.model, self.o.data, self.q)
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(index, index)]
        h = pin.rnea(self.o.model, self.o.data, self.q, self.v, still, forces)[index]
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
        """Motors where they are, springs elsewhere, nothing on the base."""
        out = self.spring.copy()
        first = len(out) - len(movable(self.robot))
        out[[first + k for k in driven(self.robot)]] += tau
        return out

    def accelerations(self, tau: Array) -> Array:
        return np.linalg.solve(self.M, self.torques(tau) - self.h)

    @property
    def condition(self) -> float:
        return float(np.linalg.cond(self.M))


# closed loops


def pose_parameters(T: pin.SE3) -> dict[str, float]:
    """γ b α d θ r of a pose: Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r)."""
    R, (x, y, z) = T.rotation, T.translation
    if R[2, 2] > 1 - 1e-12:  # a turn about z
        gamma = float(np.arctan2(y, x))
        theta = float(np.arctan2(R[1, 0], R[0, 0])) - gamma
        return {"gamma": gamma, "b": float(z), "alpha": 0.0, "d": float(np.hypot(x, y)), "theta": theta, "r": 0.0}
    alpha = float(np.arctan2(np.hypot(R[0, 2], R[1, 2]), R[2, 2]))
    gamma, theta = float(np.arctan2(R[0, 2], -R[1, 2])), float(np.arctan2(R[2, 0], R[2, 1]))
    first = (turn("z", gamma) * turn("x", alpha)).rotation
    columns = np.column_stack([np.array([0.0, 0.0, 1.0]), first[:, 0], first[:, 2]])
    b, d, r = np.linalg.solve(columns, T.translation)
    result = {"gamma": gamma, "b": b, "alpha": alpha, "d": d, "theta": theta, "r": r}
    again = turn("z", gamma) * shift("z", b) * turn("x", alpha) * shift("x", d) * turn("z", theta) * shift("z", r)
    assert np.allclose(again.homogeneous, T.homogeneous, atol=1e-9)
    return {name: float(x) for name, x in result.items()}


def random_loop(seed: int) -> tuple[Robot, Array]:
    """A chain from the base back to it, spatial or planar, with an arm on it; and q where it is closed."""
    rng = np.random.default_rng(seed)
    spatial = seed % 2 == 0
    m = int(rng.integers(6, 8)) if spatial else int(rng.integers(3, 6))
    motors = m + 1 - (6 if spatial else 3)
    robot = random_robot(seed, joints=m + 1, structure="serial", kinds="revolute", moving_base=0)
    joints = [replace(j, actuated=j.index <= motors) for j in robot.joints[:m]]
    for k, joint in enumerate(joints):
        alpha = rng.uniform(0.4, 1.4) * rng.choice([-1, 1]) if spatial else 0.0
        lengths = {"d": rng.uniform(0.3, 1.0) if k else 0.0, "r": rng.uniform(-0.5, 0.5) if spatial else 0.0}
        joints[k] = replace(
            joint,
            **{n: as_value(round(float(x), 4)) for n, x in {"alpha": alpha, **lengths}.items()},  # type: ignore[arg-type]
            theta=Symbol(f"q{joint.index}"), gamma=ZERO, b=ZERO,
        )  # fmt: skip
    joints.append(replace(robot.joints[m], parent=int(rng.integers(1, m + 1))))  # the arm
    q = rng.uniform(-2, 2, m + 1)
    if rng.random() < 0.5:  # tilt the whole robot
        joints[0] = replace(joints[0], gamma=as_value("0.7"), alpha=as_value("0.9"))
    numbers = robot_numbers(robot)
    T = pin.SE3.Identity()
    for joint, x in zip(joints[:m], q, strict=False):
        T = T * placement(joint, numbers) * turn("z", x)
    cut_alpha = round(float(rng.uniform(0.4, 1.2)), 4) if spatial else 0.0
    cut = Joint(m + 2, "cut", m, JointKind.REVOLUTE, actuated=False, alpha=as_value(cut_alpha), d=as_value("0.6"))
    T = T * placement(cut, numbers) * turn("z", float(rng.uniform(-2, 2)))
    mate = Joint(m + 3, "mate", 0, JointKind.FIXED, **{n: as_value(x) for n, x in pose_parameters(T).items()})  # type: ignore[arg-type]
    closed = replace(robot, joints=(*joints, cut, mate), cuts=(Cut(m + 2, m + 3),))
    return closed, q


def on_link(robot: Robot, frame: Joint, numbers: Mapping[str, float]) -> tuple[int, pin.SE3]:
    """The link that carries a fixed frame, and the frame's place on it; a mate may be fixed on another mate."""
    where = placement(frame, numbers)
    while frame.parent > robot.link_count:
        frame = robot.joint(frame.parent)
        where = placement(frame, numbers) * where
    return frame.parent, where


class Loops:
    """Jacobian J and drift of the loops' constraints J q̇ = 0 by Pinocchio: velocities of cut frame and mate agree."""

    def __init__(self, tree: Tree) -> None:
        robot, o = tree.robot, tree.o
        model, data = o.model, o.data
        self.rows: list[Array] = []
        self.drift: list[Array] = []
        q, v = tree.q, tree.v
        pin.forwardKinematics(model, data, q, v, np.zeros(model.nv))
        pin.computeJointJacobians(model, data, q)
        for cut in robot.cuts:
            joint, mate = robot.joint(cut.joint), robot.joint(cut.mate)
            last, where = on_link(robot, mate, tree.numbers)
            hold = o.pose_in[last] * where
            at = data.oMi[o.joint_of[last]] * hold
            other = o.pose_in[joint.parent] * (
                (data.oMi[o.joint_of[joint.parent]] * o.pose_in[joint.parent]).inverse() * at
            )
            sides = ((o.joint_of[joint.parent], other), (o.joint_of[last], hold))
            J, drift = np.zeros((6, model.nv)), np.zeros(6)
            for sign, (carrier, where) in zip((1, -1), sides, strict=True):
                X = where.toActionMatrixInverse()
                J += sign * X @ pin.getJointJacobian(model, data, carrier, pin.LOCAL)
                twist, spatial = where.actInv(data.v[carrier]), where.actInv(data.a[carrier])
                classical = spatial.vector.copy()
                classical[:3] += np.cross(twist.angular, twist.linear)
                drift += sign * classical
                if sign > 0:
                    w = twist.angular
            free = 2 if joint.prismatic else 5
            rate = -(J @ v)[free]  # of the cut joint
            z = np.array([0.0, 0.0, 1.0])
            drift[:3] += 2 * joint.prismatic * np.cross(w, rate * z)
            drift[3:] += joint.revolute * np.cross(w, rate * z)
            kept = [row for row in range(6) if row != free]
            self.rows.append(J[np.ix_(kept, o.velocity_index)])
            self.drift.append(drift[kept])
        self.J, self.gamma = np.vstack(self.rows), np.hstack(self.drift)

    def consistent(self, active: list[int], qd: Array) -> Array:
        """The velocities of all joints for those of the active ones."""
        passive = [k for k in range(self.J.shape[1]) if k not in active]
        full = np.zeros(self.J.shape[1])
        full[active] = qd
        full[passive] = -np.linalg.pinv(self.J[:, passive], rcond=1e-10) @ (self.J[:, active] @ qd)
        return full
