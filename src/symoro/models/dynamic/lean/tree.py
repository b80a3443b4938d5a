"""The equations of an open tree, for the models that solve them for what moves freely or project them on motors."""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.models.dynamic.elastic import spring
from symoro.models.dynamic.inertia_matrix import with_rotors
from symoro.models.dynamic.lean.inertia_matrix import entries
from symoro.models.dynamic.lean.layout import Layout, Weighing
from symoro.models.dynamic.lean.newton_euler import torques
from symoro.models.dynamic.moving_base_matrix import BASE
from symoro.symbols import Symbols


def coordinates(s: Symbols) -> tuple[int, ...]:
    """The movable joints, and before them the six of a base that moves freely."""
    return (*BASE, *s.movable) if s.robot.base.free else s.movable


def full_matrix(s: Symbols, layout: Weighing) -> dict[tuple[int, int], Expr]:
    """A with both halves, rotors included."""
    A = with_rotors(s, entries(s, layout))
    return {(i, k): A.get((i, k)) or A.get((k, i)) or s.graph.zero for i in coordinates(s) for k in coordinates(s)}


def forces(s: Symbols, layout: Layout) -> dict[int, Expr]:
    """What the tree asks for at every coordinate in the motion of the letters, less what springs give."""
    found = torques(s, layout)
    return {i: found[i] - spring(s, i) if i in s.movable else found[i] for i in coordinates(s)}
