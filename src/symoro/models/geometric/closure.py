"""The geometric constraint equations of closed loops: the frames of each cut coincide (K97:2, K10:3)."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.jacobian import jacobian
from symoro.ir.linalg import total
from symoro.models.geometric.walk import Place, outward_steps
from symoro.models.kinematic.blocks import solve
from symoro.models.kinematic.loop import LoopEquations
from symoro.models.kinematic.loops import Constraints
from symoro.symbols import Symbols


@dataclass(frozen=True)
class Closure:
    """A loop's gap: frame k with its variable zero, seen from the mate."""

    loop: LoopEquations

    @property
    def seen(self) -> Place:
        k = self.loop.cut
        return self.loop.frame(k.parent).go(outward_steps(self.loop.s, k.index, at_rest=True))

    def gap(self, row: int) -> Expr:
        """A row of the gap: [P; small rotation] of frame k from its mate, zero where the loop is closed.

        Its derivative there is the same row of the kinematic equations. The cut joint's own row is not asked for.
        """
        seen = self.seen
        if row < 3:
            return seen.P[row]
        if self.loop.cut.revolute:  # the cut joint turns frame k about z: only z is compared
            x, y, _ = seen.A.column(2)
            return -y if row == 3 else x
        i, k = ((2, 1), (0, 2), (1, 0))[row - 3]
        return (seen.A[i, k] - seen.A[k, i]) / 2

    def position(self) -> Expr:
        """The cut joint's variable where the loop is closed."""
        seen = self.seen
        if self.loop.cut.prismatic:
            return -seen.P[2]
        return self.loop.s.graph.atan2(seen.A[0, 1], seen.A[0, 0])

    def alignment(self) -> Expr:
        """1 where the axes that are compared point the same way; −1 or less where they are opposite."""
        A, graph = self.seen.A, self.loop.s.graph
        if self.loop.cut.revolute:
            return A[2, 2]
        return (total(graph, (A[k, k] for k in range(3))) - 1) / 2


def loop_closure(s: Symbols) -> list[Result]:
    """E, zero where the loops are closed; QC, the cut joints; ALIGN, above 0 where no frame is turned over."""
    constraints = Constraints(s)
    closures = {loop: Closure(loop) for loop in constraints.loops}
    E = tuple(closures[loop].gap(row) for loop, row in constraints.every)
    QC = tuple(closures[loop].position() for loop in constraints.loops)
    ALIGN = tuple(closures[loop].alignment() for loop in constraints.loops)
    cuts = [loop.cut.index for loop in constraints.loops]
    return [
        Result("E", (len(E),), E, tuple(f"E{n}" for n in range(1, len(E) + 1))),
        Result("QC", (len(QC),), QC, tuple(f"QC{k}" for k in cuts)),
        Result("ALIGN", (len(ALIGN),), ALIGN, tuple(f"ALIGN{k}" for k in cuts)),
    ]


def loop_step(s: Symbols) -> list[Result]:
    """Q, the configuration after a step of Newton's method in the passive joints; E, QC and ALIGN before it.

    Called again with Q until E is zero, it closes the loops; ALIGN below 0 says that it closed them turned over.
    """
    E, QC, ALIGN = loop_closure(s)
    constraints = Constraints(s)
    closing = [Closure(loop).gap(row) for loop, row in constraints.rows]
    if len(closing) != len(s.free):
        raise NotApplicable(f"{s.robot.name}: {len(s.free)} passive joints but {len(closing)} independent equations")
    slopes = jacobian(s.graph, closing, [s.q[j] for j in s.free])
    steps = solve(s.graph, slopes, [[-x] for x in closing])
    if steps is None:
        raise NotApplicable(f"{s.robot.name}: the loops do not fix all passive joints (see symoro.mobility)")
    moved = dict(zip(s.free, steps, strict=True))
    Q = tuple(s.q[j] + moved[j][0] if j in moved else s.q[j] for j in s.movable)
    return [Result("Q", (len(Q),), Q, tuple(f"Q{j}" for j in s.movable)), E, QC, ALIGN]
