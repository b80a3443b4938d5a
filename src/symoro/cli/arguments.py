"""Arguments that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

RobotName = Annotated[str, typer.Argument(metavar="ROBOT", help="Name of a library robot, or path of a file.")]
ModelName = Annotated[str, typer.Argument(metavar="MODEL", help="Name or alias of a model, see symoro list --models.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="Option of the model; may be repeated."),
]
Derivative = Annotated[
    str | None,
    typer.Option("--derivative", metavar="NAME", help="Take the derivative by an input, such as q, or a parameter."),
]
