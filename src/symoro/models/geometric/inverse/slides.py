"""Three prismatic joints, all revolute ones known: three linear equations for their positions.

A r = B says that the slides, along the unit vectors in the columns of A, reach the wanted position. Elimination with
pivoting needs no divisor that can vanish while A is regular. Where the three directions are in a plane, det A = 0, and
the slides move along the null vector n of A without moving the end. With mᵀA = 0, the matrix of cofactors is c m nᵀ, so
that A + cof(A) is regular, and (A + cof(A)) Δr = B − A r0 has n·Δr = 0: the solution is the one nearest to r0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector, total
from symoro.models.geometric.inverse.loop import View
from symoro.models.geometric.inverse.steps import Found, Known, Place
from symoro.models.geometric.inverse.types import EMPTY, Root, at_most, both

#: A determinant below this is rounding only. Above it, slides that go far reach poses that a plane does not contain.
_FLAT = 1e-13


@dataclass(frozen=True, slots=True)
class Slides:
    """The step that finds three prismatic joints; in the view, all of them are on the way along the chain."""

    view: View
    slides: tuple[int, int, int]

    joints = property(lambda self: self.slides)
    branches = 1
    type = "1 (three equations)"

    def coefficients(self, place: Place, found: Known) -> dict[str, Expr]:
        left, right = place.loop.both(self.view, place.goal, place.values(found, *self.slides))
        rows = [a - b for a, b in zip(left.p, right.p, strict=True)]
        made = {
            f"A{k}{n}": row.coefficient(f"r{j}") for k, row in enumerate(rows, 1) for n, j in enumerate(self.slides, 1)
        }
        return made | {f"B{k}": -row.coefficient() for k, row in enumerate(rows, 1)}

    def roots(self, place: Place, found: Known) -> Iterator[Found]:
        c, g = self.coefficients(place, found), place.length.graph
        A = Matrix(g, ([c[f"A{k}{n}"] for n in (1, 2, 3)] for k in (1, 2, 3)))
        B = Vector(g, (c[f"B{k}"] for k in (1, 2, 3)))
        cofactors = _cofactors(A)
        flat = at_most(abs(A.rows[0].dot(cofactors.rows[0])), _FLAT * g.one)
        near = Vector(g, (g.select(flat, place.near[j][0], g.zero) for j in self.slides))
        regular = [
            [a + g.select(flat, b, g.zero) for a, b in zip(*rows, strict=True)]
            for rows in zip(A.rows, cofactors.rows, strict=True)
        ]
        steps = g.solve(regular, list(B - A @ near))
        yield {
            j: Root((near[n] + steps[n],), g.one, both(flat, _moves(cofactors.column(n))))
            for n, j in enumerate(self.slides)
        }


def _cofactors(A: Matrix) -> Matrix:
    a, b, c = A.rows
    return Matrix(A.graph, (b.cross(c), c.cross(a), a.cross(b)))


def _moves(column: Vector) -> Expr:
    """1 where the null vector has this joint: its square is a part of the sum of the cofactors' squares."""
    g = column.graph
    return g.less(EMPTY * g.one, total(g, (x * x for x in column)))
