"""The inertia matrix by composite links: each column is the torque of a unit acceleration (K97:26-38)."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector
from symoro.models.constraint import Entries
from symoro.models.dynamic.composite_body import Composite, composite_links
from symoro.models.dynamic.drives import rotor_row
from symoro.models.dynamic.newton_euler import along_axis
from symoro.models.results import matrix
from symoro.symbols import Symbols


def inertia_matrix(s: Symbols) -> list[Result]:
    """A of Γ = A q̈ + H, rotor inertias included."""
    return [as_result(s, with_rotors(s, composite_entries(s)))]


def composite_entries(s: Symbols) -> Entries:
    """The elements A_kj with k = j or k before j on the way from the base, without the rotors.

    The others follow by symmetry or are 0.
    """
    whole = composite_links(s)
    return columns(s, lambda j: unit_wrench(s, j, whole[j]))


def unit_wrench(s: Symbols, j: int, body: Composite) -> tuple[Vector, Vector]:
    """Force and moment on composite link j when joint j alone accelerates, by 1."""
    MX, MY, _ = body.MS
    XZ, YZ, ZZ = body.J.column(2)
    revolute, prismatic = s.revolute[j], s.prismatic[j]
    f = prismatic * Vector(s.graph, (0, 0, body.M)) + revolute * Vector(s.graph, (-MY, MX, 0))  # (K97:31, 33)
    m = revolute * Vector(s.graph, (XZ, YZ, ZZ)) + prismatic * Vector(s.graph, (MY, -MX, 0))  # (K97:32, 34)
    return f, m


def columns(s: Symbols, wrench: Callable[[int], tuple[Vector, Vector]]) -> Entries:
    """Carry the wrench of each column to the base, and read the torque of every joint on the way."""
    A: Entries = {}
    for j in sorted(s.movable):
        f, m = wrench(j)
        A[j, j] = along_axis(s, j, f, m)  # (K97:35)
        k, i = j, s.parent[j]
        while i != 0:
            f = _named(s, "EA", i, j, s.R[k] @ f)  # (K97:36)
            m = _named(s, "NA", i, j, s.R[k] @ m + s.P[k].cross(f))  # (K97:37)
            if i in s.movable:
                A[i, j] = along_axis(s, i, f, m)  # (K97:38)
            k, i = i, s.parent[i]
    return A


def _named(s: Symbols, letters: str, k: int, j: int, v: Vector) -> Vector:
    """NA12_3 is row 1 on link 2 for column 3."""
    for row, x in enumerate(v, 1):
        s.graph.name(x, f"{letters}{row}{k}_{j}")
    return v


def with_rotors(s: Symbols, A: Mapping[tuple[int, int], Expr]) -> Entries:
    """Add the inertia of the rotors (K97:35); coupled motors may fill elements that the links leave 0."""
    full = dict(A)
    for j in s.movable:
        for k, x in rotor_row(s, j).items():
            if k <= j:
                place = (j, k) if (j, k) in full else (k, j)
                full[place] = full.get(place, s.graph.zero) + x
    return full


def as_result(s: Symbols, A: Mapping[tuple[int, int], Expr]) -> Result:
    """The whole matrix, in the order of the movable joints."""
    zero = s.graph.zero
    both = {**{(j, k): x for (k, j), x in A.items()}, **A}
    rows = Matrix(s.graph, ((both.get((k, j), zero) for j in s.movable) for k in s.movable))
    return matrix(s, "A", rows, (s.movable, s.movable))
