"""The Jacobian matrix of a task: rows of a link's [v; ω], with a column for each coordinate that constraints leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector, identity, zeros
from symoro.models.constraint import BASE, Row, at_variables, coordinates
from symoro.models.geometric.frames import FrameRef, Pose, bound_pose, carrier, compose
from symoro.models.geometric.walk import place
from symoro.models.kinematic.coordinates import Columns, left, projected
from symoro.models.kinematic.jacobian import shortlist
from symoro.models.kinematic.renaud import tree_joints
from symoro.models.sampling import rank, sample

Rows = list[list[Expr]]
HEIGHT = {"all": 6, "position": 3}
"""The rows of a task: [v; ω], or v."""
_SAMPLES = 4
#: A row is zero where its elements are smaller than this times those of the largest row.
_NOTHING = 1e-12


def task_rows(s: Symbols, link: FrameRef, frame: FrameRef, task: str) -> Rows:
    """The rows of J in frame r, with a column for each coordinate that is left."""
    rows = tree_rows(s, link, frame)
    columns = {j: Vector(s.graph, (row[n] for row in rows)) for n, j in enumerate(tree_joints(s))}
    base = {k: x for k, x in base_columns(s, link, frame).items() if k in coordinates(s)}
    return [[row[k] for k in left(s)] for row in projected(s, columns | base, 6)[: HEIGHT[task]]]


def tree_rows(s: Symbols, link: FrameRef, frame: FrameRef) -> Rows:
    """The rows [v; ω] in frame r, with a column for each of `tree_joints`."""
    return shortlist(s, link, frame, None, None)[0]


def base_columns(s: Symbols, link: FrameRef, frame: FrameRef) -> Columns:
    """[v; ω] of the link in frame r for unit velocities of the base."""
    turn, (_, P) = rotation(s, frame), pose(s, link)
    none = zeros(s.graph, 3)
    columns = {}
    for n, e in enumerate(identity(s.graph, 3)):
        columns[BASE[n]] = Vector(s.graph, (*(turn @ e), *none))
        columns[BASE[n + 3]] = Vector(s.graph, (*(turn @ e.cross(P)), *(turn @ e)))
    return columns


def pose(s: Symbols, frame: FrameRef) -> Pose:
    """Orientation and origin of a link's frame or of a named frame, in frame 0."""
    n, on_link = carrier(s.robot, frame)
    seen = place(s, 0, n)
    return compose((seen.A, seen.P), bound_pose(s, on_link))


def rotation(s: Symbols, frame: FrameRef) -> Matrix:
    """The rotation of vectors from frame 0 into another frame."""
    return pose(s, frame)[0].T


def moving_parts(s: Symbols, rows: Sequence[Sequence[Expr]], link: FrameRef) -> tuple[list[int], list[int], int]:
    """The rows and the columns that are not zero, and the rank of the matrix almost everywhere.

    A sum of terms that cancel is found to be zero by numbers.
    """
    samples = sample(s, rows, _SAMPLES)
    high, wide = (abs(samples).max(axis=axes, initial=0.0) for axes in ((0, 2), (0, 1)))
    used, columns = ([n for n, x in enumerate(size) if x > _NOTHING * size.max()] for size in (high, wide))
    if not used:
        raise NotApplicable("jacobians.nothing_moves", robot=s.robot.name, frame=link)
    return used, columns, max(rank(one) for one in samples)


class RankFactors(NamedTuple):
    """J = B C, where the columns of B and the rows of C are independent."""

    B: Rows
    C: Rows


def factors(
    s: Symbols, rows: Rows, onto: Mapping[int, Row], columns: Sequence[int], independent: int
) -> RankFactors | None:
    """J by the coordinates of the tree that move the link: B has their columns, C their rows of G.

    `rows` are those of the tree, with a column for each of `tree_joints`. None where these coordinates depend on each
    other: there are more of them than J has independent columns.
    """
    zero = s.graph.zero
    forms = [at_variables(s, dict(zip(tree_joints(s), row, strict=True))) for row in rows]
    way = [k for k in coordinates(s) if any(not form.get(k, zero).is_zero for form in forms)]
    if len(way) != independent:
        return None
    return RankFactors(
        [[form.get(k, zero) for k in way] for form in forms],
        [[onto[k].get(i, zero) for i in columns] for k in way],
    )


def dependent(s: Symbols, used: list[int], columns: list[int], independent: int) -> NotApplicable:
    """The error where neither rows nor columns of J are independent, nor those of its factors."""
    return NotApplicable(
        "jacobians.dependent_task", robot=s.robot.name, rows=len(used), columns=len(columns), rank=independent
    )
