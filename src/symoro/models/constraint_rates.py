"""The derivative Ġ of a constraint's projection, in the motion of the inputs."""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.jacobian import jacobian
from symoro.models.constraint import Row, dot
from symoro.models.families import constraint_of
from symoro.models.remembered import remembered
from symoro.symbols import Symbols


@remembered
def rates(s: Symbols) -> dict[int, Row]:
    """The rows of Ġ of dependent coordinates: Ċ G + C Ġ = 0, with Ċ from the derivatives of the rows by q."""
    c = constraint_of(s)
    places = [(n, k) for n, row in enumerate(c.rows) for k in row]
    slopes = jacobian(s.graph, [c.rows[n][k] for n, k in places], [s.q[j] for j in s.variables], "forward")
    changes: list[dict[int, Expr]] = [{} for _ in c.rows]
    for (n, k), slope in zip(places, slopes, strict=True):
        changes[n][k] = dot(s, dict(zip(s.variables, slope, strict=True)), c.velocities)
    columns = [{k: row[i] for k, row in c.G.items() if i in row} for i in c.left]
    found = c.solved([[-dot(s, change, column) for column in columns] for change in changes])
    return {k: dict(zip(c.left, row, strict=True)) for k, row in zip(c.dependent, found, strict=True)}
