"""The `.par` files of SYMORO+ and OpenSYMORO: see docs/formats.md."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from symoro.findings import Finding
from symoro.formats._par_extension import Extension, merged_base
from symoro.formats._par_text import LINKS, TYPES, Counts, Lists, find_counts, robot_name, split, type_of
from symoro.formats._par_write import write_text
from symoro.formats._report import Reading, Report, Variables
from symoro.formats.toml import line_of, read_motion
from symoro.robot.base import IDENTITY, Base, BaseKind
from symoro.robot.joint import GEOMETRY, MOTION, NO_MOTOR, Joint, JointKind
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot, cut_closures, parameters
from symoro.robot.values import ZERO, Symbol, Value

__all__ = ["read_text", "write_text"]

_KINDS = tuple(JointKind)
_T = TypeVar("_T", Inertia, Drive, Wrench)


def read_text(text: str, name: str, file: str | None = None) -> Reading:
    """The robot of a `.par` text; `name` is its name if no comment gives one."""
    report = Report(file)
    report.size(text)
    entries, comments = split(text.replace("\r\n", "\n").replace("\r", "\n"), report)
    lists = Lists(entries, report)
    extension = Extension(comments, report)
    reader = _ListsReader(lists, extension, find_counts(lists))
    lists.report_absent()
    report.raise_errors()
    robot = reader.robot(extension.document.text("name", robot_name(comments) or name))
    _warn_of_type(robot, lists)
    return report.finish(robot, partial(_line_of, lists, extension))


def _line_of(lists: Lists, extension: Extension, where: str, joint: int | None) -> int | None:
    """The line of a list, or of a key of the comment."""
    in_lists = None if where.startswith("values.") else lists.line_of(where.rpartition(".")[2], joint)
    return in_lists or (None if joint is not None else line_of(extension.document.lines, where, joint))


def _warn_of_type(robot: Robot, lists: Lists) -> None:
    kind, stated = type_of(robot), lists.integer("Type")
    if stated is not None and stated != kind:
        lists.add("Type", Finding("par.type", stated=stated, kind=kind, name=TYPES[kind]))


class _ListsReader:
    """Makes a robot from the lists."""

    def __init__(self, lists: Lists, extension: Extension, counts: Counts) -> None:
        self.lists, self.extension, self.counts = lists, extension, counts
        frames, joints, pad = counts.frames, counts.joints, counts.repaired
        self.parents = lists.integers("ant", frames, range(frames + 1))
        self.kinds = lists.integers("sigma", frames, range(3))
        self.active = lists.integers("mu", frames, range(2))
        self.geometry: dict[str, list[Value]] = {name: lists.values(name, frames) for name in GEOMETRY}
        self.elastic = lists.integers("eta", joints, range(2), pad=pad)
        self.stiffness = lists.values("k", joints, pad=pad)
        self.motion = {field: lists.values(key, joints, pad=pad) for field, key in MOTION.items()}
        self.kind = self._base_kind()
        first = 0 if self.kind in (BaseKind.FLOATING, BaseKind.MOBILE) else 1
        self.links = {key: [ZERO] * first + lists.values(key, counts.links + 1 - first, first, pad) for key in LINKS}
        self.base = self._base()
        self.gravity = tuple(lists.values("G", 3)) if "G" in lists.entries else (ZERO, ZERO, Symbol("G3"))

    def robot(self, name: str) -> Robot:
        """The robot; an error if the lists have errors."""
        variables = self._variables()
        self.lists.report.raise_errors()
        self._check_active()
        document, extension, counts = self.extension.document, self.extension, self.counts
        joints = tuple(self._joint(j, variables.get(j)) for j in range(1, counts.frames + 1))
        cuts = ((k, k + counts.cuts) for k in range(counts.links + 1, counts.joints + 1))
        return Robot(
            name=name,
            joints=joints,
            inertias=self._tables(Inertia),
            drives=self._tables(Drive),
            wrenches=self._tables(Wrench),
            base=self.base,
            gravity=self.gravity,
            frames=extension.frames,
            closures=cut_closures(joints, cuts),
            values=extension.values,
            title=document.text("title"),
            source=document.text("source"),
            coupling=document.matrix("coupling"),
            **extension.coordinates,
        )

    def _base_kind(self) -> BaseKind:
        lists = self.lists
        floating, mobile = lists.flag("is_floating"), lists.flag("is_mobile")
        if floating and mobile:
            lists.add("is_mobile", Finding("par.floating_and_mobile"))
        return BaseKind.FLOATING if floating else BaseKind.MOBILE if mobile else BaseKind.FIXED

    def _base(self) -> Base:
        lists = self.lists
        pose = tuple(lists.values("Z", 16)) if "Z" in lists.entries else sum(IDENTITY, ())
        base = Base(
            kind=self.kind,
            pose=tuple(pose[4 * row : 4 * row + 4] for row in range(4)),
            velocity=(*lists.values("V0", 3), *lists.values("W0", 3)),
            acceleration=(*lists.values("VP0", 3), *lists.values("WP0", 3)),
            inertia=self._table(Inertia, 0),
            wrench=self._table(Wrench, 0),
        )
        if not self._table(Drive, 0).is_zero:
            lists.add("IA", Finding("par.drive_of_base"))
        if base.kind is BaseKind.FIXED and not base.still:
            base = replace(base, kind=BaseKind.MOVING)
        return merged_base(base, self.extension.base)

    def _table(self, kind: type[_T], link: int) -> _T:
        return kind(*(self.links[name][link] for name in kind.names()))

    def _tables(self, kind: type[_T]) -> tuple[_T, ...]:
        return tuple(self._table(kind, link) for link in range(1, self.counts.links + 1))

    def _moving(self, index: int) -> str | None:
        sigma = self.kinds[index - 1]
        return None if sigma is None else _KINDS[sigma].moving

    def _variables(self) -> dict[int, str]:
        positions: dict[int, Value] = {}
        others: list[Value] = []
        for name, values in self.geometry.items():
            for index, value in enumerate(values, 1):
                if self._moving(index) == name:
                    positions[index] = value
                else:
                    others.append(value)
        others += parameters((*map(tuple, self.links.values()), self.base, self.gravity, self.extension.frames))
        search = Variables(dict(sorted(positions.items())), others, self.extension.values)
        return search.find(self.extension.variables(), self.lists.report, self._line_of_variable)

    def _line_of_variable(self, where: str, joint: int | None) -> int | None:
        return self.lists.line_of(self._moving(joint or 1) or where, joint)

    def _check_active(self) -> None:
        """In a robot without loops all joints are active (K97 § 2.1), so that mu is not used."""
        passive = [j for j, mu in enumerate(self.active, 1) if mu == 0 and self.kinds[j - 1] != 2]
        actuated = [j for j, part in self.extension.joints.items() if "actuated" in part.data]
        if not self.counts.cuts and set(passive) - set(actuated):
            self.lists.add("mu", Finding("par.passive", joints=passive))
        if self.counts.cuts and "mu" not in self.lists.entries:
            self.lists.report.add(Finding("par.no_mu"))

    def _joint(self, index: int, variable: str | None) -> Joint:
        part, at = self.extension.joint(index), index - 1
        mu = self.active[at] if self.counts.cuts else 1
        listed: dict[str, Any] = {"stiffness": part.value("stiffness"), **read_motion(part, index)}
        if index <= self.counts.joints:
            listed = {"elastic": self.elastic[at] == 1, "stiffness": self.stiffness[at]}
            listed |= {field: values[at] for field, values in self.motion.items()}
        geometry: dict[str, Any] = {name: values[at] for name, values in self.geometry.items()}
        joint = Joint(
            index=index,
            name=part.text("name", f"joint{index}"),
            parent=self.parents[at] or 0,
            kind=_KINDS[self.kinds[at] or 0],
            actuated=part.flag("actuated", mu == 1),
            variable=variable,
            rest=part.value("rest"),
            limits=part.limits(),
            **geometry,
            **listed,
        )
        if joint.is_follower and (part.data.get("actuated") is True or (self.counts.cuts and mu == 1)):
            self.lists.report.add(NO_MOTOR, self.lists.line_of("actuated", index), index)
        return joint
