"""The dynamics of a robot on wheels on the lean forms of its tree (K10:83-88, 55-58)."""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.models.dynamic.lean.layout import Layout, Weighing
from symoro.models.dynamic.lean.models import Pair, layouts, pairs, weighings
from symoro.models.dynamic.lean.tree import forces, full_matrix
from symoro.models.dynamic.projection import accelerations, driven, inertia_result
from symoro.models.dynamic.rolling import base_results, in_motion, projection
from symoro.models.kinematic.rolling import Rolling
from symoro.models.search import laid_out, remembered
from symoro.symbols import Symbols


@laid_out(layouts)
def inverse_dynamics(s: Symbols, layout: Layout) -> list[Result]:
    """V0 and VP0 of the base, GAM of the driven joints."""
    moving = _moving(s)
    GAM = projection(s, _rolling(s)).forces(forces(moving, layout))
    return [*base_results(moving), driven(s, "GAM", GAM)]


@laid_out(pairs)
def direct_dynamics(s: Symbols, layout: Pair) -> list[Result]:
    """V0 and VP0 of the base, QDP of the driven joints."""
    qdd = accelerations(s, _closed_matrix(s, layout.A), _bias_forces(s, layout.H))
    moving = in_motion(s.in_state(qdd=s.qdd | qdd), _rolling(s))
    return [*base_results(moving), driven(s, "QDP", qdd)]


@laid_out(weighings)
def inertia_matrix(s: Symbols, layout: Weighing) -> list[Result]:
    """A of the driven joints."""
    return [inertia_result(s, _closed_matrix(s, layout))]


@laid_out(layouts)
def bias(s: Symbols, layout: Layout) -> list[Result]:
    """H of the driven joints."""
    return [driven(s, "H", _bias_forces(s, layout))]


@remembered
def _rolling(s: Symbols) -> Rolling:
    return Rolling(s)


@remembered
def _moving(s: Symbols) -> Symbols:
    return in_motion(s, _rolling(s))


@remembered
def _coasting(s: Symbols) -> Symbols:
    return in_motion(s.in_state(qdd=s.still), _rolling(s))


def _bias_forces(s: Symbols, layout: Layout) -> dict[int, Expr]:
    """Γ for q̈ = 0."""
    return projection(s, _rolling(s)).forces(forces(_coasting(s), layout))


def _closed_matrix(s: Symbols, layout: Weighing) -> dict[tuple[int, int], Expr]:
    """Gᵀ A G of the tree on a free base."""
    return projection(s, _rolling(s)).inertia(full_matrix(s, layout))
