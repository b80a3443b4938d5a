"""Parallel robots in the native format: a platform, one leg or one robot for all legs, and a table of placements."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.errors import RobotError
from symoro.formats._report import Reading, Report
from symoro.formats._toml_lines import Lines
from symoro.formats._toml_part import Part, read_inertia
from symoro.robot import library
from symoro.robot._finding import Finding
from symoro.robot.base import Pose
from symoro.robot.check import findings
from symoro.robot.joint import GEOMETRY, Joint
from symoro.robot.link import Inertia, Wrench
from symoro.robot.parallel import Attachment, AttachmentKind, ParallelRobot, placed_frame
from symoro.robot.robot import Robot
from symoro.robot.snap import snap
from symoro.robot.values import ZERO, Bindings, Symbol

_ARRAYS = ("joints", "cuts", "frames")
DOCUMENT = ("format", "kind", "name", "title", "source", "gravity", "platform", "leg", "legs", "values")
PLATFORM = ("inertia", "home", "wrench")
LEG = ("robot", "name", "title", "source", *_ARRAYS, "values", "attachment", "end")
PLACEMENT = ("base", "platform", *LEG)
_PLACES = ("base", "platform", "attachment", "end")
ATTACHMENTS = [kind.value for kind in AttachmentKind]


@dataclass(frozen=True, slots=True)
class Readers:
    """How the parts of a document are read that other robots have, too."""

    robot: Callable[[Part, str], Robot]
    """From the tables of a leg to a robot."""
    values: Callable[[Part], Bindings]
    text: Callable[[str, str], Reading]
    """From the text of a file to a robot."""
    line: Callable[[Lines, str, int | None], int | None]
    """The line of a field of a robot or of one of its joints."""


def read_parallel(document: Part, name: str, readers: Readers) -> Reading:
    """The robot of a document."""
    report = document.report
    document.only(*DOCUMENT)
    platform = document.part("platform")
    platform.only(*PLATFORM)
    leg = document.part("leg")
    leg.only(*LEG)
    rows = list(_legs(document, leg, readers))
    tables = [lines for _, _, lines in rows]
    if not rows:
        document.error("legs", "the robot has no legs (allowed: a table [[legs]] for each leg)")
    home = _pose(platform, "home")
    inertia, wrench = _platform_inertia(platform), _platform_wrench(platform)
    values = readers.values(document.part("values"))
    gravity = document.row("gravity", (ZERO, ZERO, Symbol("G3")))
    name, title, source = document.text("name", name), document.text("title"), document.text("source")
    report.raise_errors()
    robot = ParallelRobot(
        inertia,
        [one for one, _, _ in rows],
        [attachment for _, attachment, _ in rows],
        name,
        home=home,
        platform_wrench=wrench,
        gravity=gravity,
        values=values,
        title=title,
        source=source,
    )
    return _finished(robot, report, lambda finding: _line(finding, document.lines, tables, readers))


def _finished(robot: ParallelRobot, report: Report, line: Callable[[Finding], int | None]) -> Reading:
    """The robot with the problems that a check finds."""
    report.raise_errors()
    for finding in findings(robot):
        report.add(finding.severity, finding.message, line(finding))
    report.raise_errors()
    problems = tuple(report.problems)
    return Reading(replace(robot, notes=tuple(map(str, problems))), problems)


def _line(finding: Finding, lines: Lines, tables: Sequence[Lines], readers: Readers) -> int | None:
    """The line of a problem: in the row or the tables of a leg, at the platform, or elsewhere in the document."""
    table, _, entry = finding.where.partition(".")
    if finding.leg and table in (*_PLACES, ""):
        return lines.of("legs", table, finding.leg)
    if finding.leg:
        found = readers.line(tables[finding.leg - 1], finding.where, finding.joint)
        return found or lines.of("legs", "", finding.leg)
    if table in PLATFORM:
        return lines.found.get((f"platform.{table}", 0, entry)) or lines.of("platform", table)
    return readers.line(lines, finding.where, None)


def _legs(document: Part, leg: Part, readers: Readers) -> Iterator[tuple[Robot, Attachment, Lines]]:
    """The legs with their attachments and lines; a leg that has no tables of its own is the common one."""
    placements = list(document.parts("legs"))
    own = [part.data.keys() & {"joints", "robot"} for part in placements]
    common = None if placements and all(own) else _leg(leg, readers, Counter())
    before = Counter[str]()
    for part, described in zip(placements, own, strict=True):
        shared = None if described else common
        made = _leg(part, readers, before) if shared is None else shared
        yield *_placed(leg, part, made), _lines_of(part, before) if shared is None else _lines_of(leg, Counter())
        before.update({key: len(part.data.get(key, ())) for key in _ARRAYS if isinstance(part.data.get(key), list)})


def _lines_of(part: Part, before: Counter[str]) -> Lines:
    """The lines of the tables of a leg; `before` counts the joints, cuts and frames of legs before it."""
    lines, prefix = Lines(""), f"{part.section}."
    for (section, i, key), n in part.lines.found.items():
        name = section.removeprefix(prefix)
        array = name.partition(".")[0]
        place = i - before[array] if array in _ARRAYS else i == part.index
        if section.startswith(prefix) and place > 0:
            lines.found[name, place if array in _ARRAYS else 0, key] = n
    return lines


def _leg(part: Part, readers: Readers, before: Counter[str]) -> Robot:
    """The robot that a leg is: of the library by its name, or of the tables of the leg."""
    if "robot" not in part.data:
        kept = ("title", "source", *_ARRAYS, "values")
        tables = {key: part.data[key] for key in kept if key in part.data}
        inner = Part(tables, _lines_of(part, before), part.report)
        return snap(readers.robot(inner, part.text("name", "leg")))[0]
    name = part.text("robot")
    try:
        text = library.text(name)
    except RobotError as error:
        part.error("robot", f"robot: {error}")
        return Robot("leg", (Joint(1, "none", 0),))
    found = readers.text(text, name).robot
    if found.parallel:
        part.error("robot", f"robot: {name} is a parallel robot (allowed: a serial, tree or closed-loop robot)")
        return Robot("leg", (Joint(1, "none", 0),))
    return replace(found, wrenches=())  # the platform takes what acts on the end


def _placed(leg: Part, part: Part, described: Robot) -> tuple[Robot, Attachment]:
    """A leg at its place on the base, and its attachment."""
    part.only(*PLACEMENT)
    first, *others = described.joints or (Joint(1, "none", 0),)
    given = _inner(part, "base", [name for name in GEOMETRY if not (first.movable and name == first.moving)])
    if given and sum(joint.parent == 0 for joint in described.joints) > 1:
        part.error("base", "base: the leg has several joints on the base (allowed: one; it may be a fixed joint)")
    source = part if "attachment" in part.data else leg
    kind = source.choice("attachment", "spherical", ATTACHMENTS)
    end = part.data.get("end", leg.data.get("end"))
    if end is not None and (isinstance(end, bool) or not isinstance(end, int | str)):
        part.error("end", f"end = {end!r} (allowed: the number or the name of a frame of the leg)")
        end = None
    attachment = Attachment(AttachmentKind(kind), _pose(part, "platform"), end)
    return replace(described, joints=(replace(first, **given), *others)), attachment


def _pose(part: Part, key: str) -> Pose:
    """A frame by the six parameters of a joint, by a point in an array of three values, or by four rows of four."""
    given = part.data.get(key)
    if isinstance(given, list) and given and isinstance(given[0], list):
        return part.pose(key)
    if isinstance(given, list):
        return placed_frame(dict(zip("xyz", part.row(key, (ZERO, ZERO, ZERO)), strict=True)))
    return placed_frame(_inner(part, key, GEOMETRY, "{}, a point of three values, or four rows of four values"))


def _inner(part: Part, key: str, allowed: Sequence[str], ways: str = "{}") -> dict[str, Any]:
    given = part.data.get(key, {})
    if not isinstance(given, dict):
        table = f"a table of {', '.join(allowed)}"
        part.error(key, f"{key} is not a table (allowed: {ways.format(table)})")
        return {}
    for name in given:
        if name not in allowed:
            part.error(key, f"unknown key {name!r} in {key} (allowed: {', '.join(allowed)})")
    return {name: part.convert(f"{key}.{name}", x) for name, x in given.items() if name in allowed}


def _platform_inertia(part: Part) -> Inertia:
    return Inertia.symbolic("P") if part.data.get("inertia") == "symbolic" else read_inertia(part, 0)


def _platform_wrench(part: Part) -> Wrench:
    return Wrench.symbolic("P") if part.data.get("wrench") == "symbolic" else part.table("wrench", Wrench, 0)
