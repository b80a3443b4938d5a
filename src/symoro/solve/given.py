"""Models for the coordinates that are given: joints, the pose of a platform, or the motors alone.

Models of the motors are those of the joints, where what closes the robot finds these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.findings import Argument
from symoro.ir.graph import Graph
from symoro.model import Model, by_name, straight_model, taking
from symoro.models.catalogue import find
from symoro.models.entry import BRANCH, Entry
from symoro.models.families import POSE, kind
from symoro.robot.robot import JOINTS, MOTORS, Robot


def model(name: str, robot: Robot | str | Path, *args: Any, **options: Any) -> Model:
    """The model of this name or alias for a robot; positional options come in the order of the catalogue."""
    entry = find(name)
    options = by_name(entry, args) | options
    described = taking(robot, options)
    if described.takes != MOTORS:
        return straight_model(name, described, **options)
    entry.require(described, options)
    described = entry.prepared(described)
    if described.closures or MOTORS not in described.may_take:
        return _from_motors(entry, described, options)
    return straight_model(name, described, **options)


def function(entry: Entry) -> Callable[..., Model]:
    """The public function of a row of the catalogue, with its own signature and help."""
    from inspect import Parameter, Signature

    from symoro.models.help import text

    def make(robot: Robot | str | Path, *args: Any, **options: Any) -> Model:
        chosen = by_name(entry, args) | options
        described = taking(robot, chosen)
        if entry.name == "forward_geometry" and chosen.get("link") is None and kind(described) in POSE:
            from symoro.solve.assemblies import forward_geometry

            others = {name: x for name, x in options.items() if name != "given"}
            return forward_geometry(described.taking(None), *args, **others)
        return model(entry.name, robot, **chosen)

    listed = [Parameter("robot", Parameter.POSITIONAL_OR_KEYWORD)]
    for option in entry.all_options:
        default = Parameter.empty if option.required else option.default
        listed.append(Parameter(option.name, Parameter.POSITIONAL_OR_KEYWORD, default=default))
    make.__name__ = make.__qualname__ = entry.name
    make.__doc__ = text(entry)
    make.__signature__ = Signature(listed, return_annotation=Model)  # type: ignore[attr-defined]
    return make


def _from_motors(entry: Entry, robot: Robot, options: Mapping[str, Any]) -> Model:
    """The model of a robot whose motors are given; `options` are those of the user."""
    from symoro.solve.assemblies import forward_geometry
    from symoro.solve.loops import loop_geometry

    if free := _free(robot):
        raise NotApplicable(
            "positions.not_following",
            model=entry.name,
            robot=robot.name,
            joints=free,
            option=Argument("given"),
            allowed=JOINTS,
        )
    others = {name: x for name, x in options.items() if name != "given"}
    if robot.platforms and "branch" in others:  # the joints say the branch; the motors do not
        branch = BRANCH.checked(others.pop("branch"), robot)
        robot = robot if branch is None else robot.in_branch(*branch)
    of = straight_model(entry.name, robot, **others, given=JOINTS)
    if "q" not in of.inputs:  # it does not depend on positions
        return of
    if robot.platforms:
        closed: Model = forward_geometry(robot, optimize=of.options["optimize"]).from_motors(of)
    else:
        closed = loop_geometry(robot, of.options.get("at")).from_motors(of)
    return closed


def _free(robot: Robot) -> list[str]:
    """The names of the joints without motors that no closure determines, such as springs in series with motors."""
    from symoro.models.loops.constraint import Loops

    s = Symbols(robot, Graph())
    legs = [j for j in s.passive if j not in s.beside_legs]
    follow = legs if robot.platforms else Loops(s).dependent if robot.cuts else ()
    return [robot.joint(j).name for j in s.passive if j not in follow]
