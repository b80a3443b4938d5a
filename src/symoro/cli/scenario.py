"""A scenario file of `symoro simulate`: its tables are the arguments of functions of Python of the same name."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from symoro.errors import MotionError, OptionError, ShapeError
from symoro.findings import Argument, Finding
from symoro.motion.controller import Controller
from symoro.motion.controllers import computed_torque, pd_gravity, pid
from symoro.motion.planning import trajectory
from symoro.motion.task import task_trajectory
from symoro.motion.task_laws import task_computed_torque, task_pid
from symoro.motion.trajectory import Trajectory
from symoro.robot.robot import Robot

CONTROLLERS: Mapping[str, Callable[..., Controller]] = {
    "computed_torque": computed_torque,
    "pd_gravity": pd_gravity,
    "pid": pid,
    "task_computed_torque": task_computed_torque,
    "task_pid": task_pid,
}
PARTS = ("robot", "branch", "trajectory", "task_trajectory", "controller", "simulation")


def read_scenario(path: Path, needed: str) -> dict[str, Any]:
    """The tables of a file; `needed` is the part that it must have."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:  # of TOML, of the encoding, or of the file
        raise MotionError("scenarios.unreadable", path=str(path), reason=str(error)) from None
    unknown = [name for name in data if name not in PARTS]
    if unknown or needed not in data:
        no_part = Finding("scenarios.missing_part", name=needed)
        problem = Finding("scenarios.unknown_part", name=unknown[0]) if unknown else no_part
        raise MotionError("scenarios.parts", path=str(path), problem=problem, allowed=PARTS)
    for name in (name for name in data if name not in ("robot", "branch") and not isinstance(data[name], dict)):
        raise MotionError("scenarios.no_table", path=str(path), name=name)
    return data


def planned_by(robot: Robot, data: Mapping[str, Any]) -> Trajectory | None:
    """The motion of the joints, or of a frame."""
    plans: dict[str, Callable[..., Trajectory]] = {"trajectory": trajectory, "task_trajectory": task_trajectory}
    names = [name for name in plans if name in data]
    if len(names) > 1:
        raise MotionError("scenarios.two_motions")
    trajectories: list[Trajectory] = [called(plans[name], {**data[name], "robot": robot}, name) for name in names]
    return trajectories[0] if trajectories else None


def controller_by(robot: Robot, data: Mapping[str, Any]) -> Controller | None:
    """The controller of a scenario, where it has one."""
    if "controller" not in data:
        return None
    entries = dict(data["controller"])
    name = entries.pop("name", None)
    if not isinstance(name, str) or name not in CONTROLLERS:
        raise MotionError("scenarios.controller", name=f"{name!r:.60}", allowed=CONTROLLERS)
    controller: Controller = called(CONTROLLERS[name], {**entries, "robot": robot}, "controller")
    return controller


def called(function: Callable[..., Any], entries: Mapping[str, Any], part: str) -> Any:
    """What a function gives for the entries of a table; an error names what is allowed."""
    from inspect import signature

    allowed = [name for name in signature(function).parameters if name not in ("robot", "stop")]
    for name in entries:
        if name not in (*allowed, "robot"):
            raise MotionError("scenarios.unknown_entry", part=part, name=name, allowed=", ".join(allowed))
    missing = [n for n, p in signature(function).parameters.items() if p.default is p.empty and n not in entries]
    if missing:
        raise MotionError("scenarios.missing_entry", part=part, name=missing[0])
    try:
        return function(**entries)
    except (MotionError, OptionError, ShapeError) as error:
        fields = {field: _entry(value) for field, value in error.finding.fields.items()}
        raise type(error)(error.finding.code, **fields) from None


def _entry(value: Any) -> Any:
    """The name of an option as an entry of a table has it: not as a flag."""
    if isinstance(value, list | tuple):
        return [_entry(x) for x in value]
    return str(value) if isinstance(value, Argument) else value
