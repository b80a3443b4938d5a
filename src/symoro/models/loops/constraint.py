"""The kinematic constraint equations of all loops of a robot (K97:11-14).

Active joints have a motor, passive joints have none; the velocities of the passive joints follow from those of the
active ones. Cut joints are passive joints outside of the open tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total, zeros
from symoro.models.loops.closing import independent
from symoro.models.loops.equations import LoopEquations, Row, coefficients
from symoro.models.recursion import LinkMotion
from symoro.models.results import matrix
from symoro.robot import topology
from symoro.symbols import Symbols

Rows = list[list[Expr]]


def loop_kinematics(s: Symbols) -> list[Result]:
    """Wa, Wp, Wac, Wpc, Wc, psi and phi of K97:12-14; W with q̇p = W q̇a, and G = ∂q_tr/∂q_a."""
    loops = Constraints(s)
    psi, phi = loops.accelerations(loops.velocities)
    parts = [("Wa", loops.Wa), ("Wp", loops.Wp), ("Wac", loops.Wac), ("Wpc", loops.Wpc), ("Wc", loops.Wc)]
    return [
        *(matrix(s, name, Matrix(s.graph, rows)) for name, rows in parts),
        *(
            Result(name, (len(x),), tuple(x), tuple(f"{name}{n}" for n in range(1, len(x) + 1)))
            for name, x in (("psi", psi), ("phi", phi))
        ),
        matrix(s, "W", Matrix(s.graph, loops.W), (s.free, s.driven)),
        matrix(s, "G", Matrix(s.graph, loops.G), (s.movable, s.driven)),
    ]


@dataclass(frozen=True)
class Constraints:
    """The equations of K97:12: the rows in which no cut joint occurs, then the row of each cut joint's own velocity."""

    s: Symbols

    @cached_property
    def loops(self) -> tuple[LoopEquations, ...]:
        return tuple(LoopEquations(self.s, loop) for loop in topology.loops(self.s.robot))

    @cached_property
    def every(self) -> tuple[Row, ...]:
        """The rows without cut joints that are independent within their loop."""
        return tuple((loop, row) for loop in self.loops for row in loop.rows)

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The first line of K97:12: the same rows without those that other loops imply."""
        return self.every if len(self.every) <= len(self.s.free) else independent(self.s, self.every)

    @property
    def _own(self) -> tuple[Row, ...]:
        return tuple((loop, loop.cut_row) for loop in self.loops)

    @cached_property
    def Wa(self) -> Rows:
        return coefficients(self.s, self.rows, self.s.driven)

    @cached_property
    def Wp(self) -> Rows:
        return coefficients(self.s, self.rows, self.s.free)

    @cached_property
    def Wac(self) -> Rows:
        return coefficients(self.s, self._own, self.s.driven)

    @cached_property
    def Wpc(self) -> Rows:
        return coefficients(self.s, self._own, self.s.free)

    @cached_property
    def Wc(self) -> Rows:
        """The identity: a cut joint's own row has its velocity, about or along z of the mate, with coefficient 1."""
        n = len(self.loops)
        return [[self.s.graph.lift(int(i == k)) for k in range(n)] for i in range(n)]

    @cached_property
    def W(self) -> Rows:
        """q̇p = W q̇a (K97:13)."""
        if len(self.Wp) != len(self.s.free):
            raise NotApplicable(
                f"{self.s.robot.name}: {len(self.s.free)} passive joints but {len(self.Wp)} independent equations; "
                f"it can move while its {len(self.s.driven)} motors stand still (see symoro.mobility)"
            )
        return self.passive([[-x for x in row] for row in self.Wa])

    def passive(self, right: Rows) -> Rows:
        """The solution x of Wp x = right, a column for each column of `right`."""
        found = solve(self.s.graph, self.Wp, right)
        if found is None:
            raise NotApplicable(f"{self.s.robot.name}: the loops do not fix all passive joints (see symoro.mobility)")
        return found

    @cached_property
    def G(self) -> Rows:
        """∂q_tr/∂q_a: a row for each movable joint of the tree, a column for each active joint."""
        one, zero = self.s.graph.one, self.s.graph.zero
        own = {a: [one if a == b else zero for b in self.s.driven] for a in self.s.driven}
        return [own[j] if j in own else self.W[self.s.free.index(j)] for j in self.s.movable]

    @cached_property
    def velocities(self) -> dict[int, Expr]:
        """The velocities of all joints, cut ones included, for those of the active joints in `s.qd` (K97:12-13)."""
        s = self.s
        found = {j: s.qd[j] for j in (*s.driven, *(j for j in s.qd if j not in s.movable))}
        active = [found[a] for a in s.driven]
        for j, row in zip(s.free, self.W, strict=True):
            found[j] = s.name_scalar(f"QP{j}", j, _dot(s, row, active))
        return found | self._cut(found, [s.graph.zero] * len(self.loops), "QP")

    def _cut(self, motion: Mapping[int, Expr], rest: list[Expr], letters: str) -> dict[int, Expr]:
        """The velocities or accelerations of the cut joints: −(Wac q̇a + Wpc q̇p + rest) (K97:12, 14; Wc = 1)."""
        s, found = self.s, {}
        for loop, active, passive, x in zip(self.loops, self.Wac, self.Wpc, rest, strict=True):
            known = _dot(s, active, [motion[j] for j in s.driven]) + _dot(s, passive, [motion[j] for j in s.free])
            k = loop.cut.index
            found[k] = s.name_scalar(f"{letters}{k}", k, -(known + x))
        return found

    def joint_accelerations(self, qdd: Mapping[int, Expr] | None = None) -> dict[int, Expr]:
        """The accelerations of all joints for those of the active joints, in `s.qdd` by default (K97:14)."""
        s = self.s
        qdd = s.qdd if qdd is None else qdd
        psi, phi = self.accelerations(self.velocities)
        found = {j: qdd[j] for j in (*s.driven, *(j for j in s.qdd if j not in s.movable))}
        active = [found[a] for a in s.driven]
        right = [[-(_dot(s, row, active) + x)] for row, x in zip(self.Wa, psi, strict=True)]
        for j, (x,) in zip(s.free, self.passive(right), strict=True):
            found[j] = s.name_scalar(f"QDP{j}", j, x)
        return found | self._cut(found, phi, "QDP")

    def accelerations(self, qd: Mapping[int, Expr]) -> tuple[list[Expr], list[Expr]]:
        """ψ and φ: the terms of the acceleration equations that depend on velocities only (K97:14, § 4.4)."""
        found = {loop.cut.index: _velocity_part(loop, qd) for loop in self.loops}
        psi = [found[loop.cut.index][row] for loop, row in self.rows]
        return psi, [found[loop.cut.index][loop.cut_row] for loop in self.loops]


def _velocity_part(loop: LoopEquations, qd: Mapping[int, Expr]) -> Vector:
    """[v̇; ω̇] of the cut joint's frame minus [v̇; ω̇] of its mate, in the frame of the mate; joint accelerations are 0.

    The root of the loop is taken to be at rest: its motion is the same on both sides and cancels.
    """
    s, k, m, c = loop.s, loop.cut, loop.loop.cut.mate, loop.cut.parent
    none = zeros(s.graph, 3)
    motion = LinkMotion(s, qd, dict.fromkeys(s.qdd, s.graph.zero)).begin(none, none, none, none, at=loop.loop.root)
    for joint in (*loop.loop.to_joint, *loop.loop.to_mate):
        if joint.index != k.index:
            motion.turn(joint.index)
            motion.accelerate(joint.index)
    seen = loop.frame(c)  # the antecedent of the cut joint, from the mate
    across = -(seen.A.T @ seen.P)  # from its origin to that of the mate, which is also that of frame k
    z, w = seen.A.T.column(2), motion.w[c]
    sliding = 2 * k.prismatic * w.cross(qd[k.index] * z)
    turning = k.revolute * w.cross(qd[k.index] * z)
    linear = seen.A @ (motion.vd[c] + motion.U[c] @ across + sliding) - motion.vd[m]  # (K97:10)
    angular = seen.A @ (motion.wd[c] + turning) - motion.wd[m]  # (K97:8)
    return Vector(s.graph, (*linear, *angular))


def _dot(s: Symbols, row: list[Expr], x: list[Expr]) -> Expr:
    return total(s.graph, (a * b for a, b in zip(row, x, strict=True)))
