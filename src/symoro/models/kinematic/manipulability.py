"""Yoshikawa's manipulability √det(J Jᵀ) of a task (Yoshikawa 1985).

Rows of J that are zero everywhere are left out, and where there are fewer joints than rows it is √det(Jᵀ J): W is the
product of the singular values of J that are not zero everywhere. It does not depend on the frame of the vectors and,
where J has six independent rows, not on the point of the link at which v is taken. Both are chosen such that J has the
smallest blocks.
"""

from __future__ import annotations

from collections.abc import Iterator

from symoro.bind.symbols import Symbols
from symoro.ir.blocks import block_triangular, determinant
from symoro.ir.expr import Expr, Op
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector, total, zeros
from symoro.models.constraint import BASE, at_variables, coordinates
from symoro.models.families import constraint_of
from symoro.models.geometric.frames import FrameRef, carrier
from symoro.models.geometric.walk import place
from symoro.models.kinematic.coordinates import Columns
from symoro.models.kinematic.determinant import tip
from symoro.models.kinematic.renaud import TIP, Renaud
from symoro.models.kinematic.task import HEIGHT, RankFactors, dependent, factors, moving_parts, tree_rows
from symoro.models.kinematic.weight import weight
from symoro.robot.base import IDENTITY

Rows = list[list[Expr]]
#: On longer paths only the origins of frame i and of the link are tried as the point.
_LONG = 12


def manipulability(s: Symbols, link: FrameRef | None, task: str) -> list[Result]:
    """W = √det(J Jᵀ), √det(Jᵀ J) where there are fewer joints than rows; for a square J it is |det J|."""
    target = tip(s) if link is None else link
    every = list(_matrices(s, target, HEIGHT[task], points=False))
    used, columns, rank = moving_parts(s, every[0], target)
    if rank == 6:
        every = list(_matrices(s, target, 6, points=True))
    wide = [rows for rows in every if len(rows) == rank]
    if not wide and rank < min(len(used), len(columns)):
        c = constraint_of(s)
        split = factors(s, tree_rows(s, target, 0)[: HEIGHT[task]], c.onto_torques, tuple(c.torque_rows), rank)
        if split is None:
            raise dependent(s, used, columns, rank)
        return [Result("W", (), (_by_factors(s, split),), ("W",))]
    if not wide:  # rows that cancel, or more rows than joints
        J = [[every[0][n][k] for k in columns] for n in used]
        wide = [J if len(used) == rank else [list(column) for column in zip(*J, strict=True)]]
    return [Result("W", (), (_measure(s, min(wide, key=lambda rows: _cost(s, rows))),), ("W",))]


def _matrices(s: Symbols, link: FrameRef, height: int, points: bool) -> Iterator[Rows]:
    """J without its zero rows, over the frames i and, where they are asked for, the points j."""
    path, c = Renaud(s, link, 0).path, constraint_of(s)
    named = carrier(s.robot, link)[1] != IDENTITY
    end = TIP if named else path[-1]
    for i in path:
        seen = Renaud(s, link, i)
        near = dict.fromkeys((i, end)) if len(path) >= _LONG else path
        for j in near if points else (end,):
            joints = {k: Vector(s.graph, (*v, *w)) for k, (v, w) in seen.columns(j).items()}
            columns = joints | _base(seen, j)
            forms = [at_variables(s, {k: column[n] for k, column in columns.items()}) for n in range(height)]
            kept = [[row[k] for k in c.torque_rows] for row in map(c.torques, forms)]
            yield [row for row in kept if not all(x.is_zero for x in row)]


def _base(seen: Renaud, j: int) -> Columns:
    """The columns of a base whose motion is unknown, at the origin of frame j, in frame i."""
    s, A, none = seen.s, place(seen.s, seen.i, 0).A, zeros(seen.s.graph, 3)
    if not s.robot.base.free:
        return {}
    L, axes = seen.L(0, j), [A.column(k) for k in range(3)]
    columns = [*((a, none) for a in axes), *((a.cross(L), a) for a in axes)]
    by_coordinate = {k: Vector(s.graph, (*v, *w)) for k, (v, w) in zip(BASE, columns, strict=True)}
    return {k: x for k, x in by_coordinate.items() if k in coordinates(s)}


def _cost(s: Symbols, J: Rows) -> tuple[int, tuple[int, int]]:
    """The sizes of the blocks of a square matrix, then the operations of its elements."""
    blocks = block_triangular(J) if len(J) == len(J[0]) else None
    return (sum(len(b.rows) ** 3 for b in blocks) if blocks else len(J) ** 3), weight(s, J)


def _by_factors(s: Symbols, J: RankFactors) -> Expr:
    """√(det(Bᵀ B) det(C Cᵀ)) of J = B C where neither rows nor columns of J are independent."""
    return _measure(s, [list(column) for column in zip(*J.B, strict=True)]) * _measure(s, J.C)


def _measure(s: Symbols, J: Rows) -> Expr:
    graph = s.graph
    if len(J) != len(J[0]):
        gram = [[total(graph, (x * y for x, y in zip(a, b, strict=True))) for b in J] for a in J]
        positive = graph.apply(Op.MAX, determinant(gram, graph.zero, graph.one), graph.zero)  # rounding may make it < 0
        return graph.sqrt(positive)
    product = graph.one
    for block in block_triangular(J) or ():
        product = product * determinant(block.of(J), graph.zero, graph.one)
    return graph.absolute(product)
