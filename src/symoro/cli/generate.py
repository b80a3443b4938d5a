"""symoro generate: a model as code."""

from __future__ import annotations

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
    Path | None, typer.Option("--out", "-d", metavar="DIR", help="The folder to write; default: ROBOT_MODEL.")
]


def command(
    robot: RobotName,
    model: ModelName,
    target: Target = "c",
    out: Out = None,
    option: Options = None,
    derivative: Derivative = None,
    json: Json = False,
) -> None:
    """Write a model as code, with a self-test.

    Examples:

      symoro generate puma560 inverse_dynamics --target c --out idm

      symoro generate rx90.par forward_geometry -t python -d dgm -o link=6

      symoro generate four-bar inverse_dynamics --derivative q -o params=base
    """
    if target not in targets():
        raise OptionError(f"--target {target} is not a language (allowed: {', '.join(targets())})")
    made = make(STEP.get(model, model), robot, option or (), derivative)
    paths = made.emit(target, out or Path(f"{made.robot.name}_{made.name}"))
    note(f"{made.ops} in each call, {made.setup_ops} once ({made.formulation})")
    if json:
        counts = {"ops": options_.counts(made.ops), "setup_ops": options_.counts(made.setup_ops)}
        show_json({"robot": made.robot.name, "model": made.name, "target": target, "files": paths, **counts})
    else:
        print("\n".join(map(str, paths)))
