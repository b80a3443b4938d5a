"""symoro generate: models as code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli import completion
from symoro.cli import options as options_
from symoro.cli.arguments import Branch, Derivative, Given, Json, ModelNames, Options, RobotName, robot_of
from symoro.cli.making import INVERSE, INVERSE_NAMES, PROCEDURES, STEP, make_all, whole
from symoro.cli.output import note, progress, show_json
from symoro.emit import PRECISIONS, targets
from symoro.errors import OptionError
from symoro.findings import Argument
from symoro.model import Model, generate

Target = Annotated[
    str,
    typer.Option("--target", "-t", help=f"The language: {', '.join(targets())}.", autocompletion=completion.languages),
]
Out = Annotated[
    Path | None,
    typer.Option("--out", "-d", metavar="DIR", help="The folder to write; default: named by robot and model."),
]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite changed files that symoro made.")]


Precision = Annotated[str, typer.Option("--precision", "-p", help=f"The numbers: {', '.join(PRECISIONS)}.")]


def command(
    robot: RobotName,
    models: ModelNames,
    target: Target = "c",
    out: Out = None,
    option: Options = None,
    derivative: Derivative = None,
    branch: Branch = None,
    given: Given = None,
    precision: Precision = "double",
    force: Force = False,
    json: Json = False,
) -> None:
    """Write models as code, with a self-test, into a folder of its own. All files are written, or none.

    Several models become one package, whose functions share the robot's parameters. A file that symoro did not make is
    never overwritten. A file that symoro made is, unless it was changed since or belongs to another model: then only
    with --force.

    Examples:

      symoro generate puma560 inverse_dynamics --target c --out idm

      symoro generate puma560 idm ddm jacobian --target cpp

      symoro generate rx90.par forward_geometry -t python -d dgm -o link=6

      symoro generate four-bar inverse_dynamics --derivative q -o params=base

      symoro generate general6r inverse_geometry --target rust
    """
    if target not in targets():
        raise OptionError("targets.unknown", name=target, allowed=targets())
    if precision not in PRECISIONS:
        raise OptionError("targets.precision", precision=precision, allowed=PRECISIONS)
    described = robot_of(robot, branch, given)
    if (procedure := whole(models, described, option or (), derivative)) is not None:
        name = INVERSE if models[0] in INVERSE_NAMES else models[0]
        _write_whole(procedure, name, target, out, precision, force, json)
        return
    parts = make_all([STEP.get(model, model) for model in models], described, option or (), derivative, PROCEDURES)
    label = parts[0].label if len(parts) == 1 else f"{parts[0].robot.name}_models"
    paths = generate(parts, target, out or Path(_folder(label)), force=force, precision=precision)
    for one in parts:
        note(f"{one.name}: {one.ops} in each call, {one.setup_ops} once ({one.formulation})")
    if json:
        show_json({"robot": parts[0].robot.name, "target": target, "files": paths, **_described(parts)})
    else:
        print("\n".join(map(str, paths)))


def _write_whole(
    procedure: Any, name: str, target: str, out: Path | None, precision: str, force: bool, json: bool
) -> None:
    """Write what is a package of its own."""
    more = {"precision": precision} if name != INVERSE else {}
    if not more and precision != "double":
        raise OptionError("targets.double_inverse", precision=Argument("precision"), value=precision, model=name)
    folder = out or Path(_folder(f"{procedure.robot.name}_{name}"))
    with progress(f"{name} of {procedure.robot.name} in {target}"):
        paths = procedure.emit(target, folder, force=force, **more)
    if json:
        counted = {"ops": options_.counts(procedure.ops), "setup_ops": options_.counts(procedure.setup_ops)}
        show_json({"robot": procedure.robot.name, "target": target, "files": paths, "model": name, **counted})
    else:
        print("\n".join(map(str, paths)))


def _described(models: Sequence[Model]) -> dict[str, Any]:
    """Name and counts of a model, or of each of several."""
    rows = [
        {"model": one.name, "ops": options_.counts(one.ops), "setup_ops": options_.counts(one.setup_ops)}
        for one in models
    ]
    return rows[0] if len(rows) == 1 else {"models": rows}


def _folder(label: str) -> str:
    """A label as the name of a folder here, whatever the robot is called."""
    return re.sub(r"[^\w.-]", "_", label).lstrip(".-")
