"""Robots from the objects of other tools, and back: Pinocchio, MuJoCo, Drake, the Robotics Toolbox."""

from __future__ import annotations

from importlib import import_module

from symoro.errors import RobotError
from symoro.robot.robot import Robot

TOOLS = ("pinocchio", "mujoco", "drake")


def other_reading(path: str, tool: str) -> Robot:
    """The robot of a file as another tool reads it; the tool opens the file and what it names."""
    if tool not in TOOLS:
        raise RobotError("tools.tool", tool=tool, allowed=TOOLS)
    try:
        reading = import_module(f"{__name__}.{tool}").read_file(path)
    except ImportError as error:
        raise RobotError("tools.not_installed", tool=tool, reason=str(error)) from error
    except (RuntimeError, ValueError) as error:
        if isinstance(error, RobotError):
            raise
        raise RobotError("tools.cannot_read", tool=tool, path=path, reason=str(error)) from error
    robot: Robot = reading
    return robot
