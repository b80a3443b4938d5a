"""The directions in which constrained inputs can move: derivatives by them follow the constraint."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.bind.symbols import Symbols
from symoro.ir.derive import Directions
from symoro.models.build import letters_of
from symoro.models.directions import along, turns
from symoro.models.entry import Entry
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot


def tangents(
    robot: Robot,
    entry: Entry,
    at: tuple[float, ...] | None = None,
    branch: tuple[int, ...] | None = None,
    form: str = "",
) -> Mapping[str, Directions]:
    """For each constrained input of a model of the robot: its directions, by constraints in the form of the model."""
    directions: dict[str, Directions] = {}
    if robot.platforms and entry.closed:
        from symoro.models.parallel.constraint import (
            carried_symbols,
            platform_symbols,
        )  # legs need what other families do not

        directions["T"] = lambda graph: platform_symbols(robot, graph, branch).directions
        directions["T_end"] = lambda graph: platform_symbols(robot, graph, branch).end.directions
        if robot.takes == "joints":  # beside T, q has the joints that belong to no leg, which are free
            directions["q"] = lambda graph: along(carried_symbols(robot, graph, branch), ("loops",))
    if robot.base.kind is BaseKind.FLOATING:
        directions["quat"] = lambda graph: turns(Symbols(robot, graph))
    holonomic = tuple(row.name for row in entry.constraints(robot) if row.holonomic)
    if holonomic and entry.closed and not robot.platforms:
        directions["q"] = lambda graph: along(letters_of(robot, graph, at, form), holonomic)
    return directions
