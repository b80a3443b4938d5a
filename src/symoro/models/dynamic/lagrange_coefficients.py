"""The coefficients of Γ = A q̈ + B [q̇ q̇] + Q (K97 § 5.5), and those of Christoffel, which are their elements."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.jacobian import jacobian
from symoro.models.constraint import Entries
from symoro.models.dynamic import lin
from symoro.models.dynamic.composite_links import as_result, composite_entries, with_rotors
from symoro.models.dynamic.paths import before
from symoro.models.dynamic.statics import gravity_torques
from symoro.models.results import by_joint

# Coriolis coefficients by differentiating the inertia matrix (K13:7.7).


Coefficients = dict[tuple[int, int, int], Expr]
"""c_i,jk by (i, j, k) with j ≤ k; what is 0 is left out."""


def christoffel_symbols(s: Symbols, A: Entries) -> Coefficients:
    """c_i,jk = ½(∂A_ij/∂q_k + ∂A_ik/∂q_j − ∂A_jk/∂q_i) (K13:7.7)."""
    places = sorted(A)
    rows = jacobian(s.graph, [A[place] for place in places], [s.q[j] for j in s.movable], "forward")
    by = {place: dict(zip(s.movable, row, strict=True)) for place, row in zip(places, rows, strict=True)}
    both = by | {(j, i): row for (i, j), row in by.items()}
    zero, half = s.graph.zero, s.graph.one / 2

    def slope(i: int, j: int, k: int) -> Expr:
        return both[i, j][k] if (i, j) in both else zero

    coefficients: Coefficients = {}
    for i in s.movable:
        for j in s.movable:
            for k in (k for k in s.movable if k >= j):
                c = half * total_of(slope(i, j, k), slope(i, k, j), slope(j, k, i))
                if not c.is_zero:
                    coefficients[i, j, k] = s.graph.name(c, f"CS{i}_{j}_{k}")
    return coefficients


def total_of(a: Expr, b: Expr, c: Expr) -> Expr:
    """a + b − c, so written that equal terms cancel."""
    if b is c:
        return a
    return b if a is c else (a + b) - c


# The coefficients of Γ = A q̈ + B [q̇ q̇] + Q (K97 § 5.5).
#
# B has a row for each joint and a column for each product q̇_j q̇_k with j ≤ k, in the order 11, 12 … 1n, 22 … nn.


def by_differentiation(s: Symbols) -> list[Result]:
    """A by composite links, B from its derivatives (K13:7.7), Q by composite links."""
    A = composite_entries(s)
    B = coefficients(s, christoffel_symbols(s, A))
    return [as_result(s, with_rotors(s, A)), B, by_joint(s, "Q", gravity_torques(s))]


def by_lin(s: Symbols) -> list[Result]:
    """All three from Lin's composite bodies (L91:45-47, 65-67)."""
    c = lin.composites(s)
    A, Q = lin.entries(s, c), lin.gravity_torques(s, c)
    return [as_result(s, with_rotors(s, A)), coefficients(s, lin_symbols(s, c)), by_joint(s, "Q", Q)]


def lin_symbols(s: Symbols, c: lin.Composites) -> Coefficients:
    """D_mkj by row and pair of joints."""
    d = lin.coefficients(s, c)
    coefficients: Coefficients = {}
    for m, j in d:
        for k in (*before(s, j), j):
            if s.revolute[k]:
                coefficients[m, min(k, j), max(k, j)] = c.u[k, j].dot(d[m, j])  # (L91:45)
        for k in (*before(s, m), m):
            if s.revolute[k]:
                coefficients[j, min(k, m), max(k, m)] = -c.u[k, j].dot(d[m, j])  # (L91:47)
    return coefficients


def coefficients(s: Symbols, symbols: Coefficients) -> Result:
    """B: twice the symbol for a Coriolis product, once for a square."""
    joints, zero = sorted(s.movable), s.graph.zero
    pairs = [(j, k) for j in joints for k in joints if j <= k]
    elements = tuple((1 if j == k else 2) * symbols.get((i, j, k), zero) for i in s.movable for j, k in pairs)
    gap = "_" if joints and joints[-1] > 9 else ""
    names = tuple(f"B{i}_{j}{gap}{k}" for i in s.movable for j, k in pairs)
    return Result("B", (len(joints), len(pairs)), elements, names)
