"""The families of robots: which constraints a robot has, and which coordinates they leave.

`CONSTRAINTS` is the table of constraints. Every dynamic model follows from an open tree and the constraints that hold
for a robot, so a new family of robots is one file with its constraint and one row here (docs/adding-a-family.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from symoro.models.constraint import Constraint, Together
from symoro.models.remembered import remembered
from symoro.robot import topology
from symoro.robot.base import BaseKind
from symoro.robot.coordinates import has_plain_coordinates
from symoro.robot.robot import Robot
from symoro.symbols import Symbols

Kind = Literal["tree", "passive", "floating", "constrained", "unknown", "parallel"]
"""A tree with a motor in each joint; one with passive joints; one on a floating base; one with constraints; a robot
whose base moves in a way that nothing says; or a platform on legs."""
EVERY: tuple[Kind, ...] = ("tree", "passive", "floating", "constrained", "unknown")
TREE: tuple[Kind, ...] = ("tree",)
OPEN: tuple[Kind, ...] = ("tree", "passive")
UNCONSTRAINED: tuple[Kind, ...] = ("passive", "floating")
CONSTRAINED: tuple[Kind, ...] = ("constrained",)
WITH_BASE: tuple[Kind, ...] = ("floating", "constrained")
PARALLEL: tuple[Kind, ...] = ("parallel",)


@dataclass(frozen=True, slots=True)
class ConstraintRow:
    """A constraint, and the robots for which it holds."""

    name: str
    holds: Callable[[Robot], bool]
    constraint: str
    """`module:class` of a `Constraint`, made from symbols."""
    citation: str
    holonomic: bool = True
    """Whether it constrains positions, too: then derivatives by q go along it."""


CONSTRAINTS: tuple[ConstraintRow, ...] = (
    ConstraintRow(
        name="coordinates",
        holds=lambda robot: not has_plain_coordinates(robot),
        constraint="symoro.models.constraint:Together",
        citation="chain rule",
    ),
    ConstraintRow(
        name="loops",
        holds=lambda robot: bool(robot.cuts),
        constraint="symoro.models.loops.constraint:Loops",
        citation="K10:55-58",
    ),
    ConstraintRow(
        name="wheels",
        holds=lambda robot: bool(robot.base.wheels),
        constraint="symoro.models.wheels:Wheels",
        citation="K10:55-58, K10:83-88",
        holonomic=False,
    ),
)


def constraints(robot: Robot) -> tuple[ConstraintRow, ...]:
    """The constraints of a robot."""
    return tuple(row for row in CONSTRAINTS if row.holds(robot))


def kind(robot: Robot) -> Kind:
    """The family of a robot, as far as models differ between families."""
    if robot.parallel:
        return "parallel"
    if robot.base.kind is BaseKind.MOBILE and not robot.base.wheels:
        return "unknown"
    if constraints(robot):
        return "constrained"
    if robot.base.kind is BaseKind.FLOATING:
        return "floating"
    passive = any(joint.movable and not joint.actuated for joint in topology.tree_joints(robot))
    return "passive" if passive else "tree"


@remembered
def constraint_of(s: Symbols, among: tuple[str, ...] | None = None) -> Constraint:
    """The constraint of the symbols' robot: of all that it has together, or of those of these names."""
    rows = [row for row in constraints(s.robot) if among is None or row.name in among]
    parts = tuple(load(row.constraint)(s) for row in rows)
    return parts[0] if len(parts) == 1 else Together(s, parts)


def load(path: str) -> Any:
    """What `module:name` stands for; modules are imported when they are needed."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
