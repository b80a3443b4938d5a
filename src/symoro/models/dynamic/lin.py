"""Lin's composite body method: all points seen from one point, the origin of the first frame (L91:12-30, 54-67).

L91 writes centres of mass; here the standard parameters M, MS, J stand in their place, so that nothing is divided and
regrouped parameters do as well. J̄ is −∫ p pᵀ dm, p from the common point.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, hat, outer, rotated, symmetric, total, zeros
from symoro.models.constraint import Entries
from symoro.models.dynamic.composite_links import as_result, named, with_rotors
from symoro.models.dynamic.drives import friction_of_joint
from symoro.models.dynamic.paths import axes, before
from symoro.models.dynamic.statics import wrench_terms
from symoro.models.results import by_joint

Pairs = dict[tuple[int, int], Vector]
"""Vectors of a movable joint m and a link j that it moves, in frame j."""


@dataclass(frozen=True, slots=True)
class Composites:
    """What A, the bias and the Coriolis coefficients are made of."""

    u: Pairs  # axes
    sh: Pairs  # ŝ_m = u_m × s_m
    p: dict[int, Vector]  # first moments of the composite bodies
    M: dict[int, Expr]  # their masses
    J: dict[int, Matrix]  # J̄
    e: dict[int, Vector]


def composites(s: Symbols) -> Composites:
    """The recursions outward (L91:24-27) and inward (L91:28-30)."""
    u, way = axes(s), {0: zeros(s.graph, 3)}
    sh: Pairs = {}
    for j in s.outward:
        i, R = s.parent[j], s.R[j]
        way[j] = zeros(s.graph, 3) if i == 0 else s.name("SO", j, R.T @ (way[i] + s.P[j]))  # (L91:25)
        for m in before(s, j):
            sh[m, j] = s.name(f"SH{m}_", j, R.T @ sh[m, i])  # (L91:27)
        if j in s.movable:
            sh[j, j] = s.a.cross(way[j])  # (L91:15)
    M: dict[int, Expr] = {}
    p: dict[int, Vector] = {}
    J: dict[int, Matrix] = {}
    for j in s.inward:
        moment = s.MS[j] + way[j] * s.M[j]
        p[j], M[j] = moment, s.M[j]
        outers = outer(way[j], s.MS[j]), outer(moment, way[j])
        J[j] = -(second_moments(s, j) + symmetric_sum(*outers))
        for k in s.children[j]:
            M[j] = M[j] + M[k]  # (L91:28)
            p[j] = p[j] + s.R[k] @ p[k]  # (L91:29)
            J[j] = J[j] + rotated(s.R[k], J[k])  # (L91:30)
        s.name("PH", j, p[j])
        named(s, "JH", j, J[j])
    e = {j: s.name("EH", j, s.a.cross(p[j]) - sh[j, j] * M[j]) for j in s.movable}  # (L91:63)
    return Composites(u, sh, p, M, J, e)


def second_moments(s: Symbols, j: int) -> Matrix:
    """½tr(J)·1 − J of link j (L91:19, with the sign turned)."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = s.J[j]
    half = s.graph.one / 2
    x, y, z = half * (yy + zz - xx), half * (xx + zz - yy), half * (xx + yy - zz)
    return Matrix(s.graph, ((x, -xy, -xz), (-xy, y, -yz), (-xz, -yz, z)))


def symmetric_sum(first: Matrix, second: Matrix) -> Matrix:
    """The sum of two matrices that is symmetric, from its upper triangle."""
    return symmetric({(a, b): first[a, b] + second[a, b] for a in range(3) for b in range(a, 3)}, first)


def inertia_matrix(s: Symbols) -> list[Result]:
    """A, rotor inertias included."""
    return [as_result(s, with_rotors(s, entries(s, composites(s))))]


def entries(s: Symbols, c: Composites) -> Entries:
    """A_mj for joint m on the way to joint j (L91:65)."""
    A: Entries = {}
    for j in s.movable:
        J, sj, p, e, M = c.J[j], c.sh[j, j], c.p[j], c.e[j], c.M[j]
        aj = Vector(s.graph, (J[0, 2], J[1, 2], -J[0, 0] - J[1, 1])) + sj.cross(p)  # (L91:62)
        for m in (*before(s, j), j):
            u, sm = c.u[m, j], c.sh[m, j]
            if s.revolute[j]:
                A[m, j] = aj.dot(u) - sm.dot(e) if s.revolute[m] else e.dot(u)
            else:
                A[m, j] = u.cross(p)[2] - M * sm[2] if s.revolute[m] else M * u[2]
    return A


def coefficients(s: Symbols, c: Composites) -> Pairs:
    """d_mj, of which D_mkj = u_k · d_mj are the Coriolis coefficients, k up to j, m before j (L91:45, 66)."""
    d: Pairs = {}
    for j in s.movable:
        B = -(c.J[j] @ hat(s.a)) + hat(c.sh[j, j]) @ hat(c.p[j])  # (L91:64)
        for m in before(s, j):
            u, sm, e, M = c.u[m, j], c.sh[m, j], c.e[j], c.M[j]
            if s.revolute[j]:
                d[m, j] = B @ u + sm.cross(e) if s.revolute[m] else e.cross(u)
            else:
                d[m, j] = s.a.cross(u.cross(c.p[j]) - sm * M) if s.revolute[m] else s.a.cross(u) * M
            s.name(f"DC{m}_", j, d[m, j])
    return d


def bias(s: Symbols) -> list[Result]:
    """H: Coriolis and centrifugal torques, gravity, friction and wrenches."""
    if not (s.state.V0.is_zero and s.state.VP0.is_zero):
        raise NotApplicable("dynamics.base_must_stand", robot=s.robot.name)
    c, loads = composites(s), wrench_terms(s)
    coriolis, eta = velocity_torques(s, c), gravity_torques(s, c)
    H = {j: total(s.graph, (coriolis[j], eta[j], *loads[j], *friction_of_joint(s, j))) for j in s.movable}
    return [by_joint(s, "H", H)]


def velocity_torques(s: Symbols, c: Composites) -> dict[int, Expr]:
    """C q̇ (L91:54)."""
    d, z = coefficients(s, c), weighted_velocities(s)
    b = dict.fromkeys(s.movable, s.graph.zero)
    for m, j in d:
        b[j] = b[j] - z[m, j].dot(d[m, j])
        b[m] = b[m] + z[j, j].dot(d[m, j])
    return b


def weighted_velocities(s: Symbols) -> Pairs:
    """ζ_j q̇_j in the frames of j and of all that it moves (L91:55-57)."""
    doubled: dict[int, Vector] = {0: zeros(s.graph, 3)}
    z: Pairs = {}
    for j in s.outward:
        i, R, spin = s.parent[j], s.R[j], s.revolute[j] * s.rate[j] * s.a
        for m in before(s, j):
            z[m, j] = s.name(f"ZH{m}_", j, R.T @ z[m, i])  # (L91:57)
        here = s.name("ZI", j, R.T @ doubled[i])
        doubled[j] = here + 2 * spin
        if j in s.movable:
            z[j, j] = s.name("Z", j, (here + spin) * s.qd[j])  # (L91:55, 56)
    return z


def gravity_torques(s: Symbols, c: Composites) -> dict[int, Expr]:
    """η (L91:67)."""
    g, eta = {0: s.g}, {}
    for j in s.outward:
        g[j] = s.name("G", j, s.R[j].T @ g[s.parent[j]])
        if j in s.movable:
            eta[j] = -c.e[j].dot(g[j]) if s.revolute[j] else -(c.M[j] * g[j][2])
    return eta
