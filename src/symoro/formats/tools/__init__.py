"""Robots from the objects of other tools, and back: Pinocchio, MuJoCo, Drake, the Robotics Toolbox."""

from __future__ import annotations

from importlib import import_module

from symoro.errors import RobotError
from symoro.robot.robot import Robot

TOOLS = ("pinocchio", "mujoco", "drake")


def other_reading(path: str, tool: str) -> Robot:
    """The robot of a file as another tool reads it; the tool opens the file and what it names."""
    if tool not in TOOLS:
        raise RobotError(f"{tool!r} is not a tool (allowed: {', '.join(TOOLS)})")
    try:
        made = import_module(f"{__name__}.{tool}").read_file(path)
    except ImportError as error:
        raise RobotError(f"{tool} is not installed: {error}") from error
    except (RuntimeError, ValueError) as error:
        if isinstance(error, RobotError):
            raise
        raise RobotError(f"{tool} does not read {path}: {error}") from error
    found: Robot = made
    return found
