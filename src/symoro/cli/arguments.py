"""Arguments that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli import completion
from symoro.formats import load
from symoro.robot.joint import Joint
from symoro.robot.robot import GIVEN, Robot

RobotName = Annotated[
    str,
    typer.Argument(
        metavar="ROBOT", help="Name of a library robot, or path of a file.", autocompletion=completion.robots
    ),
]
ModelNames = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...",
        help="Names or aliases of models, see symoro list --models.",
        autocompletion=completion.models,
    ),
]
Packages = Annotated[
    list[str] | None,
    typer.Option("--package", metavar="NAME=FOLDER", help="Folder of a package that a file names; may be repeated."),
]
XacroArguments = Annotated[
    list[str] | None,
    typer.Option("--arg", metavar="NAME=VALUE", help="Argument of a xacro file; may be repeated."),
]
RowsOrPicture = Annotated[
    Path | None, typer.Option("--out", "-O", metavar="FILE", help="Write rows to a .csv, or a picture (.svg .png).")
]
Branch = Annotated[
    str | None,
    typer.Option(
        "--branch",
        metavar="NUMBERS",
        help="Working mode of a parallel robot: the branch of each leg, such as 1,0,0, or one for all.",
    ),
]
Given = Annotated[
    str | None,
    typer.Option(
        "--given",
        metavar="WHAT",
        help=f"The coordinates that models take: {', '.join(GIVEN)}; those that the robot takes by default.",
        autocompletion=completion.coordinates,
    ),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite a file that exists.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-o",
        metavar="NAME=VALUE",
        help="Option of the model; may be repeated. A frame is its number, or the name of a joint or frame.",
        autocompletion=completion.options,
    ),
]
Derivative = Annotated[
    str | None,
    typer.Option(
        "--derivative",
        metavar="NAME",
        help="Take the derivative by an input, such as q, or a parameter.",
        autocompletion=completion.derivatives,
    ),
]


def robot_of(robot: str, branch: str | None, given: str | None = None, /, **how: Any) -> Robot:
    """The robot of a name or file, in the working mode and the coordinates that options give; `how` it is read."""
    found = _in_branch(load(robot, **how), branch)
    if given is None:
        return found
    if given not in found.may_take:
        message = f"{given!r} is not for {found.name} (allowed: {', '.join(found.may_take)})"
        raise typer.BadParameter(message, param_hint="--given")
    return found.taking(given)


def _in_branch(robot: Robot, branch: str | None) -> Robot:
    """The robot in the working mode that an option gives."""
    if branch is None:
        return robot
    try:
        numbers = [int(number) for number in branch.split(",")]
    except ValueError:
        message = f"{branch!r} (allowed: whole numbers from 0 with commas between them)"
        raise typer.BadParameter(message, param_hint="--branch") from None
    return robot.in_branch(*numbers)


def positions(text: str, option: str, joints: Sequence[Joint]) -> list[float]:
    """A position for each joint: 0.3,0.5 in their order, or crank=0.3,q2=0.5 by joints or variables."""
    names = [str(joint.variable) for joint in joints]
    if "=" not in text:
        return numbers(text, option, names)
    given = dict(part.strip().partition("=")[::2] for part in text.split(","))
    found = [[x for n, x in given.items() if n in (joint.name, joint.variable)] for joint in joints]
    if len(given) != len(joints) or any(len(one) != 1 for one in found):
        allowed = ", ".join(f"{joint.name} or {joint.variable}" for joint in joints)
        message = f"{text!r} does not give each joint one position (allowed: NAME=VALUE, a NAME for each of {allowed})"
        raise typer.BadParameter(message, param_hint=option)
    return numbers(",".join(one for (one,) in found), option, names)


def numbers(text: str, option: str, names: Sequence[str] | None = None) -> list[float]:
    """The numbers of a text with commas between them, one for each name; else an error of usage."""
    try:
        found = [float(x) for x in text.split(",")] if text.strip() else []
        if not all(map(isfinite, found)):
            raise ValueError(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not numbers separated by commas", param_hint=option) from None
    if names is not None and len(found) != len(names):
        allowed = (
            f"numbers with commas between them, for {', '.join(names)}" if names else "no number: no active joints"
        )
        message = f"{text!r}: {len(found)} given, {len(names)} expected (allowed: {allowed})"
        raise typer.BadParameter(message, param_hint=option)
    return found
