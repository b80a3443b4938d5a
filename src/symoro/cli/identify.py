"""symoro identify: parameters of a robot from measurements."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli.arguments import Force, Json, RobotName, numbers
from symoro.cli.output import Table, format_of, note, progress, show_json, show_table, writable
from symoro.cli.scenario import controller_by, planned_by, read_scenario
from symoro.formats import load, write
from symoro.identification.identify import identify
from symoro.identification.result.conclusion import CLOSED_LOOP
from symoro.identification.result.result import Identification
from symoro.identification.result.text import summary
from symoro.robot.robot import Robot

_LIST = "X1,X2,…"


def command(
    robot: RobotName,
    data: Annotated[list[Path], typer.Argument(metavar="DATA...", help="Files of measurements, each a run.")],
    method: Annotated[
        str, typer.Option("--method", "-m", metavar="NAME", help="ols, wls, irls, tls; iv, didim, cloe.")
    ] = "wls",
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="dynamic; filtered or energy need no accelerations.")
    ] = "dynamic",
    friction: Annotated[
        str | None, typer.Option("--friction", metavar="LAW", help="A law, or auto; else as the robot describes it.")
    ] = None,
    offset: Annotated[bool, typer.Option("--offset", help="Add a constant torque to each motor.")] = False,
    column: Annotated[
        list[str] | None,
        typer.Option("--columns", metavar="CHANNEL=A,B,…", help="Columns of t, q, tau …; may be repeated."),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option("--units", metavar="CHANNEL=UNIT", help="deg, ms, mNm …, or factors; may be repeated."),
    ] = None,
    rate: Annotated[float | None, typer.Option("--rate", metavar="HZ", help="Rate of files without a time.")] = None,
    ratios: Annotated[
        str | None, typer.Option("--ratios", metavar=_LIST, help="Gear ratios: the data is that of the motors.")
    ] = None,
    cutoff: Annotated[float | None, typer.Option("--cutoff", metavar="HZ", help="Of the filter of positions.")] = None,
    decimation: Annotated[
        int | None, typer.Option("--decimation", metavar="N", help="How many samples become one.")
    ] = None,
    delay: Annotated[str, typer.Option("--delay", metavar="SECONDS", help="Of torques, or auto.")] = "0",
    essential: Annotated[
        str | None, typer.Option("--essential", metavar="RULE", help="Fewer parameters: sigma, bic or aic.")
    ] = None,
    physical: Annotated[bool, typer.Option("--physical", help="Standard parameters of bodies that can exist.")] = False,
    guess: Annotated[
        str | None,
        typer.Option("--guess", metavar="Q1,Q2,…", help="A closed configuration: the branch of loops in the data."),
    ] = None,
    payload: Annotated[
        str | None, typer.Option("--payload", metavar="LINK", help="Identify what a link of a known robot carries.")
    ] = None,
    stream: Annotated[bool, typer.Option("--stream", help="Read .npy and .parquet files in pieces.")] = False,
    scheduler: Annotated[
        str | None, typer.Option("--scheduler", metavar="ADDRESS", help="Pieces by Dask: local, or an address.")
    ] = None,
    controller: Annotated[
        Path | None,
        typer.Option("--controller", metavar="FILE", help="Scenario with the controller, for iv, didim and cloe."),
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="FILE", help="Write an .html or .pdf.")] = None,
    out: Annotated[Path | None, typer.Option("--out", "-O", metavar="FILE", help="Write the identified robot.")] = None,
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
    if missing := [str(file) for file in data if not file.exists()]:
        raise typer.BadParameter(f"{', '.join(missing)}: no such file", param_hint="DATA")
    if controller is not None and not controller.is_file():
        raise typer.BadParameter(f"{controller}: no such file", param_hint="--controller")
    if out is not None:
        writable(format_of(out), force)
    if report is not None:
        writable(report, force)
    options: dict[str, Any] = {} if cutoff is None else {"cutoff": cutoff}
    options |= {} if decimation is None else {"decimation": decimation}
    options |= {} if ratios is None else {"side": "motor", "transmission": numbers(ratios, "--ratios")}
    with progress(f"identifying {robot}"):
        described = load(robot)
        found = identify(
            described,
            [str(file) for file in data],
            method=method,
            model=model,
            friction=friction,
            offset=True if offset else None,
            columns=_mapping(column, "--columns"),
            units={name: _unit(text) for name, text in (_mapping(unit, "--units") or {}).items()} or None,
            rate=rate,
            delay=delay if delay == "auto" else numbers(delay, "--delay", ["delay"])[0],
            essential=essential,
            physical=physical,
            guess=None if guess is None else numbers(guess, "--guess"),
            payload=int(payload) if payload and payload.isdigit() else payload,
            stream=stream,
            scheduler=scheduler,
            **_control(described, controller, method),
            **options,
        )
    if report is not None:
        found.report(report)
    if out is not None:
        write(found.robot, out, force)
    _show(found, json)


def _control(robot: Robot, file: Path | None, method: str) -> dict[str, Any]:
    """The controller of a scenario, and the motion that it followed where the scenario has one."""
    if (method in CLOSED_LOOP) != (file is not None):
        problem = f"method {method} needs one" if file is None else f"method {method} does not simulate the robot"
        allowed = f"(allowed: a scenario with --method {', '.join(CLOSED_LOOP)})"
        raise typer.BadParameter(f"{problem} {allowed}", param_hint="--controller")
    if file is None:
        return {}
    data = read_scenario(file, "controller")
    return {"controller": controller_by(robot, data), "reference": planned_by(robot, data)}


def _mapping(given: list[str] | None, option: str) -> dict[str, Any] | None:
    """CHANNEL=A,B as {channel: [A, B]}."""
    found: dict[str, Any] = {}
    for text in given or []:
        name, equal, rest = text.partition("=")
        if not equal or not rest:
            allowed = "(allowed: CHANNEL=…, such as q=q1,q2)"
            raise typer.BadParameter(f"{text!r} has no '=' with something behind it {allowed}", param_hint=option)
        parts = [part.strip() for part in rest.split(",")]
        found[name.strip()] = parts if len(parts) > 1 or option == "--units" else parts[0] if name == "t" else parts
    return found or None


def _unit(parts: list[str]) -> Any:
    """Names of units, or factors."""
    try:
        found: list[Any] = [float(part) for part in parts]
    except ValueError:
        found = list(parts)
    return found[0] if len(found) == 1 else found


def _show(found: Identification, json: bool) -> None:
    if json:
        show_json(
            {
                "robot": found.subject.robot.name,
                **{name.replace(" ", "_"): text for name, text in summary(found)},
                "error": found.error.total,
                "validation": found.validation.total,
                "parameters": [
                    dict(zip(found.columns(), row, strict=True)) for row in zip(*found.columns().values(), strict=True)
                ],
                "warnings": found.warnings,
            }
        )
        return
    for name, text in summary(found):
        print(f"{name}: {text}")
    columns = ("name", "value", "σ", "%σ", "unit", "regroups")
    rows = [
        (
            p.name,
            f"{p.value:.6g}",
            f"{p.sigma:.3g}",
            f"{p.percent:.3g}",
            p.unit,
            "" if p.regroups == p.name else p.regroups,
        )
        for p in found
    ]
    show_table(Table(f"{len(found)} parameters", columns, rows, frozenset(columns[1:4])))
    for text in found.warnings:
        note(f"warning: {text}")
