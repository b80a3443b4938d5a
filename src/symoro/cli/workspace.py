"""symoro workspace: the poses that a frame of an arm or the platform of a parallel robot reaches."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from symoro.cli.arguments import Branch, Force, Json, RobotName, bad_usage, robot_of
from symoro.cli.flags import with_flags
from symoro.cli.output import note, progress, show_json, writable
from symoro.figures import need_matplotlib
from symoro.motion.workspace import WORKSPACE, Workspace, workspace
from symoro.saving import whole_file

_PICTURES = (".svg", ".png", ".pdf")


@with_flags(WORKSPACE)
def command(
    robot: RobotName,
    out: Annotated[
        Path | None, typer.Option("--out", "-O", metavar="FILE", help="Write a row for each pose to a .csv.")
    ] = None,
    picture: Annotated[
        Path | None, typer.Option("--picture", "-P", metavar="FILE", help="Draw the workspace in a .svg, .png or .pdf.")
    ] = None,
    branch: Branch = None,
    force: Force = False,
    json: Json = False,
    **options: Any,
) -> None:
    """Find which poses of a frame an arm or a parallel robot reaches, on a grid of coordinates; what ends the others.

    Positions are in frame 0, rotations are those from the home pose, in radians. Coordinates that are not given stay as
    they are at home, or follow from the constraints of the platform or from the joints of the arm. A large condition
    number means that a leg (type 1), the platform (type 2) or the Jacobian matrix of an arm is near a singularity;
    lengths are in units of the platform's radius or of the arm's reach.

    Examples:

      symoro workspace puma560 --x=-1,1,21 --z=-1,1,21 --picture reach.svg

      symoro workspace planar2r --link tip --x=-1,1,21 --y=-1,1,21

      symoro workspace panda --x=-0.8,0.8,17 --redundant 7=-2.8,2.8,9

      symoro workspace gough-stewart --x=-0.6,0.6,13 --z 0.6,1.6,11

      symoro workspace 3rps --z 0.5,1.2,8 --rx=-0.8,0.8,9 --json

      symoro workspace delta --x=-0.5,0.5,21 --z=-0.9,-0.2,15 --out delta.csv

      symoro workspace planar-3rrr --x=-0.4,0.4,41 --y=-0.4,0.4,41 --picture reach.svg
    """
    if out is not None and out.suffix != ".csv":
        raise bad_usage("--out", "commands.not_csv", path=str(out))
    if picture is not None and picture.suffix.lower() not in _PICTURES:
        raise bad_usage("--picture", "commands.not_a_picture", path=str(picture), allowed=_PICTURES)
    for path in (out, picture):
        if path is not None:
            writable(path, force)  # before the work
    if picture is not None:
        need_matplotlib()
    with progress(f"workspace of {robot}"):
        poses = workspace(robot_of(robot, branch), **options)
    if out is not None:
        _write(poses, out)
        note(f"{out}: {poses.reachable.size} rows")
    if picture is not None:
        poses.draw(picture)
        note(f"{picture}: a picture of the workspace")
    show_json(_data(poses)) if json else print(poses)


def _data(poses: Workspace) -> dict[str, Any]:
    return {
        "robot": poses.robot.name,
        "axes": {name: values.tolist() for name, values in poses.axes.items()},
        "reachable": poses.reachable.tolist(),
        "ended": poses.counts,
        "worst": {name: x if np.isfinite(x) else None for name, x in poses.worst.items()},
    }


def _write(poses: Workspace, path: Path) -> None:
    """A row for each pose: coordinates, whether it is reached, the first reason why not, condition numbers."""
    grid = np.meshgrid(*poses.axes.values(), indexing="ij")
    with whole_file(path) as new, new.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        legs = bool(poses.conditions.legs.shape[-1])
        names = ("condition_legs", "condition_platform") if legs else ("condition",)
        rows.writerow([*poses.axes, "reachable", "ended", *names])
        for k in np.ndindex(poses.reachable.shape):
            ended = poses.ended[k]
            reason = poses.reasons[int(ended.argmax())] if ended.any() else ""
            of_legs = (float(poses.conditions.legs[k].max()),) if legs else ()
            conditions = (*of_legs, float(poses.conditions.platform[k]))
            rows.writerow([*(float(axis[k]) for axis in grid), int(not ended.any()), reason, *conditions])
