"""Tables of Denavit-Hartenberg parameters as CSV: see docs/formats.md.

The convention must be given, because the same numbers describe different robots in each:
standard: T_j = Rz(theta) Tz(d) Tx(a) Rx(alpha), frame j at the end of link j;
modified: T_j = Rx(alpha) Tx(a) Rz(theta) Tz(d), frame j at joint j (Craig; Khalil's alpha_j, d_j, theta_j, r_j).
"""

from __future__ import annotations

import csv
import re
from dataclasses import replace
from typing import Any, Literal

from symoro.errors import FormatError
from symoro.findings import Finding, Place
from symoro.formats._report import MAX_FRAMES, LineOf, Reading, Report, Variables
from symoro.robot.base import Frame
from symoro.robot.joint import Joint, JointKind, angle_in_degrees
from symoro.robot.robot import Robot
from symoro.robot.rows import FLANGE, KINDS, end_pose
from symoro.robot.topology import is_serial
from symoro.robot.values import ZERO, Apply, Value, is_zero, to_text

Convention = Literal["standard", "modified"]
CONVENTIONS: tuple[Convention, ...] = ("standard", "modified")
COLUMNS = ("name", "kind", "theta", "d", "a", "alpha", "offset")
_SAID = re.compile(r"convention\s*[=:,]\s*([A-Za-z]*)[\s,]*", re.IGNORECASE)
_Row = dict[str, Any]


def read_text(text: str, name: str, file: str | None = None, convention: Convention | None = None) -> Reading:
    """The robot of a CSV text; the argument or the first line (`convention = modified`) gives the convention."""
    report = Report(file)
    report.size(text)
    lines = _lines(text)
    stated, rows = _convention(lines, convention, report)
    table = _table(rows, report)
    report.raise_errors()
    joints = _joints(table, stated, report)
    frames = (_flange(table, len(joints)),) if stated == "standard" else ()
    report.raise_errors()
    for finding in angle_in_degrees("alpha", table[-1]["alpha"]) if frames else ():  # that of the flange
        report.add(finding, table[-1]["line"], len(joints))
    return report.finish(Robot(name, joints, frames=frames), _line_of(table))


def _lines(text: str) -> list[tuple[int, str]]:
    """Number and text of the lines that are not empty and not comments."""
    numbered = enumerate(text.replace("\r\n", "\n").replace("\r", "\n").split("\n"), 1)
    return [(number, line) for number, line in numbered if line.strip(", \t") and not line.lstrip().startswith("#")]


def _convention(
    lines: list[tuple[int, str]], wanted: Convention | None, report: Report
) -> tuple[str, list[tuple[int, str]]]:
    match = _SAID.fullmatch(lines[0][1].strip()) if lines else None
    if match is None:
        if wanted is None:
            report.add(Finding("dh.no_convention"), lines[0][0] if lines else None)
        return wanted or "modified", lines
    stated = match[1].lower()
    if stated not in CONVENTIONS:
        report.add(Finding("dh.unknown_convention", convention=match[1]), lines[0][0])
    elif wanted not in (None, stated):
        report.add(Finding("dh.other_convention", stated=stated, wanted=wanted), lines[0][0])
    return stated, lines[1:]


def _table(lines: list[tuple[int, str]], report: Report) -> list[_Row]:
    """The rows as texts under the header's names, with the line of each."""
    if not 2 <= len(lines) <= MAX_FRAMES + 1:
        report.add(Finding("dh.header", most=MAX_FRAMES, columns=COLUMNS))
        return []
    try:
        cells = [[cell.strip() for cell in row] for row in csv.reader([line for _, line in lines], strict=True)]
    except csv.Error as error:
        report.add(Finding("dh.no_csv", reason=str(error)), lines[0][0])
        return []
    if len(cells) != len(lines):
        report.add(Finding("dh.lines"), lines[0][0])
        return []
    header = [name.lower() for name in cells[0]]
    for column in header:
        if column not in COLUMNS or header.count(column) > 1:
            report.add(Finding("dh.column", column=column, allowed=COLUMNS), lines[0][0])
    rows: list[_Row] = []
    for (number, _), row in zip(lines[1:], cells[1:], strict=True):
        if len(row) != len(header):
            report.add(Finding("dh.cells", cells=len(row), columns=len(header)), number, len(rows) + 1)
        rows.append(dict(zip(header, row, strict=False)) | {"line": number})
    return rows


def _joints(rows: list[_Row], convention: str, report: Report) -> tuple[Joint, ...]:
    for index, row in enumerate(rows, 1):
        _parse(index, row, report)
    report.raise_errors()
    variables = _variables(rows, report)
    report.raise_errors()
    joints = []
    for index, row in enumerate(rows, 1):
        source = row if convention == "modified" else rows[index - 2] if index > 1 else {"alpha": ZERO, "a": ZERO}
        joint = Joint(
            index=index,
            name=row.get("name") or f"joint{index}",
            parent=index - 1,
            kind=row["kind"],
            alpha=source["alpha"],
            d=source["a"],
            theta=row["theta"],
            r=row["d"],
            variable=variables.get(index),
        )
        joints.append(_moved(joint, row["offset"]))
    return tuple(joints)


def _moved(joint: Joint, offset: Value) -> Joint:
    """The joint with an offset added to its position."""
    if is_zero(offset):
        return joint
    position: dict[str, Any] = {joint.moving: Apply("+", (joint.position, offset))}
    return replace(joint, **position)


def _parse(index: int, row: _Row, report: Report) -> None:
    """Replace the texts of a row by its kind and values."""
    line, kind = row["line"], row.get("kind") or "revolute"
    if kind.lower() not in KINDS:
        report.add(Finding("dh.kind", kind=kind, allowed=KINDS), line, index)
    row["kind"] = KINDS.get(kind.lower(), JointKind.REVOLUTE)
    for name in ("theta", "d", "a", "alpha", "offset"):
        row[name] = (report.value(name, row[name], line, index) if row.get(name) else None) or ZERO


def _variables(rows: list[_Row], report: Report) -> dict[int, str]:
    moving = {JointKind.REVOLUTE: "theta", JointKind.PRISMATIC: "d"}
    positions = {j: row[moving[row["kind"]]] for j, row in enumerate(rows, 1) if row["kind"] in moving}
    others = [row[n] for row in rows for n in ("theta", "d", "a", "alpha", "offset") if n != moving.get(row["kind"])]
    return Variables(positions, others).find({}, report, _line_of(rows))


def _line_of(rows: list[_Row]) -> LineOf:
    return lambda where, joint: rows[joint - 1]["line"] if joint is not None and 1 <= joint <= len(rows) else None


def _flange(rows: list[_Row], link: int) -> Frame:
    """The frame that a standard table has after its last joint: Tx(a) Rx(alpha)."""
    return Frame(FLANGE, link, end_pose(rows[-1]["a"], rows[-1]["alpha"]))


def write_text(robot: Robot, convention: Convention = "modified") -> str:
    """The geometry of a serial robot as CSV; `FormatError` if the convention cannot describe it."""
    problems = list(_unsayable(robot, convention))
    if problems:
        raise FormatError(problems)
    lines = [f"# {robot.name}: geometry alone", f"convention = {convention}", "name,kind,theta,d,a,alpha"]
    for joint, source in zip(robot.joints, _sources(robot, convention), strict=True):
        cells = (joint.theta, joint.r, source.d if source else ZERO, source.alpha if source else ZERO)
        lines.append(",".join([_cell(joint.name), joint.kind.value, *(_cell(to_text(cell)) for cell in cells)]))
    return "\n".join(lines) + "\n"


def _sources(robot: Robot, convention: Convention) -> list[Joint | None]:
    """For each row the joint whose alpha and d it contains: in a standard table, the next joint."""
    return [*robot.joints] if convention == "modified" else [*robot.joints[1:], None]


def _cell(text: str) -> str:
    """A cell on one line, between quotes if necessary."""
    line = " ".join(text.split())
    quoted = line.replace('"', '""')
    return f'"{quoted}"' if any(char in line for char in ',"#') else line


def _unsayable(robot: Robot, convention: Convention) -> list[Finding]:
    if convention not in CONVENTIONS:
        return [Finding("dh.convention", convention=convention, allowed=CONVENTIONS)]
    problems = [] if is_serial(robot) else [Finding("dh.not_serial", robot=robot.name)]
    for joint in robot.joints:
        if not (is_zero(joint.gamma) and is_zero(joint.b)):
            problems.append(Finding("dh.gamma_b", place=Place(joint=joint.index)))
    first = robot.joints[0]
    if convention == "standard" and not (is_zero(first.alpha) and is_zero(first.d)):
        problems.append(Finding("dh.alpha_d", place=Place(joint=1)))
    return problems or _unclear_variables(robot)


def _unclear_variables(robot: Robot) -> list[Finding]:
    """A table has neither values nor names of variables: a reader must find them in the positions alone."""
    positions = {joint.index: joint.position for joint in robot.joints if joint.movable}
    others = [value for j in robot.joints for value in (j.d, j.alpha, *((j.r,) if j.revolute else (j.theta,)))]
    variables = Variables(positions, others).find({}, Report(None), lambda where, joint: None)
    unclear = [joint for joint in robot.joints if joint.movable and variables.get(joint.index) != joint.variable]
    return [
        Finding("dh.unclear", place=Place(joint=joint.index), position=to_text(joint.position)) for joint in unclear
    ]
