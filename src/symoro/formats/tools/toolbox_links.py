"""Robots of the Robotics Toolbox that are trees of links: each link has constant transformations, then its joint."""

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
from symoro.robot.link import Drive
from symoro.robot.robot import Robot

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
    made = robot_of(tree, Report(None)).robot
    drives = [drive_of(link) for link in inner if link.isjoint]
    return replace(made, drives=(*drives, *[Drive()] * (made.link_count - len(drives))))


def _joint(link: Any) -> JointOf:
    origin = np.eye(4) if link.Ts is None else np.array(link.Ts)
    parent = _BASE if link.parent is None else str(link.parent.name)
    if not link.isjoint:
        return JointOf(f"{link.name}_fixed", "fixed", parent, str(link.name), origin)
    kind, axis = _motion(link)
    given = (None, None) if link.qlim is None else (float(x) for x in np.ravel(link.qlim))
    return JointOf(f"{link.name}_joint", kind, parent, str(link.name), origin, axis, bounds=Bounds(*given))


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
