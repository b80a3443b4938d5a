"""symoro excite: a motion along which the parameters of a robot are seen best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from symoro.cli.arguments import Force, Json, RobotName, RowsOrPicture, numbers
from symoro.cli.options import frame
from symoro.cli.output import Table, note, progress, show_json, show_table, writable
from symoro.cli.plan import Limit, limit
from symoro.formats import load
from symoro.identification.excitation.excite import Excitation, excite


def command(
    robot: RobotName,
    duration: Annotated[float, typer.Option("--duration", metavar="SECONDS", help="Time of one period.")] = 10.0,
    kind: Annotated[str, typer.Option("--kind", metavar="NAME", help="fourier or spline.")] = "fourier",
    harmonics: Annotated[
        int, typer.Option("--harmonics", metavar="N", help="Harmonics, or half the pieces of a spline.")
    ] = 5,
    velocity: Limit = None,
    acceleration: Limit = None,
    effort: Limit = None,
    workspace: Annotated[
        str | None,
        typer.Option("--workspace", metavar="X1,X2,Y1,Y2,Z1,Z2", help="A box that the tool's point does not leave."),
    ] = None,
    tool: Annotated[str | None, typer.Option("--tool", metavar="FRAME", help="The frame in the workspace.")] = None,
    base: Annotated[
        str | None,
        typer.Option("--base", metavar="X1,X2,…", help="Limits of x, y, z, roll, pitch, yaw of a base that moves."),
    ] = None,
    guess: Annotated[
        str | None,
        typer.Option("--guess", metavar="Q1,Q2,…", help="A closed configuration of all joints, whose branch is taken."),
    ] = None,
    criterion: Annotated[
        str, typer.Option("--criterion", metavar="NAME", help="condition or information.")
    ] = "condition",
    starts: Annotated[int, typer.Option("--starts", metavar="N", help="Random starts; the best is taken.")] = 4,
    rate: Annotated[float, typer.Option("--rate", metavar="HZ", help="Rate of the rows of a .csv.")] = 1000.0,
    out: RowsOrPicture = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Find a periodic motion that excites the base parameters of a robot, within limits.

    The motion of each joint is a Fourier series, or a quintic spline, that starts and ends at rest. Limits of positions
    are those of the robot; those of velocity too where none are given. Passive joints of closed loops follow the
    motors; a floating base is at rest, or moves within --base. The condition number is printed, and the σ of each
    parameter that a period gives at 100 Hz with torque noise of 1 N·m; inf where such motions do not show it.

    Examples:

      symoro excite planar2r --duration 5 --starts 2

      symoro excite rx90 --velocity 4,4,5,6,6,8 --acceleration 12 --out excitation.csv
    """
    path = None if out is None else writable(out, force)
    described = load(robot)
    with progress(f"exciting {described.name}"):
        found = excite(
            described,
            duration=duration,
            kind=kind,
            harmonics=harmonics,
            velocity=limit(velocity, "--velocity"),
            acceleration=limit(acceleration, "--acceleration"),
            effort=limit(effort, "--effort"),
            workspace=None if workspace is None else _pairs(workspace, "--workspace", 3),
            base=None if base is None else _pairs(base, "--base", 6),
            tool=None if tool is None else frame(tool),
            guess=None if guess is None else numbers(guess, "--guess"),
            criterion=criterion,
            starts=starts,
        )
    if path is not None:
        found.to_csv(path, rate) if path.suffix == ".csv" else found.trajectory.plot(path)
    _show(found, path, json)


def _pairs(text: str, option: str, count: int) -> list[list[float]]:
    """X1,X2,Y1,Y2 … as lower and upper limits."""
    found = numbers(text, option, [f"{which} limit {k}" for k in range(1, count + 1) for which in ("lower", "upper")])
    return [list(found[k : k + 2]) for k in range(0, 2 * count, 2)]


def _show(found: Excitation, path: Path | None, json: bool) -> None:
    file = {} if path is None else {"file": str(path)}
    if json:
        series = found.series
        show_json(
            {
                "robot": found.subject.robot.name,
                "duration": series.duration,
                "condition": found.condition,
                "sigma": found.sigma,
                "warnings": found.warnings,
                "middle": series.middle.tolist(),
                "coefficients": series.coefficients.tolist(),
                **file,
            }
        )
        return
    title = f"{found.subject.robot.name}: {found.series.duration:g} s, condition number {found.condition:.4g}"
    rows = [(name, f"{x:.3g}") for name, x in found.sigma.items()]
    show_table(Table(title, ("parameter", "σ"), rows, frozenset({"σ"})))
    for text in found.warnings:
        note(f"warning: {text}")
    if path is not None:
        print(path)
