"""Square matrices with structural zeros: their block-triangular form, determinants and solutions block by block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import total

Rows = Sequence[Sequence[Expr]]
T = TypeVar("T", Expr, Any)


@dataclass(frozen=True, slots=True)
class Block:
    """A square part on the diagonal; everything right of it is zero in its rows when blocks come in order."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]

    def of(self, matrix: Rows) -> list[list[Expr]]:
        return [[matrix[i][k] for k in self.columns] for i in self.rows]


def block_triangular(matrix: Rows) -> list[Block] | None:
    """The smallest blocks of a square matrix, lower block-triangular; None where the zeros alone make it singular."""
    import numpy as np
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components, maximum_bipartite_matching

    n = len(matrix)
    pattern = np.array([[not x.is_zero for x in row] for row in matrix], dtype=int).reshape(n, n)
    column_of = maximum_bipartite_matching(csr_matrix(pattern), perm_type="column")
    if n and column_of.min() < 0:
        return None
    reads = csr_matrix(pattern[:, column_of])  # row i reads the unknown that row k is matched with
    count, label = connected_components(reads, directed=True, connection="strong")
    blocks = [
        Block(tuple(map(int, rows)), tuple(sorted(int(column_of[i]) for i in rows)))
        for rows in (np.flatnonzero(label == part) for part in range(count))
    ]
    return _in_order(matrix, blocks)


def _in_order(matrix: Rows, blocks: list[Block]) -> list[Block]:
    """Blocks whose rows read only columns of blocks before them come first."""
    done: list[Block] = []
    known: set[int] = set()
    while blocks:
        ready = [b for b in blocks if _columns_read(matrix, b) <= known | {*b.columns}]
        done += ready
        known.update(k for b in ready for k in b.columns)
        blocks = [b for b in blocks if b not in ready]
    return done


def _columns_read(matrix: Rows, block: Block) -> set[int]:
    return {k for i in block.rows for k, x in enumerate(matrix[i]) if not x.is_zero}


def sign(blocks: Sequence[Block]) -> int:
    """The sign of the permutation of rows times that of columns."""
    return _parity([i for b in blocks for i in b.rows]) * _parity([k for b in blocks for k in b.columns])


def _parity(order: list[int]) -> int:
    odd = sum(a > b for n, a in enumerate(order) for b in order[n + 1 :]) % 2
    return -1 if odd else 1


def determinant(matrix: Sequence[Sequence[T]], zero: T, one: T) -> T:
    """The determinant by minors of the first rows, each set of columns once: exact, without division."""
    minors = {frozenset[int](): one}
    for row in matrix:
        wider: dict[frozenset[int], T] = {}
        for columns, minor in minors.items():
            for k, x in enumerate(row):
                if k not in columns and not _is_zero(x):
                    term = -(x * minor) if sum(c > k for c in columns) % 2 else x * minor
                    key = columns | {k}
                    wider[key] = wider[key] + term if key in wider else term
        minors = wider
    return minors.get(frozenset(range(len(matrix))), zero)


def _is_zero(x: Any) -> bool:
    return x.is_zero if isinstance(x, Expr) else not x


def solve(graph: Graph, matrix: Rows, right: Rows) -> list[list[Expr]] | None:
    """X with A X = B, block by block. None where A is singular by its zeros."""
    blocks = block_triangular(matrix)
    if blocks is None:
        return None
    width = len(right[0]) if right else 0
    X = [[graph.zero] * width for _ in matrix]
    for block in blocks:
        A = block.of(matrix)
        inside = set(block.columns)
        for c in range(width):
            known = ((i, [matrix[i][k] * X[k][c] for k in range(len(matrix)) if k not in inside]) for i in block.rows)
            b = [right[i][c] - total(graph, terms) for i, terms in known]
            for k, x in zip(block.columns, _solve_block(graph, A, b, width * len(b) > 1), strict=True):
                X[k][c] = x
    return X


def shortest(graph: Graph, x: Sequence[Expr], directions: Sequence[Sequence[Expr]]) -> list[Expr]:
    """x + Σ y_k d_k with the least sum of squares; the directions d_k are independent."""

    def dot(a: Sequence[Expr], b: Sequence[Expr]) -> Expr:
        return total(graph, (i * k for i, k in zip(a, b, strict=True)))

    y = solve(graph, [[dot(a, b) for b in directions] for a in directions], [[-dot(a, x)] for a in directions])
    assert y is not None  # the squares of independent directions are not 0
    return [
        total(graph, (x_i, *(y_k * d[i] for (y_k,), d in zip(y, directions, strict=True)))) for i, x_i in enumerate(x)
    ]


def _solve_block(graph: Graph, A: list[list[Expr]], b: list[Expr], often: bool) -> Sequence[Expr]:
    """Up to three numbers by Cramer's rule, whose cofactors serve every right side; more by pivoting.

    `often`: there are several right sides, and one division serves all of them.
    """
    if all(x.is_zero for x in b):
        return b
    n = len(b)
    if n > 3:
        return graph.solve(A, b)
    D = determinant(A, graph.zero, graph.one)
    if D.is_zero:
        return graph.solve(A, b)
    cofactors = [[_cofactor(graph, A, i, k) for i in range(n)] for k in range(n)]
    tops = [total(graph, (c * x for c, x in zip(row, b, strict=True))) for row in cofactors]
    return [top * (graph.one / D) if often else top / D for top in tops]


def _cofactor(graph: Graph, A: list[list[Expr]], i: int, k: int) -> Expr:
    minor = [[x for c, x in enumerate(row) if c != k] for r, row in enumerate(A) if r != i]
    value: Expr = determinant(minor, graph.zero, graph.one)
    return -value if (i + k) % 2 else value
