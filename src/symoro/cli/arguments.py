"""Arguments that several commands share."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import Annotated

import typer

RobotName = Annotated[str, typer.Argument(metavar="ROBOT", help="Name of a library robot, or path of a file.")]
ModelName = Annotated[str, typer.Argument(metavar="MODEL", help="Name or alias of a model, see symoro list --models.")]
ModelNames = Annotated[
    list[str],
    typer.Argument(metavar="MODEL...", help="Names or aliases of models, see symoro list --models."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="Option of the model; may be repeated."),
]
Derivative = Annotated[
    str | None,
    typer.Option("--derivative", metavar="NAME", help="Take the derivative by an input, such as q, or a parameter."),
]


def numbers(text: str, option: str, names: Sequence[str] | None = None) -> list[float]:
    """The numbers of a text with commas between them, one for each name; else an error of usage."""
    try:
        found = [float(x) for x in text.split(",")] if text.strip() else []
        if not all(map(isfinite, found)):
            raise ValueError(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not numbers separated by commas", param_hint=option) from None
    if names is not None and len(found) != len(names):
        expected = f"a number for each of {', '.join(names)}" if names else "no number: there are no active joints"
        raise typer.BadParameter(f"{text!r} has {len(found)} numbers (allowed: {expected})", param_hint=option)
    return found
