"""symoro convert: write a robot in another file format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from symoro.cli.arguments import Branch, Force, Given, Json, Packages, RobotName, XacroArguments, robot_of
from symoro.cli.options import of_xacro, pairs
from symoro.cli.output import format_of, note, show_json, writable
from symoro.findings import Finding
from symoro.formats import lost, write
from symoro.robot.symbolic import GROUPS, with_symbols

OutPath = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; its suffix chooses the format.")]


Symbols = Annotated[
    str | None,
    typer.Option(metavar="GROUPS", help=f"Give symbols to the numbers of {', '.join(GROUPS)} (names with commas)."),
]
Exact = Annotated[
    bool,
    typer.Option("--exact", help="Angles of a file such as 1.5708 are the multiples of pi/12 they mean."),
]
Floating = Annotated[bool, typer.Option("--floating", help="The base of the robot floats, whatever its file says.")]


def command(
    robot: RobotName,
    out: OutPath,
    symbols: Symbols = None,
    package: Packages = None,
    arg: XacroArguments = None,
    exact: Exact = False,
    floating: Floating = False,
    branch: Branch = None,
    given: Given = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a robot in another format: .toml, .par, .urdf, .xml (MJCF), .sdf, or .csv for a table of DH parameters.

    What the format cannot hold is listed on stderr. A URDF file written from another one keeps its shapes.

    Examples:

      symoro convert rx90.par rx90.toml

      symoro convert arm.urdf arm.toml --symbols geometry,inertia

      symoro convert arm.xacro arm.urdf --package arm_description=./arm --arg prefix=left_
    """
    flags = {name: True for name, wanted in (("exact", exact), ("floating", floating)) if wanted}
    described = robot_of(robot, branch, given, **of_xacro(pairs(package or [], "--package"), arg), **flags)
    if symbols is not None:
        described = with_symbols(described, symbols.split(","))
    missing = lost(described, format_of(out))
    write(described, writable(out, force), force)
    if missing:
        note(Finding("commands.format_loses", path=str(out), what=missing))
    if json:
        show_json({"robot": described.name, "file": str(out), "lost": missing})
    else:
        print(out)
