"""A robot as tables and as data for JSON."""

from __future__ import annotations

from typing import Any

from symoro.cli.output import Table
from symoro.findings import Finding
from symoro.models.catalogue import entries
from symoro.robot import tables as tables_of
from symoro.robot.joint import GEOMETRY, Joint
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.tables import structure
from symoro.robot.values import is_zero, to_text


def robot_data(robot: Robot) -> dict[str, Any]:
    """The description of a robot as data for JSON, without parameters that are 0; values are texts that can be read."""
    return {
        "name": robot.name,
        "title": robot.title,
        "structure": structure(robot),
        "source": robot.source.strip(),
        "base": robot.base.kind.value,
        "gravity": [to_text(x) for x in robot.gravity],
        "given": robot.takes,
        "joints": [_joint(joint) for joint in robot.joints],
        "links": [_link(robot, j) for j in range(1, robot.link_count + 1)],
        **_legs(robot),
        "cuts": [{"joint": cut.joint, "mate": cut.mate} for cut in robot.cuts],
        "frames": [{"name": frame.name, "link": frame.link} for frame in robot.frames],
        "values": {name: to_text(value) for name, value in robot.values.items()},
        "notes": list(robot.notes),
        "models": {entry.name: _text(entry.reason(robot)) for entry in entries()},
    }


def _text(reason: Finding | None) -> str | None:
    return None if reason is None else str(reason)


def _legs(robot: Robot) -> dict[str, Any]:
    """The platform and the attachments of a parallel robot."""
    if not robot.platforms:
        return {}
    rows = [
        {"leg": i, "attachment": a.kind.value, "point": [to_text(x) for x in a.point], "frame": a.frame}
        for i, a in enumerate(robot.attachments, 1)
    ]
    return {"platform": {n: to_text(v) for n, v in robot.platform.items() if not is_zero(v)}, "legs": rows}


def _joint(joint: Joint) -> dict[str, Any]:
    return {
        "index": joint.index,
        "name": joint.name,
        "parent": joint.parent,
        "kind": joint.kind.value,
        "actuated": joint.actuated,
        "elastic": joint.elastic,
        "variable": joint.variable,
        **{name: to_text(getattr(joint, name)) for name in GEOMETRY},
    }


def _link(robot: Robot, j: int) -> dict[str, Any]:
    tables: tuple[Inertia | Drive | Wrench, ...] = (robot.inertia(j), robot.drive(j), robot.wrench(j))
    return {"index": j, **{n: to_text(v) for table in tables for n, v in table.items() if not is_zero(v)}}


def robot_tables(robot: Robot) -> list[Table]:
    """Tables of the geometry, of the parameters of the links, and of the models that exist for the robot."""
    tables = [*_attachments(robot), tables_of.geometry(robot), *tables_of.parameters(robot)]
    return [*(Table(*table, frozenset({"j", "a(j)"})) for table in tables), _models(robot_data(robot))]


def _attachments(robot: Robot) -> list[tables_of.TextTable]:
    data = _legs(robot)
    if not data:
        return []
    rows = [(str(r["leg"]), r["attachment"], *r["point"]) for r in data["legs"]]
    body = [tuple(data["platform"].values())]
    return [
        tables_of.TextTable("Attachments, in the platform's frame", ("leg", "kind", "x", "y", "z"), rows),
        tables_of.TextTable("Platform, about the origin of its frame", tuple(data["platform"]), body),
    ]


def _models(data: dict[str, Any]) -> Table:
    rows = [(name, f"no: {reason}" if reason else "yes") for name, reason in data["models"].items()]
    return Table("Models", ("model", "exists"), rows)
