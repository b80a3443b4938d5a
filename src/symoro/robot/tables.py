"""A robot in words and as tables of texts: for the command line, for notebooks and for the line that Python prints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from symoro.robot import topology
from symoro.robot.joint import GEOMETRY, Joint
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.values import Apply, Number, Symbol, Value, is_zero, to_text

if TYPE_CHECKING:
    from symoro.robot.robot import Robot


class TextTable(NamedTuple):
    """Rows of texts under a title and the names of the columns."""

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]]


def structure(robot: Robot) -> str:
    """The kinds of the joints in order, such as 6R or 2R 1P 3R, and whether the robot is a tree or has loops."""
    if legs := robot.legs:
        each = [structure(leg) for leg in legs]
        beside = [joint for joint in robot.parts.tree.joints if not joint.free]
        more = f", {len(beside)} joint{'s' * (len(beside) > 1)} beside them" if beside else ""
        return (f"{len(legs)} legs of {each[0]}" if len(set(each)) == 1 else f"legs of {', '.join(each)}") + more
    letters = [joint.kind.value[0].upper() for joint in robot.joints[: robot.link_count]]
    kinds = " ".join(f"{len(list(same))}{letter}" for letter, same in groupby(letters))
    loops = f", {len(robot.cuts)} loop{'s' * (len(robot.cuts) > 1)}" if robot.cuts else ""
    return kinds + ("" if topology.is_serial(robot) else loops or ", tree")


def one_line(robot: Robot) -> str:
    """What Python prints for a robot."""
    title = f"{robot.title}, " if robot.title else ""
    held = f"{len(topology.active(robot))} motors" if robot.platforms else f"{robot.base.kind.value} base"
    return f"<Robot {robot.name}: {title}{structure(robot)}, {held}>"


def geometry(robot: Robot) -> TextTable:
    """A row for each frame. Variables have a column where a coordinate is not the joint's variable itself."""
    plain = all(not joint.movable or joint.position == Symbol(joint.variable or "") for joint in robot.joints)
    columns = ("j", "name", "a(j)", "joint", *GEOMETRY, *(() if plain else ("variable",)))
    rows = [(*_frame(joint), *(() if plain else (joint.variable or "",))) for joint in robot.joints]
    return TextTable("Geometry", columns, rows)


_DIGITS = 12
"""The digits of a decimal number in a table; those behind them are rounding."""


def _text(value: Value) -> str:
    """The text of a value, its decimal numbers with 12 digits."""
    return to_text(_short(value))


def _short(value: Value) -> Value:
    if isinstance(value, Apply):
        return replace(value, arguments=tuple(map(_short, value.arguments)))
    if isinstance(value, Number) and "/" not in to_text(value):
        short = Fraction(f"{float(value.value):.{_DIGITS}g}")
        return Number(short) if abs(short - value.value) < abs(value.value) else value
    return value


def _frame(joint: Joint) -> tuple[str, ...]:
    remarks = ["passive"] if joint.variable and not joint.actuated else []
    remarks += ["follows"] if joint.movable and not joint.variable else []
    remarks += ["elastic"] if joint.elastic else []
    kind = ", ".join([joint.kind.value, *remarks])
    return str(joint.index), joint.name, str(joint.parent), kind, *(_text(getattr(joint, n)) for n in GEOMETRY)


def parameters(robot: Robot) -> list[TextTable]:
    """One row for each link that has parameters of a kind, one column for each parameter that some link has."""
    groups: tuple[tuple[str, Sequence[Inertia | Drive | Wrench]], ...] = (
        ("Inertia, about the origin of each link's frame", robot.inertias),
        ("Drives", robot.drives),
        ("Wrenches on the environment", robot.wrenches),
    )
    return [table for title, links in groups if (table := _parameters(title, links)).rows]


def _parameters(title: str, links: Sequence[Inertia | Drive | Wrench]) -> TextTable:
    texts = {j: {n: _text(x) for n, x in link.items() if not is_zero(x)} for j, link in enumerate(links, 1)}
    used = [name for name in (links[0].names() if links else ()) if any(name in row for row in texts.values())]
    rows = [(str(j), *(row.get(name, "0") for name in used)) for j, row in texts.items() if row]
    return TextTable(title, ("j", *used), rows)


def html(robot: Robot) -> str:
    """The tables as HTML, for notebooks."""
    values = TextTable("Values", ("symbol", "value"), [(n, _text(x)) for n, x in robot.values.items()])
    tables = [geometry(robot), *parameters(robot), *([values] if values.rows else [])]
    gravity = ", ".join(map(_text, robot.gravity))
    head = f"<b>{escape(robot.title or robot.name)}</b> ({escape(structure(robot))}, {robot.base.kind.value} base)"
    return f"<p>{head}<br>gravity [{escape(gravity)}]</p>\n" + "\n".join(map(_html_table, tables))


def _html_table(table: TextTable) -> str:
    """A table under a line that opens and closes it; the geometry is open."""
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = "\n".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows)
    opened = " open" if table.title == "Geometry" else ""
    summary = f"<summary>{escape(table.title)}</summary>"
    body = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>"
    return f"<details{opened}>{summary}\n{body}\n</details>"
