"""The directions in which constrained inputs can move: derivatives by them follow the constraint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from symoro.ir.derive import Directions
from symoro.ir.expr import Expr
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot
from symoro.symbols import Symbols


def tangents(robot: Robot) -> Mapping[str, Directions]:
    """For each constrained input of the robot's models: its directions."""
    if robot.base.kind is BaseKind.FLOATING:
        return {"quat": lambda graph: _turns(Symbols(robot, graph))}
    return {}


def _turns(s: Symbols) -> Sequence[Sequence[Expr]]:
    """quat ⊗ (ε/2, 0): a small turn ε of the base about the axes of frame 0, a column for each axis."""
    x, y, z, w = (element / 2 for element in s.quat)
    return ((w, -z, y), (z, w, -x), (-y, x, w), (-x, -y, -z))
