"""Parallel robots by Pinocchio's model of the legs, a free body, and Lagrange multipliers at the attachments.

Nothing here comes from the models of parallel robots, except the joint positions of the legs: they are checked to
reach the platform.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pinocchio as pin

from support.free_robots import Array, Tree
from support.loops import Loops, gap
from support.pinocchio_robot import Oracle, oracle
from support.random_robots import physical_inertia
from symoro.ir.graph import Graph
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.numbers import function_of, moved
from symoro.models.parallel.structure import bound_legs, structure
from symoro.robot.base import IDENTITY
from symoro.robot.parallel import AttachmentKind, ParallelRobot
from symoro.robot.robot import Cut, Robot
from symoro.robot.values import as_value, evaluate


def hat(x: Array) -> Array:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def joint_positions(robot: ParallelRobot, T: Array) -> Array:
    """q of all legs that the models take at this pose."""
    letters = Letters(robot, Graph())
    legs = bound_legs(letters, structure(robot))
    return function_of(letters, [leg.s.q[j] for leg in legs for j in leg.s.variables])(T)


@dataclass(frozen=True)
class Platform:
    """M u̇ + h = B τ + Cᵀ λ, C u̇ + c = 0 with u = [q̇; V] at a pose T."""

    robot: ParallelRobot
    T: Array
    q: Array

    @cached_property
    def numbers(self) -> dict[str, float]:
        return self.robot.values.numbers()

    @cached_property
    def legs(self) -> Oracle:
        made = oracle(self.robot, self.numbers)
        pin.computeJointJacobians(made.model, made.data, made.q(self.q))
        return made

    @cached_property
    def _with_cuts(self) -> Robot:
        """The legs as one robot, with the cuts of their loops behind the tree."""
        return robot_of_legs(self.robot)

    def _pose(self, table: tuple[tuple[object, ...], ...]) -> pin.SE3:
        M = np.array([[evaluate(x, self.numbers) for x in row] for row in table])  # type: ignore[arg-type]
        return pin.SE3(M[:3, :3], M[:3, 3])

    def _ends(self) -> list[tuple[int, pin.SE3, pin.SE3]]:
        """For each leg: the Pinocchio joint of its end, frame B on it, and frame A on the platform."""
        found = []
        for i, (leg, attachment) in enumerate(zip(self.robot.legs, self.robot.attachments, strict=True)):
            frame = leg.link_count if attachment.frame is None else leg.frame_ref(attachment.frame)
            link, on_link = frame, IDENTITY
            if isinstance(frame, str):
                named = next(f for f in leg.frames if f.name == frame)
                link, on_link = named.link, named.pose
            j = self.robot.first_joints[i] + int(link)
            B = self.legs.pose_in[j] * self._pose(on_link)
            found.append((self.legs.joint_of[j], B, self._pose(attachment.pose)))
        return found

    def _rows(self, kind: AttachmentKind, A: Array, B: Array) -> Array:
        """The directions along which the angular velocities of platform and leg are equal."""
        x, y, z = B.T
        return {
            AttachmentKind.SPHERICAL: np.zeros((0, 3)),
            AttachmentKind.UNIVERSAL: np.cross(z, A[:, 2])[None],
            AttachmentKind.REVOLUTE: np.array([x, y]),
            AttachmentKind.PRISMATIC: B.T,
            AttachmentKind.FIXED: B.T,
        }[kind]

    def closure(self) -> float:
        """The largest of the gaps."""
        return float(np.abs(self.gaps()).max())

    def gaps(self) -> Array:
        """How far the legs are from the platform: of positions, and of axes; and how far their loops are open."""
        world, errors = pin.SE3(self.T[:3, :3], self.T[:3, 3]), [0.0]
        errors += list(gap(self._with_cuts, self.q)) if self._with_cuts.cuts else []
        for (j, B, A), attachment in zip(self._ends(), self.robot.attachments, strict=True):
            b, a = self.legs.data.oMi[j] * B, world * A
            slides = attachment.kind is AttachmentKind.PRISMATIC
            errors += list((b.rotation.T @ (b.translation - a.translation))[: 2 if slides else 3])
            zb, za = b.rotation[:, 2], a.rotation[:, 2]
            match attachment.kind:
                case AttachmentKind.UNIVERSAL:
                    errors.append(zb @ za)
                case AttachmentKind.REVOLUTE:
                    errors += list(np.cross(zb, za))
                case AttachmentKind.FIXED | AttachmentKind.PRISMATIC:
                    errors += list((b.rotation - a.rotation).ravel())
        return np.array(errors)

    def constraints(self, u: Array) -> tuple[Array, Array]:
        """C and Ċ u."""
        o, n = self.legs, len(self.q)
        qd, V = u[:n], u[n:]
        v = o.v(qd)
        pin.forwardKinematics(o.model, o.data, o.q(self.q), v, np.zeros(o.model.nv))
        pin.computeJointJacobians(o.model, o.data, o.q(self.q))
        rows, drift, R = [], [], self.T[:3, :3]
        w = V[3:]
        for (j, B, A), attachment in zip(self._ends(), self.robot.attachments, strict=True):
            frame = o.model.addFrame(pin.Frame(f"end{len(rows)}_{o.model.nframes}", j, 0, B, pin.FrameType.OP_FRAME))
            data = o.model.createData()
            pin.forwardKinematics(o.model, data, o.q(self.q), v, np.zeros(o.model.nv))
            J = pin.computeFrameJacobian(o.model, data, o.q(self.q), frame, pin.LOCAL_WORLD_ALIGNED)
            J = J[:, o.velocity_index]
            a = pin.getFrameClassicalAcceleration(o.model, data, frame, pin.LOCAL_WORLD_ALIGNED)
            P, axes = R @ A.translation, R @ A.rotation
            end = data.oMi[j] * B
            turned, point = end.rotation, np.hstack([J[:3], -np.eye(3), hat(P)])
            apart = a.linear - np.cross(w, np.cross(w, P))
            if attachment.kind is AttachmentKind.PRISMATIC:  # e·d = 0 with d = p_B − p_A, and e turns with the platform
                e, d, rate = turned[:, :2].T, end.translation - self.T[:3, 3] - P, point @ u
                point = e @ point + np.hstack([np.zeros((2, n + 3)), np.cross(e, d)])
                apart = e @ apart + 2 * np.cross(w, e) @ rate + np.cross(w, np.cross(w, e)) @ d
            rows.append(point)
            drift.append(apart)
            own = J[3:] @ qd
            E = self._rows(attachment.kind, axes, turned)
            rows.append(np.hstack([E @ J[3:], np.zeros((len(E), 3)), -E]))
            if attachment.kind is AttachmentKind.UNIVERSAL:
                z, s = turned[:, 2], axes[:, 2]
                change = (np.cross(np.cross(own, z), s) + np.cross(z, np.cross(w, s)))[None]
            else:
                change = np.cross(own, E) if len(E) else E
            drift.append(E @ a.angular + change @ (own - w))
        if self._with_cuts.cuts:
            loops = Loops(Tree(self._with_cuts, {"q": self.q}, qd))
            rows.append(np.hstack([loops.J, np.zeros((len(loops.J), 6))]))
            drift.append(loops.gamma)
        return np.vstack(rows), np.concatenate(drift)

    def velocities(self, V: Array) -> Array:
        """u for a motion of the platform that the legs allow."""
        n = len(self.q)
        C, _ = self.constraints(np.zeros(n + 6))
        qd = np.linalg.lstsq(C[:, :n], -C[:, n:] @ V, rcond=None)[0]
        assert np.abs(C @ np.r_[qd, V]).max() < 1e-9 * (1 + np.abs(V).max())
        return np.r_[qd, V]

    def freedoms(self) -> Array:
        """A basis of the motions V of the platform that the legs allow."""
        n = len(self.q)
        C, _ = self.constraints(np.zeros(n + 6))
        _, values, right = np.linalg.svd(C)
        rank = int((values > 1e-9).sum())
        return np.linalg.qr(right[rank:, n:].T)[0]

    def equations(self, u: Array) -> tuple[Array, Array]:
        """M and h, with drives."""
        o, n = self.legs, len(self.q)
        q, v, index = o.q(self.q), o.v(u[:n]), o.velocity_index
        M = pin.crba(o.model, o.data, q)
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(index, index)]
        h = pin.rnea(o.model, o.data, q, v, np.zeros(o.model.nv))[index]
        drives = {k: np.array([self._drive(k, j) for j in range(1, n + 1)]) for k in ("IA", "FV", "FS")}
        M = M + np.diag(drives["IA"])
        h = h + drives["FV"] * u[:n] + drives["FS"] * np.sign(u[:n])
        Mp, hp = self._body(u[n:])
        zero = np.zeros((n, 6))
        return np.block([[M, zero], [zero.T, Mp]]), np.r_[h, hp]

    def _drive(self, name: str, j: int) -> float:
        joints = [x.index for x in self.robot.joints if x.movable]
        return evaluate(getattr(self.robot.drive(joints[j - 1]), name), self.numbers)

    def _body(self, V: Array) -> tuple[Array, Array]:
        """The platform alone, in frame 0."""
        p = {name: evaluate(x, self.numbers) for name, x in self.robot.platform.items()}
        R, w = self.T[:3, :3], V[3:]
        I = np.array([[p["XX"], p["XY"], p["XZ"]], [p["XY"], p["YY"], p["YZ"]], [p["XZ"], p["YZ"], p["ZZ"]]])
        I, c = R @ I @ R.T, R @ np.array([p["MX"], p["MY"], p["MZ"]])
        g = np.array([evaluate(x, self.numbers) for x in self.robot.gravity])
        M = np.block([[p["M"] * np.eye(3), -hat(c)], [hat(c), I]])
        h = np.r_[np.cross(w, np.cross(w, c)) - p["M"] * g, np.cross(w, I @ w) - np.cross(c, g)]
        return M, h

    def motors(self) -> Array:
        """B: the places of the motors among u."""
        joints = [x for x in self.robot.joints if x.movable]
        places = [k for k, joint in enumerate(joints) if joint.actuated]
        return np.eye(len(self.q) + 6)[:, places]

    def acceleration(self, u: Array, tau: Array, needed: Array | float = 0.0) -> Array:
        """VP for torques of the motors; `needed` are further forces that the coordinates exert."""
        M, h = self.equations(u)
        C, drift = self.constraints(u)
        n, k = len(u), len(C)
        system = np.block([[M, -C.T], [C, np.zeros((k, k))]])
        right = np.r_[self.motors() @ tau - h - needed, -drift]
        found = np.linalg.lstsq(system, right, rcond=1e-12)[0]
        return found[len(self.q) : n]

    def follow(self, u: Array, VP: Array) -> Array:
        """u̇ for an acceleration of the platform that the legs allow."""
        C, drift = self.constraints(u)
        n = len(self.q)
        qdd = np.linalg.lstsq(C[:, :n], -drift - C[:, n:] @ VP, rcond=None)[0]
        assert np.abs(C @ np.r_[qdd, VP] + drift).max() < 1e-8 * (1 + np.abs(drift).max())
        return np.r_[qdd, VP]

    def torques(self, u: Array, ud: Array, needed: Array | float = 0.0) -> Array:
        """The least torques of the motors for a motion of all coordinates, and for further forces that they exert."""
        M, h = self.equations(u)
        C, _ = self.constraints(u)
        _, values, right = np.linalg.svd(C)
        free = right[int((values > 1e-9).sum()) :]
        return np.linalg.lstsq(free @ self.motors(), free @ (M @ ud + h + needed), rcond=1e-10)[0]


def robot_of_legs(robot: ParallelRobot) -> Robot:
    """The tree of all legs with the cuts of their loops: the cut joints, then their mates."""
    cuts, mates, n = [], [], robot.link_count
    count = sum(len(leg.cuts) for leg in robot.legs)
    for leg, first in zip(robot.legs, robot.first_joints, strict=True):
        for cut in leg.cuts:
            k = n + len(cuts) + 1
            joint, mate = leg.joint(cut.joint), leg.joint(cut.mate)
            above = joint.parent + first if joint.parent else 0
            cuts.append(replace(joint, index=k, name=f"cut {k}", parent=above))
            above = mate.parent + first if mate.parent else 0
            mates.append(replace(mate, index=k + count, name=f"mate {k}", parent=above))
    return Robot(
        robot.name,
        (*robot.joints, *cuts, *mates),
        robot.inertias,
        robot.drives,
        gravity=robot.gravity,
        cuts=tuple(Cut(a.index, b.index) for a, b in zip(cuts, mates, strict=True)),
        values=robot.values,
    )


def random_motion(platform: Platform, rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    """V and VP that the legs allow, with u and u̇."""
    S = platform.freedoms()
    u = platform.velocities(S @ rng.normal(size=S.shape[1]))
    C, drift = platform.constraints(u)
    n = len(platform.q)
    some = np.linalg.lstsq(C, -drift, rcond=1e-10)[0][n:]
    VP = some + S @ rng.normal(size=S.shape[1])
    return u[n:], VP, u, platform.follow(u, VP)


def with_random_inertias(robot: ParallelRobot, rng: np.random.Generator) -> ParallelRobot:
    """The robot with other bodies and drives."""
    values = {}
    for end in ["P", *(f"{j.index}_{i}" for i, leg in enumerate(robot.legs, 1) for j in leg.joints)]:
        values |= {f"{name}{end}": as_value(float(x)) for name, x in physical_inertia(rng).items()}
    for name in robot.values:
        if name[:2] in ("IA", "FV", "FS"):
            values[name] = as_value(float(rng.uniform(0.1, 2)))
    known = {name: x for name, x in values.items() if name in robot.values}
    return replace(robot, values={**robot.values, **known})  # type: ignore[arg-type]


def reachable_pose(robot: ParallelRobot, rng: np.random.Generator, far: float = 0.15) -> Array:
    """A pose near home that the legs allow, by Newton's method on the residual of the constraints."""
    home = np.array([[evaluate(x, robot.values.numbers()) for x in row] for row in robot.home])
    letters = Letters(robot, Graph())
    legs = bound_legs(letters, structure(robot))
    rows = [row for leg in legs for row in leg.constraints]
    T = moved(home, far * np.r_[0.3, 0.3, 0.3, 1, 1, 1] * rng.uniform(-1, 1, 6))
    if not rows:
        return T
    C = function_of(letters, [x for row in rows for x in row])
    e = function_of(letters, [x for leg in legs if leg.free for x in leg.excess(leg.residual)])
    for _ in range(30):
        T = moved(T, -np.linalg.lstsq(C(T).reshape(len(rows), 6), e(T), rcond=1e-9)[0])
    return T
