"""The inverse of a Jacobian matrix, block by block: only the last one of Renaud's matrices is inverted (K97 § 4.6)."""

from __future__ import annotations

from collections.abc import Iterator

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.blocks import block_triangular, solve
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, hat, identity
from symoro.models.geometric.frames import FrameRef, bound_pose, carrier
from symoro.models.geometric.walk import place
from symoro.models.kinematic import jacobian as of_link
from symoro.models.kinematic import motion
from symoro.models.kinematic.by_motors import ByMotors, is_closed, product
from symoro.models.kinematic.determinant import tip
from symoro.models.kinematic.jacobian import by_variables
from symoro.models.kinematic.renaud import TIP, Renaud
from symoro.models.kinematic.task import factors, tree_rows
from symoro.models.kinematic.weight import weight
from symoro.models.results import by_number, matrix
from symoro.models.sampling import rank, sample
from symoro.robot.base import IDENTITY

Rows = list[list[Expr]]


def jacobian_inverse(s: Symbols, link: FrameRef | None, frame: FrameRef, by: str) -> list[Result]:
    """q̇ for a given [v; ω] of a link in frame r: the inverse, or the pseudo-inverse where J is not square.

    Rows of joints that do not move the link are zero. With closed loops q̇ is that of the motors.
    """
    target = tip(s) if link is None else link
    if is_closed(s) and by == "motors":
        return [_by_motors(s, target, frame)]
    best = min(_candidates(s, target), key=lambda one: one[0], default=None) if s.plain else None
    if best is None:
        rows = _pseudo_inverse(s, target, frame)
    else:
        _, seen, j, used, core = best
        inverse = solve(s.graph, core, [row for n, row in enumerate(_to_point(seen, j, frame)) if n in used])
        assert inverse is not None
        rows = dict(zip(seen.joints, inverse, strict=True))
    zero = [s.graph.zero] * 6
    whole = Matrix(s.graph, (rows.get(k, zero) for k in s.variables))
    return [matrix(s, "JINV", whole, (s.variables, range(1, 7)))]


def _by_motors(s: Symbols, link: FrameRef, frame: FrameRef) -> Result:
    """The inverse of J G. Where it is not square, its rows are those of frame r at the link's own origin."""
    motors = ByMotors(s)
    columns = motors.acting(link)
    seen, j, used, core = motors.cheapest(link)
    if len(core) != len(columns):
        seen, j = Renaud(s, link, 0), TIP
        turned = seen.turned(seen.moved(seen.columns(TIP), TIP), frame)
        whole = motors.rows(
            [list(row) for row in zip(*([*v, *w] for v, w in turned.values()), strict=True)], seen.joints, columns
        )
        used = [n for n, row in enumerate(whole) if not all(x.is_zero for x in row)]
        core, right = [whole[n] for n in used], [list(row) for row in identity(s.graph, 6)]
    else:
        right = _to_point(seen, j, frame)
    rank, split = motors.rank(core), None
    if rank < min(len(core), len(columns)):
        split = factors(s, tree_rows(s, link, frame), motors.loops.onto_torques, columns, rank)
    if split is None:
        rows = motors.inverse(core, [right[n] for n in used])
    else:  # (B C)⁺ = C⁺ B⁺
        rows = motors.inverse(split.C, motors.inverse(split.B, [list(row) for row in identity(s.graph, 6)]))
    by_motor = dict(zip(columns, rows, strict=True))
    zero = [s.graph.zero] * 6
    whole = [by_motor.get(k, zero) for k in motors.joints]
    return matrix(s, "JINV", Matrix(s.graph, whole), (motors.labels, range(1, 7)))


def _candidates(
    s: Symbols, link: FrameRef
) -> Iterator[tuple[tuple[int, tuple[int, int]], Renaud, int, set[int], Rows]]:
    """Square matrices iJ_{n,j}, each with the cost of inverting it."""
    path = Renaud(s, link, 0).path
    if not Renaud(s, link, 0).joints:
        raise NotApplicable("jacobians.still_frame", robot=s.robot.name, frame=link)
    points = (*path, *((TIP,) if carrier(s.robot, link)[1] != IDENTITY else ()))
    dimension = None
    for i in path:
        seen = Renaud(s, link, i)
        for j in points:
            rows = [list(row) for row in zip(*([*v, *w] for v, w in seen.columns(j).values()), strict=True)]
            used = {n for n, row in enumerate(rows) if not all(x.is_zero for x in row)}
            core = [row for n, row in enumerate(rows) if n in used]
            if dimension is None:
                samples = sample(s, rows, 8)
                dimension = rank(samples.transpose(1, 0, 2).reshape(6, -1))
            blocks = block_triangular(core) if len(core) == len(core[0]) == dimension else None
            if blocks is not None:
                yield (sum(len(b.rows) ** 3 for b in blocks), weight(s, core)), seen, j, used, core


def _to_point(seen: Renaud, j: int, frame: FrameRef) -> Rows:
    """From [v; ω] of the link in frame r to the velocity at the origin of frame j in frame i: [A  L̂A; 0  A]."""
    s = seen.s
    r, pose = carrier(s.robot, frame)
    A = place(s, seen.i, r).A @ bound_pose(s, pose)[0]
    L = seen.L(j, TIP) if j != TIP else Vector(s.graph, (0, 0, 0))
    zero = [s.graph.zero] * 3
    return [[*a, *b] for a, b in zip(A, hat(L) @ A, strict=True)] + [[*zero, *a] for a in A]


def _pseudo_inverse(s: Symbols, link: FrameRef, frame: FrameRef) -> dict[int, list[Expr]]:
    """Jᵀ (J Jᵀ)⁻¹ where there are more joints than rows that are not zero, else (Jᵀ J)⁻¹ Jᵀ."""
    seen = Renaud(s, link, 0)
    columns = seen.turned(seen.moved(seen.columns(TIP), TIP), frame)
    rows = [list(row) for row in zip(*([*v, *w] for v, w in columns.values()), strict=True)]
    moving = list(seen.joints)
    if not s.plain:
        moving = [k for k in s.variables if any(k in s.slopes[j] for j in seen.joints)]
        places = [s.variables.index(k) for k in moving]
        rows = [[row[n] for n in places] for row in by_variables(s, rows, seen.joints)]
    used = [n for n, row in enumerate(rows) if not all(x.is_zero for x in row)]
    J = [rows[n] for n in used]
    Jt = [list(column) for column in zip(*J, strict=True)]
    wide = len(J) <= len(J[0])
    gram = product(s, J, Jt) if wide else product(s, Jt, J)
    right = [list(row) for row in identity(s.graph, len(J))] if wide else Jt
    solved = solve(s.graph, gram, right)
    if solved is None:
        raise NotApplicable("jacobians.singular_everywhere", robot=s.robot.name, frame=link)
    inverse = product(s, Jt, solved) if wide else solved
    whole = [[s.graph.zero] * 6 for _ in moving]
    for row, elements in zip(whole, inverse, strict=True):
        for n, x in zip(used, elements, strict=True):
            row[n] = x
    return dict(zip(moving, whole, strict=True))


# The kinematics of a platform that legs carry: its velocity and acceleration for those of the motors (K10:60-62).


def jacobian_by_motors(
    s: Symbols, link: FrameRef | None, frame: FrameRef, projection: int | None, intermediate: int | None
) -> list[Result]:
    """J_p of V = J_p q̇_a (K10:60); of a link or in a frame where one is given."""
    s.constraint.require_motors()
    if link is None and frame == 0 and projection is None and intermediate is None:
        return [matrix(s, "J", s.constraint.jacobian)]
    return of_link.jacobian(s, tip(s) if link is None else link, frame, projection, intermediate, "motors")


def inverse_by_motors(s: Symbols, link: FrameRef | None, frame: FrameRef) -> list[Result]:
    """J_p⁻¹: the velocities of the motors for that of the platform (K10:62), or of a link where one is given."""
    if link is None and frame == 0:
        return [matrix(s, "JINV", s.constraint.motor_rows)]
    s.constraint.require_motors()
    return jacobian_inverse(s, link, frame, "motors")


def drift_by_motors(s: Symbols, link: FrameRef | None, frame: FrameRef | None) -> list[Result]:
    """J̇_p q̇_a; of a link or in a frame where one is given."""
    s.constraint.require_motors()
    if link is None and frame is None:
        return [by_number(s, "JPQP", s.constraint.drift)]
    return motion.jdot_qdot(s, tip(s) if link is None else link, frame)
