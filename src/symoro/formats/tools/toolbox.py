"""Robots of the Robotics Toolbox for Python (P. Corke and J. Haviland): tables of DH parameters, and trees of links."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from symoro.errors import RobotError
from symoro.formats._report import Report
from symoro.formats.tree.description import Bounds, FrameOf, JointOf, Kind, Link, Mass, Tree
from symoro.formats.tree.parameters import number
from symoro.formats.tree.poses import Array, X, Y, Z, shift
from symoro.formats.tree.robot import robot_of
from symoro.formats.tree.values import pose_of
from symoro.robot.arithmetic import product
from symoro.robot.base import Base, Frame
from symoro.robot.link import Drive, Inertia
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
    without_tool = (Robot.from_mdh if modified else Robot.from_dh)(
        rows,
        name=str(robot.name) or "robot",
        base=Base(pose=pose_of(base)),
        gravity=tuple(number(float(x)) for x in base[:3, :3].T @ np.ravel(robot.gravity)),
    )
    return _with_tool(without_tool, np.array(robot.tool.A))


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


# Robots of the Robotics Toolbox that are trees of links: each link has constant transformations, then its joint.


TOOL = "tool"
_BASE = "base of the toolbox"
_AXES = {"x": X, "y": Y, "z": Z}


def from_links(robot: Any, links: list[Any]) -> Robot:
    """The robot of a `roboticstoolbox.Robot`; q has its order."""
    inner = sorted(links, key=lambda link: -1 if link.jindex is None else int(link.jindex))
    end = (list(getattr(robot, "ee_links", ())) or links)[-1]
    tree = Tree(
        name=str(robot.name) or "robot",
        root=_BASE,
        links=(Link(_BASE, named=False), *(Link(str(link.name), _mass(link)) for link in links)),
        joints=tuple(_joint(link) for link in inner),
        frames=(FrameOf(TOOL, str(end.name), np.array(robot.tool.A)),),
        gravity=tuple(float(x) for x in np.ravel(robot.gravity)),
        pose=np.array(robot.base.A),
    )
    of_tree = robot_of(tree, Report(None)).robot
    drives = [drive_of(link) for link in inner if link.isjoint]
    return replace(of_tree, drives=(*drives, *[Drive()] * (of_tree.link_count - len(drives))))


def _joint(link: Any) -> JointOf:
    origin = np.eye(4) if link.Ts is None else np.array(link.Ts)
    parent = _BASE if link.parent is None else str(link.parent.name)
    if not link.isjoint:
        return JointOf(f"{link.name}_fixed", "fixed", parent, str(link.name), origin)
    kind, axis = _motion(link)
    limits = (None, None) if link.qlim is None else (float(x) for x in np.ravel(link.qlim))
    return JointOf(f"{link.name}_joint", kind, parent, str(link.name), origin, axis, bounds=Bounds(*limits))


def _motion(link: Any) -> tuple[Kind, Array]:
    """Kind and axis of the last transformation of a link, such as Rz(q) or tx(-q)."""
    name = str(link.v.kind if hasattr(link.v, "kind") else link.v.axis)  # the older name
    if name[-1:] not in _AXES or name[:1] not in ("R", "t"):
        raise RobotError("tools.toolbox_joint", link=link.name, joint=name)
    axis = _AXES[name[-1]] * (-1.0 if link.v.isflip else 1.0)
    return ("revolute" if name[0] == "R" else "prismatic"), axis


def _mass(link: Any) -> Mass:
    return Mass.at_centre(float(link.m), np.array(link.I, dtype=float), shift(np.ravel(link.r)))


def drive_of(link: Any) -> Drive:
    """Rotor inertia, viscous friction, Coulomb friction forward and backward, and the gear ratio."""
    gear = float(link.G) if link.G else 1.0
    forward, backward = (abs(gear) * float(x) for x in np.ravel(link.Tc))
    parts = (gear**2 * float(link.Jm), gear**2 * float(link.B), (forward - backward) / 2, (forward + backward) / 2)
    IA, FV, FS, FA = map(number, parts)
    return Drive(IA, FV, FS, FA, N=number(gear if gear != 1 else 0.0))
