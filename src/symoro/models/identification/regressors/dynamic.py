"""The dynamic identification model Γ = D(q, q̇, q̈) K (K97:39), without the wrenches of links and springs.

A column is the inverse dynamic model with one parameter 1 and the others 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.models.constraint import Constraint
from symoro.models.families import constraint_of
from symoro.models.identification.columns import Key, matrix_result, torques
from symoro.models.identification.regressors.selection import Columns, selected


def dynamic_regressor(s: Symbols, columns: Columns) -> list[Result]:
    """D, with a row for each movable joint and a column for each parameter."""
    return [matrix_result(s, "D", selected(s, columns), torques(s), "K97:39")]


def of_constrained(s: Symbols, columns: Columns) -> list[Result]:
    """D_c = Gᵀ D_tr (K10:55), with a row for each coordinate that is left; the six rows of a floating base come first.

    With a floating base it is [0; Γ] = D K (K10:83).
    """
    c = constraint_of(s)
    column = projected(c, torques(c.moving))
    return [matrix_result(s, "D", selected(s, columns), column, "K10:55, K10:83", c.torque_rows)]


def projected(c: Constraint, column: Callable[[Key], Mapping[int, Expr]]) -> Callable[[Key], dict[int, Expr]]:
    """Columns of an open tree at the coordinates that are left."""
    return lambda key: c.torques(column(key))
