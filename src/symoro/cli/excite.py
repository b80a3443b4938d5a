"""symoro excite: a motion along which the parameters of a robot are seen best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli.arguments import Branch, Force, Json, RobotName, RowsOrPicture, numbers, robot_of
from symoro.cli.options import frame
from symoro.cli.output import Table, note, progress, show_json, show_table, writable
from symoro.identification.excitation.excite import Excitation, excite

Limit = Annotated[str | None, typer.Option(metavar="X or X1,X2,…", help="Limit: one number, or one for each motor.")]


def command(
    robot: RobotName,
    duration: Annotated[float, typer.Option("--duration", metavar="SECONDS", help="Time of one period.")] = 10.0,
    kind: Annotated[str, typer.Option("--kind", metavar="NAME", help="fourier or spline.")] = "fourier",
    harmonics: Annotated[
        int, typer.Option("--harmonics", metavar="N", help="Harmonics, or half the pieces of a spline.")
    ] = 5,
    position: Annotated[
        str | None,
        typer.Option("--position", metavar="LOW1,HIGH1,…", help="Limits of each motor; else those of the robot."),
    ] = None,
    velocity: Limit = None,
    acceleration: Limit = None,
    effort: Limit = None,
    workspace: Annotated[
        str | None,
        typer.Option("--workspace", metavar="X1,X2,Y1,Y2,Z1,Z2", help="A box in which tool or platform stays."),
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
    alike: Annotated[bool, typer.Option("--alike", help="Legs of a parallel robot share parameters.")] = False,
    criterion: Annotated[
        str, typer.Option("--criterion", metavar="NAME", help="condition or information.")
    ] = "condition",
    starts: Annotated[int, typer.Option("--starts", metavar="N", help="Random starts; the best is taken.")] = 4,
    steps: Annotated[int, typer.Option("--steps", metavar="N", help="Steps of the search from each start.")] = 250,
    rate: Annotated[float, typer.Option("--rate", metavar="HZ", help="Rate of the rows of a .csv.")] = 1000.0,
    out: RowsOrPicture = None,
    branch: Branch = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Find a periodic motion that excites the base parameters of a robot, within limits.

    The motion of each joint is a Fourier series, or a quintic spline, that starts and ends at rest. Limits of positions
    are those of the robot; those of velocity too where none are given. Passive joints of closed loops follow the
    motors; a floating base is at rest, or moves within --base. The platform of a parallel robot follows its motors away
    from singularities; --workspace may have six pairs, then the last ones limit its rotation vector from home. The
    condition number is printed, and the σ of each parameter that a period gives at 100 Hz with torque noise of 1 N·m;
    inf where such motions do not show it.

    Examples:

      symoro excite planar2r --duration 5 --starts 2

      symoro excite rx90 --velocity 4,4,5,6,6,8 --acceleration 12 --out excitation.csv

      symoro excite delta --alike --velocity 4 --starts 1 --out excitation.csv
    """
    path = None if out is None else writable(out, force)
    described = robot_of(robot, branch)
    with progress(f"exciting {described.name}", details=True):
        found = excite(
            described,
            duration=duration,
            kind=kind,
            harmonics=harmonics,
            position=None if position is None else _pairs(position, "--position"),
            velocity=limit(velocity, "--velocity"),
            acceleration=limit(acceleration, "--acceleration"),
            effort=limit(effort, "--effort"),
            workspace=None if workspace is None else _pairs(workspace, "--workspace"),
            base=None if base is None else _pairs(base, "--base"),
            tool=None if tool is None else frame(tool),
            guess=None if guess is None else numbers(guess, "--guess"),
            alike=alike,
            criterion=criterion,
            starts=starts,
            steps=steps,
        )
    if path is not None:
        found.to_csv(path, rate) if path.suffix == ".csv" else found.trajectory.plot(path)
    _show(found, path, json)


def _pairs(text: str, option: str) -> list[list[float]]:
    """X1,X2,Y1,Y2 … as lower and upper limits."""
    found = numbers(text, option)
    if len(found) % 2:
        message = f"{text!r} has {len(found)} numbers (allowed: a lower and an upper limit for each coordinate)"
        raise typer.BadParameter(message, param_hint=option)
    return [found[k : k + 2] for k in range(0, len(found), 2)]


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


def limit(text: str | None, option: str) -> Any:
    """One number, or one for each motor."""
    if text is None:
        return None
    values = numbers(text, option)
    return values[0] if len(values) == 1 else values
