"""symoro plan: a motion between two configurations of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from symoro.cli.arguments import Branch, Force, Json, RobotName, RowsOrPicture, positions, robot_of
from symoro.cli.flags import with_flags
from symoro.cli.output import Table, show_json, show_table, writable
from symoro.motion.optimal import TIME_OPTIMAL, time_optimal
from symoro.motion.planning import TRAJECTORY, trajectory
from symoro.motion.trajectory import Trajectory
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.robot.springs import motor_spring_pairs
from symoro.saving import write_table

_PATH = ("velocity", "acceleration", "points")
"""Options of `time_optimal` that are those of the trajectory, or that the command does not have."""


@with_flags(TRAJECTORY)
@with_flags(TIME_OPTIMAL, without=_PATH)
def command(
    robot: RobotName,
    start: Annotated[str, typer.Option("--from", metavar="Q1,Q2,…", help="Positions of the motors at the start.")],
    end: Annotated[str, typer.Option("--to", metavar="Q1,Q2,…", help="Positions of the motors at the end.")],
    via: Annotated[
        list[str] | None, typer.Option("--via", metavar="Q1,Q2,…", help="A point on the way; may be repeated.")
    ] = None,
    branch: Branch = None,
    rows: Annotated[int, typer.Option("--rows", metavar="N", help="Rows of the table.", min=2)] = 11,
    out: RowsOrPicture = None,
    force: Force = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Plan a motion of the motors of a robot, as fast as limits allow or in a given duration.

    Positions are in radians and metres, in the order of the motors or by names. Limits of velocity and torque are those
    of the robot where none are given.

    Examples:

      symoro plan planar2r --from 0,0 --to 1,0.5 --duration 2

      symoro plan puma560 --from 0,0,0,0,0,0 --to 1,1,0,0,0,1 --profile trapezoid --velocity 2 --acceleration 8

      symoro plan planar3r --from 0,0,0 --to 1,0.5,1 --via 0.3,0.4,0.6 --velocity 1 --json

      symoro plan planar2r --from 0,0 --to 1,0.5 --effort 40,15 --out move.csv
    """
    described = robot_of(robot, branch)
    effort = options.pop("effort", None)
    if effort is not None and "velocity" not in options:
        options.setdefault("duration", 1.0)  # any: the path alone counts
    t = trajectory(
        motors(described, start, "--from"),
        motors(described, end, "--to"),
        via=[motors(described, point, "--via") for point in via] if via else None,
        robot=described,
        **options,
    )
    if effort is not None:
        t = time_optimal(t, described, effort=effort, velocity=options.get("velocity"))
    written = None if out is None else _written(t, writable(out, force), rows)
    _show(described, t, rows, written, json)


def motors(robot: Robot, text: str, option: str) -> list[float]:
    """A position for each motor."""
    return positions(text, option, topology.active(motor_spring_pairs(robot)))


def _table(t: Trajectory, rows: int) -> dict[str, Any]:
    time = t.times(rows)
    table = {"t": time}
    for what, columns in zip(("q", "qd", "qdd"), t(time), strict=True):
        table |= {f"{what} {name}": column for name, column in zip(t.joints, columns.T, strict=True)}
    return table


def _written(t: Trajectory, path: Path, rows: int) -> Path:
    """A table of rows, or a picture."""
    if path.suffix == ".csv":
        write_table(path, _table(t, max(rows, 101)))
    else:
        t.plot(path)
    return path


def _show(robot: Robot, t: Trajectory, rows: int, written: Path | None, json: bool) -> None:
    table = _table(t, rows)
    if json:
        data = {name: [float(x) for x in column] for name, column in table.items()}
        file = {} if written is None else {"file": str(written)}
        show_json({"robot": robot.name, "joints": t.joints, "duration": t.duration, "rows": data, **file})
        return
    names = [name for name in table if name == "t" or name.startswith("q ")]
    lines = [[f"{table[name][k]:.4f}" for name in names] for k in range(len(table["t"]))]
    show_table(Table(f"{robot.title or robot.name}: {t.duration:.6g} s", names, lines, frozenset(names)))
    if written is not None:
        print(written)
