"""Symmetric positive definite matrices of expressions, without pivoting: A = Lᵀ D L, from the last row to the first.

In this order the zeros of a tree's inertia matrix stay zeros.
"""

from __future__ import annotations

from collections.abc import Sequence

from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import total

Rows = Sequence[Sequence[Expr]]


def inverse_form(graph: Graph, A: Rows, B: Rows, C: Rows | None = None) -> list[list[Expr]] | None:
    """Bᵀ A⁻¹ C; Bᵀ A⁻¹ B where C is left out, both halves the same expressions. None where a pivot is the number 0.

    With L⁻ᵀ B and L⁻ᵀ C it is a sum over the rows, (L⁻ᵀ B)ᵀ D⁻¹ (L⁻ᵀ C): one pass instead of two.
    """
    width = len(B[0]) if B else 0
    reduced = _reduced(graph, A, [[*b, *c] for b, c in zip(B, C or [()] * len(B), strict=True)])
    if reduced is None:
        return None
    D, rows = reduced
    scaled = [[x * d for x in row[:width]] for row, d in zip(rows, D, strict=True)]

    def product(i: int, k: int) -> Expr:
        return total(graph, (x[i] * y[k] for x, y in zip(scaled, rows, strict=True)))

    if C is not None:
        return [[product(i, width + k) for k in range(len(C[0]))] for i in range(width)]
    half = {(i, k): product(i, k) for i in range(width) for k in range(i, width)}
    return [[half[min(i, k), max(i, k)] for k in range(width)] for i in range(width)]


def _reduced(graph: Graph, A: Rows, right: list[list[Expr]]) -> tuple[list[Expr], list[list[Expr]]] | None:
    """1 / D, and L⁻ᵀ times the right side."""
    n, rest = len(A), [list(row) for row in A]
    D = [graph.zero] * n
    for k in reversed(range(n)):
        if rest[k][k].is_zero:
            return None
        D[k] = graph.one / rest[k][k]
        for i in range(k):
            if rest[i][k].is_zero:
                continue
            L = rest[i][k] * D[k]
            right[i] = [x - L * y for x, y in zip(right[i], right[k], strict=True)]
            for h in range(i + 1):
                rest[h][i] = rest[h][i] - L * rest[h][k]
    return D, right
