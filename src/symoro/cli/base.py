"""symoro base: the base inertial parameters of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli.arguments import Branch, Force, Json, RobotName, positions, robot_of
from symoro.cli.output import Table, format_of, note, progress, show_json, show_table, writable
from symoro.formats import write
from symoro.model import base_parameters
from symoro.models.identification.base_parameters import BaseParameters
from symoro.robot.topology import with_variables

Out = Annotated[Path | None, typer.Option("--out", "-O", metavar="FILE", help="Write the robot with base parameters.")]


def command(
    robot: RobotName,
    friction: Annotated[bool, typer.Option("--friction", help="Include the friction parameters.")] = False,
    guess: Annotated[
        str | None,
        typer.Option("--guess", metavar="Q1,Q2,…", help="A configuration that chooses the branch of the closed loops."),
    ] = None,
    every_branch: Annotated[
        bool,
        typer.Option("--every-branch", help="Those that hold on all branches, as in models with params=base."),
    ] = False,
    eliminated: Annotated[bool, typer.Option("--eliminated", help="List the eliminated parameters, and why.")] = False,
    latex: Annotated[bool, typer.Option("--latex", help="Print the relations in LaTeX.")] = False,
    out: Out = None,
    branch: Branch = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Show the base parameters: the smallest set of inertial parameters that gives the robot's torques.

    ZZR1 is ZZ1 plus the parameters that are regrouped into it. A rotor inertia is in the list if it is not regrouped.

    Examples:

      symoro base rx90

      symoro base rx90 --eliminated

      symoro base puma560 --out puma560-base.par

      symoro base four-bar --every-branch
    """
    if out is not None:
        writable(format_of(out), force)
    described = robot_of(robot, branch)
    near = None if guess is None else positions(guess, "--guess", with_variables(described))
    with progress(f"base parameters of {described.name}"):
        parameters = base_parameters(described, friction=friction, guess=near, every_branch=every_branch)
    if out is not None:
        write(parameters.robot, writable(out, force), force)
        note(f"{out}: written")
    if json:
        show_json(_data(parameters))
    elif latex:
        print(parameters.latex(), end="")
    else:
        show_table(_eliminated(parameters) if eliminated else _table(parameters))
        for finding in parameters.notes:
            note(finding)


def _table(parameters: BaseParameters) -> Table:
    robot = parameters.given.title or parameters.given.name
    title = f"{len(parameters)} base parameters of {robot}, {len(parameters.inertial)} of links"
    numbers = parameters.numbers
    rows = [
        (name, text if text != name else "", f"{numbers[name]:.6g}" if name in numbers else "")
        for name, text in parameters.relations.items()
    ]
    return Table(title, ("parameter", "relation", "value"), rows, frozenset({"value"}))


def _eliminated(parameters: BaseParameters) -> Table:
    title = f"{len(parameters.eliminated)} eliminated parameters of {parameters.given.title or parameters.given.name}"
    return Table(title, ("parameter", "reason"), [*parameters.eliminated.items()])


def _data(parameters: BaseParameters) -> dict[str, Any]:
    return {
        "robot": parameters.given.name,
        "parameters": [
            {"name": name, "relation": text, "value": parameters.numbers.get(name)}
            for name, text in parameters.relations.items()
        ],
        "inertial": parameters.inertial,
        "eliminated": [{"name": name, "reason": reason} for name, reason in parameters.eliminated.items()],
        "branch": parameters.loops.branch if parameters.loops else None,
        "notes": [str(note) for note in parameters.notes],
    }
