"""The dynamic identification model Γ = D(q, q̇, q̈) K (K97:39), without the wrenches of links and springs.

A column is the inverse dynamic model with one parameter 1 and the others 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.models.constraint import BASE, Constraint
from symoro.models.families import constraint_of
from symoro.models.identification.columns import matrix_result
from symoro.models.identification.parameters import Key
from symoro.models.identification.regressors.selection import Columns, selected
from symoro.models.identification.unit_columns import torques
from symoro.symbols import Symbols

BASE_ROWS = dict(zip(BASE, ("F10", "F20", "F30", "N10", "N20", "N30"), strict=True))
"""The rows of a floating base: force and moment on it, which are 0 because nothing holds it."""


def dynamic_regressor(s: Symbols, columns: Columns) -> list[Result]:
    """D, with a row for each movable joint and a column for each parameter."""
    return [matrix_result(s, "D", selected(s, columns), torques(s), "K97:39")]


def of_constrained(s: Symbols, columns: Columns) -> list[Result]:
    """D_c = Gᵀ D_tr (K10:55), with a row for each coordinate that is left; the six rows of a floating base come first.

    With a floating base it is [0; Γ] = D K (K10:83).
    """
    c = constraint_of(s)
    column = projected(c, torques(c.moving))
    rows = {k: BASE_ROWS.get(k, str(k)) for k in c.left}
    return [matrix_result(s, "D", selected(s, columns), column, "K10:55, K10:83", rows)]


def projected(c: Constraint, column: Callable[[Key], Mapping[int, Expr]]) -> Callable[[Key], dict[int, Expr]]:
    """Columns of an open tree at the coordinates that are left."""
    return lambda key: c.forces(column(key))
