"""What a compiled model looks at in each call: whether its closures are closed, and whether they are singular."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from symoro.bind.interface import inputs, parameters
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import total
from symoro.ir.passes import optimize
from symoro.ir.program import Program
from symoro.models.build import symbols_of
from symoro.models.families import CLOSURES, constraint_of
from symoro.robot.robot import PLATFORM, Robot


def watch(robot: Robot, options: Mapping[str, Any], motors: bool) -> Program:
    """W of a configuration q, or of a pose T, of a model with these options: two sums of squares.

    The first is that of the residuals of the closures. The second is that of the velocities that follow from unit ones:
    those of passive joints and of a platform; for a pose, those of the joints of legs, and with `motors` those of the
    platform for the motors. Near a dead point and near a singularity these grow without bound. A sum is NaN where one
    of its terms is.
    """
    s = symbols_of(robot, options, Graph(cancel=True))
    c = constraint_of(s, (CLOSURES,))
    residuals, gains = c.gaps()[0], c.gains(motors)
    result = Result("W", (2,), (_squares(s.graph, residuals), _squares(s.graph, gains)), ("GAP", "GAIN"))
    return optimize(extract(s.graph, inputs(s, ("T" if robot.takes == PLATFORM else "q",)), parameters(s), [result]))


def _squares(graph: Graph, terms: Iterable[Expr]) -> Expr:
    return total(graph, (x * x for x in terms))
