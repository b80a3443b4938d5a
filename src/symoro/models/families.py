"""The families of robots: which constraints a robot has, and which coordinates they leave.

`CONSTRAINTS` is the table of constraints. Every dynamic model follows from an open tree and the constraints that hold
for a robot, so a new family of robots is one file with its constraint and one row here (docs/adding-a-family.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.models.constraint import BySolution, Constraint, Together
from symoro.models.loops.constraint import Loops
from symoro.models.results import remembered
from symoro.models.wheels import Wheels
from symoro.robot import topology
from symoro.robot.base import BaseKind
from symoro.robot.robot import Robot
from symoro.robot.springs import has_plain_coordinates

Kind = Literal["tree", "passive", "floating", "constrained", "unknown", "platform", "legs"]
"""A tree with a motor in each joint; one with passive joints; one on a floating base; one with constraints; a robot
whose base moves in a way that nothing says; one whose joints follow from the pose of a platform, which is given; or one
whose platform follows from the joints of its legs, which are given."""
EVERY: tuple[Kind, ...] = ("tree", "passive", "floating", "constrained", "unknown")
TREE: tuple[Kind, ...] = ("tree",)
OPEN: tuple[Kind, ...] = ("tree", "passive")
UNCONSTRAINED: tuple[Kind, ...] = ("passive", "floating")
FREE: tuple[Kind, ...] = ("tree", *UNCONSTRAINED)
POSE: tuple[Kind, ...] = ("platform",)
LEGS: tuple[Kind, ...] = ("legs",)
PLATFORM: tuple[Kind, ...] = (*POSE, *LEGS)
CONSTRAINED: tuple[Kind, ...] = ("constrained", *PLATFORM)
WITH_BASE: tuple[Kind, ...] = ("floating", *CONSTRAINED)
ALL: tuple[Kind, ...] = (*EVERY, *PLATFORM)
KNOWN: tuple[Kind, ...] = (*OPEN, *WITH_BASE)
"""Every family in which the motion of the base is known or follows."""


def _by_legs(constraint: Constraint) -> Constraint:
    """Loops leg by leg: symbols that know the legs are made with this constraint."""
    if not isinstance(constraint, Loops):
        raise NotApplicable("loops.beside_others", robot=constraint.s.robot.name)
    leg_constraint: Constraint = constraint.s.constraint
    return leg_constraint


LEGS_OF_PLATFORM = "legs of a platform"
FORMS: dict[str, Callable[[Constraint], Constraint]] = {
    "": lambda constraint: constraint,
    "multipliers by solution": BySolution.form,
    LEGS_OF_PLATFORM: _by_legs,
}
"""How constraints can be applied; a search tries the forms of a constraint."""


@dataclass(frozen=True, slots=True)
class ConstraintRow:
    """A constraint, and the robots for which it holds."""

    name: str
    holds: Callable[[Robot], bool]
    constraint: Callable[[Symbols], Constraint]
    citation: str
    holonomic: bool = True
    """Whether it constrains positions, too: then derivatives by q go along it."""
    forms: tuple[str, ...] = tuple(FORMS)
    """Names of `FORMS`."""


CLOSURES = "loops"
"""The name of the constraints that closures make."""
CONSTRAINTS: tuple[ConstraintRow, ...] = (
    ConstraintRow(
        name="coordinates",
        holds=lambda robot: not robot.platforms and not has_plain_coordinates(robot),
        constraint=Together,
        citation="chain rule",
        forms=("",),
    ),
    ConstraintRow(
        name=CLOSURES,
        holds=lambda robot: bool(robot.closures) and not robot.platforms,
        constraint=Loops,
        citation="K10:55-58",
    ),
    ConstraintRow(
        name=CLOSURES,
        holds=lambda robot: bool(robot.closures and robot.platforms),
        constraint=lambda s: s.constraint,
        citation="K10:59-66",
        forms=("",),
    ),
    ConstraintRow(
        name="wheels",
        holds=lambda robot: bool(robot.base.wheels),
        constraint=Wheels,
        citation="K10:55-58, K10:83-88",
        holonomic=False,
        forms=("", "multipliers by solution"),
    ),
)


def constraints(robot: Robot) -> tuple[ConstraintRow, ...]:
    """The constraints of a robot."""
    return tuple(row for row in CONSTRAINTS if row.holds(robot))


def kind(robot: Robot) -> Kind:
    """The family of a robot, as far as models differ between families."""
    if robot.platforms:
        return "platform" if robot.takes == "platform" else "legs"
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
    parts = tuple(row.constraint(s) for row in rows)
    return FORMS[s.form](parts[0].beside(parts[1:]) if parts else Together(s))
