"""The directions in which constrained inputs can move: derivatives by them follow the constraint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.ir.derive import Directions
from symoro.ir.expr import Expr
from symoro.models.families import VARIANTS
from symoro.models.loops.constraint import Constraints
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot
from symoro.symbols import Symbols

#: The models of closed loops whose q must be closed.
CONSTRAINED = {*VARIANTS, "cut_wrenches"}


def tangents(robot: Robot, model: str) -> Mapping[str, Directions]:
    """For each constrained input of a model of the robot: its directions."""
    found: dict[str, Directions] = {}
    if robot.base.kind is BaseKind.FLOATING:
        found["quat"] = lambda graph: _turns(Symbols(robot, graph))
    if robot.cuts and model.partition("_by_")[0] in CONSTRAINED:
        found["q"] = lambda graph: Constraints(Symbols(robot, graph)).G
    return found


def _turns(s: Symbols) -> Sequence[Sequence[Expr]]:
    """quat ⊗ (ε/2, 0): a small turn ε of the base about the axes of frame 0, a column for each axis."""
    x, y, z, w = (element / 2 for element in s.quat)
    return ((w, -z, y), (z, w, -x), (-y, x, w), (-x, -y, -z))
