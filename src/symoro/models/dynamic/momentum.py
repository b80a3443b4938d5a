"""The centre of mass of a robot and its centroidal momentum, with their Jacobian matrices."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector, hat, identity, zeros
from symoro.models.constraint import BASE, coordinates
from symoro.models.dynamic.bodies import about_centre, carried_inward, joined
from symoro.models.dynamic.composite_links import (
    CompositeLink,
    composite_links,
    composite_moments,
    free_wrenches,
    unit_wrench,
)
from symoro.models.families import constraint_of
from symoro.models.kinematic.coordinates import Columns, by_coordinate
from symoro.models.recursion import LinkMotion, six
from symoro.models.results import by_number

# The centre of mass of a robot and its Jacobian matrix, by composite links.
#
# With the mass M⁺ and the first moments MS⁺ of composite link j (K97:29-30), the base included, the centre of mass is
# C = MS⁺_0 / M⁺_0. A velocity of joint j moves composite link j alone, as one rigid body: the column of a prismatic
# joint is a_j M⁺_j / M⁺_0, that of a revolute joint a_j × MS⁺_j / M⁺_0.


def centre_of_mass(s: Symbols) -> list[Result]:
    """COM in frame 0. The base counts with the inertia that the description gives it."""
    M, MS = _whole(s)
    return [by_number(s, "COM", MS * (s.graph.one / M))]


def centre_of_mass_jacobian(s: Symbols) -> list[Result]:
    """JCOM: the velocity of the centre of mass in frame 0 for unit velocities of the coordinates."""
    return [by_coordinate(s, "JCOM", _columns_of_centre(s), 3)]


def _whole(s: Symbols) -> tuple[Expr, Vector]:
    """M⁺ and MS⁺ of the whole robot, in frame 0."""
    whole, M, MS = composite_moments(s), s.M[0], s.MS[0]
    for k in s.children[0]:
        mass, moments = whole[k]
        MS = MS + s.name("AS", k, s.R[k] @ moments) + s.P[k] * mass  # (K97:29)
        M = M + mass  # (K97:30)
    return M, MS


def _columns_of_centre(s: Symbols) -> Columns:
    M, MS = _whole(s)
    whole, inverse = composite_moments(s), s.graph.one / M
    columns = {}
    for j in s.movable:
        mass, (MX, MY, _) = whole[j]
        v = Vector(s.graph, (0, 0, mass) if s.prismatic[j] else (-MY, MX, 0)) * inverse
        columns[j] = in_base(s, j, v)
    for j in s.free:
        mass, moments = whole[j]
        lever = s.R[j] @ moments
        moved = (*(mass * e for e in identity(s.graph, 3)), *(e.cross(lever) for e in identity(s.graph, 3)))
        columns |= {k: in_base(s, s.parent[j], v * inverse) for k, v in zip(six(j), moved, strict=True)}
    turning = -hat(MS * inverse)
    base = (*identity(s.graph, 3).rows, *(turning.column(k) for k in range(3)))
    return columns | {k: column for k, column in zip(BASE, base, strict=True) if k in coordinates(s)}


def in_base(s: Symbols, j: int, v: Vector) -> Vector:
    """A vector of frame j in frame 0."""
    while j != 0:
        v, j = s.R[j] @ v, s.parent[j]
    return v


# The centroidal momentum of a robot and its matrix (Orin and Goswami 2008).
#
# The momentum of link j about the origin of its frame is p = M v + ω × MS and l = J ω + MS × v. Gathered from the tips
# to the base they are the momentum of the robot about the origin of frame 0; about the centre of mass C it is
# l − C × p. Rotors are not in it: only the links are.


def centroidal_momentum(s: Symbols) -> list[Result]:
    """HG: the linear momentum, then the angular momentum about the centre of mass, in frame 0."""
    motion = LinkMotion(constraint_of(s).with_velocities)
    motion.begin(motion.s.v0, motion.s.w0, s.vd0, s.wd0)
    for j in s.outward:
        motion.turn(j)
        motion.move(j)
    p, l, M, MS = {}, {}, {}, {}
    for j in (*s.inward, 0):
        v, w = motion.v[j], motion.w[j]
        M[j], MS[j] = s.M[j], s.MS[j]
        p[j], l[j] = M[j] * v + w.cross(MS[j]), s.J[j] @ w + MS[j].cross(v)
        for k in s.children[j]:
            force = s.name("PI", k, s.R[k] @ p[k])
            p[j], l[j] = p[j] + force, l[j] + s.R[k] @ l[k] + s.P[k].cross(force)
            M[j], MS[j] = M[j] + M[k], MS[j] + s.R[k] @ MS[k] + s.P[k] * M[k]
        s.name("PL", j, p[j])
        s.name("LL", j, l[j])
    C = MS[0] * (s.graph.one / M[0])
    return [by_number(s, "HG", (*p[0], *(l[0] - C.cross(p[0]))))]


def centroidal_momentum_matrix(s: Symbols) -> list[Result]:
    """AG: the centroidal momentum for unit velocities of the coordinates.

    What a given motion of the base adds is not in it.
    """
    return [by_coordinate(s, "AG", _columns_of_momentum(s), 6)]


def _columns_of_momentum(s: Symbols) -> Columns:
    """Joint j moves composite link j as one body: its momentum is the wrench of a unit acceleration."""
    whole = composite_links(s)
    robot = CompositeLink(s.M[0], s.MS[0], s.J[0])
    for k in s.children[0]:
        robot = joined(robot, carried_inward(s, k, whole[k]))  # type: ignore[assignment]
    C = s.name("COM", 0, robot.MS * (s.graph.one / robot.M))
    columns = {}
    for j in s.movable:
        p, l = unit_wrench(s, j, whole[j])
        columns[j] = _about(s, C, j, s.R[j] @ p, s.R[j] @ l)
    for j in s.free:
        columns |= {k: _about(s, C, j, p, l) for k, p, l in free_wrenches(s, j, whole[j])}
    return columns | {k: x for k, x in _base_columns(s, robot, C).items() if k in coordinates(s)}


def _about(s: Symbols, C: Vector, j: int, p: Vector, l: Vector) -> Vector:
    """The momentum about C in frame 0; p and l are at the origin of link j, in the frame of its antecedent."""
    while True:
        l, j = l + s.P[j].cross(p), s.parent[j]
        if j == 0:
            return Vector(s.graph, (*p, *(l - C.cross(p))))
        p, l = s.R[j] @ p, s.R[j] @ l


def _base_columns(s: Symbols, robot: CompositeLink, C: Vector) -> Columns:
    """Of the base: the whole robot moves as one body, M v and J ω about the centre of mass."""
    none, unit = zeros(s.graph, 3), identity(s.graph, 3)
    J = about_centre(robot, C)
    linear = [Vector(s.graph, (*(robot.M * unit[k]), *none)) for k in range(3)]
    angular = [Vector(s.graph, (*unit[k].cross(robot.MS), *J.column(k))) for k in range(3)]
    return dict(zip(BASE, (*linear, *angular), strict=True))
