"""Writes a robot as TOML; defaults are left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from symoro.robot.base import IDENTITY, Base, BaseKind, Frame, Pose
from symoro.robot.joint import GEOMETRY, MOTION, Joint, JointKind, Limits
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.values import Number, Symbol, Value, is_zero, to_text

Texts = Iterator[tuple[str, str]]
"""Keys and the texts of their values."""


def write_text(robot: Robot) -> str:
    """The TOML text of a robot; reading it gives the same robot."""
    lines = [f"format = 1\nname = {string(robot.name)}"]
    lines += _lines(texts(robot))
    lines.append(f"gravity = {array(robot.gravity)}")
    lines += given(robot)
    if robot.coupling:
        lines.append(f"coupling = {matrix(robot.coupling)}")
    lines += section("[home]", values(robot.home_positions))
    lines += section("[base]", base_entries(robot.base))
    lines += body(robot)
    return "\n".join(lines) + "\n"


def given(robot: Robot) -> list[str]:
    """The coordinates that models take, where these are not the usual ones."""
    return [] if robot.given is None else [f"given = {string(robot.given)}"]


def body(robot: Robot, inside: str = "") -> Iterator[str]:
    """Joints, cuts, named frames and values; `inside` begins the names of their tables."""
    for joint in robot.joints:
        yield from ("", f"[[{inside}joints]]", *_lines(_joint(robot, joint)))
    for cut in robot.cuts:
        yield from ("", f"[[{inside}cuts]]", f"joint = {cut.joint}", f"mate = {cut.mate}")
    yield from tail(robot, inside)


def tail(robot: Robot, inside: str = "") -> Iterator[str]:
    """Named frames and values."""
    for frame in robot.frames:
        yield from section(f"[[{inside}frames]]", _frame(frame))
    yield from section(f"[{inside}values]", values(robot.values))


def values(entries: Mapping[str, Value]) -> Texts:
    return ((name, value(x)) for name, x in entries.items())


def texts(robot: Robot) -> Texts:
    for key in ("title", "source"):
        if text := getattr(robot, key):
            yield key, string(text)


def section(header: str, entries: Iterable[tuple[str, str]]) -> list[str]:
    """The lines of a table; none if it has no entries."""
    lines = _lines(entries)
    return ["", header, *lines] if lines else []


def _lines(entries: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{key} = {text}" for key, text in entries]


def _joint(robot: Robot, joint: Joint) -> Texts:
    if joint.name != f"joint{joint.index}":
        yield "name", string(joint.name)
    if joint.parent != joint.index - 1:
        yield "parent", str(joint.parent)
    if joint.kind is not JointKind.REVOLUTE:
        yield "kind", string(joint.kind.value)
    yield from _geometry(joint)
    if joint.movable and not joint.actuated:
        yield "actuated", "false"
    if joint.elastic:
        yield "elastic", "true"
    yield from spring(joint)
    if joint.index <= robot.link_count:
        yield from table("inertia", robot.inertia(joint.index), joint.index)
        yield from table("drive", robot.drive(joint.index), joint.index)
        yield from table("wrench", robot.wrench(joint.index), joint.index)
    yield from motion(joint)


def _geometry(joint: Joint) -> Texts:
    default = f"q{joint.index}"
    for name in GEOMETRY:
        entry = getattr(joint, name)
        usual = joint.movable and name == joint.moving and entry == Symbol(default)
        if not is_zero(entry) and not usual:
            yield name, value(entry)
    if joint.variable not in (None, default):
        yield "variable", string(str(joint.variable))


def spring(joint: Joint) -> Texts:
    for name in ("stiffness", "rest"):
        if not is_zero(getattr(joint, name)):
            yield name, value(getattr(joint, name))
    if text := _limits(joint.limits):
        yield "limits", text


def motion(joint: Joint) -> Texts:
    for field, key in MOTION.items():
        if getattr(joint, field) != Symbol(f"{key}{joint.index}"):
            yield key, value(getattr(joint, field))


def base_entries(base: Base) -> Texts:
    if base.kind is not BaseKind.FIXED:
        yield "kind", string(base.kind.value)
    if base.pose != IDENTITY:
        yield "pose", matrix(base.pose)
    for key, row in (("V0", base.velocity), ("VP0", base.acceleration)):
        if not all(map(is_zero, row)):
            yield key, array(row)
    yield from table("inertia", base.inertia, 0)
    yield from table("wrench", base.wrench, 0)
    if base.wheels:
        wheels = (f"{{joint = {wheel.joint}, radius = {value(wheel.radius)}}}" for wheel in base.wheels)
        yield "wheels", array_of(wheels)


def _frame(frame: Frame) -> Texts:
    yield "name", string(frame.name)
    yield "link", str(frame.link)
    if frame.pose != IDENTITY:
        yield "pose", matrix(frame.pose)


def table(key: str, entries: Inertia | Drive | Wrench, link: int | str) -> Texts:
    """A table of entries on one line; nothing if all entries are 0."""
    if entries == type(entries).symbolic(link):
        yield key, '"symbolic"'
    elif not entries.is_zero:
        yield key, inline({name: entry for name, entry in entries.items() if not is_zero(entry)})


def _limits(limits: Limits) -> str:
    named = {name: getattr(limits, name) for name in ("lower", "upper", "velocity", "effort")}
    entries = {name: entry for name, entry in named.items() if entry is not None}
    return inline(entries) if entries else ""


def inline(entries: Mapping[str, Value]) -> str:
    return "{" + ", ".join(f"{name} = {value(entry)}" for name, entry in entries.items()) + "}"


def matrix(rows: Pose) -> str:
    return array_of(array(row) for row in rows)


def array(values: Sequence[Value]) -> str:
    return array_of(map(value, values))


def array_of(texts: Iterable[str]) -> str:
    return "[" + ", ".join(texts) + "]"


def value(entry: Value) -> str:
    """A number as a TOML number, any other value as a text."""
    text = to_text(entry)
    return text if isinstance(entry, Number) and "/" not in text else string(text)


def string(text: str) -> str:
    """A text between quotes; a text of several lines keeps its lines."""
    if "\n" in text and not any(char in '"\\' or (char < " " and char != "\n") or char == "\x7f" for char in text):
        return f'"""\n{text}"""'
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    return f"\\u{ord(char):04x}" if char < " " or char == "\x7f" else char
