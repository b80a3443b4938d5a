"""The native format, a TOML document: see docs/formats.md."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from symoro.errors import ValueSyntaxError
from symoro.findings import Finding
from symoro.formats._report import MAX_FRAMES, Reading, Report, Variables
from symoro.formats._toml_part import Decimal, Lines, TomlTable, is_hostile, place, read_inertia
from symoro.robot.base import NO_WRENCH, STILL, WEIGHTLESS, Base, BaseKind, Frame, Wheel
from symoro.robot.joint import GEOMETRY, MOTION, NO_MOTOR, Joint, JointKind
from symoro.robot.link import Drive, Wrench
from symoro.robot.robot import Robot, cut_closures, parameters
from symoro.robot.values import ZERO, Bindings, Symbol, Value, is_zero, symbols

__all__ = ["read_text", "write_text"]

VERSION = 1
DOCUMENT = (
    "format",
    "name",
    "title",
    "source",
    "gravity",
    "given",
    "home",
    "coupling",
    "base",
    "joints",
    "cuts",
    "frames",
    "values",
)
BASE = ("kind", "pose", "V0", "VP0", "inertia", "wrench", "wheels")
JOINT = (
    *("name", "parent", "kind", *GEOMETRY, "variable", "actuated", "elastic", "stiffness", "rest", "limits"),
    *("inertia", "drive", "wrench", *MOTION.values()),
)


def write_text(robot: Robot) -> str:
    """The TOML text of a robot."""
    if robot.platforms:
        from symoro.formats._toml_parallel import write_parallel  # who reads a file does not need it

        return write_parallel(robot)
    from symoro.formats._toml_write import write_text

    return write_text(robot)


def read_text(text: str, name: str, file: str | None = None) -> Reading:
    """The robot of a TOML text; `name` is its name if the text gives none."""
    report = Report(file)
    report.size(text)
    lines = Lines(text)
    document = TomlTable(load_toml(text, report), lines, report)
    if document.integer("format", VERSION) != VERSION:
        document.add("format", Finding("toml.version", version=document.integer("format", VERSION), allowed=VERSION))
    if document.data.get("kind") == "parallel":
        from symoro.formats._toml_parallel import Readers, read_parallel  # most robots are not parallel

        return read_parallel(document, name, Readers(_of_leg, read_base, values_of, read_text, line_of))
    document.only(*DOCUMENT)
    parts = list(document.parts("joints"))
    if len(parts) > MAX_FRAMES:
        report.add(Finding("toml.joints", joints=len(parts), most=MAX_FRAMES))
        report.raise_errors()
    robot = _TomlDraft(document, parts).robot(document.text("name", name))
    return report.finish(robot, lambda where, joint: line_of(lines, where, joint))


def _of_leg(document: TomlTable, name: str) -> Robot:
    """The robot of the tables of a leg."""
    return _TomlDraft(document, list(document.parts("joints"))).robot(name)


def load_toml(text: str, report: Report, first: int = 1) -> dict[str, Any]:
    """The tables of a TOML text whose first line is line `first` of the file."""
    if is_hostile(text):
        report.add(Finding("toml.hostile"))
        report.raise_errors()
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as error:
        message, line = place(error, text, first)
        report.add(Finding("toml.no_toml", reason=message), line)
        report.raise_errors()
        raise


def line_of(lines: Lines, where: str, joint: int | None) -> int | None:
    """The line of a field; `inertia.ZZ` has a line of its own, or is in that of `inertia`."""
    table, _, entry = where.partition(".")
    if entry:
        sections = (f"joints.{table}",) if joint is not None else (table, f"base.{table}")
        exact = (lines.numbers.get((section, joint or 0, entry)) for section in sections)
        return next(filter(None, exact), None) or line_of(lines, table, joint)
    if joint is not None and where != "values":
        return lines.of("joints", where, joint)
    if where in BASE and (line := lines.of("base", where)):
        return line
    return lines.of(where) or lines.of("", where)


class _TomlDraft:
    """Reads the parts of a document."""

    def __init__(self, document: TomlTable, parts: list[TomlTable]) -> None:
        self.document, self.parts = document, parts
        for part in parts:
            part.only(*JOINT)
        self.kinds = [part.choice("kind", "revolute", ["revolute", "prismatic", "fixed"]) for part in parts]
        self.geometry: list[dict[str, Any]] = [{name: part.value(name) for name in GEOMETRY} for part in parts]
        self.inertias = tuple(read_inertia(part, part.index) for part in parts)
        self.drives = tuple(part.table("drive", Drive, part.index) for part in parts)
        self.wrenches = tuple(part.table("wrench", Wrench, part.index) for part in parts)
        self.names = joint_names(parts)
        self.base = read_base(document, self.names)
        self.gravity = document.row("gravity", (ZERO, ZERO, Symbol("G3")))
        self.frames = read_frames(document, self.names)
        self.values = read_values(document)
        self.variables = self._variables()

    def robot(self, name: str) -> Robot:
        cuts = tuple(self._cuts())
        links = max(0, len(self.parts) - 2 * len(cuts))
        for part in self.parts[links:]:
            for key in ("inertia", "drive", "wrench"):
                if key in part.data:
                    part.add(key, Finding("toml.link_of_cut", key=key))
        joints = tuple(self._joint(part) for part in self.parts)
        return Robot(
            name=name,
            joints=joints,
            inertias=self.inertias[:links],
            drives=self.drives[:links],
            wrenches=self.wrenches[:links],
            base=self.base,
            gravity=self.gravity,
            frames=self.frames,
            closures=cut_closures(joints, cuts),
            values=self.values,
            title=self.document.text("title"),
            source=self.document.text("source"),
            coupling=self.document.matrix("coupling"),
            **read_coordinates(self.document),
        )

    def _cuts(self) -> Iterator[tuple[int, int]]:
        for part in self.document.parts("cuts"):
            part.only("joint", "mate")
            for key in (key for key in ("joint", "mate") if key not in part.data):
                part.add(key, Finding("toml.no_key", key=key, table="[[cuts]]"))
            yield numbered(part, "joint", 0, self.names), numbered(part, "mate", 0, self.names)

    def _variables(self) -> dict[int, str]:
        """The variable of each joint: named in the file, else q<j> if the position has it, else by `Variables`."""
        positions: dict[int, Value] = {}
        others: list[Value] = []
        named: dict[int, str] = {}
        for part, kind, geometry in zip(self.parts, self.kinds, self.geometry, strict=True):
            moving = JointKind(kind).moving
            others += [value for name, value in geometry.items() if name != moving]
            if moving is not None:
                positions[part.index] = geometry[moving]
                named |= self._named(part, geometry[moving])
        others += parameters((self.inertias, self.drives, self.wrenches, self.base, self.gravity, self.frames))
        variables = Variables(positions, others, self.values)
        lines = self.document.lines
        return variables.find(named, self.document.report, lambda where, joint: line_of(lines, where, joint))

    def _named(self, part: TomlTable, position: Value) -> dict[int, str]:
        default = f"q{part.index}"
        if "variable" not in part.data:
            return {part.index: default} if is_zero(position) or default in symbols(position) else {}
        return {part.index: part.symbol("variable", default)}

    def _joint(self, part: TomlTable) -> Joint:
        j, kind = part.index, JointKind(self.kinds[part.index - 1])
        if kind is JointKind.FIXED and "variable" in part.data:
            part.add("variable", Finding("toml.fixed_with_variable"))
        joint = Joint(
            index=j,
            name=part.text("name", f"joint{j}"),
            parent=numbered(part, "parent", j - 1, self.names),
            kind=kind,
            actuated=part.flag("actuated", True),
            elastic=part.flag("elastic", False),
            **self.geometry[j - 1],
            variable=self.variables.get(j),
            stiffness=part.value("stiffness"),
            rest=part.value("rest"),
            limits=part.limits(),
            **read_motion(part, j),
        )
        if joint.is_follower and part.data.get("actuated") is True:
            part.add("actuated", NO_MOTOR)
        return joint


def read_motion(part: TomlTable, index: int) -> dict[str, Any]:
    """Velocity, acceleration and effort; the defaults are the usual symbols."""
    return {field: part.value(key, Symbol(f"{key}{index}")) for field, key in MOTION.items()}


def joint_names(parts: list[TomlTable]) -> dict[str, list[int]]:
    """The numbers of the joints of each name."""
    numbers: dict[str, list[int]] = {}
    for part in parts:
        name = part.data.get("name", f"joint{part.index}")
        if isinstance(name, str):
            numbers.setdefault(name, []).append(part.index)
    return numbers


def numbered(part: TomlTable, key: str, default: int, names: Mapping[str, list[int]]) -> int:
    """The number of a joint or of its link, which is given as a number or as the joint's name."""
    entry = part.data.get(key)
    if not isinstance(entry, str) or isinstance(entry, Decimal):
        return part.integer(key, default)
    numbers = names.get(entry, [])
    if len(numbers) != 1:
        code = "toml.several_joints" if numbers else "toml.no_joint"
        part.add(key, Finding(code, key=key, name=entry[:80], allowed=", ".join(names)[:400]))
        return default
    return numbers[0]


def read_base(document: TomlTable, names: Mapping[str, list[int]]) -> Base:
    part = document.part("base")
    part.only(*BASE)
    return Base(
        kind=BaseKind(part.choice("kind", "fixed", [kind.value for kind in BaseKind])),
        pose=part.pose("pose"),
        velocity=part.row("V0", STILL),
        acceleration=part.row("VP0", STILL),
        inertia=read_inertia(part, 0) if "inertia" in part.data else WEIGHTLESS,
        wrench=part.table("wrench", Wrench, 0) if "wrench" in part.data else NO_WRENCH,
        wheels=tuple(_wheel(wheel, names) for wheel in part.parts("wheels")),
    )


def _wheel(part: TomlTable, names: Mapping[str, list[int]]) -> Wheel:
    part.only("joint", "radius")
    return Wheel(numbered(part, "joint", 0, names), part.value("radius"))


def read_frames(document: TomlTable, names: Mapping[str, list[int]]) -> tuple[Frame, ...]:
    frames = []
    for part in document.parts("frames"):
        part.only("name", "link", "pose")
        frames.append(Frame(part.text("name"), numbered(part, "link", 0, names), part.pose("pose")))
    return tuple(frames)


def read_coordinates(document: TomlTable) -> dict[str, Any]:
    """The coordinates that models take, and the closed configuration that chooses the branch of loops."""
    home = {"home": values_of(document.part("home"))} if "home" in document.data else {}
    return {"given": document.text("given") or None, **home}


def read_values(document: TomlTable) -> Bindings:
    return values_of(document.part("values"))


def values_of(part: TomlTable) -> Bindings:
    """The numbers and expressions of a table of values."""
    values: dict[str, Value] = {}
    for name, entry in part.data.items():
        try:
            values[Symbol(name).name] = part.convert(name, entry)
        except ValueSyntaxError as error:
            part.add(name, error.finding)
    return Bindings(values)
