"""The inertia matrix column by column, each composite body seen from its centre of mass (Walker and Orin; L91:2-11).

A composite body without mass, as regrouped parameters leave them, is seen from the origin of its frame instead.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, moved, rotated, zeros
from symoro.models.dynamic.composite_links import as_result, columns, with_rotors


@dataclass(frozen=True, slots=True)
class CompositeBody:
    """Mass, first moments about the frame's origin, the point that the inertia is about, and the inertia."""

    M: Expr
    MS: Vector
    point: Vector
    J: Matrix


def inertia_matrix(s: Symbols) -> list[Result]:
    """A, rotor inertias included."""
    whole = composite_bodies(s)
    return [as_result(s, with_rotors(s, columns(s, lambda j: unit_wrench(s, j, whole[j]))))]


def composite_bodies(s: Symbols) -> dict[int, CompositeBody]:
    """Each link with all that hangs on it."""
    whole: dict[int, CompositeBody] = {}
    for j in s.inward:
        link = CompositeBody(s.M[j], s.MS[j], zeros(s.graph, 3), s.J[j])
        whole[j] = joined(s, j, [link, *(seen_from_parent(s, k, whole[k]) for k in s.children[j])])
    return whole


def seen_from_parent(s: Symbols, k: int, body: CompositeBody) -> CompositeBody:
    """A body of frame k in the frame of the antecedent."""
    R, P = s.R[k], s.P[k]
    return CompositeBody(body.M, R @ body.MS + P * body.M, P + R @ body.point, rotated(R, body.J))


def joined(s: Symbols, j: int, parts: list[CompositeBody]) -> CompositeBody:
    """Several bodies as one, about their common centre of mass."""
    M, MS = parts[0].M, parts[0].MS
    for part in parts[1:]:
        M, MS = M + part.M, MS + part.MS  # (L91:2)
    if len(parts) == 1:
        return CompositeBody(M, MS, *_centred(s, parts[0]))
    centre = zeros(s.graph, 3) if M.is_zero else s.name("RC", j, MS * (1 / M))  # (L91:3)
    J = Matrix(s.graph, ((0,) * 3,) * 3)
    for part in parts:
        J = J + about(part, centre)  # (L91:4)
    return CompositeBody(M, MS, centre, J)


def _centred(s: Symbols, body: CompositeBody) -> tuple[Vector, Matrix]:
    """Centre and inertia about it of a link alone: parameters only."""
    centre = body.point if body.M.is_zero else body.MS * (1 / body.M)
    return centre, about(body, centre)


def about(body: CompositeBody, centre: Vector) -> Matrix:
    """The inertia of a body about another point (Huygens and Steiner)."""
    way = body.point - centre
    centred = not (body.point.is_zero or body.M.is_zero)
    first = zeros(body.M.graph, 3) if centred else body.MS
    return moved(body.J, first, first + way * body.M, way)


def unit_wrench(s: Symbols, j: int, body: CompositeBody) -> tuple[Vector, Vector]:
    """Force and moment at the origin of frame j when joint j alone accelerates, by 1."""
    a = s.a
    f = s.revolute[j] * a.cross(body.MS) + s.prismatic[j] * body.M * a  # (L91:5, 8)
    spin = s.revolute[j] * (body.J @ a + body.point.cross(f))  # (L91:6, 9)
    return f, spin + s.prismatic[j] * body.MS.cross(a)
