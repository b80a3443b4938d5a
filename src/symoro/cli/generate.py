"""symoro generate: a model as code."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from symoro.cli import completion
from symoro.cli import options as options_
from symoro.cli.arguments import Derivative, Json, ModelName, Options, RobotName
from symoro.cli.making import make
from symoro.cli.output import note, show_json
from symoro.cli.procedures import STEP
from symoro.emit import targets
from symoro.errors import OptionError

Target = Annotated[
    str,
    typer.Option("--target", "-t", help=f"The language: {', '.join(targets())}.", autocompletion=completion.languages),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-d", metavar="DIR", help="The folder to write; default: ROBOT_MODEL with its options."),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite changed files that symoro made.")]


def command(
    robot: RobotName,
    model: ModelName,
    target: Target = "c",
    out: Out = None,
    option: Options = None,
    derivative: Derivative = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a model as code, with a self-test, into a folder of its own. All files are written, or none.

    A file that symoro did not make is never overwritten. A file that symoro made is, unless it was changed since or
    belongs to another model: then only with --force.

    Examples:

      symoro generate puma560 inverse_dynamics --target c --out idm

      symoro generate rx90.par forward_geometry -t python -d dgm -o link=6

      symoro generate four-bar inverse_dynamics --derivative q -o params=base
    """
    if target not in targets():
        raise OptionError(f"--target {target} is not a language (allowed: {', '.join(targets())})")
    made = make(STEP.get(model, model), robot, option or (), derivative)
    paths = made.emit(target, out or Path(_folder(made.label)), force)
    note(f"{made.ops} in each call, {made.setup_ops} once ({made.formulation})")
    if json:
        counts = {"ops": options_.counts(made.ops), "setup_ops": options_.counts(made.setup_ops)}
        show_json({"robot": made.robot.name, "model": made.name, "target": target, "files": paths, **counts})
    else:
        print("\n".join(map(str, paths)))


def _folder(label: str) -> str:
    """A label as the name of a folder here, whatever the robot is called."""
    return re.sub(r"[^\w.-]", "_", label).lstrip(".-")
