"""symoro identify: parameters of a robot from measurements."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from symoro.cli import identify_arguments as given
from symoro.cli.arguments import Branch, Force, Json, RobotName, numbers, robot_of
from symoro.cli.options import frame
from symoro.cli.output import Table, format_of, note, progress, show_json, show_table, writable
from symoro.cli.scenario import controller_by, planned_by, read_scenario
from symoro.formats import write
from symoro.identification.estimate.methods import SIMULATING
from symoro.identification.identify import identify
from symoro.identification.report.result import COLUMNS, Identification, cells, require_report, summary
from symoro.robot.robot import Robot


def command(
    robot: RobotName,
    data: given.Data,
    method: given.Method = "wls",
    model: given.RowModel = "dynamic",
    friction: given.Friction = None,
    offset: given.Offset = False,
    column: given.Columns = None,
    unit: given.Units = None,
    rate: given.Rate = None,
    ratios: given.Ratios = None,
    cutoff: given.Cutoff = None,
    decimation: given.Decimation = None,
    delay: given.Delay = "0",
    dead_zone: given.DeadZone = None,
    essential: given.Essential = None,
    physical: given.Physical = False,
    prior: given.Prior = None,
    known: given.Known = None,
    alike: given.Alike = False,
    guess: given.Guess = None,
    payload: given.Payload = None,
    stream: given.Stream = False,
    scheduler: given.Scheduler = None,
    controller: given.ControllerFile = None,
    report: given.Report = None,
    out: given.Out = None,
    branch: Branch = None,
    force: Force = False,
    json: Json = False,
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
    reading: dict[str, Any] = {"columns": given.columns_of(column), "units": given.units_of(unit), "rate": rate}
    with progress(f"identifying {robot}"):
        described = robot_of(robot, branch)
        found = identify(
            described,
            [str(file) for file in data],
            method=method,
            model=model,
            friction=friction,
            offset=True if offset else None,
            delay=delay if delay == "auto" else numbers(delay, "--delay", ["delay"])[0],
            essential=essential,
            physical=physical,
            prior=prior,
            known=given.known_of(known),
            alike=alike,
            guess=None if guess is None else numbers(guess, "--guess"),
            payload=None if payload is None else frame(payload),
            stream=stream,
            scheduler=scheduler,
            **reading,
            **_where_given(cutoff, decimation, dead_zone, ratios),
            **_control(described, controller, method),
        )
    if report is not None:
        found.report(report)
    if out is not None:
        write(found.robot, out, force)
    _show(found, json)


def _require_files(data: Sequence[Path], controller: Path | None) -> None:
    """An error of usage for files that are not there."""
    if missing := [str(file) for file in data if not file.exists()]:
        raise typer.BadParameter(f"{', '.join(missing)}: no such file", param_hint="DATA")
    if controller is not None and not controller.is_file():
        raise typer.BadParameter(f"{controller}: no such file", param_hint="--controller")


def _require_writable(out: Path | None, report: Path | None, force: bool) -> None:
    """An error, before the work, where a result could not be written."""
    if out is not None:
        writable(format_of(out), force)
    if report is not None:
        writable(require_report(report), force)


def _where_given(
    cutoff: float | None, decimation: int | None, dead_zone: str | None, ratios: str | None
) -> dict[str, Any]:
    """Options whose default is not None: they are left out where they are not given."""
    options: dict[str, Any] = {} if cutoff is None else {"cutoff": cutoff}
    options |= {} if decimation is None else {"decimation": decimation}
    options |= {} if dead_zone is None else {"dead_zone": _one_or_more(numbers(dead_zone, "--dead-zone"))}
    options |= {} if ratios is None else {"side": "motor", "transmission": numbers(ratios, "--ratios")}
    return options


def _one_or_more(found: list[float]) -> float | list[float]:
    return found[0] if len(found) == 1 else found


def _control(robot: Robot, file: Path | None, method: str) -> dict[str, Any]:
    """The controller of a scenario, and the motion that it followed where the scenario has one."""
    if (method in SIMULATING) != (file is not None):
        problem = f"method {method} needs one" if file is None else f"method {method} does not simulate the robot"
        allowed = f"(allowed: a scenario with --method {', '.join(SIMULATING)})"
        raise typer.BadParameter(f"{problem} {allowed}", param_hint="--controller")
    if file is None:
        return {}
    data = read_scenario(file, "controller")
    return {"controller": controller_by(robot, data), "reference": planned_by(robot, data)}


def _show(found: Identification, json: bool) -> None:
    if json:
        show_json(_data(found))
        return
    for name, text in summary(found):
        print(f"{name}: {text}")
    rows = [cells(parameter) for parameter in found]
    show_table(Table(f"{len(found)} parameters", COLUMNS, rows, frozenset(COLUMNS[1:4])))
    for text in found.warnings:
        note(f"warning: {text}")


def _data(found: Identification) -> dict[str, Any]:
    """The result as data for JSON."""
    columns = found.columns()
    return {
        "robot": found.subject.robot.name,
        **{name.replace(" ", "_"): text for name, text in summary(found)},
        "error": found.error.total,
        "validation": found.validation.total,
        "parameters": [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)],
        "warnings": found.warnings,
    }
