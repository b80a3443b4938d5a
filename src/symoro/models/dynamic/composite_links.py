"""Composite links, and the inertia matrix by them: each column is the torque of a unit acceleration (K97:26-38).

A composite link is a link with all links that it carries, as one body.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, identity, moved, rotated
from symoro.models.constraint import Entries
from symoro.models.dynamic.drives import rotor_row
from symoro.models.dynamic.newton_euler import along_axis, at_joint
from symoro.models.recursion import six
from symoro.models.results import matrix


@dataclass(frozen=True, slots=True)
class CompositeLink:
    """Mass, first moments and inertia about the frame's origin: M⁺, MS⁺, J⁺."""

    M: Expr
    MS: Vector
    J: Matrix


def composite_links(s: Symbols, links: tuple[int, ...] | None = None) -> dict[int, CompositeLink]:
    """The composite link of every link, or of these alone, from the base to the tips."""
    whole: dict[int, CompositeLink] = {}
    for j in s.inward if links is None else reversed(links):
        M, MS, J = s.M[j], s.MS[j], s.J[j]
        for k in s.children[j]:
            R, P, body = s.R[k], s.P[k], whole[k]
            here = s.name("AS", k, R @ body.MS)  # (K97:27)
            there = here + P * body.M
            J = J + moved(rotated(R, body.J), here, there, P)  # (K97:28)
            MS = MS + there  # (K97:29)
            M = M + body.M  # (K97:30)
        whole[j] = CompositeLink(s.name_scalar(f"MP{j}", j, M), s.name("MSP", j, MS), named(s, "JP", j, J))
    return whole


def composite_moments(s: Symbols) -> dict[int, tuple[Expr, Vector]]:
    """M⁺ and MS⁺ of every link (K97:27, 29, 30)."""
    whole: dict[int, tuple[Expr, Vector]] = {}
    for j in s.inward:
        M, MS = s.M[j], s.MS[j]
        for k in s.children[j]:
            mass, moments = whole[k]
            MS = MS + s.name("AS", k, s.R[k] @ moments) + s.P[k] * mass  # (K97:29)
            M = M + mass  # (K97:30)
        whole[j] = s.name_scalar(f"MP{j}", j, M), s.name("MSP", j, MS)
    return whole


def named(s: Symbols, letters: str, j: int, J: Matrix) -> Matrix:
    """The elements of a symmetric matrix of link j under their names: JP123 is row 1, column 2 of link 3."""
    for row in range(3):
        for column in range(row, 3):
            s.name_scalar(f"{letters}{row + 1}{column + 1}{j}", j, J[row, column])
    return J


# the inertia matrix


def inertia_matrix(s: Symbols) -> list[Result]:
    """A of Γ = A q̈ + H, rotor inertias included."""
    return [as_result(s, with_rotors(s, composite_entries(s)))]


def composite_entries(s: Symbols) -> Entries:
    """The elements A_kj with k = j or k before j on the way from the base, without the rotors.

    The others follow by symmetry or are 0.
    """
    whole = composite_links(s)
    return columns(s, lambda j: unit_wrench(s, j, whole[j])) | free_entries(s, whole)


def free_entries(s: Symbols, whole: Mapping[int, CompositeLink]) -> Entries:
    """The elements of the columns of free links."""
    A: Entries = {}
    for j in s.free:
        for column, f, m in free_wrenches(s, j, whole[j]):
            A |= {(k, column): x for k, x in zip(six(j), (*f, *m), strict=True) if k <= column}
            A |= {(k, column): x for k, x in _inward(s, j, s.parent[j], f, m + s.P[j].cross(f), column)}
    return A


def free_wrenches(s: Symbols, j: int, body: CompositeLink) -> Iterator[tuple[int, Vector, Vector]]:
    """Force and moment on the composite link of a free joint when one of its coordinates accelerates by 1.

    They are at the origin of the link and in the frame of its antecedent, as the coordinates are.
    """
    MS, J, unit = s.R[j] @ body.MS, rotated(s.R[j], body.J), identity(s.graph, 3)
    yield from ((k, body.M * e, MS.cross(e)) for k, e in zip(six(j)[:3], unit, strict=True))
    yield from ((k, e.cross(MS), J.column(n)) for n, (k, e) in enumerate(zip(six(j)[3:], unit, strict=True)))


def unit_wrench(s: Symbols, j: int, body: CompositeLink) -> tuple[Vector, Vector]:
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
        if (i := s.parent[j]) != 0:
            f = _named(s, "EA", i, j, s.R[j] @ f)  # (K97:36)
            m = _named(s, "NA", i, j, s.R[j] @ m + s.P[j].cross(f))  # (K97:37)
            A |= {(k, j): x for k, x in _inward(s, j, i, f, m, j)}
    return A


def _inward(s: Symbols, j: int, i: int, f: Vector, m: Vector, column: int) -> Iterator[tuple[int, Expr]]:
    """What a wrench on link i, of a column of joint j, needs at the coordinates from there to the base."""
    while i != 0:
        if i in s.movable or i in s.free:
            yield from at_joint(s, i, f, m)  # (K97:38)
        k, i = i, s.parent[i]
        if i != 0:
            f = _named(s, "EA", i, column, s.R[k] @ f)  # (K97:36)
            m = _named(s, "NA", i, column, s.R[k] @ m + s.P[k].cross(f))  # (K97:37)


def _named(s: Symbols, letters: str, k: int, column: int, v: Vector) -> Vector:
    """NA12_3 is row 1 on link 2 for column 3; columns of free links have no names."""
    for row, x in enumerate(v, 1) if column > 0 else ():
        s.graph.name(x, f"{letters}{row}{s.label[k]}_{s.label[column]}")
    return v


def with_rotors(s: Symbols, A: Mapping[tuple[int, int], Expr]) -> Entries:
    """Add the inertia of the rotors (K97:35); coupled motors may fill elements that the links leave 0."""
    full = dict(A)
    for j in s.variables:
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
