"""symoro excite: a motion along which the parameters of a robot are seen best."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli.arguments import Branch, Force, Json, RobotName, RowsOrPicture, robot_of
from symoro.cli.flags import with_flags
from symoro.cli.output import Table, note, progress, show_json, show_table, writable
from symoro.identification.excitation.excite import EXCITE, Excitation, excite

_STARTS = 4
"""Random starts where --starts does not say how many."""


@with_flags(EXCITE)
def command(
    robot: RobotName,
    rate: Annotated[float, typer.Option("--rate", metavar="HZ", help="Rate of the rows of a .csv.")] = 1000.0,
    out: RowsOrPicture = None,
    branch: Branch = None,
    force: Force = False,
    json: Json = False,
    **options: Any,
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
    with progress(f"exciting {described.name}"):
        excitation = excite(described, **{"starts": _STARTS, **options})
    if path is not None:
        excitation.to_csv(path, rate) if path.suffix == ".csv" else excitation.trajectory.plot(path)
    _show(excitation, path, json)


def _show(excitation: Excitation, path: Path | None, json: bool) -> None:
    file = {} if path is None else {"file": str(path)}
    if json:
        series = excitation.series
        show_json(
            {
                "robot": excitation.subject.robot.name,
                "duration": series.duration,
                "condition": excitation.condition,
                "sigma": excitation.sigma,
                "warnings": [str(warning) for warning in excitation.warnings],
                "middle": series.middle.tolist(),
                "coefficients": series.coefficients.tolist(),
                **file,
            }
        )
        return
    name, seconds = excitation.subject.robot.name, excitation.series.duration
    title = f"{name}: {seconds:g} s, condition number {excitation.condition:.4g}"
    rows = [(name, f"{x:.3g}") for name, x in excitation.sigma.items()]
    show_table(Table(title, ("parameter", "σ"), rows, frozenset({"σ"})))
    for warning in excitation.warnings:
        note(f"warning: {warning.text(flags=True)}")
    if path is not None:
        print(path)
