"""symoro view: a picture of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from symoro.cli.arguments import Json, RobotName, positions
from symoro.cli.output import show_json, writable
from symoro.formats import load
from symoro.report.picture import draw
from symoro.robot import topology

Out = Annotated[
    Path | None, typer.Option("--out", "-O", metavar="FILE", help="The file, .svg .png or .pdf; default: ROBOT.svg.")
]


def command(
    robot: RobotName,
    q: Annotated[
        str | None,
        typer.Option("--q", "-q", metavar="Q1,Q2,…", help="Positions of all movable joints; default: 0, or closed."),
    ] = None,
    out: Out = None,
    force: Annotated[bool, typer.Option("--force", "-f", help="Overwrite a file that exists.")] = False,
    json: Json = False,
) -> None:
    """Draw a robot: links as lines, joints as pieces of their axes. It needs matplotlib (the extra symoro[plot]).

    The positions are in radians and metres, in the order of the joints or by names of joints or variables.

    Examples:

      symoro view puma560

      symoro view planar2r --q 0.5,0.7 --out arm.png

      symoro view planar2r --q joint2=0.7,joint1=0.5
    """
    described = load(robot)
    joints = [joint for joint in topology.tree_joints(described) if joint.variable]
    at = None if q is None else positions(q, "--q", joints)
    path = writable(out or Path(f"{described.name}.svg"), force)
    draw(described, at, to=path)
    show_json({"robot": described.name, "file": str(path)}) if json else print(path)
