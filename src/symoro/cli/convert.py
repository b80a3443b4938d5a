"""symoro convert: from one format to another."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from symoro.cli.arguments import Json, RobotName
from symoro.cli.output import note, show_json
from symoro.errors import SymoroError
from symoro.formats import load, write
from symoro.robot.robot import Robot

OutPath = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; its ending says the format.")]


def command(
    robot: RobotName,
    out: OutPath,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite a file that exists.")] = False,
    json: Json = False,
) -> None:
    """Write a robot in another format: .par, .toml, or .csv for a table of DH parameters.

    What the format cannot hold is said on stderr.

    Examples:

      symoro convert rx90.par rx90.toml

      symoro convert puma560 puma560.par --force
    """
    described = load(robot)
    if out.exists() and not force:
        raise SymoroError(f"{out} exists; --force overwrites it")
    write(described, out)
    lost = _lost(described, load(out))
    if lost:
        note(f"{out}: this format does not hold {', '.join(lost)}")
    if json:
        show_json({"robot": described.name, "file": str(out), "lost": lost})
    else:
        print(out)


def _lost(before: Robot, after: Robot) -> list[str]:
    """The fields that are not the same after reading back."""
    names = [field.name for field in fields(Robot) if field.compare and field.name != "name"]
    return [name for name in names if getattr(before, name) != getattr(after, name)]
