"""Rows of a document as lines of TOML, a cell a line, so that a problem with a line finds its cell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from symoro.formats._toml_write import string
from symoro.robot.joint import GEOMETRY
from symoro.web.requests import FrameRow, JointRow

TABLES = ("inertia", "drive", "wrench")
Lines = Iterator[tuple[str, str]]
"""The path of a cell, such as joints.3.d, and its line."""


def joint_cells(joint: JointRow, path: str, has_link: bool = True, section: str = "joints") -> Lines:
    """A row of the tables of joints; a cut joint and a mate have no link of their own."""
    yield path, f"[[{section}]]"
    yield f"{path}.name", f"name = {quoted(joint.name)}"
    yield f"{path}.parent", f"parent = {joint.parent}"
    yield f"{path}.kind", f"kind = {quoted(joint.kind)}"
    if joint.kind != "fixed":
        yield f"{path}.actuated", f"actuated = {str(joint.actuated).lower()}"
    yield f"{path}.elastic", f"elastic = {str(joint.elastic).lower()}"
    for key in (*GEOMETRY, "stiffness", "rest"):
        if (text := getattr(joint, key).strip()) not in ("", "0"):
            yield f"{path}.{key}", f"{key} = {quoted(text)}"
    if joint.variable and joint.kind != "fixed":
        yield f"{path}.variable", f"variable = {quoted(joint.variable)}"
    for key, text in joint.motion.items():
        yield f"{path}.{key}", f"{quoted(key)} = {quoted(text)}"
    yield from entries(section, f"{path}.limits", joint.limits, nothing=("",))
    for key in TABLES if has_link else ():
        yield from entries(section, f"{path}.{key}", getattr(joint, key))


def entries(section: str, path: str, table: Mapping[str, str], nothing: tuple[str, ...] = ("", "0")) -> Lines:
    """A table in a section of its own; what is nothing is left out."""
    texts = {key: text.strip() for key, text in table.items() if text.strip() not in nothing}
    if texts:
        yield path, f"[{section}.{path.rpartition('.')[2]}]"
        for key, text in texts.items():
            yield f"{path}.{key}", f"{quoted(key)} = {quoted(text)}"


def cut_cells(joint: int, mate: int, path: str, section: str = "cuts") -> Lines:
    yield path, f"[[{section}]]"
    yield f"{path}.joint", f"joint = {joint}"
    yield f"{path}.mate", f"mate = {mate}"


def frame_cells(frame: FrameRow, path: str, section: str = "frames") -> Lines:
    yield path, f"[[{section}]]"
    yield f"{path}.name", f"name = {quoted(frame.name)}"
    yield f"{path}.link", f"link = {frame.link}"
    if frame.pose is not None:
        yield f"{path}.pose", f"pose = {matrix(frame.pose)}"


def value_cells(values: Mapping[str, str], section: str = "values") -> Lines:
    key = section.rpartition(".")[2]
    yield key, f"[{section}]"
    for name, text in values.items():
        yield f"{key}.{name}", f"{quoted(name)} = {quoted(text)}"


def quoted(text: str) -> str:
    """A text between quotes, on one line."""
    lines = (string(line)[1:-1] for line in text.split("\n"))
    return '"' + "\\n".join(lines) + '"'


def array(texts: Sequence[str]) -> str:
    return "[" + ", ".join(map(quoted, texts)) + "]"


def matrix(rows: Sequence[Sequence[str]]) -> str:
    return "[" + ", ".join(map(array, rows)) + "]"
