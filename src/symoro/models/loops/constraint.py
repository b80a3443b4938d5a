"""The kinematic constraint equations of all loops of a robot (K97:11-14).

Active joints have a motor, passive joints have none; the velocities of the passive joints follow from those of the
active ones. Cut joints are passive joints outside of the open tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.findings import Finding
from symoro.ir.blocks import shortest
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, zeros
from symoro.ir.program import Program
from symoro.lazy import lazy
from symoro.models.constraint import Row, Rows, at_variables, dot
from symoro.models.loops.equations import LoopEquations, LoopRow
from symoro.models.recursion import LinkMotion
from symoro.models.results import matrix
from symoro.robot import topology
from symoro.robot.robot import Robot

#: How far a configuration may be open that a user gives with few digits, beside the reach of the robot.
_ROUNDED = 0.02
#: Inputs that are configurations.
_CLOSED = ("q", "q_end")


def loop_kinematics(s: Symbols) -> list[Result]:
    """Wa, Wp, Wac, Wpc, Wc, psi and phi of K97:12-14; W with q̇p = W q̇a, and G = ∂q_tr/∂q_a."""
    loops, cuts = Loops(s), range(len(Loops(s).loops))
    active, passive, velocities = loops.left, loops.dependent, loops.with_cut_joints(loops.velocities)
    psi, phi = loops.velocity_parts(velocities)
    parts = {
        "Wa": loops.table(loops.rows, active),
        "Wp": loops.table(loops.rows, passive),
        "Wac": loops.table(loops.cut_rows, active),
        "Wpc": loops.table(loops.cut_rows, passive),
        "Wc": [[s.graph.lift(int(i == k)) for k in cuts] for i in cuts],  # frame k turns or moves along the mate's z
    }
    return [
        *(matrix(s, name, Matrix(s.graph, rows)) for name, rows in parts.items()),
        *(
            Result(name, (len(x),), tuple(x), tuple(f"{name}{n}" for n in range(1, len(x) + 1)))
            for name, x in (("psi", psi), ("phi", phi))
        ),
        matrix(s, "W", Matrix(s.graph, loops.table([loops.G[j] for j in passive], active)), (passive, active)),
        matrix(s, "G", Matrix(s.graph, loops.table([loops.G[j] for j in s.variables], active)), (s.variables, active)),
    ]


def platform_kinematics(s: Symbols) -> list[Result]:
    """W with q̇p = W q̇a of the legs' joints without motors, and G = ∂q/∂q_a of all their joints."""
    c = s.constraint
    c.require_motors()
    tables = {"W": s.passive, "G": s.variables}
    rows = {name: [c.onto_torques[j] for j in x if j not in s.beside_legs] for name, x in tables.items()}
    return [matrix(s, name, Matrix(s.graph, c.table(x, c.motors))) for name, x in rows.items()]


def require_closed(s: Symbols) -> None:
    """An error where the configuration that the symbols have is open by more than its digits explain."""
    from symoro.models.loops.closing import closed_at

    if s.at is not None:
        closed_at(s, Loops(s).every, s.at, gap=_ROUNDED)


def closed_inputs(robot: Robot, program: Program, at: tuple[float, ...] | None, count: int = 64) -> dict[str, Any]:
    """Closed configurations for the inputs q of a program, (count, joints), for its self-test and its example.

    Where fewer configurations are known, they are repeated; where the loops do not close, the table is empty. Numbers
    are rounded to nine digits, so that every processor writes the same text.
    """
    import numpy as np

    from symoro.models.loops.closing import sample_closed

    s = Symbols(robot, Graph(), at=at)
    samples = sample_closed(s, Loops(s).every, at)
    if samples is None:
        return {}
    q = np.resize(samples.q.round(9), (count, len(s.variables)))
    names = (array.name for array in program.inputs if array.name in _CLOSED)
    return {name: np.roll(q, -n, axis=0) for n, name in enumerate(names)}


@dataclass(frozen=True, eq=False)
class Loops(Rows):
    """The equations of K97:12: the rows in which no cut joint occurs, then the row of each cut joint's own velocity."""

    s: Symbols

    @lazy
    def loops(self) -> tuple[LoopEquations, ...]:
        return tuple(LoopEquations(self.s, loop) for loop in topology.loops(self.s.robot))

    @lazy
    def dependent(self) -> tuple[int, ...]:
        """The passive joints of the loops, without springs that the loops do not determine."""
        inside = {k for loop in self.loops for j in loop.joints for k in self.s.slopes[j]}
        passive = tuple(j for j in self.s.passive if j in inside)
        springs = [j for j in passive if self.s.robot.joint(j).elastic]
        if not springs:
            return passive
        from symoro.models.loops.closing import determined

        return determined(self.s, self.every, passive, springs)

    @lazy
    def places(self) -> tuple[int, ...]:
        """The places of the dependent joints in q."""
        return tuple(self.s.variables.index(j) for j in self.dependent)

    @lazy
    def every(self) -> tuple[LoopRow, ...]:
        """The rows without cut joints that are independent within their loop."""
        return tuple((loop, row) for loop in self.loops for row in loop.rows)

    @lazy
    def chosen(self) -> tuple[LoopRow, ...]:
        """The first line of K97:12: the same rows without those that other loops imply."""
        enough = len(self.dependent)
        if len(self.every) <= enough:
            return self.every
        from symoro.models.loops.closing import independent

        return independent(self.s, self.every, enough)

    @lazy
    def rows(self) -> list[Row]:
        """The first line of K97:12, without the columns of the cut joints, which are 0."""
        return [self._form(loop, row) for loop, row in self.required()]

    def gaps(self) -> tuple[list[Expr], list[Expr]]:
        return [loop.gap(row) for loop, row in self.every], [loop.alignment() for loop in self.loops]

    def required(self) -> tuple[LoopRow, ...]:
        """The chosen rows; an error where they do not determine the passive joints."""
        if len(self.chosen) != len(self.dependent):
            code = (
                "dynamics.loops_leave_free" if len(self.chosen) < len(self.dependent) else "dynamics.loops_tie_motors"
            )
            motors, equations = len(self.s.active), len(self.chosen)
            reason = Finding(code, passive=len(self.dependent), equations=equations, motors=motors)
            raise NotApplicable("dynamics.constraints", robot=self.s.robot.name, reason=reason)
        return self.chosen

    @lazy
    def cut_rows(self) -> list[Row]:
        """The second line of K97:12, without the columns of the cut joints, which are the identity."""
        return [self._form(loop, loop.cut_row) for loop in self.loops]

    def _form(self, loop: LoopEquations, row: int) -> Row:
        """A row in the velocities of the variables."""
        return at_variables(self.s, {p: column[row] for p, column in loop.matrix.items()})

    def changes(self, u: Row) -> list[Expr]:
        """ψ (K97:14)."""
        return self.velocity_parts(self.with_cut_joints(u))[0]

    def with_cut_joints(self, u: Row) -> dict[int, Expr]:
        """The velocities of the tree's joints and of the cut ones: −(Wac q̇a + Wpc q̇p) (K97:12)."""
        s, velocities = self.s, self.s.qd | dict(u)
        for loop, row in zip(self.loops, self.cut_rows, strict=True):
            k, active = loop.cut.index, {j: velocities[j] for j in self.left if j > 0}
            known = dot(s, row, active) + dot(s, row, {j: velocities[j] for j in self.dependent})
            velocities[k] = s.name_scalar(f"QP{k}", k, -known)
        return velocities

    def velocity_parts(self, qd: dict[int, Expr]) -> tuple[list[Expr], list[Expr]]:
        """ψ and φ: the terms of the acceleration equations that depend on velocities only (K97:14, § 4.4)."""
        parts = {loop.cut.index: _velocity_part(loop, qd) for loop in self.loops}
        psi = [parts[loop.cut.index][row] for loop, row in self.chosen]
        return psi, [parts[loop.cut.index][loop.cut_row] for loop in self.loops]

    # wrenches

    @lazy
    def implied(self) -> tuple[LoopRow, ...]:
        """The rows without cut joints that follow from the chosen ones, without those along which nothing moves."""
        rows = ((loop, row) for loop in self.loops for row in range(6) if row != loop.cut_row)
        return tuple(one for one in rows if one not in self.chosen and not _is_zero(self._form(*one)))

    def least(self, multipliers: Sequence[Expr], c: Rows) -> list[tuple[LoopEquations, Vector]]:
        """The same as `in_cuts`, with the least sum of the squares of all components.

        A unit component along an implied row changes what the chosen rows carry, and no force at a joint. `c` has all
        constraints of the robot, those of these loops first.
        """
        graph, count = self.s.graph, len(self.chosen)
        ways = []
        for n, (loop, row) in enumerate(self.implied):
            against = c.multipliers({k: -x for k, x in self._form(loop, row).items()})
            ones = (graph.one if i == n else graph.zero for i in range(len(self.implied)))
            ways.append([*against[:count], *ones])
        values = shortest(graph, [*multipliers[:count], *(graph.zero for _ in self.implied)], ways)
        return self._by_cut((*self.chosen, *self.implied), values)

    def in_cuts(self, multipliers: Sequence[Expr]) -> list[tuple[LoopEquations, Vector]]:
        """[f; m] in each cut joint for the multipliers of the chosen rows, at and along the frame of its mate."""
        return self._by_cut(self.chosen, multipliers)

    def _by_cut(self, rows: Sequence[LoopRow], multipliers: Sequence[Expr]) -> list[tuple[LoopEquations, Vector]]:
        zero = self.s.graph.zero
        values = {(loop.cut.index, row): x for (loop, row), x in zip(rows, multipliers, strict=False)}
        return [
            (loop, Vector(self.s.graph, (values.get((loop.cut.index, row), zero) for row in range(6))))
            for loop in self.loops
        ]

    def on_bars(self, wrenches: Sequence[tuple[LoopEquations, Vector]]) -> dict[int, Vector]:
        """Wrenches in cut joints as those of the links on both sides on their environment, in the links' frames."""
        acting: dict[int, Vector] = {}
        for loop, wrench in wrenches:
            for link, way in ((loop.cut.parent, -wrench), (self._carrier(loop.loop.cut.mate), wrench)):
                if link > 0:
                    at = loop.frame(link)  # seen from the mate
                    f = at.A.T @ way[:3]
                    m = at.A.T @ (way[3:] - at.P.cross(way[:3]))
                    moved = Vector(self.s.graph, (*f, *m))
                    acting[link] = acting[link] + moved if link in acting else moved
        return acting

    def _carrier(self, frame: int) -> int:
        """The link that carries a mate, which may be fixed on another mate."""
        while frame > self.s.robot.link_count:
            frame = self.s.parent[frame]
        return frame


def _is_zero(form: Row) -> bool:
    return all(x.is_zero for x in form.values())


def _velocity_part(loop: LoopEquations, qd: dict[int, Expr]) -> Vector:
    """[v̇; ω̇] of the cut joint's frame minus [v̇; ω̇] of its mate, in the frame of the mate; joint accelerations are 0.

    The root of the loop is taken to be at rest: its motion is the same on both sides and cancels.
    """
    s, k, m, c = loop.s, loop.cut, loop.loop.cut.mate, loop.cut.parent
    none = zeros(s.graph, 3)
    motion = LinkMotion(s.in_state(qd=qd, qdd=s.still)).begin(none, none, none, none, at=loop.loop.root)
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
