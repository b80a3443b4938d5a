"""The models that take the motors: those that take the joints, where what closes the robot finds them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.graph import Graph
from symoro.model import Model, model
from symoro.models.entry import BRANCH, Entry
from symoro.models.loops.constraint import Loops
from symoro.robot.robot import JOINTS, Robot
from symoro.solve.assemblies import forward_geometry
from symoro.solve.loops import loop_geometry


def from_motors(entry: Entry, robot: Robot, options: Mapping[str, Any]) -> Model:
    """The model of a robot whose motors are given; `options` are those of the user."""
    if free := _free(robot):
        raise NotApplicable(
            f"{entry.name} of {robot.name}: joint {', '.join(free)} does not follow from its motors "
            f"(allowed: given={JOINTS!r})"
        )
    others = {name: x for name, x in options.items() if name != "given"}
    if robot.platforms and "branch" in others:  # the joints say the branch; the motors do not
        branch = BRANCH.check(others.pop("branch"), robot)
        robot = robot if branch is None else robot.in_branch(*branch)
    of = model(entry.name, robot, **others, given=JOINTS)
    if "q" not in of.inputs:  # it does not depend on positions
        return of
    if robot.platforms:
        found: Model = forward_geometry(robot, optimize=of.options["optimize"]).from_motors(of)
    else:
        found = loop_geometry(robot, of.options.get("at")).from_motors(of)
    return found


def _free(robot: Robot) -> list[str]:
    """The names of the joints without motors that no closure determines, such as springs in series with motors."""
    if robot.platforms:
        return []
    s = Symbols(robot, Graph())
    follow = Loops(s).dependent if robot.cuts else ()
    return [robot.joint(j).name for j in s.passive if j not in follow]
