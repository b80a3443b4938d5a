"""symoro report: a robot and models of it in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from symoro.cli.arguments import Branch, Force, Given, Json, ModelNames, Options, RobotName, positions, robot_of
from symoro.cli.making import make_all
from symoro.cli.output import progress, show_json, writable
from symoro.errors import OptionError
from symoro.figures import need_matplotlib
from symoro.model import Model
from symoro.report.work import KINDS, JointState, ReportedModel, Work, write
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.saving import suffix_of, whole_file

_SUFFIXES = ", ".join(f".{kind}" for kind in KINDS)
Out = Annotated[
    Path | None, typer.Option("--out", "-O", metavar="FILE", help=f"The file, {_SUFFIXES}; default: ROBOT.html.")
]
At = Annotated[
    str | None, typer.Option("--q", "-q", metavar="Q1,Q2,…", help="Positions of all movable joints; default: 0.")
]


def command(
    robot: RobotName,
    models: ModelNames,
    out: Out = None,
    q: At = None,
    option: Options = None,
    branch: Branch = None,
    given: Given = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write a report: the tables of a robot, models with their operations, equations and values, and pictures.

    A page of HTML stands alone, and a notebook makes everything again with the robot inside. It needs matplotlib (the
    extra symoro[plot]). An option is for the models that have it.

    Examples:

      symoro report rx90 inverse_dynamics jacobian

      symoro report puma560 idm ddm --option params=base --q 0,-0.8,0.4,0,0.5,0 --out puma.pdf

      symoro report arm.toml inverse_dynamics --out arm.ipynb
    """
    if out is not None and out.suffix.lower().lstrip(".") not in KINDS:
        raise OptionError("commands.not_a_report", path=str(out), suffix=suffix_of(out), allowed=_SUFFIXES)
    if out is None or out.suffix.lower() != ".ipynb":
        need_matplotlib()
    described = robot_of(robot, branch, given)
    path = writable(out or Path(f"{described.name}.html"), force)
    parts = tuple(map(_part, make_all(models, described, option or ())))
    work = Work(described, parts, _state(described, q))
    with progress(f"report of {described.name}"):
        content = write(work, path.suffix.lower().lstrip("."))
    with whole_file(path) as new:
        new.write_bytes(content)
    if json:
        show_json({"robot": described.name, "models": [part.name for part in parts], "file": str(path)})
    else:
        print(path)


def _part(model: Model) -> ReportedModel:
    numbers = {**model.source.known, **model.robot.values.numbers()}
    return ReportedModel(model.row or model.name, model.title, model.citation, model.options, model.program, numbers)


def _state(robot: Robot, q: str | None) -> JointState:
    joints = topology.with_variables(robot)
    at = [0.0] * len(joints) if q is None else positions(q, "--q", joints)
    return JointState({str(joint.variable): x for joint, x in zip(joints, at, strict=True)})
