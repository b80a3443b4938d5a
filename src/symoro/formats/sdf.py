"""SDF, the format of Gazebo and Drake: see docs/formats.md."""

from __future__ import annotations

from dataclasses import replace

from symoro.findings import Finding
from symoro.formats._report import Reading, Report
from symoro.formats._sdf_write import not_written, write_text
from symoro.formats._xml import Element, parse
from symoro.formats.simulation.model import SdfModel
from symoro.formats.tree.description import Tree
from symoro.formats.tree.robot import robot_of

__all__ = ["not_written", "read_text", "tree_of", "write_text"]


def read_text(text: str, name: str, file: str | None = None, floating: bool = False, exact: bool = False) -> Reading:
    """The robot of an SDF text with one model.

    `floating`: its base floats, whatever the file says. `exact`: rounded orientations are the exact ones.
    """
    report = Report(file)
    report.size(text)
    tree = tree_of(parse(text, report), name, report)
    return robot_of(replace(tree, floating=floating or tree.floating), report, exact)


def tree_of(root: Element, name: str, report: Report) -> Tree:
    """The links and joints of the model of an <sdf> element."""
    if root.tag != "sdf":
        report.add(Finding("sdf.root", tag=root.tag), root.line)
        report.raise_errors()
    world = root.first("world")
    models = [*root.all("model"), *(world.all("model") if world else ())]
    if len(models) != 1:
        names = [model.get("name") for model in models] or Finding("sdf.none")
        report.add(Finding("sdf.models", names=names), root.line)
        report.raise_errors()
    gravity = None if world is None else world.first("gravity")
    return SdfModel(models[0], _version(root, report), report).tree(name, gravity if world else None, world is not None)


def _version(root: Element, report: Report) -> tuple[int, int]:
    """The version of the format, which changes the meaning of axes."""
    try:
        first, _, second = root.get("version", "1.7").partition(".")
        return int(first), int(second or 0)
    except ValueError:
        report.add(Finding("sdf.version", version=root.get("version")), root.line)
        return 1, 7
