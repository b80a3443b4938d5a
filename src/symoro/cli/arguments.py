"""Arguments that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli import completion
from symoro.findings import Finding
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
    described = _in_branch(load(robot, **how), branch)
    if given is None:
        return described
    if given not in described.may_take:
        allowed = described.may_take
        raise bad_usage("--given", "commands.not_for_robot", value=repr(given), robot=described.name, allowed=allowed)
    return described.taking(given)


def bad_usage(option: str, code: str, /, **fields: Any) -> typer.BadParameter:
    """The error of usage of an option or an argument that a finding says."""
    return typer.BadParameter(Finding(code, **fields).sentence(flags=True), param_hint=option)


def _in_branch(robot: Robot, branch: str | None) -> Robot:
    """The robot in the working mode that an option gives."""
    if branch is None:
        return robot
    try:
        numbers = [int(number) for number in branch.split(",")]
    except ValueError:
        raise bad_usage("--branch", "commands.branch", value=repr(branch)) from None
    return robot.in_branch(*numbers)


def positions(text: str, option: str, joints: Sequence[Joint]) -> list[float]:
    """A position for each joint: 0.3,0.5 in their order, or crank=0.3,q2=0.5 by joints or variables."""
    names = [str(joint.variable) for joint in joints]
    if "=" not in text:
        return numbers(text, option, names)
    words = dict(part.strip().partition("=")[::2] for part in text.split(","))
    values = [[x for n, x in words.items() if n in (joint.name, joint.variable)] for joint in joints]
    if len(words) != len(joints) or any(len(one) != 1 for one in values):
        allowed = [
            Finding("commands.joint_or_variable", joint=joint.name, variable=str(joint.variable)) for joint in joints
        ]
        raise bad_usage(option, "commands.positions", value=repr(text), allowed=allowed)
    return numbers(",".join(one for (one,) in values), option, names)


def numbers(text: str, option: str, names: Sequence[str] | None = None) -> list[float]:
    """The numbers of a text with commas between them, one for each name; else an error of usage."""
    try:
        values = [float(x) for x in text.split(",")] if text.strip() else []
        if not all(map(isfinite, values)):
            raise ValueError(text)
    except ValueError:
        raise bad_usage(option, "commands.numbers", value=repr(text)) from None
    if names is not None and len(values) != len(names):
        allowed = Finding("commands.numbers_for", names=names) if names else Finding("commands.no_number")
        counts = {"found": len(values), "wanted": len(names)}
        raise bad_usage(option, "commands.count", value=repr(text), **counts, allowed=allowed)
    return values
