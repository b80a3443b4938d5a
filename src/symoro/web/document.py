"""A robot as the page edits it, and back; a parallel robot has a part of its own (`platform_document`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from symoro.errors import Problem, ValueSyntaxError
from symoro.formats import toml
from symoro.robot.base import IDENTITY
from symoro.robot.joint import GEOMETRY, MOTION, Joint
from symoro.robot.parallel import ParallelRobot
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
from symoro.web.platform_document import parallel_cells, parallel_part
from symoro.web.requests import Document

_LIMITS = ("lower", "upper", "velocity", "effort")


def document_of(robot: Robot) -> dict[str, Any]:
    """A robot as data whose values are all texts."""
    base = robot.base
    return {
        "name": robot.name,
        "title": robot.title,
        "source": robot.source,
        "gravity": _texts(robot.gravity),
        "base": {
            "kind": base.kind.value,
            "pose": None if base.pose == IDENTITY else [_texts(row) for row in base.pose],
            "V0": _texts(base.velocity),
            "VP0": _texts(base.acceleration),
            "inertia": _table(base.inertia),
            "wrench": _table(base.wrench),
            "wheels": [{"joint": w.joint, "radius": to_text(w.radius)} for w in base.wheels],
        },
        "joints": [joint_row(robot, joint) for joint in robot.joints],
        "cuts": [{"joint": cut.joint, "mate": cut.mate} for cut in robot.cuts],
        "frames": [
            {"name": f.name, "link": f.link, "pose": None if f.pose == IDENTITY else [_texts(r) for r in f.pose]}
            for f in robot.frames
        ],
        "coupling": [_texts(row) for row in robot.coupling],
        "values": {name: to_text(value) for name, value in robot.values.items()},
        "parallel": parallel_part(robot, joint_row) if isinstance(robot, ParallelRobot) else None,
    }


def joint_row(robot: Robot, joint: Joint) -> dict[str, Any]:
    """A row of the tables of joints."""
    given = {name: getattr(joint.limits, name) for name in _LIMITS}
    motion = {key: getattr(joint, name) for name, key in MOTION.items()}
    tables: dict[str, Any] = {name: {} for name in TABLES}
    if joint.index <= robot.link_count:
        found = (robot.inertia(joint.index), robot.drive(joint.index), robot.wrench(joint.index))
        tables = {name: _table(table) for name, table in zip(TABLES, found, strict=True)}
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
        "limits": {name: to_text(value) for name, value in given.items() if value is not None},
        **tables,
        "motion": {key: to_text(v) for key, v in motion.items() if v != Symbol(f"{key}{joint.index}")},
    }


def _table(table: Any) -> dict[str, str]:
    return {name: to_text(value) for name, value in table.items()}


def _texts(values: Sequence[Value]) -> list[str]:
    return [to_text(value) for value in values]


# and back


def reading(document: Document) -> tuple[Robot, list[dict[str, Any]]]:
    """The robot of a document, and its warnings and notes at their cells; `FormatError` has the errors."""
    text, _ = toml_of(document)
    found = toml.read_text(text, document.name)
    return found.robot, placed(found.problems, document)


def placed(problems: Sequence[Problem], document: Document) -> list[dict[str, Any]]:
    """Problems as data, each with the path of its cell."""
    paths = toml_of(document)[1]
    return [_placed(problem, paths, document) for problem in problems]


def _placed(problem: Problem, paths: Sequence[str], document: Document) -> dict[str, Any]:
    path = paths[problem.line - 1] if problem.line and problem.line <= len(paths) else ""
    kind, _, rest = path.partition(".")
    joint = problem.joint
    if document.parallel:  # its message has the number of a joint in its leg, the page that among all joints
        joint = int(rest.partition(".")[0]) if kind == "joints" else None
    return {
        "message": problem.message,
        "severity": problem.severity,
        "joint": joint,
        "path": _cell(document, path),
    }


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
    yield from parallel_cells(document, document.parallel) if document.parallel else _robot(document)


def _robot(document: Document) -> Lines:
    if document.coupling:
        yield "coupling", f"coupling = {matrix(document.coupling)}"
    yield from _base(document)
    links = len(document.joints) - 2 * len(document.cuts)
    for j, joint in enumerate(document.joints, 1):
        yield from joint_cells(joint, f"joints.{j}", j <= links)
    for k, cut in enumerate(document.cuts, 1):
        yield from cut_cells(cut.joint, cut.mate, f"cuts.{k}")
    for k, frame in enumerate(document.frames, 1):
        yield from frame_cells(frame, f"frames.{k}")
    yield from value_cells(document.values)


def _base(document: Document) -> Lines:
    base = document.base
    yield "base", "[base]"
    yield "base.kind", f"kind = {quoted(base.kind)}"
    if base.pose is not None:
        yield "base.pose", f"pose = {matrix(base.pose)}"
    for key in ("V0", "VP0"):
        if (row := getattr(base, key)) is not None:
            yield f"base.{key}", f"{key} = {array(row)}"
    wheels = ", ".join(f"{{joint = {w.joint}, radius = {quoted(w.radius)}}}" for w in base.wheels)
    if wheels:
        yield "base.wheels", f"wheels = [{wheels}]"
    for key in ("inertia", "wrench"):
        yield from entries("base", f"base.{key}", getattr(base, key))
