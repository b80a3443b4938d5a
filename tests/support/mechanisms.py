"""Any mechanism by Pinocchio's open tree and Lagrange multipliers: loops, wheels, floating bases, platforms on legs.

A cut of a loop and an attachment of a leg are the same here: a joint without mass between two frames, which both have
velocities and accelerations by Pinocchio. Nothing comes from symoro's models.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import pinocchio as pin

from support.free_robots import Array, movable
from support.loops import on_link
from support.pinocchio_robot import Oracle, external_forces, oracle, placement
from support.wheeled_robots import UPRIGHT
from symoro.robot.base import IDENTITY, Pose
from symoro.robot.robot import Closure, ClosureKind, Robot
from symoro.robot.values import Value, evaluate


def hat(x: Array) -> Array:
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def moved(T: Array, twist: Array) -> Array:
    """The pose after a small motion [v; ω] in frame 0."""
    return np.block([[pin.exp3(twist[3:]) @ T[:3, :3], (T[:3, 3] + twist[:3])[:, None]], [np.eye(4)[3:]]])


class Tie(NamedTuple):
    """Frames B and A on two of Pinocchio's joints, and what holds between them (see `Closure`)."""

    kind: ClosureKind
    b: int
    B: pin.SE3
    a: int
    A: pin.SE3

    @property
    def across(self) -> int:
        """How many axes of A the line between the origins is normal to."""
        return 2 if self.kind is ClosureKind.PRISMATIC else 3

    @property
    def normal(self) -> tuple[tuple[int, int], ...]:
        """Axes of B and of A that are normal to each other."""
        return {
            ClosureKind.SPHERICAL: (),
            ClosureKind.UNIVERSAL: ((2, 2),),
            ClosureKind.REVOLUTE: ((2, 0), (2, 1)),
        }.get(self.kind, ((2, 0), (2, 1), (0, 1)))

    @property
    def same(self) -> tuple[int, ...]:
        """Axes of B and A that point the same way."""
        return {ClosureKind.SPHERICAL: (), ClosureKind.UNIVERSAL: (), ClosureKind.REVOLUTE: (2,)}.get(self.kind, (0, 2))


class Moving(NamedTuple):
    """A frame in the world: its pose, velocity and acceleration, and the Jacobian matrices of its velocity."""

    p: Array
    R: Array
    v: Array
    w: Array
    a: Array
    turning: Array
    Jv: Array
    Jw: Array


@dataclass(frozen=True)
class Mechanism:
    """M u̇ + h = B τ + Cᵀ λ, C u̇ + c = 0 at a configuration: q of the tree, and T of a platform in frame 0.

    u has the velocities V0 of a base that moves, in its frame; q̇ of the joints; V of the platform against the base, in
    frame 0. u̇ has the accelerations of the origins. `wrench` has a row for each link that declares one, `VP0` is the
    given acceleration of a base that is neither free nor fixed.
    """

    robot: Robot
    T: Array | None
    q: Array
    quat: Array | None = None
    wrench: Array | None = None
    VP0: Array | None = None

    # the open tree

    @cached_property
    def numbers(self) -> dict[str, float]:
        return self.robot.values.numbers()

    def number(self, value: Value) -> float:
        return evaluate(value, self.numbers)

    @cached_property
    def o(self) -> Oracle:
        return oracle(self.robot, self.numbers, free=bool(self.base))

    @cached_property
    def base(self) -> int:
        return 6 if self.robot.base.free or self.VP0 is not None else 0

    @cached_property
    def count(self) -> int:
        """The number of coordinates u."""
        return self.base + len(self.q) + (0 if self.T is None else 6)

    @cached_property
    def _platform(self) -> pin.JointModel:
        (link,) = (joint.index for joint in self.robot.joints if joint.free)
        return self.o.model.joints[self.o.joint_of[link]]

    @cached_property
    def at(self) -> Array:
        """The configuration, as Pinocchio has it."""
        found = self.o.q(self.q, UPRIGHT if self.quat is None else self.quat)
        if self.T is not None:
            first = self._platform.idx_q
            found[first : first + 7] = pin.SE3ToXYZQUAT(pin.SE3(self.T[:3, :3], self.T[:3, 3]))
        return found

    @cached_property
    def X(self) -> Array:
        """v = X u of Pinocchio's velocities: those of a platform are in its own frame."""
        found = np.zeros((self.o.model.nv, self.count))
        found[: self.base, : self.base] = np.eye(self.base)
        found[self.o.velocity_index, self.base : self.base + len(self.q)] = np.eye(len(self.q))
        if self.T is not None:
            first, R = self._platform.idx_v, self.T[:3, :3]
            found[first : first + 3, -6:-3] = found[first + 3 : first + 6, -3:] = R.T
        return found

    def curve(self, u: Array) -> Array:
        """v̇ − X u̇: Pinocchio's accelerations of free bodies are the derivatives of the components."""
        v, found = self.X @ u, np.zeros(self.o.model.nv)
        for first in [0] * bool(self.base) + ([] if self.T is None else [self._platform.idx_v]):
            found[first : first + 3] = -np.cross(v[first + 3 : first + 6], v[first : first + 3])
        return found

    def equations(self, u: Array) -> tuple[Array, Array]:
        """M and h with drives; springs and wrenches are apart."""
        o, n = self.o, len(self.q)
        M = pin.crba(o.model, o.data, self.at)
        M = self.X.T @ (np.triu(M) + np.triu(M, 1).T) @ self.X
        h = self.X.T @ pin.rnea(o.model, o.data, self.at, self.X @ u, self.curve(u))
        joints = slice(self.base, self.base + n)
        M[joints, joints] += np.diag(self.drive("IA"))
        h[joints] += self.friction(u)
        return M, h

    def friction(self, u: Array) -> Array:
        """The friction of the joints."""
        return self.drive("FV") * self._joints(u) + self.drive("FS") * self._signs(u)

    def _joints(self, u: Array) -> Array:
        return u[self.base : self.base + len(self.q)]

    def _signs(self, u: Array) -> Array:
        """The signs of the joints' velocities; one that is 0 but for rounding has none."""
        qd = self._joints(u)
        return np.sign(np.where(np.abs(qd) > 1e-12 * (1 + np.abs(u).max()), qd, 0.0))

    def drive(self, name: str) -> Array:
        return np.array([self.number(getattr(self.robot.drive(j), name)) for j in movable(self.robot)])

    @cached_property
    def exerted(self) -> Array:
        """What springs and wrenches on the environment need at u."""
        links = [j for j in range(1, self.robot.link_count + 1) if not self.robot.wrench(j).is_zero]
        rows = [] if self.wrench is None else np.reshape(self.wrench, (-1, 6))
        forces = external_forces(self.o, dict(zip(links, rows, strict=self.wrench is not None)))
        still = np.zeros(self.o.model.nv)
        weight = pin.rnea(self.o.model, self.o.data, self.at, still, still)
        found = self.X.T @ (pin.rnea(self.o.model, self.o.data, self.at, still, still, forces) - weight)
        found[self.base : self.base + len(self.q)] += self._stiffness * self._deformed
        return found

    @cached_property
    def _stiffness(self) -> Array:
        joints = [self.robot.joint(j) for j in movable(self.robot)]
        return np.array([self.number(joint.stiffness) if joint.elastic else 0.0 for joint in joints])

    @cached_property
    def _deformed(self) -> Array:
        rest = [self.number(self.robot.joint(j).rest) for j in movable(self.robot)]
        return self.q - np.array(rest)

    def energies(self, u: Array) -> dict[str, float]:
        """Kinetic and potential energy, and that of springs."""
        M, _ = self.equations(u)
        U = pin.computePotentialEnergy(self.o.model, self.o.data, self.at)
        return {"E": float(u @ M @ u / 2), "U": float(U), "US": float(self._stiffness @ self._deformed**2 / 2)}

    def motors(self) -> Array:
        """B: the places of the motors among u."""
        joints = [self.robot.joint(j) for j in movable(self.robot)]
        return np.eye(self.count)[:, [self.base + k for k, joint in enumerate(joints) if joint.actuated]]

    # what ties it

    @cached_property
    def attached(self) -> tuple[Tie, ...]:
        """Where legs meet the platform."""
        return tuple(self._attached(one) for one in self.robot.closures if not one.cut)

    def _attached(self, closure: Closure) -> Tie:
        """B is a frame of a leg, by its number or its name in the leg."""
        assert closure.b.group is not None
        group, frame, on_link = self.robot.groups[closure.b.group], closure.b.frame, IDENTITY
        links = [j for j in group.joints if j <= self.robot.link_count]
        named = {self.robot.joint(j).name.removeprefix(f"leg {closure.b.group} "): j for j in links}
        placed = {f.name: f for f in self.robot.frames}
        if frame is None:
            (link,) = (j for j in links if j not in [self.robot.joint(k).parent for k in links])
        elif isinstance(frame, int):
            link = group.joints[frame - 1]
        elif f"leg {closure.b.group} {frame}" in placed:
            one = placed[f"leg {closure.b.group} {frame}"]
            link, on_link = one.link, one.pose
        else:
            link = named[frame]
        o = self.o
        B, A = o.pose_in[link] * self._pose(on_link), o.pose_in[closure.a.frame] * self._pose(closure.a.pose)
        return Tie(closure.kind, o.joint_of[link], B, o.joint_of[closure.a.frame], A)

    def _pose(self, table: Pose) -> pin.SE3:
        M = np.array([[self.number(x) for x in row] for row in table])
        return pin.SE3(M[:3, :3], M[:3, 3])

    @cached_property
    def cut(self) -> tuple[Tie, ...]:
        """The cut joints, between their antecedents and their mates."""
        found = []
        for cut in self.robot.cuts:
            joint, mate, o = self.robot.joint(cut.joint), self.robot.joint(cut.mate), self.o
            last, where = on_link(self.robot, mate, self.numbers)
            B = o.pose_in[joint.parent] * placement(joint, self.numbers)
            kind = ClosureKind.PRISMATIC if joint.prismatic else ClosureKind.REVOLUTE
            found.append(Tie(kind, o.joint_of[joint.parent], B, o.joint_of[last], o.pose_in[last] * where))
        return tuple(found)

    @property
    def ties(self) -> tuple[Tie, ...]:
        return (*self.attached, *self.cut)

    def _move(self, u: Array) -> None:
        o = self.o
        pin.forwardKinematics(o.model, o.data, self.at, self.X @ u, self.curve(u))
        pin.computeJointJacobians(o.model, o.data, self.at)

    def _frame(self, j: int, where: pin.SE3) -> Moving:
        """A frame on Pinocchio's joint j, in the motion that was set last and for u̇ = 0."""
        o, none = self.o, np.zeros(3)
        if j == 0:
            J = np.zeros((3, self.count))
            return Moving(where.translation, where.rotation, none, none, none, none, J, J)
        at, J = o.data.oMi[j], pin.getJointJacobian(o.model, o.data, j, pin.LOCAL_WORLD_ALIGNED) @ self.X
        V = pin.getVelocity(o.model, o.data, j, pin.LOCAL_WORLD_ALIGNED)
        A = pin.getClassicalAcceleration(o.model, o.data, j, pin.LOCAL_WORLD_ALIGNED)
        r, w = at.rotation @ where.translation, V.angular
        return Moving(
            at.translation + r, at.rotation @ where.rotation, V.linear + np.cross(w, r), w,
            A.linear + np.cross(A.angular, r) + np.cross(w, np.cross(w, r)), A.angular, J[:3] - hat(r) @ J[3:], J[3:],
        )  # fmt: skip

    def _sides(self) -> Iterator[tuple[Tie, Moving, Moving]]:
        return ((tie, self._frame(tie.b, tie.B), self._frame(tie.a, tie.A)) for tie in self.ties)

    def errors(self) -> Array:
        """How far each tie is open: along axes of A, and of axes that are to be normal."""
        self._move(np.zeros(self.count))
        found = []
        for tie, b, a in self._sides():
            found += list((a.R.T @ (b.p - a.p))[: tie.across])
            found += [b.R[:, i] @ a.R[:, k] for i, k in tie.normal]
        return np.array(found)

    def closure(self) -> float:
        """The largest error; axes that point the other way count."""
        self._move(np.zeros(self.count))
        turned = [1 - b.R[:, k] @ a.R[:, k] for tie, b, a in self._sides() for k in tie.same]
        return float(np.abs([*self.errors(), *turned, 0.0]).max())

    def constraints(self, u: Array) -> tuple[Array, Array]:
        """C and Ċ u: of e·(p_B − p_A) = 0 and b·a = 0, with e and a fixed in A, b fixed in B; of wheels, and of
        a base whose motion is given."""
        self._move(u)
        rows, drift = [np.zeros((0, self.count))], [np.zeros(0)]
        for tie, b, a in self._sides():
            d, rate = b.p - a.p, b.v - a.v
            for e in a.R.T[: tie.across]:
                change = np.cross(a.w, e)
                rows.append((e @ (b.Jv - a.Jv) + np.cross(e, d) @ a.Jw)[None])
                bent = np.cross(a.turning, e) + np.cross(a.w, change)
                drift.append(np.array([e @ (b.a - a.a) + 2 * change @ rate + bent @ d]))
            for i, k in tie.normal:
                x, y = b.R[:, i], a.R[:, k]
                dx, dy = np.cross(b.w, x), np.cross(a.w, y)
                bent_x = np.cross(b.turning, x) + np.cross(b.w, dx)
                bent_y = np.cross(a.turning, y) + np.cross(a.w, dy)
                rows.append((np.cross(x, y) @ (b.Jw - a.Jw))[None])
                drift.append(np.array([bent_x @ y + 2 * dx @ dy + x @ bent_y]))
        if self.robot.base.wheels:  # vz ωx ωy of the base, and the points of the wheels on the ground, stand still
            rows.append(np.eye(self.count)[[2, 3, 4]])
            drift.append(np.zeros(3))
        for wheel in self.robot.base.wheels:
            centre = self._frame(self.o.joint_of[wheel.joint], self.o.pose_in[wheel.joint])
            down = np.array([0, 0, -self.number(wheel.radius)])
            rows.append((centre.Jv - hat(down) @ centre.Jw)[:2])
            drift.append((centre.a + np.cross(centre.turning, down))[:2])
        if self.VP0 is not None:
            rows.append(np.eye(6, self.count))
            drift.append(-self.VP0)
        return np.vstack(rows), np.concatenate(drift)

    # what is left

    @cached_property
    def motions(self) -> Array:
        """N: a basis of the velocities u that the ties allow."""
        C, _ = self.constraints(np.zeros(self.count))
        if not len(C):
            return np.eye(self.count)
        _, values, right = np.linalg.svd(C)
        return np.asarray(right[int((values > 1e-9).sum()) :].T)

    @cached_property
    def regular(self) -> float:
        """The least singular value of C that is not 0, relative to the largest: how well its rank is decided."""
        C, _ = self.constraints(np.zeros(self.count))
        values = np.linalg.svd(C, compute_uv=False)
        return float(values[values > 1e-9][-1] / values[0]) if len(C) else 1.0

    def G(self, left: list[int]) -> Array:
        """∂u/∂v of the coordinates v at these places of u."""
        N = self.motions
        assert N.shape[1] == len(left), f"{N.shape[1]} degrees of freedom, but {len(left)} coordinates are left"
        return np.asarray(N @ np.linalg.inv(N[left]))

    def coasting(self, u: Array, left: list[int] | None = None) -> Array:
        """u̇ that the ties need: the least one, or that without accelerations of the coordinates at `left`."""
        C, drift = self.constraints(u)
        some = -np.linalg.lstsq(C, drift, rcond=1e-10)[0] if len(C) else np.zeros(self.count)
        return some if left is None else some - self.G(left) @ some[left]

    def velocities_for(self, given: Array, places: list[int]) -> Array:
        """u for its elements at these places, which determine the motion."""
        return np.asarray(self.motions @ np.linalg.lstsq(self.motions[places], given, rcond=1e-10)[0])

    def accelerations_for(self, u: Array, given: Array, places: list[int]) -> Array:
        """u̇ for its elements at these places."""
        some = self.coasting(u)
        return some + self.velocities_for(given - some[places], places)

    # dynamics

    def direct(self, u: Array, tau: Array, needed: Array | None = None) -> Array:
        """u̇ for torques of the motors; `needed` are further forces, by default those of springs and wrenches."""
        (M, h), N, some = self.equations(u), self.motions, self.coasting(u)
        push = self.motors() @ tau - h - (self.exerted if needed is None else needed) - M @ some
        return np.asarray(some + N @ np.linalg.solve(N.T @ M @ N, N.T @ push))

    @property
    def condition(self) -> float:
        """cond(A) of the direct model."""
        N, (M, _) = self.motions, self.equations(np.zeros(self.count))
        return float(np.linalg.cond(N.T @ M @ N))

    def torques(self, u: Array, ud: Array, needed: Array | None = None) -> Array:
        """The least torques of the motors for a motion."""
        M, h = self.equations(u)
        return self.onto_motors @ (M @ ud + h + (self.exerted if needed is None else needed))

    @cached_property
    def onto_motors(self) -> Array:
        """The least torques of the motors for forces at u: Nᵀ B Γ = Nᵀ f."""
        N = self.motions
        return np.asarray(np.linalg.pinv(N.T @ self.motors(), rcond=1e-10) @ N.T)

    def carried(self, wrenches: Array, ties: tuple[Tie, ...]) -> Array:
        """Forces at u of wrenches [f; m] on A's side, opposite ones on B's, at the origins of A and in the world."""
        self._move(np.zeros(self.count))
        total = np.zeros(self.count)
        for wrench, tie in zip(wrenches, ties, strict=True):
            b, a = self._frame(tie.b, tie.B), self._frame(tie.a, tie.A)
            f, m = wrench[:3], wrench[3:]
            total += a.Jv.T @ f + a.Jw.T @ m - b.Jv.T @ f - b.Jw.T @ (m + np.cross(a.p - b.p, f))
        return total

    def least_wrenches(self, needed: Array, ties: tuple[Tie, ...]) -> Array:
        """[f; m] on A's side, in the world, with the least Σ |f|² + |m|² of all that ties can carry for forces at u.

        `ties` come first among the rows of `constraints`; what the others carry is not in the sum. Moments are about
        the origin of A where the tie is a cut, else about that of B, which differ where it slides.
        """
        C, _ = self.constraints(np.zeros(self.count))
        others = C[sum(tie.across + len(tie.normal) for tie in ties) :]
        allowed = np.eye(self.count) - np.linalg.pinv(others, rcond=1e-9) @ others
        units = [(n, unit) for n, tie in enumerate(ties) for unit in self._carried_by(tie)]
        wrenches = np.zeros((len(units), len(ties), 6))
        for k, (n, unit) in enumerate(units):
            wrenches[k, n] = unit
        W = np.array([self.carried(self.at_origins(w, ties), ties) for w in wrenches]).T
        size = np.linalg.lstsq(allowed @ W, allowed @ needed, rcond=1e-9)[0]
        assert np.abs(allowed @ (W @ size - needed)).max() <= 1e-8 * (1 + np.abs(size).max()) / self.regular
        return np.asarray(np.tensordot(size, wrenches, 1))

    def _carried_by(self, tie: Tie) -> Iterator[Array]:
        """Unit wrenches that a tie can carry."""
        self._move(np.zeros(self.count))
        b, a = self._frame(tie.b, tie.B), self._frame(tie.a, tie.A)
        moments = {
            ClosureKind.SPHERICAL: [],
            ClosureKind.UNIVERSAL: [np.cross(b.R[:, 2], a.R[:, 2])],
            ClosureKind.REVOLUTE: list(a.R.T[:2]),
        }.get(tie.kind, list(a.R.T))
        yield from (np.r_[e, np.zeros(3)] for e in a.R.T[: tie.across])
        yield from (np.r_[np.zeros(3), e] for e in moments)

    def at_origins(self, wrenches: Array, ties: tuple[Tie, ...]) -> Array:
        """The wrenches of legs, whose moments are about the origin of B, with moments about that of A."""
        pairs = zip(wrenches, ties, strict=True)
        levers = [(np.zeros(3) if tie in self.cut else self.apart(tie), w) for w, tie in pairs]
        return np.array([np.r_[w[:3], w[3:] + np.cross(lever, w[:3])] for lever, w in levers])

    def axes(self, tie: Tie) -> Array:
        """The axes of A in the world."""
        self._move(np.zeros(self.count))
        return self._frame(tie.a, tie.A).R

    def apart(self, tie: Tie) -> Array:
        """From the origin of A to that of B, in the world: along z where the tie slides."""
        self._move(np.zeros(self.count))
        return self._frame(tie.b, tie.B).p - self._frame(tie.a, tie.A).p

    @property
    def orientation(self) -> Array:
        """R of frame 0 in the world."""
        return np.eye(3) if self.quat is None else pin.Quaternion(self.quat).toRotationMatrix()

    # links, in frame 0

    def link(self, link: int, u: Array) -> Moving:
        """The frame of a link in a motion, for u̇ = 0."""
        self._move(u)
        found, R = self._frame(self.o.joint_of[link], self.o.pose_in[link]), self.orientation.T
        return Moving(*(R @ x for x in found))

    def centroidal(self) -> tuple[Array, Array]:
        """The centre of mass, and the matrix that gives momentum about it with u."""
        o, R = self.o, self.orientation.T
        A = pin.computeCentroidalMap(o.model, o.data, self.at) @ self.X
        C = pin.centerOfMass(o.model, o.data, self.at)
        return R @ C, np.vstack([R @ A[:3], R @ A[3:]])

    @property
    def gravity(self) -> Array:
        """The acceleration of gravity."""
        return np.asarray(self.orientation.T @ self.o.model.gravity.linear)

    # identification

    def regressor(self, u: Array, ud: Array) -> Array:
        """Columns of all bodies, then of the rotor inertias, viscous and dry friction that the robot has, at u."""
        o = self.o
        D = pin.computeJointTorqueRegressor(o.model, o.data, self.at, self.X @ u, self.X @ ud + self.curve(u))
        joints = np.eye(self.count)[:, self.base : self.base + len(self.q)]
        motions = {"IA": self._joints(ud), "FV": self._joints(u), "FS": self._signs(u)}
        drives = [(joints * x)[:, self.drive(name) != 0] for name, x in motions.items()]
        return np.hstack([self.X.T @ D, *drives])

    # other configurations

    def near(self, step: Array) -> Self:
        """The closed configuration near a step of u from this one, by Newton's method."""
        found = self._stepped(step)
        for _ in range(20):
            errors = found.errors()
            if not len(errors) or np.abs(errors).max() < 1e-14:
                break
            C, _ = found.constraints(np.zeros(found.count))
            found = found._stepped(-np.linalg.lstsq(C[: len(errors)], errors, rcond=1e-9)[0])
        return found

    def _stepped(self, step: Array) -> Self:
        joints = step[self.base : self.base + len(self.q)]
        return replace(self, q=self.q + joints, T=None if self.T is None else moved(self.T, step[-6:]))
