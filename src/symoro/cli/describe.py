"""A robot as tables and as data for JSON."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from symoro.cli.output import Table
from symoro.models.catalogue import entries
from symoro.robot import topology
from symoro.robot.joint import GEOMETRY, Joint
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import is_zero, to_text


def structure(robot: Robot) -> str:
    """The kinds of the joints in order, such as 6R or 2R 1P 3R, and whether the robot is a tree or has loops."""
    letters = [joint.kind.value[0].upper() for joint in robot.joints[: robot.link_count]]
    kinds = " ".join(f"{len(list(same))}{letter}" for letter, same in groupby(letters))
    loops = f", {len(robot.cuts)} loop{'s' * (len(robot.cuts) > 1)}" if robot.cuts else ""
    return kinds + ("" if topology.is_serial(robot) else loops or ", tree")


def robot_data(robot: Robot) -> dict[str, Any]:
    """The description of a robot as data for JSON, without parameters that are 0; values are texts that can be read."""
    return {
        "name": robot.name,
        "title": robot.title,
        "structure": structure(robot),
        "source": robot.source.strip(),
        "base": robot.base.kind.value,
        "gravity": [to_text(x) for x in robot.gravity],
        "joints": [_joint(joint) for joint in robot.joints],
        "links": [_link(robot, j) for j in range(1, robot.link_count + 1)],
        "cuts": [{"joint": cut.joint, "mate": cut.mate} for cut in robot.cuts],
        "frames": [{"name": frame.name, "link": frame.link} for frame in robot.frames],
        "values": {name: to_text(value) for name, value in robot.values.items()},
        "notes": list(robot.notes),
        "models": {entry.name: entry.reason(robot) for entry in entries()},
    }


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
    data = robot_data(robot)
    return [_geometry(data), *_parameters(data), _models(data)]


def _geometry(data: dict[str, Any]) -> Table:
    columns = ("j", "name", "a(j)", "joint", *GEOMETRY)
    rows = [
        (str(j["index"]), j["name"], str(j["parent"]), _kind(j), *(j[name] for name in GEOMETRY))
        for j in data["joints"]
    ]
    return Table("Geometry", columns, rows, frozenset({"j", "a(j)"}))


def _kind(joint: dict[str, Any]) -> str:
    remarks = ["passive"] if joint["kind"] != "fixed" and not joint["actuated"] else []
    remarks += ["elastic"] if joint["elastic"] else []
    return ", ".join([joint["kind"], *remarks])


def _parameters(data: dict[str, Any]) -> list[Table]:
    """One row for each link that has parameters of a kind, one column for each parameter that some link has."""
    groups = (
        ("Inertia, about the origin of each link's frame", Inertia.names()),
        ("Drives", Drive.names()),
        ("Wrenches on the environment", Wrench.names()),
    )
    tables = []
    for title, names in groups:
        used = [name for name in names if any(name in link for link in data["links"])]
        if used:
            links = [link for link in data["links"] if any(name in link for name in used)]
            rows = [(str(k["index"]), *(k.get(n, "0") for n in used)) for k in links]
            tables.append(Table(title, ("j", *used), rows, frozenset({"j"})))
    return tables


def _models(data: dict[str, Any]) -> Table:
    rows = [(name, f"no: {reason}" if reason else "yes") for name, reason in data["models"].items()]
    return Table("Models", ("model", "exists"), rows)
