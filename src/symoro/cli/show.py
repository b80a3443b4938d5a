"""symoro show: a robot's tables, or the equations of a model."""

from __future__ import annotations

import re
from textwrap import fill
from typing import Annotated, Any

import typer

from symoro.cli import completion
from symoro.cli.arguments import Branch, Derivative, Given, Json, Options, RobotName, robot_of
from symoro.cli.describe import robot_data, robot_tables
from symoro.cli.making import make
from symoro.cli.output import show_json, show_table
from symoro.cli.procedures import EQUATIONS, INVERSE_NAMES, shown_inverse
from symoro.model import Model
from symoro.robot.robot import Robot
from symoro.robot.tables import structure
from symoro.robot.values import to_text

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
    chosen = robot_of(robot, branch, given)
    if model is not None:
        if model in INVERSE_NAMES:
            _show_model(shown_inverse(chosen, option or (), derivative), lines, latex, json)
            return
        of = chosen.taking(None) if model in EQUATIONS else chosen  # what closes loops is asked for open ones
        _show_model(make(EQUATIONS.get(model, model), of, option or (), derivative), lines, latex, json)
    elif json:
        show_json(robot_data(chosen))
    else:
        _show_robot(chosen)


def _show_robot(robot: Robot) -> None:
    _print_filled(f"{robot.name}: {robot.title or 'a robot'} ({structure(robot)})")
    print(f"gravity [{', '.join(map(to_text, robot.gravity))}], {robot.base.kind.value} base")
    if robot.branch is not None:
        print(f"working mode: branches {', '.join(map(str, robot.branch))} of the legs")
    if robot.platforms or robot.given is not None:
        print(f"models take the coordinates of the {robot.takes} (given)")
    for table in robot_tables(robot):
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


def _show_model(made: Model, lines: int | None, latex: bool, json: bool) -> None:
    if latex:
        print(made.latex())
    elif json:
        show_json(_model_data(made, lines))
    else:
        _print_model(made, lines)


def _model_data(made: Model, lines: int | None) -> dict[str, Any]:
    return {
        "robot": made.robot.name,
        "model": made.name,
        "title": made.title,
        "citation": made.citation,
        "options": dict(made.options),
        "inputs": {name: list(shape) for name, shape in made.inputs.items()},
        "outputs": {name: list(shape) for name, shape in made.outputs.items()},
        "parameters": made.parameters,
        "equations": [{"left": left, "right": right} for left, right in made.equations()[:lines]],
    }


def _print_model(made: Model, lines: int | None) -> None:
    equations = made.equations()
    once = {name for instruction in made.program.setup for name in instruction.results}
    shapes = ", ".join(f"{name}{list(shape)}" for name, shape in (made.inputs | made.outputs).items())
    print(f"# {made.title} of {made.robot.title or made.robot.name} ({made.citation})")
    print(f"# {shapes}; {made.ops}; once (*): {made.setup_ops}")
    if any(_AUTOMATIC.fullmatch(left) for left, _ in equations[:lines]):
        print("# X1, X2 … are intermediate variables that have no name in the papers")
    for left, right in equations[:lines]:
        print(f"{'*' if left.split(',')[0] in once else ' '} {left} = {right}")
    if lines is not None and len(equations) > lines:
        print(f"# and {len(equations) - lines} more")
