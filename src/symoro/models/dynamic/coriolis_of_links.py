"""The matrix C of robots with constraints, for which Ȧ − 2C is skew-symmetric.

The twist of a link in its own frame is V = [v; ω] = J_c u_c, with the velocities u_c of the coordinates that are left.
The momentum [p; h] of the link is 𝕁 V, and the wrench that changes it is 𝕁 V̇ + S V with

    S = [0  −p̂; −p̂  −ĥ],    S V = [ω × p; v × p + ω × h].                                  (1)

S is skew-symmetric. So C = Σ J_cᵀ (𝕁 J̇_c + S J_c) gives the Coriolis torques C u_c, and with A = Σ J_cᵀ 𝕁 J_c,
Ȧ − 2C = Σ (J̇_cᵀ 𝕁 J_c − J_cᵀ 𝕁 J̇_c − 2 J_cᵀ S J_c) is skew-symmetric. The same holds for the rotors, whose matrix is
constant: Gᵀ I Ġ.
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total, zeros
from symoro.models.constraint import BASE, Constraint, Row
from symoro.models.dynamic.articulated_body import Spatial
from symoro.models.dynamic.bodies import wrench_of
from symoro.models.dynamic.composite_links import CompositeLink
from symoro.models.dynamic.drives import rotor_row
from symoro.models.dynamic.newton_euler import along_axis, at_joint
from symoro.models.families import constraint_of
from symoro.models.recursion import LinkMotion, six
from symoro.models.results import matrix


def coriolis(s: Symbols) -> list[Result]:
    """C, a row and a column for each coordinate that is left."""
    c = constraint_of(s)
    if not s.plain:
        raise NotApplicable("dynamics.coordinates_are_functions", robot=s.robot.name)
    momentum = _momenta(c)
    Gd = c.rates
    columns = [c.forces(_column(c, Gd, k, momentum)) for k in c.left]
    rows = Matrix(s.graph, ((column[i] for column in columns) for i in c.left))
    return [matrix(s, "C", rows, (c.left, c.left) if all(k > 0 for k in c.left) else None)]


def _momenta(c: Constraint) -> dict[int, Spatial]:
    """[p; h] of every link, on a base that stands still or moves as the constraint says."""
    s, none = c.with_velocities, zeros(c.s.graph, 3)
    motion = LinkMotion(s).begin(*((s.v0, s.w0) if s.robot.base.free else (none, none)), none, none)
    for j in s.outward:
        motion.turn(j)
        motion.move(j)
    return {j: wrench_of(_body(s, j), Spatial(motion.v[j], motion.w[j])) for j in (0, *s.outward)}


def _body(s: Symbols, j: int) -> CompositeLink:
    return CompositeLink(s.M[j], s.MS[j], s.J[j])


def _column(c: Constraint, Gd: Mapping[int, Row], k: int, momentum: dict[int, Spatial]) -> dict[int, Expr]:
    """The forces of the open tree's coordinates for column k: (𝕁 J̇_c + S J_c) of each link, carried to the base."""
    s, qd, V, Vd = c.s, c.with_velocities.qd, {}, {}
    V[0], Vd[0] = (_of_base(c, k, table) for table in (c.G, Gd))
    for j in s.outward:
        V[j], Vd[j] = _carried(c, Gd, j, k, qd[j], V[s.parent[j]], Vd[s.parent[j]])
    wrench = {j: wrench_of(_body(s, j), Vd[j]) + _turned(V[j], momentum[j]) for j in (0, *s.outward)}
    forces: dict[int, Expr] = {}
    for j in s.inward:
        f, m = s.R[j] @ wrench[j].linear, s.R[j] @ wrench[j].angular
        wrench[s.parent[j]] = wrench[s.parent[j]] + Spatial(f, m + s.P[j].cross(f))
        if j in s.free:
            forces |= dict(at_joint(s, j, wrench[j].linear, wrench[j].angular))
        if j in s.movable:
            rotors = (x * Gd[i][k] for i, x in rotor_row(s, j).items() if k in Gd.get(i, {}))
            forces[j] = total(s.graph, (along_axis(s, j, wrench[j].linear, wrench[j].angular), *rotors))
    return forces | dict(zip(BASE, (*wrench[0].linear, *wrench[0].angular), strict=True))


def _of_base(c: Constraint, k: int, table: Mapping[int, Row]) -> Spatial:
    """Column k of the base's twist; 0 where its motion is known."""
    x = Vector(c.s.graph, (table.get(i, {}).get(k, 0) for i in BASE))
    return Spatial(x[:3], x[3:])


def _carried(
    c: Constraint, Gd: Mapping[int, Row], j: int, k: int, qd: Expr, V: Spatial, Vd: Spatial
) -> tuple[Spatial, Spatial]:
    """Column k of link j's twist from that of its antecedent (K97:6), and the derivative of its components."""
    s, R, P = c.s, c.s.R[j].T, c.s.P[j]
    if j in s.free:
        return _carried_freely(c, Gd, j, k, V, Vd)
    column, change = (_axis(c, j, k, table) for table in (c.G, Gd))
    v, w = R @ (V.linear + V.angular.cross(P)), R @ V.angular
    turn, slide = s.revolute[j] * qd * s.a, s.prismatic[j] * qd * s.a
    vd = R @ (Vd.linear + Vd.angular.cross(P)) - turn.cross(v) + w.cross(slide)
    return Spatial(v, w) + column, Spatial(vd, R @ Vd.angular - turn.cross(w)) + change


def _carried_freely(
    c: Constraint, Gd: Mapping[int, Row], j: int, k: int, V: Spatial, Vd: Spatial
) -> tuple[Spatial, Spatial]:
    """The same for a free link, whose twist against its antecedent is in the antecedent's frame."""
    R, P = c.s.R[j].T, c.s.P[j]
    column, change = (_six(c, j, k, table) for table in (c.G, Gd))
    twist = c.with_velocities.state.V[j]
    speed, w = twist[:3], R @ twist[3:]  # of the link against its antecedent
    v, turn = R @ (V.linear + V.angular.cross(P) + column.linear), R @ (V.angular + column.angular)
    vd = R @ (Vd.linear + Vd.angular.cross(P) + V.angular.cross(speed) + change.linear) - w.cross(v)
    return Spatial(v, turn), Spatial(vd, R @ (Vd.angular + change.angular) - w.cross(turn))


def _six(c: Constraint, j: int, k: int, table: Mapping[int, Row]) -> Spatial:
    x = Vector(c.s.graph, (table.get(i, {}).get(k, 0) for i in six(j)))
    return Spatial(x[:3], x[3:])


def _axis(c: Constraint, j: int, k: int, table: Mapping[int, Row]) -> Spatial:
    x = table.get(j, {}).get(k, c.s.graph.zero)
    return Spatial(c.s.prismatic[j] * x * c.s.a, c.s.revolute[j] * x * c.s.a)


def _turned(V: Spatial, momentum: Spatial) -> Spatial:
    """S V of (1)."""
    p, h = momentum.linear, momentum.angular
    return Spatial(V.angular.cross(p), V.linear.cross(p) + V.angular.cross(h))
