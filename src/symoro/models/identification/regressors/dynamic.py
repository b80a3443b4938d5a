"""The dynamic identification model Γ = D(q, q̇, q̈) K (K97:39), without the wrenches of links and springs.

A column is the inverse dynamic model with one parameter 1 and the others 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.models.dynamic import closed_loop, rolling
from symoro.models.dynamic.moving_base_matrix import BASE
from symoro.models.dynamic.projection import Projection
from symoro.models.identification.columns import matrix_result
from symoro.models.identification.parameters import Key
from symoro.models.identification.regressors.selection import Columns, selected
from symoro.models.identification.unit_columns import torques
from symoro.models.kinematic.rolling import Rolling
from symoro.symbols import Symbols

BASE_ROWS = dict(zip(BASE, ("F10", "F20", "F30", "N10", "N20", "N30"), strict=True))
"""The rows of a floating base: force and moment on it, which are 0 because nothing holds it."""


def dynamic_regressor(s: Symbols, columns: Columns) -> list[Result]:
    """D, with a row for each movable joint and a column for each parameter."""
    return [matrix_result(s, "D", selected(s, columns), torques(s), "K97:39")]


def of_floating_base(s: Symbols, columns: Columns) -> list[Result]:
    """D of [0; Γ] = D K (K10:83): the six rows of the base come first."""
    rows = BASE_ROWS | {j: str(j) for j in s.movable}
    return [matrix_result(s, "D", selected(s, columns), torques(s), "K10:83", rows)]


def of_wheels(s: Symbols, columns: Columns) -> list[Result]:
    """Gᵀ D with a row for each driven joint; the motion of base and wheels follows from the motors."""
    chosen, roll = selected(s, columns), Rolling(s)
    column = projected(rolling.projection(s, roll), torques(rolling.in_motion(s, roll)))
    return [matrix_result(s, "D", chosen, column, "K10:55", {j: str(j) for j in s.driven})]


def of_loops(s: Symbols, columns: Columns) -> list[Result]:
    """D_c = Gᵀ D_tr with a row for each driven joint (K10:55)."""
    chosen = selected(s, columns)
    column = projected(closed_loop.projection(s), torques(closed_loop.in_motion(s)))
    return [matrix_result(s, "D", chosen, column, "K10:55", {j: str(j) for j in s.driven})]


def projected(G: Projection, column: Callable[[Key], Mapping[int, Expr]]) -> Callable[[Key], dict[int, Expr]]:
    """Columns of a tree, projected onto the driven joints."""
    still = dict.fromkeys(G.G, G.s.graph.zero)
    return lambda key: G.forces({**still, **column(key)})
