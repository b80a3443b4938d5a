"""The inertia matrix by Renaud's formulation: augmented links, whose parameters do not move (L91:A1-A9)."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector, moved, rotated, zeros
from symoro.models.constraint import Entries
from symoro.models.dynamic.composite_links import CompositeLink, as_result, named, with_rotors
from symoro.models.dynamic.paths import axes


def inertia_matrix(s: Symbols) -> list[Result]:
    """A, rotor inertias included."""
    whole, u = composite_bodies(s), axes(s)
    arm = lever_arms(s, u)
    A: Entries = {}
    for m, j in u:
        if j in s.movable:
            A[m, j] = element(s, m, j, whole[j], u[m, j], arm[m, j])
    return [as_result(s, with_rotors(s, A))]


def composite_bodies(s: Symbols) -> dict[int, CompositeLink]:
    """The composite bodies from the augmented ones: what does not depend on q is gathered first."""
    whole: dict[int, CompositeLink] = {}
    for j in s.inward:
        bar, hat = augmented(s, j, whole), zeros(s.graph, 3)
        J = bar.J
        for k in s.children[j]:
            c = s.name("AS", k, s.R[k] @ whole[k].MS)
            mass = whole[k].M if s.prismatic[k] else s.graph.zero
            J = J + moved(rotated(s.R[k], whole[k].J), c, c + s.P[k] * mass, s.P[k])  # (L91:A8)
            hat = hat + c + s.P[k] * mass
        whole[j] = CompositeLink(bar.M, s.name("MSP", j, bar.MS + hat), named(s, "JP", j, J))  # (L91:A7)
    return whole


def augmented(s: Symbols, j: int, whole: dict[int, CompositeLink]) -> CompositeLink:
    """Link j with the masses of what hangs on it by joints that do not slide, each at the origin of its frame."""
    M, MS, J = s.M[j], s.MS[j], s.J[j]
    none, nothing = zeros(s.graph, 3), J * 0
    for k in s.children[j]:
        M = M + whole[k].M
        if not s.prismatic[k]:
            there = s.P[k] * whole[k].M
            MS = MS + there  # (L91:A5)
            J = J + moved(nothing, none, there, s.P[k])  # (L91:A6)
    return CompositeLink(M, MS, J)


def lever_arms(s: Symbols, u: dict[tuple[int, int], Vector]) -> dict[tuple[int, int], Vector]:
    """u_m × (O_m to O_j), in frame j, for every joint m on the way from the base to link j (L91:A4)."""
    arms: dict[tuple[int, int], Vector] = {}
    for m, j in u:
        if m == j:
            arms[m, j] = zeros(s.graph, 3)
        else:
            i = s.parent[j]
            arms[m, j] = s.R[j].T @ (arms[m, i] + u[m, i].cross(s.P[j]))  # (L91:A9)
    return arms


def element(s: Symbols, m: int, j: int, body: CompositeLink, u: Vector, arm: Vector) -> Expr:
    """A_mj (L91:A1)."""
    a = s.a
    if s.revolute[j]:
        e = a.cross(body.MS)
        return u.dot(body.J @ a) + arm.dot(e) if s.revolute[m] else u.dot(e)
    return body.M * arm.dot(a) + u.dot(body.MS.cross(a)) if s.revolute[m] else body.M * u.dot(a)
