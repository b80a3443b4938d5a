"""Dynamics of robots whose motors move more coordinates than they have: projected on the motors' (K10:55-58).

u = G q̇_a are the velocities of all coordinates of an open tree (on a base on wheels, of the base too), f the
forces that the tree's equations ask for there. What is not a motor gives no power beyond springs, so Γ = Gᵀ f.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, total
from symoro.models.results import by_joint, matrix
from symoro.symbols import Symbols

Row = Mapping[int, Expr]
Entries = Mapping[tuple[int, int], Expr]


@dataclass(frozen=True, slots=True)
class Projection:
    """G by rows, coordinate -> driven joint -> ∂u/∂q̇_a; what is zero may be left out.

    `onto` are the coordinates that are left: the driven joints, and on a free base those of the base before them.
    """

    s: Symbols
    G: Mapping[int, Row]
    onto: tuple[int, ...]

    def forces(self, f: Row) -> dict[int, Expr]:
        """Gᵀ f (K10:55)."""
        return {j: total(self.s.graph, (row[j] * f[k] for k, row in self.G.items() if j in row)) for j in self.onto}

    def inertia(self, A: Entries) -> dict[tuple[int, int], Expr]:
        """Gᵀ A G; both halves are the same expressions."""
        found: dict[tuple[int, int], Expr] = {}
        zero = self.s.graph.zero
        for n, j in enumerate(self.onto):
            column = {
                k: total(self.s.graph, (A.get((k, i), zero) * row[j] for i, row in self.G.items() if j in row))
                for k in self.G
            }
            for i in self.onto[: n + 1]:
                terms = (row[i] * column[k] for k, row in self.G.items() if i in row)
                found[i, j] = found[j, i] = total(self.s.graph, terms)
        return found


def accelerations(s: Symbols, A: Entries, H: Row) -> dict[int, Expr]:
    """q̈ of the driven joints: A_c q̈ = Γ − H_c (K10:58)."""
    rows = [[A[i, j] for j in s.driven] for i in s.driven]
    right = [s.tau[j] - H[j] for j in s.driven]
    return dict(zip(s.driven, s.graph.solve(rows, right), strict=True))


def inertia_result(s: Symbols, A: Entries) -> Result:
    """A_c."""
    rows = Matrix(s.graph, ((A[i, j] for j in s.driven) for i in s.driven))
    return matrix(s, "A", rows, (s.driven, s.driven))


def driven(s: Symbols, name: str, values: Row) -> Result:
    """A vector with an element for each driven joint."""
    return by_joint(s, name, values, s.driven)
