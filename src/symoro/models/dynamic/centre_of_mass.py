"""The centre of mass of a robot and its Jacobian matrix, by composite links.

With the mass M⁺ and the first moments MS⁺ of composite link j (K97:29-30), the base included, the centre of mass is
C = MS⁺_0 / M⁺_0. A velocity of joint j moves composite link j alone, as one rigid body: the column of a prismatic joint
is a_j M⁺_j / M⁺_0, that of a revolute joint a_j × MS⁺_j / M⁺_0.
"""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector, hat, identity
from symoro.models.constraint import BASE, coordinates
from symoro.models.dynamic.composite_links import composite_moments
from symoro.models.kinematic.coordinates import Columns, by_coordinate
from symoro.models.recursion import six
from symoro.models.results import by_number


def centre_of_mass(s: Symbols) -> list[Result]:
    """COM in frame 0. The base counts with the inertia that the description gives it."""
    M, MS = _whole(s)
    return [by_number(s, "COM", MS * (s.graph.one / M))]


def centre_of_mass_jacobian(s: Symbols) -> list[Result]:
    """JCOM: the velocity of the centre of mass in frame 0 for unit velocities of the coordinates."""
    return [by_coordinate(s, "JCOM", _columns(s), 3)]


def _whole(s: Symbols) -> tuple[Expr, Vector]:
    """M⁺ and MS⁺ of the whole robot, in frame 0."""
    whole, M, MS = composite_moments(s), s.M[0], s.MS[0]
    for k in s.children[0]:
        mass, moments = whole[k]
        MS = MS + s.name("AS", k, s.R[k] @ moments) + s.P[k] * mass  # (K97:29)
        M = M + mass  # (K97:30)
    return M, MS


def _columns(s: Symbols) -> Columns:
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
