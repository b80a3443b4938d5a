"""The Jacobian matrix of a link, with the projection and intermediate frames of the lowest cost (K97:3-5)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from symoro.bind.interface import inputs, parameters
from symoro.bind.symbols import Symbols
from symoro.errors import OptionError
from symoro.findings import Argument
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, cost, extract
from symoro.ir.linalg import Matrix
from symoro.models.constraint import at_variables
from symoro.models.geometric.frames import FrameRef, carrier
from symoro.models.kinematic.by_motors import ByMotors, is_closed
from symoro.models.kinematic.renaud import TIP, Renaud, tree_joints
from symoro.models.kinematic.weight import weight
from symoro.models.results import matrix
from symoro.robot.base import IDENTITY

Rows = list[list[Expr]]

#: How many matrices of the lowest estimated cost go through the passes before one is chosen; fewer on long chains.
_SHORTLIST, _SHORTLIST_LONG, _LONG = 4, 2, 12
#: A matrix is left out where its estimated cost is more than this times the lowest.
_WORTHWHILE = 1.4


def jacobian(
    s: Symbols, link: FrameRef, frame: FrameRef, projection: int | None, intermediate: int | None, by: str
) -> list[Result]:
    """rJn, [v; ω] of link n in frame r for unit velocities of the joints, or of the motors of closed loops."""
    matrices = shortlist(s, link, frame, projection, intermediate)
    best = matrices[0] if len(matrices) == 1 else min(matrices, key=lambda rows: _finished_cost(s, rows))
    if by == "joints" or not is_closed(s):
        return [matrix(s, "J", Matrix(s.graph, by_variables(s, best, s.movable)), (range(1, 7), s.variables))]
    motors = ByMotors(s)
    rows = motors.rows(best, tree_joints(s), motors.joints)
    return [matrix(s, "J", Matrix(s.graph, rows), (range(1, 7), motors.labels))]


def by_variables(s: Symbols, rows: Rows, joints: Sequence[int]) -> Rows:
    """J F: the columns of these joints' coordinates as columns of the variables."""
    if s.plain:
        return rows
    forms = [at_variables(s, dict(zip(joints, row, strict=True))) for row in rows]
    return [[row.get(k, s.graph.zero) for k in s.variables] for row in forms]


def shortlist(
    s: Symbols, link: FrameRef, frame: FrameRef, projection: int | None, intermediate: int | None
) -> list[Rows]:
    """The matrices of the lowest estimated cost: one for each projection frame i, with its best intermediate frame j.

    The rotation into frame r costs the same for every j, so that j is chosen before it. On long chains only i, n and
    the tip are tried for j.
    """
    path = Renaud(s, link, 0).path
    named = carrier(s.robot, link)[1] != IDENTITY
    points = (*_choices("intermediate", intermediate, path), *((TIP,) if named and intermediate is None else ()))
    weighed: list[tuple[tuple[int, int], Rows]] = []
    for i in _choices("projection", projection, path):
        seen = Renaud(s, link, i)
        likely = [j for j in points if len(path) < _LONG or j in (i, path[-1], TIP)] or points
        every = [seen.moved(seen.columns(j), j) for j in likely]  # (K97:4, the second and third matrix)
        best = min(every, key=lambda columns: weight(s, seen.rows(columns)))
        rows = seen.rows(seen.turned(best, frame))  # (K97:4)
        weighed.append((weight(s, rows), rows))
    length = _SHORTLIST if len(path) < _LONG else _SHORTLIST_LONG
    ordered = sorted(weighed, key=lambda one: one[0])[:length]
    return [rows for (count, _), rows in ordered if count <= _WORTHWHILE * ordered[0][0][0]]


def _choices(name: str, frame: int | None, path: tuple[int, ...]) -> tuple[int, ...]:
    if frame is None:
        return path
    if frame not in path:
        raise OptionError("jacobians.not_on_the_way", option=Argument(name), frame=frame, allowed=path)
    return (frame,)


def _finished_cost(s: Symbols, rows: Rows) -> tuple[int, int, int]:
    from symoro.ir.passes import optimize  # the paper's form needs no passes

    unnamed = Result("J", (len(rows), len(rows[0])), tuple(chain.from_iterable(rows)), ())
    names, joints = (("T", "q"), {"q": s.beside_legs}) if s.robot.takes == "platform" else (("q",), {})
    program = extract(s.graph, inputs(s, names, joints), parameters(s), [unnamed])
    return cost(optimize(program))
