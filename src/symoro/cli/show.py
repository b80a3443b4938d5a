"""symoro show: a robot's tables, or the equations of a model."""

from __future__ import annotations

import re
from textwrap import fill
from typing import Annotated, Any

import typer

from symoro.cli import completion
from symoro.cli.arguments import (
    Branch,
    Derivative,
    Given,
    Json,
    Options,
    Packages,
    RobotName,
    XacroArguments,
    robot_of,
)
from symoro.cli.making import EQUATIONS, INVERSE_NAMES, PROCEDURES, make, shown_inverse
from symoro.cli.options import of_xacro, pairs
from symoro.cli.output import Table, show_json, show_table
from symoro.findings import Finding
from symoro.model import Model
from symoro.models.catalogue import entries
from symoro.robot import tables as tables_of
from symoro.robot.joint import GEOMETRY, Joint
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.tables import structure
from symoro.robot.values import is_zero, to_text

_AUTOMATIC = re.compile(r"X\d+")
"""Names that the extraction of programs gives to variables without a name."""
MaybeModel = Annotated[
    str | None,
    typer.Argument(metavar="MODEL", help="A model whose equations are shown.", autocompletion=completion.models),
]


def command(
    robot: RobotName,
    model: MaybeModel = None,
    option: Options = None,
    derivative: Derivative = None,
    package: Packages = None,
    arg: XacroArguments = None,
    branch: Branch = None,
    given: Given = None,
    lines: Annotated[int | None, typer.Option("--lines", min=1, help="Print only this many equations.")] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print the equations in LaTeX.")] = False,
    json: Json = False,
) -> None:
    """Show a robot's description, or the equations of a model of it.

    Equations marked with * depend on parameters only and are computed once.

    Examples:

      symoro show puma560

      symoro show puma560 inverse_dynamics --lines 20

      symoro show rx90.par transform -o i=0 -o j=6 -o optimize=false

      symoro show planar2r inverse_dynamics --derivative q
    """
    chosen = robot_of(robot, branch, given, **of_xacro(pairs(package or [], "--package"), arg))
    if model is not None:
        if model in INVERSE_NAMES:
            _show_model(shown_inverse(chosen, option or (), derivative), lines, latex, json)
            return
        of = chosen.taking(None) if model in EQUATIONS else chosen  # what closes loops is asked for open ones
        _show_model(make(EQUATIONS.get(model, model), of, option or (), derivative, PROCEDURES), lines, latex, json)
    elif json:
        show_json(_robot_data(chosen))
    else:
        _show_robot(chosen)


def _show_robot(robot: Robot) -> None:
    _print_filled(f"{robot.name}: {robot.title or 'a robot'} ({structure(robot)})")
    print(f"gravity [{', '.join(map(to_text, robot.gravity))}], {robot.base.kind.value} base")
    if robot.branch is not None:
        print(f"working mode: branches {', '.join(map(str, robot.branch))} of the legs")
    if home := robot.home_positions:
        print(f"working mode: the branch of {', '.join(f'{name} = {to_text(x)}' for name, x in home.items())} (home)")
    if robot.platforms or robot.given is not None:
        print(f"models take the coordinates of the {robot.takes} (given)")
    for table in _robot_tables(robot):
        print()
        show_table(table)
    if robot.values:
        _paragraph("Values: " + ", ".join(f"{name} = {to_text(value)}" for name, value in robot.values.items()))
    if robot.source:
        _paragraph("Source: " + " ".join(robot.source.split()))
    for text in robot.notes:
        _print_filled(f"Note: {text}")


def _paragraph(text: str) -> None:
    print()
    _print_filled(text)


def _print_filled(text: str) -> None:
    print(fill(text, 80, break_long_words=False, break_on_hyphens=False))


def _show_model(model: Model, lines: int | None, latex: bool, json: bool) -> None:
    if latex:
        print(model.latex())
    elif json:
        show_json(_model_data(model, lines))
    else:
        _print_model(model, lines)


def _model_data(model: Model, lines: int | None) -> dict[str, Any]:
    return {
        "robot": model.robot.name,
        "model": model.name,
        "title": model.title,
        "citation": model.citation,
        "options": dict(model.options),
        "inputs": {name: list(shape) for name, shape in model.inputs.items()},
        "outputs": {name: list(shape) for name, shape in model.outputs.items()},
        "parameters": model.parameters,
        "equations": [{"left": left, "right": right} for left, right in model.equations()[:lines]],
    }


def _print_model(model: Model, lines: int | None) -> None:
    equations = model.equations()
    once = {name for instruction in model.program.setup for name in instruction.results}
    shapes = ", ".join(f"{name}{list(shape)}" for name, shape in (model.inputs | model.outputs).items())
    print(f"# {model.title} of {model.robot.title or model.robot.name} ({model.citation})")
    print(f"# {shapes}; {model.ops}; once (*): {model.setup_ops}")
    if any(_AUTOMATIC.fullmatch(left) for left, _ in equations[:lines]):
        print("# X1, X2 … are intermediate variables that have no name in the papers")
    for left, right in equations[:lines]:
        print(f"{'*' if left.split(',')[0] in once else ' '} {left} = {right}")
    if lines is not None and len(equations) > lines:
        print(f"# and {len(equations) - lines} more")


# A robot as tables and as data for JSON


def _robot_data(robot: Robot) -> dict[str, Any]:
    """The description of a robot as data for JSON, without parameters that are 0; values are texts that can be read."""
    return {
        "name": robot.name,
        "title": robot.title,
        "structure": structure(robot),
        "source": robot.source.strip(),
        "base": robot.base.kind.value,
        "gravity": [to_text(x) for x in robot.gravity],
        "given": robot.takes,
        "branch": None if robot.branch is None else list(robot.branch),
        "home": _home(robot),
        "joints": [_joint(joint) for joint in robot.joints],
        "links": [_link(robot, j) for j in range(1, robot.link_count + 1)],
        **_legs(robot),
        "cuts": [{"joint": cut.joint, "mate": cut.mate} for cut in robot.cuts],
        "frames": [{"name": frame.name, "link": frame.link} for frame in robot.frames],
        "values": {name: to_text(value) for name, value in robot.values.items()},
        "notes": list(robot.notes),
        "models": {entry.name: _spoken(entry.reason(robot)) for entry in entries()},
    }


def _home(robot: Robot) -> Any:
    """The home pose of a platform, or the closed configuration of loops; None where there is neither."""
    if robot.platforms:
        return [[to_text(x) for x in row] for row in robot.home_pose]
    return {name: to_text(x) for name, x in robot.home_positions.items()} or None


def _spoken(reason: Finding | None) -> str | None:
    return None if reason is None else str(reason)


def _legs(robot: Robot) -> dict[str, Any]:
    """The platform and the attachments of a parallel robot."""
    if not robot.platforms:
        return {}
    rows = [
        {"leg": i, "attachment": a.kind.value, "point": [to_text(x) for x in a.point], "frame": a.frame}
        for i, a in enumerate(robot.attachments, 1)
    ]
    return {"platform": {n: to_text(v) for n, v in robot.platform.items() if not is_zero(v)}, "legs": rows}


def _joint(joint: Joint) -> dict[str, Any]:
    return {
        "index": joint.index,
        "name": joint.name,
        "parent": joint.parent,
        "kind": joint.kind.value,
        "actuated": joint.actuated,
        "elastic": joint.elastic,
        "variable": joint.variable,
        **{name: to_text(getattr(joint, name)) for name in GEOMETRY},
    }


def _link(robot: Robot, j: int) -> dict[str, Any]:
    tables: tuple[Inertia | Drive | Wrench, ...] = (robot.inertia(j), robot.drive(j), robot.wrench(j))
    return {"index": j, **{n: to_text(v) for table in tables for n, v in table.items() if not is_zero(v)}}


def _robot_tables(robot: Robot) -> list[Table]:
    """Tables of the geometry, of the parameters of the links, and of the models that exist for the robot."""
    tables = [*_attachments(robot), tables_of.geometry(robot), *tables_of.parameters(robot)]
    return [*(Table(*table, frozenset({"j", "a(j)"})) for table in tables), _models(_robot_data(robot))]


def _attachments(robot: Robot) -> list[tables_of.TextTable]:
    data = _legs(robot)
    if not data:
        return []
    rows = [(str(r["leg"]), r["attachment"], *r["point"]) for r in data["legs"]]
    body = [tuple(data["platform"].values())]
    return [
        tables_of.TextTable("Attachments, in the platform's frame", ("leg", "kind", "x", "y", "z"), rows),
        tables_of.TextTable("Platform, about the origin of its frame", tuple(data["platform"]), body),
    ]


def _models(data: dict[str, Any]) -> Table:
    rows = [(name, f"no: {reason}" if reason else "yes") for name, reason in data["models"].items()]
    return Table("Models", ("model", "exists"), rows)
