"""symoro loop: configurations that close the loops of a robot."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
import typer

from symoro.cli.arguments import Json, RobotName, bad_usage, positions
from symoro.cli.output import Table, note, progress, show_json, show_table
from symoro.errors import CannotClose
from symoro.findings import Finding
from symoro.formats import valid_robot
from symoro.model import mobility
from symoro.models.catalogue import find
from symoro.models.loops.mobility import Mobility
from symoro.models.parallel.motions import PlatformMobility
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.solve.loops import Assembly, loop_geometry

_NOTES = {"stable count": Finding("commands.stable_count"), "nothing": Finding("commands.search")}


def command(
    robot: RobotName,
    motors: Annotated[
        str | None,
        typer.Option("--motors", "-m", metavar="Q1,Q2,…", help="Positions of the active joints, in their order."),
    ] = None,
    branches: Annotated[bool, typer.Option("--branches", help="List every way to close the loops.")] = False,
    guess: Annotated[
        str | None,
        typer.Option(
            "--guess", metavar="Q1,Q2,…", help="A closed configuration of all joints, whose branch is followed."
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Close the loops of a robot for given positions of its motors; without positions, show its mobility.

    The positions are in radians and metres, in the order of the joints or by names of joints or variables. Branches
    outside the joint limits are left out. The residual is 0 where the loops are closed; a large condition means that
    the motors are near a dead point. The exit status is 1 if no configuration closes the loops.

    Examples:

      symoro loop four-bar

      symoro loop four-bar --motors 0.3

      symoro loop five-bar --motors q3=1,q1=2

      symoro loop five-bar --motors 2,1 --branches --json

      symoro loop four-bar --motors 4 --guess=0.3,0.397,1.255
    """
    described = valid_robot(robot).taking(None)
    find("loop_closure").require(described)
    if motors is None:
        if branches or guess:
            raise bad_usage("--motors", "commands.positions_missing")
        with progress(f"mobility of {described.name}"):
            report = mobility(described)
        _show_mobility(report, json)
        return
    if branches and guess is not None:
        raise bad_usage("--guess", "commands.branches_or_guess")
    joints = topology.with_variables(described)
    wanted = positions(motors, "--motors", [joint for joint in joints if joint.actuated])
    near = None if guess is None else positions(guess, "--guess", joints)
    f = loop_geometry(described, at=near).compile("numpy")
    with progress(f"closing the loops of {described.name}"):
        configurations = f.branches(wanted) if branches else f(wanted, guess=near)[None]
    how = {"method": f.method, "completeness": f.completeness} if branches else {}
    _show(described, f, configurations, how if json else None)
    if branches and f.completeness in _NOTES:
        note(_NOTES[f.completeness])
    if not len(configurations):
        raise CannotClose("commands.cannot_close", robot=described.name)


def _show(robot: Robot, f: Assembly, configurations: Any, how: dict[str, str] | None) -> None:
    """The configurations, the cut joints included, with residual and condition; as JSON with how they were found."""
    tree = topology.with_variables(robot)
    rows = np.hstack([configurations, f.cut(configurations)])
    state = f.closure(configurations)
    joints = [str(joint.variable) for joint in (*tree, *(robot.joint(cut.joint) for cut in robot.cuts))]
    if how is not None:
        data = [
            {"q": dict(zip(joints, map(float, row), strict=True)), "residual": float(r), "condition": float(c)}
            for row, r, c in zip(rows, *state, strict=True)
        ]
        show_json({"robot": robot.name, "joints": joints[: len(tree)], **how, "configurations": data})
    elif len(configurations):
        columns = (*joints, "residual", "condition")
        lines = [[*(f"{x:.6f}" for x in row), f"{r:.1e}", f"{c:.3g}"] for row, r, c in zip(rows, *state, strict=True)]
        title = f"{len(configurations)} configuration{'s' * (len(configurations) > 1)} of {robot.title or robot.name}"
        show_table(Table(title, columns, lines, frozenset(columns)))


def _show_mobility(report: Mobility | PlatformMobility, json: bool) -> None:
    if isinstance(report, PlatformMobility):
        if json:
            show_json(asdict(report))
        else:
            print(report)
    elif json:
        loops = [
            {"cut": loop.cut, "kind": loop.kind, "joints": loop.joints, "rows": loop.rows} for loop in report.loops
        ]
        names = ("rank", "mobility", "active", "assembled", "decided")
        counts = {name: getattr(report, name) for name in names}
        show_json({"loops": loops, **counts})
    else:
        print(report)
        if not report.assembled:
            note(Finding("commands.never_closed"))
