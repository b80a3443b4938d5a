"""The directions in which the inputs of constrained positions can move, as expressions of the inputs."""

from __future__ import annotations

from collections.abc import Sequence

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.models.families import constraint_of

Rows = Sequence[Sequence[Expr]]
"""A row for each element of an input array, a column for each direction."""


def along(s: Symbols, constraints: tuple[str, ...]) -> Rows:
    """∂q/∂v: a column for each joint that the constraints leave."""
    c = constraint_of(s, constraints)
    return c.table([c.G[j] for j in c.s.variables], [j for j in c.left if j > 0])


def turns(s: Symbols) -> Rows:
    """quat ⊗ (ε/2, 0): a small turn ε of the base about the axes of frame 0, a column for each axis."""
    x, y, z, w = (element / 2 for element in s.quat)
    return ((w, -z, y), (z, w, -x), (-y, x, w), (-x, -y, -z))
