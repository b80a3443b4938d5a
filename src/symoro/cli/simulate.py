"""symoro simulate: a robot under control, as a scenario file says."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from symoro.cli.arguments import Force, Json, bad_usage
from symoro.cli.output import Table, note, progress, show_json, show_table, writable
from symoro.cli.scenario import called, controller_by, planned_by, read_scenario
from symoro.errors import MotionError, SamplingWarning
from symoro.formats import load
from symoro.motion.simulate import simulate
from symoro.motion.simulation import Simulation
from symoro.report.animation import animate
from symoro.saving import whole_file

TEMPLATE = """\
# A scenario of symoro simulate. The tables have the arguments of the functions of Python of the same name.
robot = "planar2r"            # a robot of the library, or a file beside this one

[trajectory]                  # symoro.trajectory
q0 = [0, 0]                   # positions of the motors, in radians and metres
q1 = [1.0, 0.5]
profile = "quintic"
velocity = 2.0                # limits: one number, or one for each motor
acceleration = 6.0

[controller]                  # without it the robot moves freely
name = "computed_torque"      # or pid, pd_gravity
frequency = 20.0

[simulation]                  # symoro.simulate
q0 = [0.05, -0.05]            # where the robot begins; without it, where the trajectory does
duration = 1.5
period = 0.001
"""


def command(
    scenario: Annotated[Path, typer.Argument(metavar="SCENARIO", help="A .toml file, see below.")],
    new: Annotated[bool, typer.Option("--new", help="Write a scenario to begin with, and do not simulate.")] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-O",
            metavar="FILE",
            help="Write rows (.csv), curves (.svg .png) or an animation (.gif .mp4 .html).",
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Simulate a robot under a controller that follows a trajectory.

    A scenario has the robot's name or file, and tables with the arguments of the functions of Python: [trajectory] or
    [task_trajectory], [controller] with its name, [simulation]. Without a controller the robot moves freely. The exit
    status is 1 if the simulation diverges.

    Examples:

      symoro simulate scenario.toml --new

      symoro simulate scenario.toml

      symoro simulate scenario.toml --out run.csv --json

      symoro simulate scenario.toml --out run.html
    """
    if new:
        with whole_file(writable(scenario, force)) as file:
            file.write_text(TEMPLATE, encoding="utf-8")
        show_json({"file": str(scenario)}) if json else print(scenario)
        return
    if not scenario.is_file():
        raise bad_usage("SCENARIO", "files.no_file", path=str(scenario))
    data = read_scenario(scenario, "robot")
    path = None if out is None else writable(out, force)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always", SamplingWarning)
        with progress(f"simulating {data['robot']}"):
            s = run(data, scenario)
    for warning in warned:
        note(f"warning: {warning.message}")
    if path is not None:
        _write(s, path)
    _show(s, path, json)
    if s.ended is not None and s.ended.has("failed"):
        raise MotionError(s.ended)


def run(data: Mapping[str, Any], path: Path) -> Simulation:
    """The simulation that a scenario describes."""
    beside = path.parent / str(data["robot"])
    robot = load(beside if beside.is_file() else str(data["robot"]))
    if "branch" in data:
        robot = robot.in_branch(*data["branch"])
    planned, control = planned_by(robot, data), controller_by(robot, data)
    entries = {**data.get("simulation", {}), "robot": robot, "controller": control, "trajectory": planned}
    simulation: Simulation = called(simulate, entries, "simulation")
    return simulation


def _write(s: Simulation, path: Path) -> None:
    """The rows, an animation or curves, as the ending of the file says."""
    if path.suffix == ".csv":
        s.to_csv(path)
    elif path.suffix in (".gif", ".mp4", ".html"):
        animate(s, path)
    else:
        s.plot(path)


def _show(s: Simulation, path: Path | None, json: bool) -> None:
    errors = np.abs(s.error).max(axis=0) if s.reference is not None else []
    last = np.abs(s.error[-1]) if s.reference is not None else []
    torques = np.abs(s.tau).max(axis=0)
    if json:
        report = {
            "robot": s.robot.name,
            "time": float(s.t[-1]),
            "rows": len(s.t),
            "stopped": s.stopped,
            "q": dict(zip(s.names, map(float, s.q[-1]), strict=True)),
            "largest_torque": dict(zip(s.motors, map(float, torques), strict=True)),
            "largest_error": dict(zip(s.motors, map(float, errors), strict=False)),
            **({} if path is None else {"file": str(path)}),
        }
        show_json(report)
        return
    columns = ("motor", "largest error", "last error", "largest torque")
    cells = [
        [name, *(f"{x[k]:.3e}" if len(x) else "" for x in (errors, last)), f"{torques[k]:.4g}"]
        for k, name in enumerate(s.motors)
    ]
    show_table(Table(f"{s.robot.title or s.robot.name}: {s.t[-1]:.6g} s", columns, cells, frozenset(columns[1:])))
    if s.stopped or path is not None:
        print(s.stopped or path)
