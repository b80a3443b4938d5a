"""Matrices with a column for each coordinate that a robot's constraints leave: those of a free base, then the joints.

An algorithm writes the columns of the open tree. Closed loops and wheels make some coordinates depend on the others;
their columns are added to those of the others (K10:56).
"""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector
from symoro.models.families import constraint_of
from symoro.models.results import matrix

Columns = dict[int, Vector]
"""Coordinate -> column. Columns that are 0 may be left out."""


def left(s: Symbols) -> tuple[int, ...]:
    """The coordinates that the constraints leave."""
    return constraint_of(s).left


def projected(s: Symbols, columns: Columns, height: int) -> list[dict[int, Expr]]:
    """The rows of J G, with the columns of J of the open tree."""
    c = constraint_of(s)
    return [c.joint_forces({k: column[row] for k, column in columns.items()}) for row in range(height)]


def by_coordinate(s: Symbols, name: str, columns: Columns, height: int) -> Result:
    """A matrix with a column for each coordinate that is left, named by joint; numbered where a base comes first."""
    order = left(s)
    rows = Matrix(s.graph, ([row[k] for k in order] for row in projected(s, columns, height)))
    labels = (range(1, height + 1), order) if all(k > 0 for k in order) else None
    return matrix(s, name, rows, labels)
