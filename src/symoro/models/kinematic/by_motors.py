"""Jacobian matrices of robots with closed loops with respect to the motors: J_c = J G (K97 §§ 4.5-4.6).

The loops determine the velocities of passive joints, q̇ = G q̇_a, so that J G has a column for each joint whose velocity
they leave: the active joints, and passive joints outside of the loops. q must be a closed configuration. Of a platform
on legs, the motors determine the velocities of all joints and of the platform, too: q̇ = G J_p q̇_a.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.blocks import block_triangular, determinant, sign, solve
from symoro.ir.expr import Expr
from symoro.ir.linalg import total
from symoro.lazy import lazy
from symoro.models.constraint import Constraint, at_variables
from symoro.models.families import constraint_of
from symoro.models.geometric.frames import FrameRef, carrier
from symoro.models.kinematic.renaud import TIP, Renaud
from symoro.models.kinematic.weight import weight
from symoro.models.loops.constraint import Loops
from symoro.models.sampling import largest_rank, sample
from symoro.robot.base import IDENTITY

if TYPE_CHECKING:
    from symoro.models.sampling import Array

Rows = list[list[Expr]]
ROWS_OF = {"auto": 6, "position": 3}
"""How many rows of [v; ω] a task has."""


@dataclass(frozen=True)
class ByMotors:
    """The Jacobian matrices of one robot."""

    s: Symbols

    @lazy
    def loops(self) -> Constraint:
        return constraint_of(self.s, ("loops",))

    @lazy
    def joints(self) -> tuple[int, ...]:
        """The joints of the columns."""
        return tuple(j for j in self.loops.torque_rows if j > 0)

    @lazy
    def labels(self) -> tuple[int, ...]:
        """What stands for them in names: their numbers; those of the motors of a platform count from 1."""
        return tuple(int(self.loops.torque_rows[j]) for j in self.joints)

    def rows(self, rows: Sequence[Sequence[Expr]], joints: Sequence[int], columns: Sequence[int]) -> Rows:
        """J G: these rows have a column for each of these joints of the tree. A row is a form of velocities, as are
        forces: what these need at the motors is the row of J G."""
        forms = (at_variables(self.s, dict(zip(joints, row, strict=True))) for row in rows)
        return [[row[k] for k in columns] for row in map(self.loops.torques, forms)]

    def acting(self, link: FrameRef) -> tuple[int, ...]:
        """The joints of the columns that move a link."""
        on_path = Renaud(self.s, link, 0).joints
        moving = {i for j in on_path for i in self.s.slopes.get(j, (j,))}
        G = self.loops.onto_torques
        acting = tuple(k for k in self.joints if any(k in G[i] and not G[i][k].is_zero for i in moving))
        if not acting:
            raise NotApplicable("jacobians.still_frame", robot=self.s.robot.name, frame=link)
        return acting

    def cheapest(self, link: FrameRef, task: str = "auto", at_tip: bool = False) -> tuple[Renaud, int, list[int], Rows]:
        """Of all projection frames i and points j: those with the fewest rows that are not 0, then operations."""
        path = Renaud(self.s, link, 0).path
        named = carrier(self.s.robot, link)[1] != IDENTITY
        every = (*path, *((TIP,) if named else ()))
        points = every[-1:] if at_tip or task == "position" else every
        choices: list[tuple[tuple[int, tuple[int, int]], Renaud, int, list[int], Rows]] = []
        for i in path:
            seen = Renaud(self.s, link, i)
            for j in points:
                columns = [[*v, *w][: ROWS_OF[task]] for v, w in seen.columns(j).values()]
                whole = self.rows(list(zip(*columns, strict=True)), seen.joints, self.acting(link))
                used = [n for n, row in enumerate(whole) if not all(x.is_zero for x in row)]
                core = [whole[n] for n in used]
                choices.append(((len(used), weight(self.s, core)), seen, j, used, core))
        return min(choices, key=lambda one: one[0])[1:]

    def rank(self, rows: Rows) -> int:
        """The rank at closed configurations, or at poses of a platform; at random ones where none is found."""
        return self._decided(self._sampled(rows)) if rows else 0

    def _decided(self, tables: Iterable[Array]) -> int:
        largest = largest_rank(tables)
        if not largest.clear:
            raise NotApplicable("jacobians.undecided_rank", robot=self.s.robot.name, rank=largest.finding)
        return largest.rank

    def _sampled(self, rows: Rows) -> Array:
        return sample(self.s, rows, 4, self._closed)

    @lazy
    def _closed(self) -> Array | None:
        from symoro.models.loops.closing import closed_configurations, padded

        if not isinstance(self.loops, Loops):
            return None
        q = closed_configurations(self.s, self.loops.every, count=6)
        return None if q is None else padded(self.s, q)

    # the inverse and the determinant

    def inverse(self, rows: Rows, right: Rows) -> Rows:
        """The inverse, or the pseudo-inverse where J is not square, times the right sides."""
        r, J, Jt = self.rank(rows), rows, [list(column) for column in zip(*rows, strict=True)]
        if r == len(J[0]):
            square = len(J) == r
            inverse = solve(
                self.s.graph, J if square else product(self.s, Jt, J), right if square else product(self.s, Jt, right)
            )
        elif r == len(J):
            half = solve(self.s.graph, product(self.s, J, Jt), right)
            inverse = None if half is None else product(self.s, Jt, half)
        else:
            inverse = None
        if inverse is None:
            sizes = {"rows": len(J), "columns": len(J[0]), "rank": r}
            raise NotApplicable("jacobians.no_inverse", robot=self.s.robot.name, **sizes)
        return inverse

    def determinant(self, link: FrameRef, task: str) -> list[Expr]:
        """The factors of det J, of J Jᵀ or of Jᵀ J where J is not square; a factor for each block.

        J is square where the motions of the link at all configurations have as many directions as J has columns.
        """
        moves = moves_origin(self.s, link)
        if task == "position" and not moves:
            raise NotApplicable("jacobians.still_origin", robot=self.s.robot.name, frame=link)
        n, dimension = len(self.acting(link)), self._dimension(link, task)
        if task == "auto" and dimension > n and moves:
            return self.determinant(link, "position")
        *_, J = self.cheapest(link, task, at_tip=dimension > n)
        Jt = [list(column) for column in zip(*J, strict=True)]
        if self.rank(J) < min(len(J), n):
            return [self.s.graph.zero]
        if dimension == n == len(J):
            return self._factors(J)
        return self._factors(product(self.s, J, Jt) if dimension < n else product(self.s, Jt, J))

    def _dimension(self, link: FrameRef, task: str) -> int:
        """The dimension of the space that the columns span over all configurations, in frame 0."""
        seen = Renaud(self.s, link, 0)
        columns = seen.columns(0) if task == "auto" else seen.moved(seen.columns(TIP), TIP)
        rows = list(zip(*([*v, *w][: ROWS_OF[task]] for v, w in columns.values()), strict=True))
        tables = self._sampled(self.rows(rows, seen.joints, self.acting(link)))
        return self._decided([tables.transpose(1, 0, 2).reshape(tables.shape[1], -1)])

    def _factors(self, square: Rows) -> list[Expr]:
        """The sign, then the determinants of the blocks."""
        graph, blocks = self.s.graph, block_triangular(square)
        if blocks is None:
            return [graph.zero]
        return [graph.lift(sign(blocks)), *(determinant(block.of(square), graph.zero, graph.one) for block in blocks)]


def is_closed(s: Symbols) -> bool:
    """Whether some joints follow from the motors."""
    return bool(s.robot.cuts or s.free)


def moves_origin(s: Symbols, link: FrameRef) -> bool:
    """Whether a joint of the tree moves the origin of a frame."""
    seen = Renaud(s, link, 0)
    return any(not v.is_zero for v, _ in seen.moved(seen.columns(TIP), TIP).values())


def product(s: Symbols, A: Sequence[Sequence[Expr]], B: Sequence[Sequence[Expr]]) -> Rows:
    """A B."""
    columns = list(zip(*B, strict=True))
    return [[total(s.graph, (x * y for x, y in zip(row, column, strict=True))) for column in columns] for row in A]
