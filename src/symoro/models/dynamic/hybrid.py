"""Hybrid dynamics of a tree: of some joints the torque is given, of the others the acceleration (K10 §§ 6.3, 7.2, 7.3).

Where the torque is given (that of a spring, an input), the acceleration is found, and where the acceleration is given,
the torque is found. In the direct model the torques of all joints are given, in the inverse model of a rigid robot on a
floating base all accelerations, and robots with passive joints have both. There are three recursions, outward, inward
and outward, so that the cost is linear in the number of joints.

VP0 is the acceleration of the origin of frame 0, not the derivative of the components of V0: that is VP0 − ω × v.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total, zeros
from symoro.models.dynamic.articulated_body import Spatial, carried, reduced, unit
from symoro.models.dynamic.bodies import Body, as_blocks, carried_inward, joined, solved, wrench_of
from symoro.models.dynamic.composite_links import CompositeLink
from symoro.models.dynamic.drives import drive_terms, friction_of_joint, own_rotor, spring
from symoro.models.dynamic.newton_euler import along_axis, rotational_moment
from symoro.models.recursion import angular
from symoro.models.results import base_motion, by_joint
from symoro.robot.base import BaseKind


def inverse_dynamics(s: Symbols) -> list[Result]:
    """VP0 of a floating base, QDP of the passive joints, GAM of the active ones."""
    motion = HybridRecursion(s, {j: passive_torque(s, j) for j in s.passive}, dict(s.qdd), _floats(s)).run()
    GAM = {j: _motor_torque(s, j, motion.wrench[j]) for j in s.active}
    accelerations = _accelerations(motion, s.passive)
    return [*accelerations, by_joint(s, "GAM", GAM, s.active)] if GAM else accelerations


def direct_dynamics(s: Symbols) -> list[Result]:
    """VP0 of a floating base and QDP of all joints."""
    torque = {j: passive_torque(s, j) for j in s.passive}
    torque |= {j: s.tau[j] - total(s.graph, friction_of_joint(s, j)) for j in s.active}  # (K10:44, 106)
    return _accelerations(HybridRecursion(s, torque, dict(s.qdd), _floats(s)).run(), s.movable)


def passive_torque(s: Symbols, j: int) -> Expr:
    """The torque at a passive joint: its spring and its friction (K10:69 and the remark of § 6.2)."""
    return spring(s, j) - total(s.graph, friction_of_joint(s, j))


def _floats(s: Symbols) -> bool:
    return s.robot.base.kind is BaseKind.FLOATING


def _motor_torque(s: Symbols, j: int, wrench: Spatial) -> Expr:
    """Γ of an active joint."""
    axial = along_axis(s, j, wrench.linear, wrench.angular)
    return total(s.graph, (axial, *drive_terms(s, j)))  # (K10:82, 100)


def _accelerations(motion: HybridRecursion, joints: tuple[int, ...]) -> list[Result]:
    """VP0 where the base floats, QDP of these joints where there are any."""
    s, results = motion.s, []
    if motion.free_base:
        v, w = motion.VP[0].linear + s.g, motion.VP[0].angular
        results.append(base_motion("VP0", (*s.name("VP", 0, v), *s.name("WP", 0, w))))
    if joints:
        results.append(by_joint(s, "QDP", motion.qdd, joints))
    return results


@dataclass
class HybridRecursion:
    """`torque` of some joints, friction subtracted, and `qdd` of the others; a free base adds six unknowns."""

    s: Symbols
    torque: Mapping[int, Expr]
    qdd: dict[int, Expr]
    free_base: bool
    gamma: dict[int, Spatial] = field(default_factory=dict)
    beta: dict[int, Spatial] = field(default_factory=dict)
    J: dict[int, Body] = field(default_factory=dict)
    Ja: dict[int, Spatial] = field(default_factory=dict)
    inverse: dict[int, Expr] = field(default_factory=dict)
    VP: dict[int, Spatial] = field(default_factory=dict)
    wrench: dict[int, Spatial] = field(default_factory=dict)

    def run(self) -> HybridRecursion:
        """All three recursions."""
        self.outward()
        self.inward()
        self.VP[0] = self._base_acceleration()
        self.accelerate()
        return self

    # first recursion: what velocities cause

    def outward(self) -> None:
        s, w = self.s, {0: self.s.w0}
        U = {0: angular(s, s.w0, zeros(s.graph, 3), 0)}
        if self.free_base:
            self._start(0, s.w0, U[0])
        for j in s.outward:
            w[j], self.gamma[j] = self._moved(j, w[s.parent[j]], U[s.parent[j]])
            U[j] = angular(s, w[j], zeros(s.graph, 3), j)
            self._start(j, w[j], U[j])

    def _moved(self, j: int, before: Vector, U: Matrix) -> tuple[Vector, Spatial]:
        """The angular velocity of link j, and γ_j, for those of its antecedent."""
        s, R, P = self.s, self.s.R[j], self.s.P[j]
        if j in s.free:  # V is against the antecedent and in its frame
            v, w = s.state.V[j][:3], s.state.V[j][3:]
            swing = R.T @ (U @ P + 2 * before.cross(v))
            return s.name("W", j, R.T @ (before + w)), Spatial(swing, R.T @ before.cross(w))
        move = s.rate[j] * s.a
        wi = s.name("WI", j, R.T @ before)  # (K10:18)
        w = s.name("W", j, wi + s.revolute[j] * move)  # (K10:19)
        turn = wi.cross(move)
        swing = s.name("LW", j, R.T @ (U @ P) + 2 * s.prismatic[j] * turn)
        return w, Spatial(swing, s.name("WQ", j, s.revolute[j] * turn))  # (K10:34, 101)

    def _start(self, j: int, w: Vector, U: Matrix) -> None:
        """𝕁_j and β_j of the link alone."""
        s = self.s
        self.J[j] = CompositeLink(s.M[j], s.MS[j], s.J[j])
        spin = rotational_moment(s, s.J[j], w, zeros(s.graph, 3), U, j)
        self.beta[j] = Spatial(-(s.force[j] + U @ s.MS[j]), -(s.moment[j] + spin))  # (K10:35, 90, 102)

    # second recursion: what a link feels of all that hangs on it

    def inward(self) -> None:
        s = self.s
        for j in s.inward:
            i, R, P = s.parent[j], s.R[j], s.P[j]
            K, alpha = self._by_torque(j) if j in self.torque else self._by_acceleration(j)
            if i != 0 or self.free_base:
                f = s.name("FB", j, R @ alpha.linear)
                back = Spatial(f, s.name("NB", j, R @ alpha.angular + P.cross(f)))
                self.beta[i] = self.beta[i] - back  # (K10:39, 77, 96, 108)
                self.J[i] = joined(self.J[i], carried_inward(s, j, K))  # (K10:40, 78, 95, 105)

    def _by_torque(self, j: int) -> tuple[Body, Spatial]:
        """𝕂 and α of a joint whose torque is given."""
        s, IA, J, beta = self.s, own_rotor(self.s, j), as_blocks(self.J[j]), self.beta[j]
        self.Ja[j] = Ja = J @ unit(s, j)
        H = s.name_scalar(f"HJ{j}", j, along_axis(s, j, Ja.linear, Ja.angular) + IA)  # (K10:36, 72, 103)
        self.inverse[j] = s.name_scalar(f"HI{j}", j, 1 / H)
        K = reduced(s, j, J, Ja, IA, self.inverse[j])  # (K10:37, 73, 104)
        push = self.torque[j] + along_axis(s, j, beta.linear, beta.angular)
        alpha = (K @ self.gamma[j]) + Ja * (self.inverse[j] * push) - beta  # (K10:38, 74, 107)
        return K, self._with_axial(j, alpha, self.torque[j]) if IA.is_zero else alpha

    def _with_axial(self, j: int, x: Spatial, value: Expr) -> Spatial:
        """Without a rotor, the wrench along the axis is the torque itself."""
        (*f, fz), (*m, mz) = x.linear, x.angular
        prismatic, graph = self.s.prismatic[j], self.s.graph
        return Spatial(Vector(graph, (*f, value if prismatic else fz)), Vector(graph, (*m, mz if prismatic else value)))

    def _by_acceleration(self, j: int) -> tuple[Body, Spatial]:
        """𝕂 and α of a joint whose acceleration is given, or of a fixed joint."""
        return self.J[j], wrench_of(self.J[j], self._zeta(j)) - self.beta[j]  # (K10:75, 76)

    def _zeta(self, j: int) -> Spatial:
        """ζ = γ + q̈ 𝕒 (K10:89)."""
        if j in self.s.free:
            VP, R = self.s.state.VP[j], self.s.R[j]
            return self.gamma[j] + Spatial(R.T @ VP[:3], R.T @ VP[3:])
        return self.gamma[j] + unit(self.s, j) * self.qdd[j]

    # third recursion: the accelerations, and the wrenches on the links

    def _base_acceleration(self) -> Spatial:
        """𝕍̇_0 less gravity: what leaves no wrench on the base, or what is given."""
        s = self.s
        if not self.free_base:
            return Spatial(s.vd0 - s.g, s.wd0)
        return solved(self.J[0], self.beta[0])  # (K10:97, 109)

    def accelerate(self) -> None:
        s = self.s
        for j in s.outward:
            there = carried(s, j, self.VP[s.parent[j]])
            if j in self.torque:
                self.qdd[j] = self._acceleration(j, there + self.gamma[j])
            VP = there + self._zeta(j)  # (K10:43, 81, 98, 112)
            self.VP[j] = Spatial(s.name("VP", j, VP.linear), s.name("WP", j, VP.angular))
            self.wrench[j] = wrench_of(self.J[j], self.VP[j]) - self.beta[j]  # (K10:42, 79, 99, 111)

    def _acceleration(self, j: int, known: Spatial) -> Expr:
        """q̈ of a joint whose torque is given."""
        s, beta = self.s, self.beta[j]
        push = self.torque[j] + along_axis(s, j, beta.linear, beta.angular) - self.Ja[j].dot(known)
        return s.name_scalar(f"QDP{j}", j, self.inverse[j] * push)  # (K10:41, 80, 110)
