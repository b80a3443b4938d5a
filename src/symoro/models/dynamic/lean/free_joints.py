"""Trees with springs and passive joints, through the lean forms of A and H (K10:67-71)."""

from __future__ import annotations

from symoro.errors import NotApplicable
from symoro.ir.extract import Result
from symoro.models.dynamic.inertia_matrix import with_rotors
from symoro.models.dynamic.lean.inertia_matrix import entries
from symoro.models.dynamic.lean.models import Pair, bias_torques, pairs
from symoro.models.dynamic.moving_base import floating
from symoro.models.dynamic.moving_base_matrix import System, direct_of, inverse_of
from symoro.models.search import laid_out
from symoro.symbols import Symbols


@laid_out(pairs)
def inverse_dynamics(s: Symbols, layout: Pair) -> list[Result]:
    """QDP from the rows of what moves freely, then GAM from the others."""
    return inverse_of(s, _system(s, layout))


@laid_out(pairs)
def direct_dynamics(s: Symbols, layout: Pair) -> list[Result]:
    """QDP from all rows."""
    return direct_of(s, _system(s, layout))


def _system(s: Symbols, layout: Pair) -> System:
    """Γ = A q̈ + H of the tree's joints."""
    if floating(s):
        raise NotApplicable(f"the base of {s.robot.name} floats: its rows have no lean form")
    A = with_rotors(s, entries(s, layout.A))
    full = {(i, k): A.get((i, k)) or A.get((k, i)) or s.graph.zero for i in s.movable for k in s.movable}
    return System(s.movable, full, bias_torques(s, layout.H))
