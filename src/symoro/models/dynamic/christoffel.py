"""Coriolis coefficients by differentiating the inertia matrix (K13:7.7)."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.jacobian import jacobian
from symoro.models.constraint import Entries

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
