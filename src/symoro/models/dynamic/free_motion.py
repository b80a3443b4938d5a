"""The three recursions of a tree of which some joints, or the base, move freely (K10 §§ 3.3.2, 6.3, 7.2, 7.3).

A joint is either driven, its acceleration is given and its torque is found, or free: a torque acts on it (a spring's,
an input) and its acceleration is found. The direct model has free joints only, the inverse model of a rigid robot on
a free base has none, and robots with springs or passive joints have both. Outward, inward, outward: cost linear in n.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector, zeros
from symoro.models.dynamic.articulated_body import Spatial, carried, reduced, unit
from symoro.models.dynamic.bodies import Body, as_blocks, carried_inward, joined, solved, wrench_of
from symoro.models.dynamic.composite_body import Composite
from symoro.models.dynamic.drives import own_rotor
from symoro.models.dynamic.newton_euler import along_axis, rotational_moment
from symoro.models.recursion import angular
from symoro.symbols import Symbols


@dataclass
class FreeMotion:
    """`torque` of each free joint (friction taken off), `qdd` of each driven one; a free base adds six unknowns."""

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

    def run(self) -> FreeMotion:
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
            i, R, P, move = s.parent[j], s.R[j], s.P[j], s.qd[j] * s.a
            wi = s.name("WI", j, R.T @ w[i])  # (K10:18)
            w[j] = s.name("W", j, wi + s.revolute[j] * move)  # (K10:19)
            turn = wi.cross(move)
            swing = s.name("LW", j, R.T @ (U[i] @ P) + 2 * s.prismatic[j] * turn)
            self.gamma[j] = Spatial(swing, s.name("WQ", j, s.revolute[j] * turn))  # (K10:34, 101)
            U[j] = angular(s, w[j], zeros(s.graph, 3), j)
            self._start(j, w[j], U[j])

    def _start(self, j: int, w: Vector, U: Matrix) -> None:
        """𝕁_j and β_j of the link alone."""
        s = self.s
        self.J[j] = Composite(s.M[j], s.MS[j], s.J[j])
        spin = rotational_moment(s, s.J[j], w, zeros(s.graph, 3), U, j)
        self.beta[j] = Spatial(-(s.force[j] + U @ s.MS[j]), -(s.moment[j] + spin))  # (K10:35, 90, 102)

    # second recursion: what a link feels of all that hangs on it

    def inward(self) -> None:
        s = self.s
        for j in s.inward:
            i, R, P = s.parent[j], s.R[j], s.P[j]
            K, alpha = self._free(j) if j in self.torque else self._driven(j)
            if i != 0 or self.free_base:
                f = s.name("FB", j, R @ alpha.linear)
                back = Spatial(f, s.name("NB", j, R @ alpha.angular + P.cross(f)))
                self.beta[i] = self.beta[i] - back  # (K10:39, 77, 96, 108)
                self.J[i] = joined(self.J[i], carried_inward(s, j, K))  # (K10:40, 78, 95, 105)

    def _free(self, j: int) -> tuple[Body, Spatial]:
        """𝕂 and α of a joint that gives way."""
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

    def _driven(self, j: int) -> tuple[Body, Spatial]:
        """𝕂 and α of a joint that moves as it is told; of a fixed one too."""
        return self.J[j], wrench_of(self.J[j], self._zeta(j)) - self.beta[j]  # (K10:75, 76)

    def _zeta(self, j: int) -> Spatial:
        """ζ = γ + q̈ 𝕒 (K10:89)."""
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

    def _acceleration(self, j: int, given: Spatial) -> Expr:
        """q̈ of a free joint."""
        s, beta = self.s, self.beta[j]
        push = self.torque[j] + along_axis(s, j, beta.linear, beta.angular) - self.Ja[j].dot(given)
        return s.name_scalar(f"QDP{j}", j, self.inverse[j] * push)  # (K10:41, 80, 110)
