"""The dynamics of closed loops on the lean forms of their trees (K10 § 4, K97 § 5.2)."""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.models.dynamic.closed_loop import in_motion, projection
from symoro.models.dynamic.lean.layout import Layout, Weighing
from symoro.models.dynamic.lean.models import Pair, layouts, pairs, weighings
from symoro.models.dynamic.lean.tree import forces, full_matrix
from symoro.models.dynamic.projection import Projection, accelerations, driven, inertia_result
from symoro.models.search import laid_out, remembered
from symoro.symbols import Symbols


@laid_out(layouts)
def inverse_dynamics(s: Symbols, layout: Layout) -> list[Result]:
    """GAM of the active joints for their velocities and accelerations."""
    return [driven(s, "GAM", _onto_motors(s).forces(forces(_moving(s), layout)))]  # (K10:55)


@laid_out(pairs)
def direct_dynamics(s: Symbols, layout: Pair) -> list[Result]:
    """QDP of the active joints for their torques."""
    return [driven(s, "QDP", accelerations(s, _closed_matrix(s, layout.A), _bias_torques(s, layout.H)))]


@laid_out(weighings)
def inertia_matrix(s: Symbols, layout: Weighing) -> list[Result]:
    """A_c of the active joints (K10:58)."""
    return [inertia_result(s, _closed_matrix(s, layout))]


@laid_out(layouts)
def bias(s: Symbols, layout: Layout) -> list[Result]:
    """H_c of the active joints (K10:58)."""
    return [driven(s, "H", _bias_torques(s, layout))]


@remembered
def _onto_motors(s: Symbols) -> Projection:
    return projection(s)


@remembered
def _moving(s: Symbols) -> Symbols:
    return in_motion(s)


@remembered
def _coasting(s: Symbols) -> Symbols:
    """No active joint accelerates; the passive ones do all the same."""
    return in_motion(s.in_state(qdd=s.still))


def _bias_torques(s: Symbols, layout: Layout) -> dict[int, Expr]:
    return _onto_motors(s).forces(forces(_coasting(s), layout))


def _closed_matrix(s: Symbols, layout: Weighing) -> dict[tuple[int, int], Expr]:
    """A_c = Gᵀ A G."""
    return _onto_motors(s).inertia(full_matrix(s, layout))
