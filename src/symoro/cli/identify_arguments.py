"""Arguments of symoro identify, and how their texts become options of `symoro.identify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli.arguments import numbers
from symoro.cli.options import pairs

Data = Annotated[list[Path], typer.Argument(metavar="DATA...", help="Files of measurements, each a run.")]
Method = Annotated[str, typer.Option("--method", "-m", metavar="NAME", help="ols, wls, irls, tls; iv, didim, cloe.")]
RowModel = Annotated[
    str, typer.Option("--model", metavar="NAME", help="dynamic; filtered or energy need no accelerations.")
]
Friction = Annotated[
    str | None, typer.Option("--friction", metavar="LAW", help="A law, or auto; else as the robot describes it.")
]
Offset = Annotated[bool, typer.Option("--offset", help="Add a constant torque to each motor.")]
Columns = Annotated[
    list[str] | None,
    typer.Option("--columns", metavar="CHANNEL=A,B,…", help="Columns of t, q, tau …; may be repeated."),
]
Units = Annotated[
    list[str] | None,
    typer.Option("--units", metavar="CHANNEL=UNIT", help="deg, ms, mNm …, or factors; may be repeated."),
]
Rate = Annotated[float | None, typer.Option("--rate", metavar="HZ", help="Rate of files without a time.")]
Ratios = Annotated[
    str | None, typer.Option("--ratios", metavar="X1,X2,…", help="Gear ratios: the data is that of the motors.")
]
Cutoff = Annotated[float | None, typer.Option("--cutoff", metavar="HZ", help="Of the filter of positions.")]
Decimation = Annotated[int | None, typer.Option("--decimation", metavar="N", help="How many samples become one.")]
Delay = Annotated[str, typer.Option("--delay", metavar="SECONDS", help="Of torques, or auto.")]
DeadZone = Annotated[
    str | None,
    typer.Option("--dead-zone", metavar="V1,V2,…", help="Speeds below which rows are left out: one, or by joint."),
]
Essential = Annotated[
    str | None, typer.Option("--essential", metavar="RULE", help="Fewer parameters: sigma, bic or aic.")
]
Physical = Annotated[bool, typer.Option("--physical", help="Standard parameters of bodies that can exist.")]
Prior = Annotated[
    float | None,
    typer.Option("--prior", metavar="PART", help="The description's values are known with this relative deviation."),
]
Known = Annotated[
    list[str] | None, typer.Option("--known", metavar="NAME=NUMBER", help="A parameter that is known; may be repeated.")
]
Alike = Annotated[bool, typer.Option("--alike", help="The legs of a parallel robot share their parameters.")]
Guess = Annotated[
    str | None,
    typer.Option("--guess", metavar="Q1,Q2,…", help="A closed configuration: the branch of loops in the data."),
]
Payload = Annotated[
    str | None, typer.Option("--payload", metavar="LINK", help="Identify what a link of a known robot carries.")
]
Stream = Annotated[bool, typer.Option("--stream", help="Read .npy and .parquet files in pieces.")]
Scheduler = Annotated[
    str | None, typer.Option("--scheduler", metavar="ADDRESS", help="Pieces by Dask: local, or an address.")
]
ControllerFile = Annotated[
    Path | None,
    typer.Option("--controller", metavar="FILE", help="Scenario with the controller, for iv, didim and cloe."),
]
Report = Annotated[Path | None, typer.Option("--report", metavar="FILE", help="Write an .html or .pdf.")]
Out = Annotated[Path | None, typer.Option("--out", "-O", metavar="FILE", help="Write the identified robot.")]


def columns_of(given: list[str] | None) -> dict[str, Any] | None:
    """CHANNEL=A,B as {channel: [A, B]}; the time has one column."""
    found = _by_channel(given, "--columns")
    return {name: parts[0] if name == "t" and len(parts) == 1 else parts for name, parts in found.items()} or None


def units_of(given: list[str] | None) -> dict[str, Any] | None:
    """CHANNEL=A,B as {channel: unit}: a name or a factor, or one for each joint."""
    return {name: _unit(parts) for name, parts in _by_channel(given, "--units").items()} or None


def known_of(given: list[str] | None) -> dict[str, float] | None:
    """NAME=NUMBER as {name: number}."""
    return {name: numbers(text, "--known", [name])[0] for name, text in pairs(given or [], "--known").items()} or None


def _by_channel(given: list[str] | None, option: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for text in given or []:
        name, equal, rest = text.partition("=")
        if not equal or not rest:
            allowed = "(allowed: CHANNEL=…, such as q=q1,q2)"
            raise typer.BadParameter(f"{text!r} has no '=' with something behind it {allowed}", param_hint=option)
        found[name.strip()] = [part.strip() for part in rest.split(",")]
    return found


def _unit(parts: list[str]) -> Any:
    """Names of units, or factors."""
    try:
        found: list[Any] = [float(part) for part in parts]
    except ValueError:
        found = list(parts)
    return found[0] if len(found) == 1 else found
