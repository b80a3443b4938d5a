"""symoro identify: parameters of a robot from measurements."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli.arguments import Branch, Force, Json, RobotName, bad_usage, numbers, robot_of
from symoro.cli.flags import with_flags
from symoro.cli.output import Table, format_of, note, progress, show_json, show_table, writable
from symoro.cli.scenario import controller_by, planned_by, read_scenario
from symoro.formats import write
from symoro.identification.estimate.task import SIMULATING
from symoro.identification.identify import IDENTIFY, identify
from symoro.identification.report.result import COLUMNS, Identification, cells, require_report, summary
from symoro.robot.robot import Robot

Data = Annotated[list[Path], typer.Argument(metavar="DATA...", help="Files of measurements, each a run.")]
Ratios = Annotated[
    str | None, typer.Option("--ratios", metavar="X1,X2,…", help="Gear ratios: the data is that of the motors.")
]
ControllerFile = Annotated[
    Path | None,
    typer.Option("--controller", metavar="FILE", help="Scenario with the controller, for methods that simulate."),
]
Report = Annotated[Path | None, typer.Option("--report", metavar="FILE", help="Write an .html or .pdf.")]
Out = Annotated[Path | None, typer.Option("--out", "-O", metavar="FILE", help="Write the identified robot.")]


@with_flags(IDENTIFY)
def command(
    robot: RobotName,
    data: Data,
    ratios: Ratios = None,
    controller: ControllerFile = None,
    report: Report = None,
    out: Out = None,
    branch: Branch = None,
    force: Force = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Identify the dynamic parameters of a robot from recorded positions and torques.

    Columns are found by their names (t, q1, tau1 …, or names of joints), or --columns says them. Cut-off frequency and
    decimation follow from the data where none are given. The error is stated on the data itself and in six-fold
    cross-validation.

    The methods iv, didim and cloe simulate the robot under its controller: --controller names a scenario of symoro
    simulate, whose [controller] and [trajectory] are taken. Without a [trajectory], columns wanted1 … (or --columns
    wanted=…) are the motion that the robot should follow.

    Examples:

      symoro identify rx90 run1.csv run2.csv --friction auto --physical

      symoro identify planar2r log.csv --units q=deg --columns tau=i1,i2 --units tau=0.11,0.07 --report report.html

      symoro identify planar2r run.csv --method didim --controller scenario.toml
    """
    _require_files(data, controller)
    _require_writable(out, report, force)
    if ratios is not None:
        options |= {"side": "motor", "transmission": numbers(ratios, "--ratios")}
    with progress(f"identifying {robot}"):
        described = robot_of(robot, branch)
        control = _control(described, controller, options.get("method", IDENTIFY["method"].default))
        identification = identify(described, [str(file) for file in data], **options, **control)
    if report is not None:
        identification.report(report)
    if out is not None:
        write(identification.robot, out, force)
    _show(identification, json)


def _require_files(data: Sequence[Path], controller: Path | None) -> None:
    """An error of usage for files that are not there."""
    if missing := [str(file) for file in data if not file.exists()]:
        raise bad_usage("DATA", "files.no_file", path=missing)
    if controller is not None and not controller.is_file():
        raise bad_usage("--controller", "files.no_file", path=str(controller))


def _require_writable(out: Path | None, report: Path | None, force: bool) -> None:
    """An error, before the work, where a result could not be written."""
    if out is not None:
        writable(format_of(out), force)
    if report is not None:
        writable(require_report(report), force)


def _control(robot: Robot, file: Path | None, method: str) -> dict[str, Any]:
    """The controller of a scenario, and the motion that it followed where the scenario has one."""
    if (method in SIMULATING) != (file is not None):
        code = "commands.controller_missing" if file is None else "commands.controller_unused"
        raise bad_usage("--controller", code, method=method, simulating=list(SIMULATING))
    if file is None:
        return {}
    data = read_scenario(file, "controller")
    return {"controller": controller_by(robot, data), "reference": planned_by(robot, data)}


def _show(r: Identification, json: bool) -> None:
    if json:
        show_json(_data(r))
        return
    for _, name, text in summary(r):
        print(f"{name}: {text}")
    rows = [cells(parameter) for parameter in r]
    show_table(Table(f"{len(r)} parameters", COLUMNS, rows, frozenset(COLUMNS[1:4])))
    for warning in r.warnings:
        note(f"warning: {warning.text(flags=True)}")


def _data(r: Identification) -> dict[str, Any]:
    """The result as data for JSON."""
    columns = r.columns()
    return {
        "robot": r.subject.robot.name,
        **{key: text for key, _, text in summary(r)},
        "error": r.error.total,
        "validation": r.validation.total,
        "parameters": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
        "warnings": [str(warning) for warning in r.warnings],
    }
