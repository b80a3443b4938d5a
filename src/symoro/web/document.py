"""A robot as the page edits it, and back. Each cell of a table is a line of TOML, so that a problem finds its cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from symoro.errors import Problem
from symoro.formats import toml
from symoro.formats._toml_write import string
from symoro.robot.base import IDENTITY
from symoro.robot.joint import GEOMETRY, MOTION, Joint
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.robot.values import Symbol, Value, to_text
from symoro.web.parallel import parallel_part, read_parallel
from symoro.web.requests import Document
from symoro.web.requests import Joint as JointRow

_LIMITS = ("lower", "upper", "velocity", "effort")
_TABLES = ("inertia", "drive", "wrench")


def document_of(robot: Robot, text: str = "") -> dict[str, Any]:
    """A robot as data whose values are all texts; that of a parallel robot carries the text of its file."""
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
        "joints": [_joint(robot, joint) for joint in robot.joints],
        "cuts": [{"joint": cut.joint, "mate": cut.mate} for cut in robot.cuts],
        "frames": [
            {"name": f.name, "link": f.link, "pose": None if f.pose == IDENTITY else [_texts(r) for r in f.pose]}
            for f in robot.frames
        ],
        "coupling": [_texts(row) for row in robot.coupling],
        "values": {name: to_text(value) for name, value in robot.values.items()},
        "parallel": parallel_part(robot, text) if isinstance(robot, ParallelRobot) else None,
    }


def _joint(robot: Robot, joint: Joint) -> dict[str, Any]:
    given = {name: getattr(joint.limits, name) for name in _LIMITS}
    motion = {key: getattr(joint, name) for name, key in MOTION.items()}
    tables: dict[str, Any] = {name: {} for name in _TABLES}
    if joint.index <= robot.link_count:
        found = (robot.inertia(joint.index), robot.drive(joint.index), robot.wrench(joint.index))
        tables = {name: _table(table) for name, table in zip(_TABLES, found, strict=True)}
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

Lines = Iterator[tuple[str, str]]
"""The path of a cell, such as joints.3.d, and its line."""


def reading(document: Document) -> tuple[Robot, list[dict[str, Any]]]:
    """The robot of a document, and its warnings and notes at their cells; `FormatError` has the errors."""
    if document.parallel:
        return read_parallel(document, document.parallel), []
    text, _ = toml_of(document)
    found = toml.read_text(text, document.name)
    return found.robot, placed(found.problems, document)


def placed(problems: Sequence[Problem], document: Document) -> list[dict[str, Any]]:
    """Problems as data, each with the path of its cell."""
    paths = [] if document.parallel else toml_of(document)[1]
    return [
        {
            "message": problem.message,
            "severity": problem.severity,
            "joint": problem.joint,
            "path": paths[problem.line - 1] if problem.line and problem.line <= len(paths) else "",
        }
        for problem in problems
    ]


def toml_of(document: Document) -> tuple[str, list[str]]:
    """The TOML text of a document, a cell a line, and the path of each line."""
    lines = list(_document(document))
    return "\n".join(line for _, line in lines) + "\n", [path for path, _ in lines]


def _document(document: Document) -> Lines:
    yield "format", "format = 1"
    for key in ("name", "title", "source"):
        yield key, f"{key} = {_quoted(getattr(document, key))}"
    yield "gravity", f"gravity = {_array(document.gravity)}"
    if document.coupling:
        yield "coupling", f"coupling = {_matrix(document.coupling)}"
    yield from _base(document)
    links = len(document.joints) - 2 * len(document.cuts)
    for j, joint in enumerate(document.joints, 1):
        yield from _row(joint, f"joints.{j}", j <= links)
    for k, cut in enumerate(document.cuts, 1):
        yield f"cuts.{k}", "[[cuts]]"
        yield f"cuts.{k}.joint", f"joint = {cut.joint}"
        yield f"cuts.{k}.mate", f"mate = {cut.mate}"
    for k, frame in enumerate(document.frames, 1):
        yield f"frames.{k}", "[[frames]]"
        yield f"frames.{k}.name", f"name = {_quoted(frame.name)}"
        yield f"frames.{k}.link", f"link = {frame.link}"
        if frame.pose is not None:
            yield f"frames.{k}.pose", f"pose = {_matrix(frame.pose)}"
    yield "values", "[values]"
    for name, text in document.values.items():
        yield f"values.{name}", f"{_quoted(name)} = {_quoted(text)}"


def _base(document: Document) -> Lines:
    base = document.base
    yield "base", "[base]"
    yield "base.kind", f"kind = {_quoted(base.kind)}"
    if base.pose is not None:
        yield "base.pose", f"pose = {_matrix(base.pose)}"
    for key in ("V0", "VP0"):
        if (row := getattr(base, key)) is not None:
            yield f"base.{key}", f"{key} = {_array(row)}"
    wheels = ", ".join(f"{{joint = {w.joint}, radius = {_quoted(w.radius)}}}" for w in base.wheels)
    if wheels:
        yield "base.wheels", f"wheels = [{wheels}]"
    for key in ("inertia", "wrench"):
        yield from _entries("base", f"base.{key}", getattr(base, key))


def _row(joint: JointRow, path: str, has_link: bool) -> Lines:
    yield path, "[[joints]]"
    yield f"{path}.name", f"name = {_quoted(joint.name)}"
    yield f"{path}.parent", f"parent = {joint.parent}"
    yield f"{path}.kind", f"kind = {_quoted(joint.kind)}"
    if joint.kind != "fixed":
        yield f"{path}.actuated", f"actuated = {str(joint.actuated).lower()}"
    yield f"{path}.elastic", f"elastic = {str(joint.elastic).lower()}"
    for key in (*GEOMETRY, "stiffness", "rest"):
        if (text := getattr(joint, key).strip()) not in ("", "0"):
            yield f"{path}.{key}", f"{key} = {_quoted(text)}"
    if joint.variable and joint.kind != "fixed":
        yield f"{path}.variable", f"variable = {_quoted(joint.variable)}"
    for key, text in joint.motion.items():
        yield f"{path}.{key}", f"{_quoted(key)} = {_quoted(text)}"
    yield from _entries("joints", f"{path}.limits", joint.limits, nothing=("",))
    for key in _TABLES if has_link else ():
        yield from _entries("joints", f"{path}.{key}", getattr(joint, key))


def _entries(section: str, path: str, table: Mapping[str, str], nothing: tuple[str, ...] = ("", "0")) -> Lines:
    """A table in a section of its own; what is nothing is left out."""
    given = {key: text.strip() for key, text in table.items() if text.strip() not in nothing}
    if given:
        yield path, f"[{section}.{path.rpartition('.')[2]}]"
        for key, text in given.items():
            yield f"{path}.{key}", f"{_quoted(key)} = {_quoted(text)}"


def _quoted(text: str) -> str:
    """A text between quotes, on one line."""
    lines = (string(line)[1:-1] for line in text.split("\n"))
    return '"' + "\\n".join(lines) + '"'


def _array(texts: Sequence[str]) -> str:
    return "[" + ", ".join(map(_quoted, texts)) + "]"


def _matrix(rows: Sequence[Sequence[str]]) -> str:
    return "[" + ", ".join(map(_array, rows)) + "]"
