"""symoro view: a picture of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from symoro.bind.coordinates import Coordinates
from symoro.cli.arguments import Branch, Force, Json, Packages, RobotName, XacroArguments, positions, robot_of
from symoro.cli.gui import need_packages
from symoro.cli.options import of_xacro, pairs
from symoro.cli.output import note, show_json, writable
from symoro.findings import Finding
from symoro.formats import valid_robot
from symoro.report.picture import draw
from symoro.report.solids import missing_meshes
from symoro.robot.robot import Robot

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
    skeleton: Annotated[bool, typer.Option("--skeleton", help="Without the visuals of a URDF file.")] = False,
    package: Packages = None,
    arg: XacroArguments = None,
    page: Annotated[bool, typer.Option("--page", help="Show it in 3D in the browser: the page of symoro gui.")] = False,
    branch: Branch = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Draw a robot: links as lines, joints as pieces of their axes. It needs matplotlib (the extra symoro[plot]).

    A robot from a URDF or xacro file is drawn with the visuals of its file; meshes that are not found are listed.

    The positions are in radians and metres, in the order of the joints or by names of joints or variables.

    Examples:

      symoro view puma560

      symoro view planar2r --q 0.5,0.7 --out arm.png

      symoro view planar2r --q joint2=0.7,joint1=0.5

      symoro view rx90 --page

      symoro view arm.urdf --package arm_description=./arm
    """
    packages = pairs(package or [], "--package")
    arguments = of_xacro(packages if Path(robot).suffix.lower() == ".xacro" else {}, arg)
    described = robot_of(robot, branch, **arguments)
    if page:
        _in_browser(valid_robot(described))
        return
    at = None if q is None else positions(q, "--q", Coordinates.of(described).shown)
    path = writable(out or Path(f"{described.name}.svg"), force)
    draw(described, at, to=path, shapes=not skeleton, packages=packages)
    missing = [] if skeleton else missing_meshes(described, packages)
    for text in missing:
        note(Finding("commands.not_drawn", what=text))
    if json:
        show_json({"robot": described.name, "file": str(path), "missing": missing})
    else:
        print(path)


def _in_browser(robot: Robot) -> None:
    """The page with this robot, on a free port, until Ctrl C."""
    need_packages()
    from symoro.web.serve import Served, serve

    serve(Served(), note, robot)
