"""symoro convert: write a robot in another file format."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from symoro.cli.arguments import Json, RobotName
from symoro.cli.output import format_of, note, show_json, writable
from symoro.formats import load, reread, write
from symoro.robot.robot import Robot

OutPath = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; its suffix chooses the format.")]


def command(
    robot: RobotName,
    out: OutPath,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite a file that exists.")] = False,
    json: Json = False,
) -> None:
    """Write a robot in another format: .par, .toml, or .csv for a table of DH parameters.

    Fields that the format cannot hold are listed on stderr.

    Examples:

      symoro convert rx90.par rx90.toml

      symoro convert puma560 puma560.par --force
    """
    described = load(robot)
    lost = _lost(described, reread(described, format_of(out)))
    write(described, writable(out, force), force)
    if lost:
        note(f"{out}: this format does not hold {', '.join(lost)}")
    if json:
        show_json({"robot": described.name, "file": str(out), "lost": lost})
    else:
        print(out)


def _lost(before: Robot, after: Robot) -> list[str]:
    """The fields of a robot that changed by writing and reading it."""
    names = [field.name for field in fields(Robot) if field.compare and field.name != "name"]
    return [name for name in names if getattr(before, name) != getattr(after, name)]
