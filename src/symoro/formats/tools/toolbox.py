"""Robots of the Robotics Toolbox for Python (P. Corke and J. Haviland): tables of DH parameters, and trees of links."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from symoro.errors import RobotError
from symoro.formats.tools.toolbox_links import TOOL, drive_of, from_links
from symoro.formats.tree.parameters import number
from symoro.formats.tree.values import pose_of
from symoro.robot.arithmetic import product
from symoro.robot.base import Base, Frame
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot
from symoro.robot.rows import FLANGE


def from_toolbox(robot: Any) -> Robot:
    """The robot of a robot of the toolbox: geometry, inertia, friction, rotors, base and tool.

    A `DHRobot` is a table, standard or modified; any other robot is a tree of links with elementary transformations,
    whose links are named frames here. The rotor inertia and the friction of the toolbox are those of the motor; they
    are seen at the joint here, with the gear ratio G: IA = G² Jm, FV = G² B.
    """
    links = list(getattr(robot, "links", ()))
    if links and all(hasattr(link, "ets") for link in links) and not hasattr(links[0], "alpha"):
        return from_links(robot, links)
    if not links or not all(hasattr(link, "alpha") for link in links):
        raise RobotError("tools.toolbox")
    modified, base = bool(links[0].mdh), np.array(robot.base.A)
    rows = [_row(link, j, modified) for j, link in enumerate(links, 1)]
    made = (Robot.from_mdh if modified else Robot.from_dh)(
        rows,
        name=str(robot.name) or "robot",
        base=Base(pose=pose_of(base)),
        gravity=tuple(number(float(x)) for x in base[:3, :3].T @ np.ravel(robot.gravity)),
    )
    return _with_tool(made, np.array(robot.tool.A))


def _row(link: Any, j: int, modified: bool) -> dict[str, Any]:
    lengths = {"d": link.a, "r": link.d} if modified else {"a": link.a, "d": link.d}
    moving = ("r" if modified else "d") if link.sigma else "theta"
    geometry = {"alpha": link.alpha, "theta": link.theta, **lengths}
    row: dict[str, Any] = {name: float(value or 0.0) for name, value in geometry.items()}
    row[moving] = f"-q{j}" if link.isflip else f"q{j}"
    row |= {"kind": "prismatic" if link.sigma else "revolute", "offset": float(link.offset)}
    return row | {"inertia": _inertia(link), "drive": drive_of(link)}


def _inertia(link: Any) -> Inertia:
    centre = [number(float(x)) for x in np.ravel(link.r)]
    return Inertia.from_com(float(link.m), centre, [[number(float(x)) for x in row] for row in np.array(link.I)])


def _with_tool(robot: Robot, tool: Any) -> Robot:
    """The robot with the frame of its tool, behind the frame at the end of its table."""
    end = next((frame for frame in robot.frames if frame.name == FLANGE), None)
    pose = pose_of(tool) if end is None else product(end.pose, pose_of(tool))
    return replace(robot, frames=(*robot.frames, Frame(TOOL, robot.link_count, pose)))
