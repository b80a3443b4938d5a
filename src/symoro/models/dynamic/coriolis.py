"""The matrix C of Γ = A q̈ + C q̇ + Q for which Ȧ − 2C is skew-symmetric (K13:7.7)."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total, zeros
from symoro.models.dynamic import lin
from symoro.models.dynamic.composite_links import composite_entries
from symoro.models.dynamic.lagrange_coefficients import christoffel_symbols
from symoro.models.dynamic.paths import before
from symoro.models.results import by_joint, matrix

Places = dict[tuple[int, int], Expr]


def by_christoffel(s: Symbols) -> list[Result]:
    """C_ij = Σ_k c_i,jk q̇_k, the symbols from the derivatives of A by composite links (K13:7.7)."""
    terms: dict[tuple[int, int], list[Expr]] = {}
    for (i, j, k), c in christoffel_symbols(s, composite_entries(s)).items():
        terms.setdefault((i, j), []).append(c * s.qd[k])
        if j != k:
            terms.setdefault((i, k), []).append(c * s.qd[j])
    return [as_result(s, {place: total(s.graph, parts) for place, parts in terms.items()})]


def by_lin(s: Symbols) -> list[Result]:
    """The same symbols as D_mkj = u_k · d_mj of Lin's composite bodies (L91:31-34, 45-47)."""
    c = lin.composites(s)
    d, w = lin.coefficients(s, c), velocities(s)
    after = {m: [j for j in s.movable if (m, j) in d] for m in s.movable}
    C: Places = {}
    for m in s.movable:
        for j in (*before(s, m), m, *after[m]):
            C[m, j] = _element(s, m, j, c.u, d, w, after)
    return [as_result(s, C)]


def _element(s: Symbols, m: int, j: int, u: lin.Pairs, d: lin.Pairs, w: lin.Pairs, after: dict[int, list[int]]) -> Expr:
    """C_mj: the part of the joints k up to the later of m and j, then of those k that the later one moves."""
    last = m if (j, m) in d else j
    terms = [u[j, k].dot(d[m, k]) * s.qd[k] for k in after[last]] if s.revolute[j] else []  # D_mjk, k beyond
    if (m, j) in d:
        terms.append(w[j, j].dot(d[m, j]))  # k up to j (L91:45)
    if (j, m) in d:
        terms.append(-w[j, m].dot(d[j, m]))  # k up to j: D_mkj = −D_jkm (L91:47)
        between = [k for k in before(s, m) if (j, k) in d]
        if s.revolute[j]:
            terms += [-(u[j, m].dot(d[k, m]) * s.qd[k]) for k in between]  # D_mjk = −D_kjm (L91:34)
    return total(s.graph, terms)


def velocities(s: Symbols) -> lin.Pairs:
    """The angular velocity of link m, on a base that stands still, in the frames of m and of all that it moves."""
    w: lin.Pairs = {}
    spin: dict[int, Vector] = {0: zeros(s.graph, 3)}
    for j in s.outward:
        for m in before(s, j):
            w[m, j] = s.R[j].T @ w[m, s.parent[j]]
        spin[j] = s.name("W", j, s.R[j].T @ spin[s.parent[j]] + s.revolute[j] * s.rate[j] * s.a)
        if j in s.movable:
            w[j, j] = spin[j]
    return w


def as_result(s: Symbols, C: Places) -> Result:
    """The whole matrix, in the order of the movable joints."""
    rows = ((C.get((i, j), s.graph.zero) for j in s.movable) for i in s.movable)
    return matrix(s, "C", Matrix(s.graph, rows), (s.movable, s.movable))


def torques_by_lin(s: Symbols) -> list[Result]:
    """C q̇ alone (L91:54)."""
    return [by_joint(s, "CQP", lin.velocity_torques(s, lin.composites(s)))]
