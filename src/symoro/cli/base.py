"""symoro base: the base inertial parameters of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli.arguments import Json, RobotName
from symoro.cli.output import Table, note, show_json, show_table
from symoro.errors import SymoroError
from symoro.formats import load, write
from symoro.model import base_parameters
from symoro.models.identification.base_parameters import BaseParameters

Out = Annotated[Path | None, typer.Option("--out", "-O", metavar="FILE", help="Write the robot with base parameters.")]


def command(
    robot: RobotName,
    friction: Annotated[bool, typer.Option("--friction", help="With the friction parameters.")] = False,
    guess: Annotated[
        str | None,
        typer.Option("--guess", metavar="Q1,Q2,…", help="A configuration of the branch on which loops are closed."),
    ] = None,
    every_branch: Annotated[
        bool, typer.Option("--every-branch", help="Those of models with params=base: on all branches of closed loops.")
    ] = False,
    eliminated: Annotated[bool, typer.Option("--eliminated", help="What is eliminated, and why.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="The relations in LaTeX.")] = False,
    out: Out = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite a file that exists.")] = False,
    json: Json = False,
) -> None:
    """The fewest inertial parameters that give a robot's torques, and how they are made up.

    ZZR1 is ZZ1 with what is regrouped into it. Rotor inertias are in the list where they do not regroup.

    Examples:

      symoro base rx90

      symoro base rx90 --eliminated

      symoro base puma560 --out puma560-base.par

      symoro base four-bar --every-branch
    """
    found = base_parameters(load(robot), friction=friction, guess=_numbers(guess), every_branch=every_branch)
    if out is not None:
        _write(found, out, force)
    if json:
        show_json(_data(found))
    elif latex:
        print(found.latex(), end="")
    else:
        show_table(_eliminated(found) if eliminated else _table(found))
        for text in found.notes:
            note(text)


def _numbers(text: str | None) -> list[float] | None:
    try:
        return None if text is None else [float(x) for x in text.split(",")]
    except ValueError:
        raise typer.BadParameter(f"{text!r} are no numbers with commas between them", param_hint="--guess") from None


def _write(found: BaseParameters, out: Path, force: bool) -> None:
    if out.exists() and not force:
        raise SymoroError(f"{out} exists; --force overwrites it")
    write(found.robot, out)
    note(f"{out}: written")


def _table(found: BaseParameters) -> Table:
    title = f"{len(found)} base parameters of {found.given.title or found.given.name}, {len(found.inertial)} of links"
    numbers = found.numbers
    rows = [
        (name, text if text != name else "", f"{numbers[name]:.6g}" if name in numbers else "")
        for name, text in found.relations.items()
    ]
    return Table(title, ("parameter", "relation", "value"), rows, frozenset({"value"}))


def _eliminated(found: BaseParameters) -> Table:
    title = f"{len(found.eliminated)} eliminated parameters of {found.given.title or found.given.name}"
    return Table(title, ("parameter", "reason"), [*found.eliminated.items()])


def _data(found: BaseParameters) -> dict[str, Any]:
    return {
        "robot": found.given.name,
        "parameters": [
            {"name": name, "relation": text, "value": found.numbers.get(name)} for name, text in found.relations.items()
        ],
        "inertial": found.inertial,
        "eliminated": [{"name": name, "reason": reason} for name, reason in found.eliminated.items()],
        "branch": found.loops.branch if found.loops else None,
        "notes": found.notes,
    }
