"""xacro: URDF with macros. The file is expanded by our own interpreter, then read as URDF (docs/formats.md)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from symoro.errors import FormatError
from symoro.findings import Finding
from symoro.formats import urdf
from symoro.formats._report import Reading, Report
from symoro.formats._xml import Element, parse
from symoro.formats.macros.expand import Expander
from symoro.formats.macros.roots import Roots
from symoro.formats.macros.scope import Globals
from symoro.robot.robot import Robot


def read_text(
    text: str,
    name: str,
    file: str | None = None,
    arguments: Mapping[str, str] | None = None,
    packages: Mapping[str, str | Path] | None = None,
    folders: Iterable[str | Path] = (),
    floating: bool = False,
    exact: bool = False,
) -> Reading:
    """The robot of a xacro text.

    `arguments` are those of the file (xacro:arg); `packages` gives folders of packages by their names, `folders` are
    folders with packages in them, as is ROS_PACKAGE_PATH. No other file is opened. `floating` and `exact` are those of
    URDF.
    """
    report = Report(file)
    report.size(text)
    root = expand(parse(text, report), report, arguments or {}, Roots.of(file, packages or {}, folders))
    return urdf.read_element(root, name.removesuffix(".urdf"), report, floating, exact)


def expand(root: Element, report: Report, arguments: Mapping[str, str], roots: Roots) -> Element:
    """The robot element without macros."""
    return Expander(Globals(roots, {name: str(text) for name, text in arguments.items()}), report).root(root)


def write_text(robot: Robot) -> str:
    """A robot has no macros: it is written as URDF."""
    raise FormatError([Finding("xacro.not_written", robot=robot.name)])
