"""symoro simulate: a robot under control, as a scenario file says."""

from __future__ import annotations

import tomllib
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from symoro.cli.arguments import Force, Json
from symoro.cli.output import Table, note, progress, show_json, show_table, writable
from symoro.errors import MotionError, SamplingWarning
from symoro.formats import load
from symoro.motion.controller import Controller
from symoro.motion.controllers import computed_torque, pd_gravity
from symoro.motion.pid import pid
from symoro.motion.planning import trajectory
from symoro.motion.simulate import simulate
from symoro.motion.simulation import Simulation
from symoro.motion.task import task_trajectory
from symoro.motion.task_laws import task_computed_torque, task_pid
from symoro.motion.trajectory import Trajectory
from symoro.report.animation import animate
from symoro.saving import whole_file

CONTROLLERS: Mapping[str, Callable[..., Controller]] = {
    "computed_torque": computed_torque,
    "pd_gravity": pd_gravity,
    "pid": pid,
    "task_computed_torque": task_computed_torque,
    "task_pid": task_pid,
}
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
PARTS = ("robot", "trajectory", "task_trajectory", "controller", "simulation")


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
    data = _read(scenario)
    path = None if out is None else writable(out, force)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always", SamplingWarning)
        with progress(f"simulating {data['robot']}", details=True):
            s = run(data, scenario)
    for warning in said:
        note(f"warning: {warning.message}")
    if path is not None:
        _write(s, path)
    _show(s, path, json)
    if s.stopped.startswith(("the simulation diverged", "the solver gave up")):
        raise MotionError(s.stopped)


def _read(path: Path) -> dict[str, Any]:
    if not path.is_file():
        raise typer.BadParameter(f"{path}: no such file", param_hint="SCENARIO")
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:  # of TOML, or of the encoding
        raise MotionError(f"{path}: {error}") from None
    unknown = [name for name in data if name not in PARTS]
    if unknown or "robot" not in data:
        problem = f"{unknown[0]} is not a part of a scenario" if unknown else "there is no robot"
        raise MotionError(f"{path}: {problem} (allowed: {', '.join(PARTS)})")
    for name in (name for name in data if name != "robot" and not isinstance(data[name], dict)):
        raise MotionError(f"{path}: {name} is not a table (allowed: [{name}], with the arguments of the function)")
    return data


def run(data: Mapping[str, Any], path: Path) -> Simulation:
    """The simulation that a scenario describes."""
    beside = path.parent / str(data["robot"])
    robot = load(beside if beside.is_file() else str(data["robot"]))
    planned = _planned(robot, data)
    control = _controller(robot, dict(data["controller"])) if "controller" in data else None
    given = {**data.get("simulation", {}), "robot": robot, "controller": control, "trajectory": planned}
    found: Simulation = _called(simulate, given, "simulation")
    return found


def _planned(robot: Any, data: Mapping[str, Any]) -> Trajectory | None:
    """The motion of the joints, or of a frame."""
    plans: dict[str, Callable[..., Trajectory]] = {"trajectory": trajectory, "task_trajectory": task_trajectory}
    given = [name for name in plans if name in data]
    if len(given) > 1:
        raise MotionError("a scenario has a trajectory or a task_trajectory, not both")
    found: list[Trajectory] = [_called(plans[name], {**data[name], "robot": robot}, name) for name in given]
    return found[0] if found else None


def _controller(robot: Any, given: dict[str, Any]) -> Controller:
    name = given.pop("name", None)
    if name not in CONTROLLERS:
        raise MotionError(f"controller: name = {name!r} is not allowed (allowed: {', '.join(CONTROLLERS)})")
    found: Controller = _called(CONTROLLERS[name], {**given, "robot": robot}, "controller")
    return found


def _called(function: Callable[..., Any], given: Mapping[str, Any], part: str) -> Any:
    """What a function gives for the entries of a table; an error names what is allowed."""
    from inspect import signature

    allowed = [name for name in signature(function).parameters if name not in ("robot", "stop")]
    for name in given:
        if name not in (*allowed, "robot"):
            raise MotionError(f"{part}: there is no entry {name!r} (allowed: {', '.join(allowed)})")
    missing = [n for n, p in signature(function).parameters.items() if p.default is p.empty and n not in given]
    if missing:
        raise MotionError(f"{part}: {missing[0]} is missing")
    return function(**given)


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
    print(s.stopped or path or "", end="\n" if s.stopped or path else "")
