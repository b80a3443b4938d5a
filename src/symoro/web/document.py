"""A robot as the page edits it, and back.

Joints and frames are in groups, each with values of its own: the legs of a platform, and all that belong to no leg. The
rows of all groups are in one table, one group after the other; `parallel.legs` says which belong to a leg. The platform
is the link behind the last row. Symbols of leg i end in _i, so that a value of such a name is one of the leg's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from symoro.errors import RobotError, ValueSyntaxError
from symoro.findings import Finding, Part
from symoro.formats import toml
from symoro.robot.base import IDENTITY
from symoro.robot.joint import GEOMETRY, MOTION, Joint
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, Value, parse, to_text
from symoro.web.cells import (
    TABLES,
    Lines,
    array,
    cut_cells,
    entries,
    frame_cells,
    joint_cells,
    matrix,
    quoted,
    value_cells,
)
from symoro.web.requests import Document, FrameRow, JointRow, LegRow, Parallel

_LIMITS = ("lower", "upper", "velocity", "effort")


def document_of(robot: Robot) -> dict[str, Any]:
    """A robot as data whose values are all texts."""
    base = robot.base
    return {
        "name": robot.name,
        "title": robot.title,
        "source": robot.source,
        "gravity": _texts(robot.gravity),
        "given": robot.given,
        "home": _table(robot.home_positions),
        "base": {
            "kind": base.kind.value,
            "pose": None if base.pose == IDENTITY else _matrix(base.pose),
            "V0": _texts(base.velocity),
            "VP0": _texts(base.acceleration),
            "inertia": _table(base.inertia),
            "wrench": _table(base.wrench),
            "wheels": [{"joint": w.joint, "radius": to_text(w.radius)} for w in base.wheels],
        },
        "joints": [joint_row(robot, joint) for joint in _listed(robot)],
        "cuts": [{"joint": cut.joint, "mate": cut.mate} for cut in robot.cuts if not robot.platforms],
        "frames": [
            {"name": f.name, "link": f.link, "pose": None if f.pose == IDENTITY else _matrix(f.pose)}
            for f in robot.frames
        ],
        "coupling": _matrix(robot.coupling),
        "values": _table(robot.values),
        "parallel": _parallel(robot) if robot.platforms else None,
    }


def _listed(robot: Robot) -> tuple[Joint, ...]:
    """The joints of the table; platform, cut joints and their mates are with the platform and the legs."""
    if not robot.platforms:
        return robot.joints
    if robot.parts.platform != robot.link_count:
        raise RobotError("toml.order", robot=robot.name)
    return robot.joints[: robot.parts.platform - 1]


def joint_row(robot: Robot, joint: Joint) -> dict[str, Any]:
    """A row of the tables of joints."""
    limits = {name: getattr(joint.limits, name) for name in _LIMITS}
    motion = {key: getattr(joint, name) for name, key in MOTION.items()}
    tables: dict[str, Any] = {name: {} for name in TABLES}
    if joint.index <= robot.link_count:
        parts = (robot.inertia(joint.index), robot.drive(joint.index), robot.wrench(joint.index))
        tables = {name: _table(table) for name, table in zip(TABLES, parts, strict=True)}
    return {
        "name": joint.name,
        "parent": joint.parent,
        "kind": joint.kind.value,
        "actuated": joint.actuated,
        "elastic": joint.elastic,
        **{name: to_text(getattr(joint, name)) for name in GEOMETRY},
        "variable": joint.variable,
        "stiffness": to_text(joint.stiffness),
        "rest": to_text(joint.rest),
        "limits": {name: to_text(value) for name, value in limits.items() if value is not None},
        **tables,
        "motion": {key: to_text(v) for key, v in motion.items() if v != Symbol(f"{key}{joint.index}")},
    }


def _parallel(robot: Robot) -> dict[str, Any]:
    """What a document has beside the tables of the legs."""
    return {
        "home": _matrix(robot.home_pose),
        "branch": None if robot.branch is None else list(robot.branch),
        "inertia": _table(robot.platform),
        "wrench": _table(robot.platform_wrench),
        "legs": [_leg(robot, i) for i in range(len(robot.legs))],
    }


def _leg(robot: Robot, i: int) -> dict[str, Any]:
    """A leg: its attachment, the number of its joints, and the joints at which its loops are cut, with their mates."""
    leg, attachment, before = robot.legs[i], robot.attachments[i], robot.first_joints[i]
    closing = [joint_row(leg, joint) for joint in leg.joints[leg.link_count :]]
    return {
        "name": leg.name,
        "title": leg.title,
        "source": leg.source,
        "kind": attachment.kind.value,
        "pose": _matrix(attachment.pose),
        "end": attachment.frame,
        "joints": leg.link_count,
        "closing": [r | {"parent": r["parent"] and r["parent"] + before} for r in closing],
    }


def _table(table: Any) -> dict[str, str]:
    return {name: to_text(value) for name, value in table.items()}


def _texts(values: Sequence[Value]) -> list[str]:
    return [to_text(value) for value in values]


def _matrix(rows: Sequence[Sequence[Value]]) -> list[list[str]]:
    return [_texts(row) for row in rows]


# and back


def reading(document: Document) -> tuple[Robot, list[dict[str, Any]]]:
    """The robot of a document, and its warnings and notes at their cells; `FormatError` has the errors."""
    text, _ = toml_of(document)
    description = toml.read_text(text, document.name)
    return description.robot, placed(description.problems, document)


def placed(problems: Sequence[Finding], document: Document) -> list[dict[str, Any]]:
    """Problems as data, each with the path of its cell."""
    paths = toml_of(document)[1]
    return [_placed(problem, paths, document) for problem in problems]


def _placed(problem: Finding, paths: Sequence[str], document: Document) -> dict[str, Any]:
    path = paths[problem.line - 1] if problem.line and problem.line <= len(paths) else ""
    kind, _, rest = path.partition(".")
    joint = problem.joint
    if document.parallel:  # the problem has the number of a joint in its leg, the page that among all joints
        joint = int(rest.partition(".")[0]) if kind == "joints" else None
    syntax = _syntax(problem)
    return {
        "message": problem.beside_place(),
        "brief": Part(problem.beside_place()),
        "wrong": Part(syntax.fields["reason"] if syntax else problem.placed()),
        "allowed": Part(problem, allowed=True),
        "column": syntax.fields["column"] if syntax else None,
        "missing": syntax is not None and syntax.fields["reason"].code == "values.missing",
        "repair": problem.fields["radians"] if problem.code == "descriptions.degrees" else None,
        "severity": problem.severity,
        "joint": joint,
        "path": _cell(document, path),
    }


def _syntax(finding: Finding) -> Finding | None:
    """The finding in another one that says at which column the text of a value is wrong."""
    if finding.code == "values.at":
        return finding
    parts = (_syntax(part) for part in finding.fields.values() if isinstance(part, Finding))
    return next(filter(None, parts), None)


def _cell(document: Document, path: str) -> str:
    """The cell of an array whose text is no value; the array where there is none."""
    for place, text in _texts_of(document, path):
        try:
            parse(text)
        except ValueSyntaxError:
            return f"{path}.{place}"
    return path


def _texts_of(document: Document, path: str) -> Iterator[tuple[str, str]]:
    """The cells of the array at a path, such as 0.3 of a pose, and their texts."""
    at: Any = document
    for key in path.split("."):
        at = at[int(key) - 1] if isinstance(at, list) else getattr(at, key, None)
    for i, row in enumerate(at if isinstance(at, list) else ()):
        if isinstance(row, str):
            yield str(i), row
        elif isinstance(row, list):
            yield from ((f"{i}.{k}", text) for k, text in enumerate(row))


def toml_of(document: Document) -> tuple[str, list[str]]:
    """The TOML text of a document, a cell a line, and the path of each line."""
    lines = list(_document(document))
    return "\n".join(line for _, line in lines) + "\n", [path for path, _ in lines]


def _document(document: Document) -> Lines:
    yield "format", "format = 1"
    for key in ("name", "title", "source"):
        yield key, f"{key} = {quoted(getattr(document, key))}"
    yield "gravity", f"gravity = {array(document.gravity)}"
    if document.given is not None:
        yield "given", f"given = {quoted(document.given)}"
    if document.parallel:
        yield "kind", 'kind = "parallel"'
    if document.coupling:
        yield "coupling", f"coupling = {matrix(document.coupling)}"
    if document.home:
        yield from value_cells(document.home, "home")
    yield from _base(document)
    if document.parallel:
        yield from _platform(document.parallel)
    for group in (*_legs(document), _of_no_leg(document)):
        yield from group.lines()


@dataclass(frozen=True, slots=True)
class _JointTable:
    """Rows that one table of joints has, by the paths of their cells; `section` is before the names of their tables.

    A cut joint and its mate have no link.
    """

    section: str
    header: Lines
    joints: Iterable[tuple[str, JointRow, bool]]
    """Path, row, and whether the joint has a link."""
    cuts: Iterable[tuple[str, int, int]]
    """Path, joint and mate."""
    frames: Iterable[tuple[str, FrameRow]]
    values: Mapping[str, str]

    def lines(self) -> Lines:
        yield from self.header
        for path, row, has_link in self.joints:
            yield from joint_cells(row, path, has_link, f"{self.section}joints")
        for path, joint, mate in self.cuts:
            yield from cut_cells(joint, mate, path, f"{self.section}cuts")
        for path, frame in self.frames:
            yield from frame_cells(frame, path, f"{self.section}frames")
        yield from value_cells(self.values, f"{self.section}values")


def _legs(document: Document) -> Iterator[_JointTable]:
    before = 0
    for i, leg in enumerate(document.legs, 1):
        path, rows = f"parallel.legs.{i}", document.joints[before : before + leg.joints]
        joints = [(f"joints.{k}", _local(row, i, before), True) for k, row in enumerate(rows, before + 1)]
        closing = [(f"{path}.closing.{k}", _local(row, i, before), False) for k, row in enumerate(leg.closing, 1)]
        first, count = leg.joints + 1, len(leg.closing) // 2
        cuts = [(f"{path}.closing.{k + 1}", first + k, first + k + count) for k in range(count)]
        frames, values = _frames(document, i, before), _values_of(document, i)
        yield _JointTable("legs.", _attachment(leg, path), [*joints, *closing], cuts, frames, values)
        before += leg.joints


def _of_no_leg(document: Document) -> _JointTable:
    """All joints of a robot without legs; else those on the base beside the legs, and on the platform."""
    before, links = document.in_legs, len(document.joints) - 2 * len(document.cuts)
    rows = enumerate(document.joints[before:], before + 1)
    joints = [(f"joints.{j}", _local(joint, 0, before), j <= links) for j, joint in rows]
    cuts = [(f"cuts.{k}", cut.joint, cut.mate) for k, cut in enumerate(document.cuts, 1)]
    return _JointTable("", iter(()), joints, cuts, _frames(document, 0, before), _values_of(document, 0))


def _platform(part: Parallel) -> Lines:
    yield "parallel", "[platform]"
    yield "parallel.home", f"home = {matrix(part.home)}"
    if part.branch is not None:
        yield "parallel.branch", f"branch = {part.branch}"
    for key in ("inertia", "wrench"):
        yield from entries("platform", f"parallel.{key}", getattr(part, key))


def _attachment(leg: LegRow, path: str) -> Lines:
    yield path, "[[legs]]"
    for key in ("name", "title", "source"):
        yield f"{path}.{key}", f"{key} = {quoted(getattr(leg, key))}"
    yield f"{path}.kind", f"attachment = {quoted(leg.kind)}"
    yield f"{path}.pose", f"platform = {matrix(leg.pose)}"
    if leg.end is not None:
        yield f"{path}.end", f"end = {quoted(leg.end) if isinstance(leg.end, str) else leg.end}"


def _local(row: JointRow, i: int, before: int) -> JointRow:
    """A row with the name and the antecedent that it has in its group."""
    return row.model_copy(update={"name": row.name.removeprefix(_prefix(i)), "parent": _in_group(row.parent, before)})


def _prefix(i: int) -> str:
    """What names of leg i begin with; of 0, those of no leg."""
    return f"leg {i} " if i else ""


def _in_group(link: int, before: int) -> int:
    """The number of a link in a group behind so many joints; that of another group is no number of a link."""
    return link - before if link > before else min(0, -link)


def _frames(document: Document, i: int, before: int) -> Iterator[tuple[str, FrameRow]]:
    """The frames of leg i; of 0, those of no leg."""
    prefixes = tuple(map(_prefix, range(1, len(document.legs) + 1)))
    for k, frame in enumerate(document.frames, 1):
        if frame.name.startswith(_prefix(i)) if i else not frame.name.startswith(prefixes):
            name, link = frame.name.removeprefix(_prefix(i)), _in_group(frame.link, before)
            yield f"frames.{k}", frame.model_copy(update={"name": name, "link": link})


def _values_of(document: Document, i: int) -> dict[str, str]:
    """The values whose names end as those of the symbols of leg i do; of 0, those of no leg."""
    return {name: text for name, text in document.values.items() if _owner(name, len(document.legs)) == i}


def _owner(name: str, legs: int) -> int:
    """The leg whose symbols end as this one does; 0 where there is none."""
    ending = re.search(r"_([1-9]\d{0,2})$", name)
    return int(ending[1]) if ending and int(ending[1]) <= legs else 0


def _base(document: Document) -> Lines:
    base = document.base
    yield "base", "[base]"
    yield "base.kind", f"kind = {quoted(base.kind)}"
    if base.pose is not None:
        yield "base.pose", f"pose = {matrix(base.pose)}"
    for key in ("V0", "VP0"):
        if (row := getattr(base, key)) is not None:
            yield f"base.{key}", f"{key} = {array(row)}"
    wheels = [(_in_group(wheel.joint, document.in_legs), quoted(wheel.radius)) for wheel in base.wheels]
    if wheels:
        yield "base.wheels", f"wheels = [{', '.join(f'{{joint = {j}, radius = {radius}}}' for j, radius in wheels)}]"
    for key in ("inertia", "wrench"):
        yield from entries("base", f"base.{key}", getattr(base, key))
