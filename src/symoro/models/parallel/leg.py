"""A leg of a parallel robot: what its end and the platform have in common, and the joints that follow from it.

All rows are in the frame n of the leg's last link. A row (l, a) says l·v + a·ω of the point where leg and platform
meet; it is the same for both (K10:63-64): v_i = J_i q̇_i = J_vi V. Where the leg has closed loops, its joints are those
of its open tree, and q̇_i = G v (K10:56) with the joints v that are left.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector, total, zeros
from symoro.models.constraint import Row as Form
from symoro.models.constraint import dot
from symoro.models.parallel.leg_end import LegEnd
from symoro.models.parallel.leg_loops import LegConstraint, LegLoops, constant_rows
from symoro.models.recursion import LinkMotion
from symoro.robot.parallel import AttachmentKind


@dataclass(frozen=True, eq=False)
class Leg(LegEnd):
    """Leg `number`, from 0, with its joints known. `chosen` are the rows that determine its velocities."""

    loops: LegLoops
    chosen: tuple[int, ...] = ()

    @cached_property
    def J(self) -> Matrix:
        """J_i (K10:63), with a column for each joint with a variable; 0 beside the way to the end."""
        at_end = self._columns
        columns = [[l.dot(at_end[j][0]) + a.dot(at_end[j][1]) for l, a in self.rows] for j in self.s.variables]
        return Matrix(self.s.graph, columns).T

    @cached_property
    def _columns(self) -> dict[int, tuple[Vector, Vector]]:
        """[v; ω] of the leg's end for a unit velocity of each joint, in frame n."""
        motion: dict[int, tuple[Vector, Vector]] = {}
        s, none = self.s, zeros(self.s.graph, 3)
        for j in self.path:
            motion = {k: (s.R[j].T @ (v + w.cross(s.P[j])), s.R[j].T @ w) for k, (v, w) in motion.items()}
            if j in s.variables:
                motion[j] = (none, s.a) if s.revolute[j] else (s.a, none)
        end = self._carrier[1][1]
        beside = dict.fromkeys(s.variables, (none, none))
        return beside | {k: (v + w.cross(end), w) for k, (v, w) in motion.items()}

    @cached_property
    def JG(self) -> Matrix:
        """J_i G: a column for each joint that is left."""
        if not self.loops.dependent:
            return self.J
        forms = [dict(zip(self.s.variables, row, strict=True)) for row in self.J]
        return Matrix(self.s.graph, (self._onto_left(form) for form in forms))

    # closed loops

    @cached_property
    def _closure(self) -> LegConstraint:
        """The loops, for symbols that have the cut joints, too."""
        s = replace(self.s, robot=self.of.robot.legs[self.number])
        return LegConstraint(s.in_state(q={**s.still, **s.q}, qd=s.still | s.qd, qdd=s.still | s.qdd), self.loops)

    @cached_property
    def G(self) -> dict[int, Form]:
        """∂q̇/∂v, a row for each joint."""
        return constant_rows(self.s, self.loops) if self.loops.following is not None else self._closure.G

    def _onto_left(self, form: Form) -> list[Expr]:
        """Gᵀ f of forces at joints, or of a form of their velocities."""
        rows = [(x, self.G[j]) for j, x in form.items() if not x.is_zero]
        return [total(self.s.graph, (x * row[k] for x, row in rows if k in row)) for k in self.loops.left]

    def _expanded(self, left: Sequence[Expr]) -> dict[int, Expr]:
        """G v for every joint with a variable."""
        v = dict(zip(self.loops.left, left, strict=True))
        return {j: dot(self.s, self.G[j], v) for j in self.s.variables}

    @cached_property
    def _bent(self) -> dict[int, Expr]:
        """Ġ v: the accelerations of the joints where those that are left do not accelerate."""
        if self.loops.following is not None:
            return {}
        return {j: x for j, x in self._closure.accelerations(self.s.still).items() if j in self.loops.dependent}

    # joints

    @cached_property
    def free(self) -> tuple[int, ...]:
        """The rows that do not determine velocities of the leg: they constrain the platform."""
        return tuple(k for k in range(len(self.rows)) if k not in self.chosen)

    def _solved(self, right: Sequence[Expr], transposed: bool = False) -> list[Expr]:
        J = Matrix(self.s.graph, (self.JG[k] for k in self.chosen))
        rows = [list(row) for row in (J.T if transposed else J)]
        found = solve(self.s.graph, rows, [[x] for x in right])
        if found is None:
            raise NotApplicable(f"leg {self.number + 1} of {self.of.robot.name} is singular in every position")
        return [row[0] for row in found]

    def velocities(self, v: Vector, w: Vector) -> dict[int, Expr]:
        """q̇_i = J_i⁺ J_vi V (K10:61) for the velocity of the platform."""
        seen, turning = self.inward(v + w.cross(self.P)), self._turning(w)
        right = [l.dot(seen) + a.dot(turning) for l, a in (self.rows[k] for k in self.chosen)]
        return self._named("QP", self._expanded(self._solved(right)))

    def _turning(self, w: Vector) -> Vector:
        """The angular motion of the platform in frame n, where a row needs it."""
        return self.inward(w) if self._axes else zeros(self.s.graph, 3)

    def accelerations(self, V: Vector, VP: Vector, U: Matrix) -> dict[int, Expr]:
        """q̈_i = J_i⁺ (J_vi VP + c_i − J̇_i q̇_i); the state of the leg has its velocities."""
        right = self.unbalanced(V, VP, U)
        found = self._expanded(self._solved([right[k] for k in self.chosen]))
        return self._named("QDP", {j: x + self._bent[j] if j in self._bent else x for j, x in found.items()})

    def unbalanced(self, V: Vector, VP: Vector, U: Matrix) -> list[Expr]:
        """J_vi VP + c_i − J̇_i q̇_i of all rows."""
        motion, w, vd, wd = self._coasting, V[3:], VP[:3], VP[3:]
        bias, turning = motion.vd[self.link] + motion.U[self.link] @ self._carrier[1][1], motion.wd[self.link]
        linear, angular = self.inward(vd + U @ self.P) - bias, self._turning(wd) - turning
        drift = self._drift(self._turning(w), motion.w[self.link], self._sliding(V))
        pairs = zip(self.rows, drift, strict=True)
        return [l.dot(linear) + a.dot(angular) + c for (l, a), c in pairs]

    def _sliding(self, V: Vector) -> Expr:
        """λ̇, the velocity of the leg's end along z of a prismatic attachment, less that of the platform there."""
        if self.attachment.kind is not AttachmentKind.PRISMATIC:
            return self.s.graph.zero
        own = total(self.s.graph, (self.axis.dot(v) * self.s.qd[j] for j, (v, _) in self._columns.items()))
        return own - self.axis.dot(self.inward(V[:3] + V[3:].cross(self.P)))

    @cached_property
    def _coasting(self) -> LinkMotion:
        """The motion of the links without accelerations of the joints that are left (K97 § 4.4)."""
        s, none = self.s.in_state(qdd=self.s.still | self._bent), zeros(self.s.graph, 3)
        motion = LinkMotion(s).begin(none, none, none, none)
        for j in self.path:
            motion.turn(j)
            motion.accelerate(j)
        return motion

    def _named(self, letters: str, found: Mapping[int, Expr]) -> dict[int, Expr]:
        return self.s.still | {j: self.s.name_scalar(f"{letters}{j}", j, x) for j, x in found.items()}

    # forces

    def forces(self, torques: Mapping[int, Expr]) -> dict[int, Expr]:
        """(J_i G)⁻ᵀ Gᵀ Γ_i: what acts along the chosen rows for torques of the joints."""
        found = self._solved(self._onto_left(torques), transposed=True)
        return dict(zip(self.chosen, found, strict=True))

    def wrench(self, along: Mapping[int, Expr]) -> tuple[Vector, Vector]:
        """Force and moment, in frame 0 and at the attachment, of forces along rows."""
        f = m = none = zeros(self.s.graph, 3)
        for k, x in along.items():
            f, m = f + x * self.rows[k][0], m + x * self.rows[k][1]
        return self.outward(f), none if m.is_zero else self.outward(m)

    def on_platform(self, along: Mapping[int, Expr]) -> Vector:
        """J_viᵀ f: the wrench [f; m] at the platform's origin, in frame 0."""
        f, m = self.wrench(along)
        return Vector(self.s.graph, (*f, *(self.P.cross(f) + m)))

    def row_of(self, joint: int) -> Vector:
        """The row of a joint in J_i⁺ J_vi: its velocity for that of the platform (K10:62)."""
        return self.on_platform(self.forces({joint: self.s.graph.one}))

    @cached_property
    def constraints(self) -> list[Vector]:
        """C_i: a row for each free row of the leg, with C_i V = 0 for every motion of the platform."""
        found = []
        for k in self.free:
            column = dict(zip(self.s.variables, self.J[k], strict=True))
            against = {i: -x for i, x in self.forces(column).items()}
            found.append(self.on_platform(against | {k: self.s.graph.one}))
        return found

    def excess(self, right: Sequence[Expr]) -> list[Expr]:
        """What the free rows have more than the chosen ones give them: of `unbalanced`, C_i VP + γ_i."""
        joints = self._solved([right[k] for k in self.chosen])
        return [
            right[k] - total(self.s.graph, (x * y for x, y in zip(self.JG[k], joints, strict=True))) for k in self.free
        ]

    def moving(self, **state: Any) -> Leg:
        """The same leg in another state."""
        return replace(self, s=replace(self.s, state=replace(self.s.state, **state)))
