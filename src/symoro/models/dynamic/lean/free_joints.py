"""Robots of which joints or the base move freely, through the lean forms of A and H (K10:67-71, 83-88)."""

from __future__ import annotations

from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import zeros
from symoro.models.dynamic.lean.layout import Layout, Weighing
from symoro.models.dynamic.lean.models import Pair, bias_torques, layouts, pairs, weighings
from symoro.models.dynamic.lean.tree import coordinates, full_matrix
from symoro.models.dynamic.moving_base_matrix import System, bias_result, direct_of, inertia_result, inverse_of
from symoro.models.search import laid_out, remembered
from symoro.symbols import Symbols

#: With more joints the recursion is cheaper, whatever the robot, and the matrix takes long to write.
LONG = 25


@laid_out(pairs)
def inverse_dynamics(s: Symbols, layout: Pair) -> list[Result]:
    """VP0 and QDP from the rows of what moves freely, then GAM from the others."""
    return inverse_of(s, _system(s, layout))


@laid_out(pairs)
def direct_dynamics(s: Symbols, layout: Pair) -> list[Result]:
    """VP0 and QDP from all rows."""
    return direct_of(s, _system(s, layout))


@laid_out(weighings)
def inertia_matrix(s: Symbols, layout: Weighing) -> list[Result]:
    """A of a robot on a free base, the base's six rows first."""
    return inertia_result(s, coordinates(s), full_matrix(s, layout))


@laid_out(layouts)
def bias(s: Symbols, layout: Layout) -> list[Result]:
    """H of a robot on a free base, the base's six elements first."""
    return bias_result(s, _bias(s, layout))


def _system(s: Symbols, layout: Pair) -> System:
    if len(s.movable) > LONG:
        raise NotApplicable(f"{s.robot.name} has more than {LONG} joints: the recursion is cheaper")
    return System(coordinates(s), full_matrix(s, layout.A), _bias(s, layout.H))


def _bias(s: Symbols, layout: Layout) -> dict[int, Expr]:
    found = bias_torques(_at_rest(s), layout)
    return {i: found[i] for i in coordinates(s)}


@remembered
def _at_rest(s: Symbols) -> Symbols:
    """A free base without acceleration; one with a given motion keeps it."""
    return s.in_state(VP0=zeros(s.graph, 6)) if s.robot.base.free else s
