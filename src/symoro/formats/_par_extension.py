"""The data for which a `.par` file has no lists, written as TOML in a comment, which other programs ignore.

(* symoro:
title = "Staubli RX-90"
[[joints]]
index = 1
name = "waist"
*)
"""

from __future__ import annotations

from collections.abc import Iterator

from symoro.formats import _toml_write as out
from symoro.formats._par_text import Comment
from symoro.formats._report import Report
from symoro.formats._toml_part import Lines, TomlTable
from symoro.formats.toml import load_toml, read_base, read_coordinates, read_frames, read_values
from symoro.robot.base import Base, BaseKind
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot

MARK = "symoro:"
_DOCUMENT = ("name", "title", "source", "given", "coupling", "home", "base", "joints", "frames", "values")
_BASE = ("kind", "inertia", "wrench", "wheels")
_JOINT = ("index", "name", "variable", "actuated", "stiffness", "rest", "limits", "QP", "QDP", "GAM")


class Extension:
    """The tables of the comment; they are empty if there is no such comment."""

    def __init__(self, comments: list[Comment], report: Report) -> None:
        text, first = "", 1
        for comment in comments:
            if comment.text.lstrip().startswith(MARK):
                text, first = comment.text.lstrip().removeprefix(MARK), comment.line
                break
        self.document = TomlTable(load_toml(text, report, first), Lines(text, first), report)
        self.document.only(*_DOCUMENT)
        self.document.part("base").only(*_BASE)
        self.joints: dict[int, TomlTable] = {}
        for part in self.document.parts("joints"):
            part.joint = part.integer("index", 0)
            part.only(*_JOINT)
            self.joints[part.joint] = part
        self.base = read_base(self.document, {})
        self.frames = read_frames(self.document, {})
        self.values = read_values(self.document)
        self.coordinates = read_coordinates(self.document)

    def joint(self, index: int) -> TomlTable:
        """The table of a joint."""
        return self.joints.get(index) or TomlTable({}, self.document.lines, self.document.report)

    def variables(self) -> dict[int, str]:
        """The variables of joints that the comment names."""
        return {
            index: part.symbol("variable", f"q{index}")
            for index, part in self.joints.items()
            if "variable" in part.data
        }


def write_extension(robot: Robot, name: str, unclear: dict[int, str]) -> str:
    """The comment for a robot; `name` is its name in the file, `unclear` are the variables that must be named."""
    lines = [] if name == robot.name else [f"name = {out.string(robot.name)}"]
    lines += [f"{key} = {text}" for key, text in out.texts(robot)]
    lines += out.given(robot)
    if robot.coupling:
        lines.append(f"coupling = {out.matrix(robot.coupling)}")
    lines += out.section("[home]", out.values(robot.home_positions))
    lines += out.section("[base]", _base(robot.base))
    for joint in robot.joints:
        entries = list(_joint(robot, joint, unclear))
        lines += out.section("[[joints]]", [("index", str(joint.index)), *entries] if entries else [])
    lines += out.tail(robot)
    return "(* " + MARK + "\n" + "\n".join(lines).replace("*)", "*\\u0029") + "\n*)\n" if lines else ""


def _base(base: Base) -> Iterator[tuple[str, str]]:
    if base.kind is BaseKind.MOVING and base.still:
        yield "kind", out.string(base.kind.value)
    if base.free:
        yield from out.base_entries(Base(wheels=base.wheels))
    else:
        yield from out.base_entries(Base(inertia=base.inertia, wrench=base.wrench, wheels=base.wheels))


def _joint(robot: Robot, joint: Joint, unclear: dict[int, str]) -> Iterator[tuple[str, str]]:
    if joint.name != f"joint{joint.index}":
        yield "name", out.string(joint.name)
    if joint.index in unclear:
        yield "variable", out.string(unclear[joint.index])
    if not robot.cuts and joint.movable and not joint.actuated:
        yield "actuated", "false"
    listed = joint.index <= robot.joint_count
    yield from ((key, text) for key, text in out.spring(joint) if key != "stiffness" or not listed)
    if not listed:
        yield from out.motion(joint)


def merged_base(of_lists: Base, extension: Base) -> Base:
    """The base of the lists, completed by the base of the comment."""
    kind = extension.kind if of_lists.kind is BaseKind.FIXED else of_lists.kind
    inertia, wrench = (of_lists.inertia, of_lists.wrench) if of_lists.free else (extension.inertia, extension.wrench)
    return Base(kind, of_lists.pose, of_lists.velocity, of_lists.acceleration, inertia, wrench, extension.wheels)
