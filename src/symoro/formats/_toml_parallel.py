"""Parallel robots in TOML: [platform], [leg] and [[legs]], read and written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.errors import RobotError
from symoro.findings import Finding
from symoro.formats import _toml_write as out
from symoro.formats._report import Reading, Report
from symoro.formats._toml_part import Lines, TomlTable, read_inertia
from symoro.robot import library
from symoro.robot.base import IDENTITY, Base, Pose
from symoro.robot.check import check
from symoro.robot.joint import ANGLES, GEOMETRY, Joint, JointKind, angle_in_degrees
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.parallel import ParallelRobot, placed_frame
from symoro.robot.robot import Attachment, ClosureKind, Robot, parameters
from symoro.robot.symbolic import snap, substituted
from symoro.robot.values import ZERO, Bindings, Symbol, Value, is_zero, symbols

# Parallel robots in the native format: a platform, one leg or one robot for all legs, and a table of placements.


_ARRAYS = ("joints", "cuts", "frames")
DOCUMENT = (
    *("format", "kind", "name", "title", "source", "gravity", "given", "base", "platform", "joints", "frames"),
    *("leg", "legs"),
    "values",
)
PLATFORM = ("inertia", "home", "branch", "wrench")
LEG = ("robot", "name", "title", "source", *_ARRAYS, "values", "attachment", "end")
PLACEMENT = ("base", "platform", *LEG)
_PLACES = ("base", "platform", "attachment", "end")
ATTACHMENTS = [kind.value for kind in ClosureKind]


@dataclass(frozen=True, slots=True)
class Readers:
    """How the parts of a document are read that other robots have, too."""

    robot: Callable[[TomlTable, str], Robot]
    """From the tables of a leg, or of the joints that belong to none, to a robot."""
    base: Callable[[TomlTable, Mapping[str, list[int]]], Base]
    values: Callable[[TomlTable], Bindings]
    text: Callable[[str, str], Reading]
    """From the text of a file to a robot."""
    line: Callable[[Lines, str, int | None], int | None]
    """The line of a field of a robot or of one of its joints."""


def read_parallel(document: TomlTable, name: str, readers: Readers) -> Reading:
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
        document.add("legs", Finding("toml.no_legs"))
    home, branch = _pose(platform, "home"), _branch(platform)
    inertia, wrench = _platform_inertia(platform), _platform_wrench(platform)
    tree, values = _tree(document, inertia, wrench, readers), readers.values(document.part("values"))
    gravity = document.row("gravity", (ZERO, ZERO, Symbol("G3")))
    name, title, source = document.text("name", name), document.text("title"), document.text("source")
    report.raise_errors()
    robot = ParallelRobot(
        tree,
        [one for one, _, _ in rows],
        [attachment for _, attachment, _ in rows],
        name,
        home=home,
        branch=branch,
        given=document.text("given") or None,
        base=tree.base,
        gravity=gravity,
        values=values,
        title=title,
        source=source,
    )
    return _finished(robot, report, lambda finding: _line(finding, document.lines, tables, readers))


def _tree(document: TomlTable, inertia: Inertia, wrench: Wrench, readers: Readers) -> Robot:
    """The joints that belong to no leg, and behind them that of the platform, which they may have as their parent."""
    rows = document.data.get("joints", [])
    n = len(rows) + 1 if isinstance(rows, list) else 1
    data = {key: document.data[key] for key in ("base", "joints", "frames") if key in document.data}
    if n > 1:
        on_platform = [isinstance(row, dict) and row.get("parent") == "platform" for row in rows]
        pairs = zip(rows, on_platform, strict=True)
        data["joints"] = [{**row, "parent": n} if carried else row for row, carried in pairs]
    others = readers.robot(TomlTable(data, document.lines, document.report), "tree")
    return replace(
        others,
        joints=(*others.joints, Joint(n, "platform", 0, JointKind.FREE)),
        inertias=(*others.inertias, inertia),
        drives=(*others.drives, Drive()),
        wrenches=(*others.wrenches, wrench),
    )


def _finished(robot: Robot, report: Report, line: Callable[[Finding], int | None]) -> Reading:
    """The robot with exact numbers, and the problems that a check finds."""
    report.raise_errors()
    exact, notes = snap(robot)
    for finding in (*(_placed_note(exact, note) for note in notes), *check(exact)):
        report.add(finding, line(finding))
    return report.reading(exact)


def _placed_note(robot: Robot, note: Finding) -> Finding:
    """A note of a joint of the whole robot, at the joint of the leg or at the platform."""
    j = note.place.joint
    for i, group in enumerate((group for group in robot.groups if group.numbered), 1):
        if j in group.joints:
            return note.at(leg=i, joint=group.joints.index(j) + 1)
    if j == robot.parts.platform:
        return note.at(joint=None, platform=True)
    return note if j is None else note.at(joint=[0, *_of_no_leg(robot)].index(j))


def _of_no_leg(robot: Robot) -> list[int]:
    """The joints that belong to no leg, in their order."""
    of_legs = {j for group in robot.groups if group.numbered for j in group.joints}
    return [joint.index for joint in robot.joints if joint.index not in of_legs]


def _line(finding: Finding, lines: Lines, tables: Sequence[Lines], readers: Readers) -> int | None:
    """The line of a problem: in the row or the tables of a leg, at the platform, or elsewhere in the document."""
    place = finding.place
    table, _, entry = place.cell.partition(".")
    if place.leg and table in (*_PLACES, ""):
        return lines.of("legs", table, place.leg)
    at_base = lines.numbers.get(("legs", place.leg or 0, "base"))
    if place.leg and place.joint == 1 and table in GEOMETRY and at_base:  # the first joint has the numbers of the base
        return tables[place.leg - 1].numbers.get(("joints", 1, table), at_base)
    if place.leg:
        line = readers.line(tables[place.leg - 1], place.cell, place.joint)
        return line or lines.of("legs", "", place.leg)
    if table in PLATFORM and place.joint is None:
        return lines.numbers.get((f"platform.{table}", 0, entry)) or lines.of("platform", table)
    return readers.line(lines, place.cell, place.joint)


def _legs(document: TomlTable, leg: TomlTable, readers: Readers) -> Iterator[tuple[Robot, Attachment, Lines]]:
    """The legs with their attachments and lines; a leg that has no tables of its own is the common one."""
    placements = list(document.parts("legs"))
    own_keys = [part.data.keys() & {"joints", "robot"} for part in placements]
    common = None if placements and all(own_keys) else _leg(leg, readers, Counter())
    before = Counter[str]()
    for part, described in zip(placements, own_keys, strict=True):
        shared = None if described else common
        robot = _leg(part, readers, before) if shared is None else shared
        yield *_placed(leg, part, robot), _lines_of(part, before) if shared is None else _lines_of(leg, Counter())
        before.update({key: len(part.data.get(key, ())) for key in _ARRAYS if isinstance(part.data.get(key), list)})


def _lines_of(part: TomlTable, before: Counter[str]) -> Lines:
    """The lines of the tables of a leg; `before` counts the joints, cuts and frames of legs before it."""
    lines, prefix = Lines(""), f"{part.section}."
    for (section, i, key), n in part.lines.numbers.items():
        name = section.removeprefix(prefix)
        array = name.partition(".")[0]
        place = i - before[array] if array in _ARRAYS else i == part.index
        if section.startswith(prefix) and place > 0:
            lines.numbers[name, place if array in _ARRAYS else 0, key] = n
    return lines


def _leg(part: TomlTable, readers: Readers, before: Counter[str]) -> Robot:
    """The robot that a leg is: of the library by its name, or of the tables of the leg."""
    if "robot" not in part.data:
        kept = ("title", "source", *_ARRAYS, "values")
        tables = {key: part.data[key] for key in kept if key in part.data}
        inner = TomlTable(tables, _lines_of(part, before), part.report)
        return readers.robot(inner, part.text("name", "leg"))
    name = part.text("robot")
    try:
        text = library.text(name)
    except RobotError as error:
        part.add("robot", Finding("files.key", key="robot", reason=error.finding))
        return Robot("leg", (Joint(1, "none", 0),))
    robot = readers.text(text, name).robot
    if robot.platforms:
        part.add("robot", Finding("toml.leg_with_platform", robot=name))
        return Robot("leg", (Joint(1, "none", 0),))
    return replace(robot, wrenches=())  # the platform takes what acts on the end


def _placed(leg: TomlTable, part: TomlTable, described: Robot) -> tuple[Robot, Attachment]:
    """A leg at its place on the base, and its attachment."""
    part.only(*PLACEMENT)
    first, *others = described.joints or (Joint(1, "none", 0),)
    geometry = _inner(part, "base", [name for name in GEOMETRY if not (first.movable and name == first.moving)])
    if geometry and sum(joint.parent == 0 for joint in described.joints) > 1:
        part.add("base", Finding("toml.base_of_leg"))
    source = part if "attachment" in part.data else leg
    kind = source.choice("attachment", "spherical", ATTACHMENTS)
    end = part.data.get("end", leg.data.get("end"))
    if end is not None and (isinstance(end, bool) or not isinstance(end, int | str)):
        part.add("end", Finding("toml.end", end=repr(end)))
        end = None
    attachment = Attachment(ClosureKind(kind), _pose(part, "platform"), end)
    return replace(described, joints=(replace(first, **geometry), *others)), attachment


def _branch(part: TomlTable) -> tuple[int, ...] | None:
    """The working mode: a branch for each leg."""
    branch = part.data.get("branch")
    if branch is None:
        return None
    if not isinstance(branch, list) or not all(type(number) is int and number >= 0 for number in branch):
        part.add("branch", Finding("toml.branch", branch=repr(branch)))
        return None
    return tuple(branch)


def _pose(part: TomlTable, key: str) -> Pose:
    """A frame by the six parameters of a joint, by a point in an array of three values, or by four rows of four."""
    frame = part.data.get(key)
    if isinstance(frame, list) and frame and isinstance(frame[0], list):
        return part.pose(key)
    if isinstance(frame, list):
        return placed_frame(dict(zip("xyz", part.row(key, (ZERO, ZERO, ZERO)), strict=True)))
    parameters = _inner(part, key, GEOMETRY, "toml.no_pose")
    for finding in (f for name in ANGLES & parameters.keys() for f in angle_in_degrees(name, parameters[name])):
        part.add(key, finding)
    return placed_frame(parameters)


def _inner(part: TomlTable, key: str, allowed: Sequence[str], code: str = "toml.not_a_table") -> dict[str, Any]:
    """The values of a table; `code` is what is said of what is none."""
    table = part.data.get(key, {})
    if not isinstance(table, dict):
        part.add(key, Finding(code, key=key, allowed=allowed))
        return {}
    for name in table:
        if name not in allowed:
            part.add(key, Finding("toml.unknown_key", key=name, table=key, allowed=allowed))
    return {name: part.convert(f"{key}.{name}", x) for name, x in table.items() if name in allowed}


def _platform_inertia(part: TomlTable) -> Inertia:
    return Inertia.symbolic("P") if part.data.get("inertia") == "symbolic" else read_inertia(part, 0)


def _platform_wrench(part: TomlTable) -> Wrench:
    return Wrench.symbolic("P") if part.data.get("wrench") == "symbolic" else part.table("wrench", Wrench, 0)


# Writes a parallel robot as TOML: one leg and a table of placements where legs are alike, else each leg.


def write_parallel(robot: Robot) -> str:
    """The TOML text of a parallel robot; reading it gives the same robot."""
    lines = ["format = 1", 'kind = "parallel"', f"name = {out.string(robot.name)}"]
    lines += [f"{key} = {text}" for key, text in out.texts(robot)]
    lines.append(f"gravity = {out.array(robot.gravity)}")
    lines += out.given(robot)
    lines += out.section("[base]", out.base_entries(robot.parts.tree.base))
    lines += ["", "[platform]", *(f"{key} = {text}" for key, text in _platform(robot))]
    lines += _joints(robot)
    lines += _leg_tables(robot)
    of_legs = {name: value for leg in robot.legs for name, value in leg.values.items()}
    values = {name: value for name, value in robot.values.items() if of_legs.get(name) != value}
    lines += out.section("[values]", out.values(values))
    return "\n".join(lines) + "\n"


def _platform(robot: Robot) -> out.Texts:
    yield from out.table("inertia", robot.platform, "P")
    yield from out.table("wrench", robot.platform_wrench, "P")
    yield "home", _matrix(robot.home_pose)
    if robot.branch is not None:
        yield "branch", str(list(robot.branch))


def _joints(robot: Robot) -> Iterator[str]:
    """The joints that belong to no leg; the platform comes behind them."""
    tree = robot.parts.tree
    *others, platform = tree.joints
    if not platform.free:
        raise RobotError("toml.order", robot=robot.name)
    for line in out.body(replace(tree, joints=tuple(others), values=Bindings())):
        yield 'parent = "platform"' if line == f"parent = {platform.index}" else line


def _matrix(pose: Pose) -> str:
    """A point, or the rows of a frame that is turned."""
    point = tuple(row[3] for row in pose[:3])
    moved = (*((*row[:3], x) for row, x in zip(IDENTITY[:3], point, strict=True)), IDENTITY[3])
    return out.array(point) if pose == moved else out.matrix(pose)


def _leg_tables(robot: Robot) -> Iterator[str]:
    bare = [_bare(leg, i) for i, leg in enumerate(robot.legs, 1)]
    if not bare or any(leg is None for leg in bare):
        yield from _different(robot)
        return
    placements = [{name: getattr(leg.joints[0], name) for name in _places(leg.joints[0])} for leg in bare if leg]
    same = {name for name in placements[0] if all(place.get(name) == placements[0][name] for place in placements)}
    alike = [_moved(leg, same) for leg in bare if leg]
    if any(leg != alike[0] for leg in alike):
        yield from _different(robot)
        return
    first, *others = robot.attachments
    shared = {
        key: text for key, text in _attachment(first).items() if all(_attachment(a).get(key) == text for a in others)
    }
    yield from ("", "[leg]", *_named(alike[0]), *(f"{key} = {text}" for key, text in shared.items()))
    yield from out.body(alike[0], "leg.")
    for place, attachment in zip(placements, robot.attachments, strict=True):
        base = {name: value for name, value in place.items() if name not in same and not is_zero(value)}
        yield from _placement(attachment, base, set(shared))


def _different(robot: Robot) -> Iterator[str]:
    """Each leg with its own tables, in which symbols and variables have the number of the leg."""
    for leg, attachment in zip(robot.legs, robot.attachments, strict=True):
        yield from _placement(attachment, {}, set())
        yield from _named(leg)
        yield from out.body(leg, "legs.")


def _placement(attachment: Attachment, base: dict[str, Value], shared: set[str]) -> Iterator[str]:
    yield from ("", "[[legs]]")
    if base:
        yield f"base = {out.inline(base)}"
    yield f"platform = {_matrix(attachment.pose)}"
    yield from (f"{key} = {text}" for key, text in _attachment(attachment).items() if key not in shared)


def _attachment(attachment: Attachment) -> dict[str, str]:
    entries = {} if attachment.kind is ClosureKind.SPHERICAL else {"attachment": out.string(attachment.kind.value)}
    frame = attachment.frame
    if frame is not None:
        entries["end"] = out.string(frame) if isinstance(frame, str) else str(frame)
    return entries


def _named(leg: Robot) -> Iterator[str]:
    if leg.name != "leg":
        yield f"name = {out.string(leg.name)}"
    yield from (f"{key} = {text}" for key, text in out.texts(leg))


# legs alike


def _bare(leg: Robot, i: int) -> Robot | None:
    """The leg without the numbers of its symbols and variables; None where one does not have it."""
    suffix = f"_{i}"
    plain = replace(leg, gravity=(ZERO,) * 3)
    variables = [joint.variable for joint in leg.joints if joint.variable]
    used = {name for value in (*parameters(plain), *leg.values.values()) for name in symbols(value)}
    names = {*used, *variables, *leg.values}
    if not all(name.endswith(suffix) for name in names):
        return None
    new: dict[str, Value] = {name: Symbol(name.removesuffix(suffix)) for name in names}
    values = {name.removesuffix(suffix): substituted(value, new) for name, value in leg.values.items()}
    bare = substituted(replace(plain, values=Bindings()), new)
    joints = tuple(replace(j, variable=j.variable.removesuffix(suffix)) if j.variable else j for j in bare.joints)
    return replace(bare, joints=joints, values=Bindings(values))


def _places(joint: Joint) -> list[str]:
    """The parameters of a leg's first joint that place it."""
    return [name for name in GEOMETRY if not (joint.movable and name == joint.moving)]


def _moved(leg: Robot, same: set[str]) -> Robot:
    """The leg with its first joint at the place that all legs share."""
    first, *others = leg.joints
    zero: dict[str, Any] = {name: ZERO for name in _places(first) if name not in same}
    return replace(leg, joints=(replace(first, **zero), *others))
