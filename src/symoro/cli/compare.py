"""symoro compare: where two descriptions of a robot differ, and what each difference makes in torque."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from symoro.cli.arguments import Json, RobotName, bad_usage
from symoro.cli.output import progress, show_json
from symoro.formats import load
from symoro.formats.tools import TOOLS, other_reading
from symoro.report.comparison import compare

Other = Annotated[str | None, typer.Argument(metavar="OTHER", help="Name or path of the other robot.")]
With = Annotated[
    str | None,
    typer.Option("--with", metavar="TOOL", help=f"Compare with the reading of a tool: {', '.join(TOOLS)}."),
]


def command(robot: RobotName, other: Other = None, tool: With = None, json: Json = False) -> None:
    """Compare two descriptions: what differs, and what each difference makes in torque, largest first.

    The exit status is 1 if there is a difference.

    Examples:

      symoro compare arm.urdf arm.xml

      symoro compare arm.urdf --with pinocchio
    """
    if (other is None) == (tool is None):
        raise bad_usage("OTHER", "commands.other_robot", tools=TOOLS)
    second = load(other) if other is not None else other_reading(robot, str(tool))
    with progress("comparing"):
        comparison = compare(load(robot), second)
    if json:
        show_json(
            {
                "first": comparison.first,
                "second": comparison.second,
                "differences": [asdict(d) for d in comparison.differences],
            }
        )
    else:
        print(comparison)
    if comparison.differences:
        raise typer.Exit(1)
