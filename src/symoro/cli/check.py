"""symoro check: report every problem of the descriptions of robots."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli import completion
from symoro.cli.arguments import Branch, Json, Packages, XacroArguments, robot_of
from symoro.cli.options import of_xacro, pairs
from symoro.cli.output import note, problem_data, show_json
from symoro.errors import CheckError, FormatError, RobotError, SymoroError, UnknownRobot
from symoro.findings import Finding
from symoro.formats import check, load
from symoro.models.problems import constraint_problems, platform_problems
from symoro.robot import library
from symoro.robot.robot import Robot
from symoro.robot.tables import structure

RobotNames = Annotated[
    list[str],
    typer.Argument(
        metavar="ROBOT", help="Names of library robots, or paths of files.", autocompletion=completion.robots
    ),
]


def command(
    robot: RobotNames,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors for the exit status.")] = False,
    package: Packages = None,
    arg: XacroArguments = None,
    branch: Branch = None,
    json: Json = False,
) -> None:
    """Check descriptions of robots and report all problems, each with file, line and joint.

    The exit status is 1 if a description has an error, 2 if the only problem is that a file does not exist; warnings
    change it only with --strict, notes never.

    Examples:

      symoro check rx90.par

      symoro check *.par --json

      symoro check arm.urdf --strict

      symoro check arm.xacro --arg prefix=left_
    """
    how = of_xacro(pairs(package or [], "--package"), arg)
    examined = {name: _examine(name, branch, how if Path(name).suffix.lower() == ".xacro" else {}) for name in robot}
    if json:
        show_json(
            [
                {"robot": name, "ok": described is not None, "problems": [problem_data(p) for p in problems]}
                for name, (described, problems) in examined.items()
            ]
        )
    else:
        for name, (described, problems) in examined.items():
            _report(name, described, problems)
    wrong = [name for name, (described, _) in examined.items() if described is None]
    if wrong:
        raise typer.Exit(2 if all(_is_missing(name) for name in wrong) else 1)
    if strict and any(problem.severity == "warning" for _, problems in examined.values() for problem in problems):
        raise typer.Exit(1)


def _is_missing(name: str) -> bool:
    """Whether there is neither a robot nor a file of this name."""
    try:
        load(name)
    except UnknownRobot:
        return True
    except SymoroError:
        pass
    return False


def _examine(name: str, branch: str | None, how: dict[str, Any]) -> tuple[Robot | None, tuple[Finding, ...]]:
    """The robot, None if its description has errors, and all problems of the description; `how` a file is read."""
    try:
        robot = robot_of(name, branch, **how)
        of_description = check(robot if name in (*library.names(), *library.parallel_names()) else name, **how)
        problems = (*of_description, *constraint_problems(robot), *platform_problems(robot))
        valid = all(problem.severity != "error" for problem in problems)
        return robot if valid else None, tuple(problem.at(file=problem.file or name) for problem in problems)
    except (FormatError, CheckError) as error:
        return None, error.problems
    except RobotError as error:
        return None, (error.finding,)


_CODES = {"warning": "files.warning", "note": "files.note"}


def _report(name: str, robot: Robot | None, problems: tuple[Finding, ...]) -> None:
    for problem in problems:
        print(
            problem
            if problem.severity == "error"
            else Finding(_CODES[problem.severity], place=problem.place, reason=problem.placed())
        )
    if robot is not None:
        print(f"{name}: ok ({structure(robot)})")
    else:
        errors = sum(problem.severity == "error" for problem in problems)
        note(f"{name}: {errors} error{'s' * (errors != 1)}")
