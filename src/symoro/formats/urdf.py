"""URDF, the robot description of ROS: see docs/formats.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import pi

import numpy as np

from symoro.findings import Finding
from symoro.formats._report import Reading, Report
from symoro.formats._urdf_write import not_written, write_text
from symoro.formats._xml import Element, NumberReader, exact_literal, parse
from symoro.formats.shapes import kept
from symoro.formats.tree.description import Bounds, JointOf, Kind, Link, LoopJoint, Mass, Mimic, Tree, place_at_zero
from symoro.formats.tree.loops import aligned, hinged
from symoro.formats.tree.poses import Array, X, Y, Z, of_rpy, pose, shift
from symoro.formats.tree.robot import robot_of

__all__ = ["KINDS", "not_written", "read_element", "read_text", "tree_of", "write_text"]

KINDS: dict[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "planar": "planar",
    "floating": "floating",
}

#: The kinds of <drake:joint>, whose axes Drake fixes where they are not given.
DRAKE: dict[str, Kind] = {"ball": "ball", "planar": "planar", "screw": "screw", "universal": "universal"}
_CARRIED = ("link", "joint", "transmission", "drake:joint", "drake:ball_constraint")


def read_text(text: str, name: str, file: str | None = None, floating: bool = False, exact: bool = False) -> Reading:
    """The robot of a URDF text.

    `floating`: its base floats, as URDF cannot say. `exact`: angles that are written as roundings of multiples of π/12,
    such as 1.5708, are these multiples, and a note tells the largest change.
    """
    report = Report(file)
    report.size(text)
    return read_element(parse(text, report), name, report, floating, exact)


def read_element(robot: Element, name: str, report: Report, floating: bool, exact: bool) -> Reading:
    """The robot of a <robot> element, with its shapes."""
    reading = robot_of(tree_of(robot, name, report, floating, exact), report)
    return replace(reading, robot=replace(reading.robot, shapes=kept(robot, report.file)))


def tree_of(robot: Element, name: str, report: Report, floating: bool = False, exact: bool = False) -> Tree:
    """The links and joints of a <robot> element."""
    if robot.tag != "robot":
        report.add(Finding("urdf.root", tag=robot.tag), robot.line)
        report.raise_errors()
    reader = _UrdfReader(report, exact)
    links = tuple(reader.link(one) for one in robot.all("link"))
    joints = reader.reduced(tuple(reader.joints(robot)), robot)
    if not links:
        report.add(Finding("urdf.no_link"), robot.line)
    report.raise_errors()
    if not robot.get("name"):
        report.add(Finding("urdf.no_name", name=name), robot.line)
    reader.note_ignored(robot)
    root = reader.root(links, joints)
    closures = reader.closures(robot, joints)
    return Tree(robot.get("name") or name, root, links, joints, closures=closures, floating=floating)


class _UrdfReader:
    """Reads the elements of a URDF file."""

    def __init__(self, report: Report, exact: bool = False) -> None:
        self.report, self.numbers, self.exact = report, NumberReader(report), exact
        self.changes: list[float] = []

    def origin(self, element: Element | None) -> Array:
        """The pose of the <origin> of an element."""
        origin = None if element is None else element.first("origin")
        angles = self.numbers.row(origin, "rpy", "0 0 0", 3)
        if self.exact and origin is not None:
            stated, angles = angles, np.array([exact_literal(word) for word in origin.get("rpy", "0 0 0").split()[:3]])
            self.changes += [float(x) for x in np.abs(stated - angles) if x]
        self.numbers.note_degrees(origin, "rpy", angles)
        return pose(of_rpy(angles.tolist()), self.numbers.row(origin, "xyz", "0 0 0", 3))

    def link(self, element: Element) -> Link:
        name = self.name(element)
        inertial = element.first("inertial")
        if inertial is None:
            return Link(name)
        mass = self.numbers.number(inertial.first("mass"), "value")
        tensor = inertial.first("inertia")
        xx, xy, xz, yy, yz, zz = (self.numbers.number(tensor, f"i{k}") for k in ("xx", "xy", "xz", "yy", "yz", "zz"))
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return Link(name, Mass.at_centre(mass, J, self.origin(inertial)))

    def name(self, element: Element) -> str:
        if not element.get("name").strip():
            self.report.add(Finding("urdf.unnamed", tag=element.tag), element.line)
        return element.get("name")

    def joints(self, robot: Element) -> Iterator[JointOf]:
        for element in robot.all("joint", "drake:joint"):
            kind, kinds = element.get("type"), KINDS if element.tag == "joint" else DRAKE
            if kind not in kinds:
                self.report.add(Finding("urdf.kind", name=element.get("name"), kind=kind, allowed=kinds), element.line)
            else:
                yield self.joint(element, kinds[kind])

    def joint(self, element: Element, kind: Kind) -> JointOf:
        dynamics = element.first("dynamics")
        return JointOf(
            name=self.name(element),
            kind=kind,
            parent=self.end(element, "parent"),
            child=self.end(element, "child"),
            origin=self.origin(element),
            axis=self.axis(element, kind),
            bounds=self.bounds(element),
            damping=self.numbers.number(dynamics, "damping"),
            friction=self.numbers.number(dynamics, "friction"),
            mimic=self.mimic(element),
            second=Y if kind == "universal" else None,
            pitch=self.numbers.number(element.first("drake:screw_thread_pitch"), "value") / (2 * pi),
            line=element.line,
        )

    def end(self, element: Element, which: str) -> str:
        child = element.first(which)
        if child is None or not child.get("link"):
            self.report.add(Finding("urdf.no_end", name=element.get("name"), end=which), element.line)
        return "" if child is None else child.get("link")

    def axis(self, element: Element, kind: Kind) -> Array:
        axis = self.numbers.row(element.first("axis"), "xyz", "1 0 0", 3)
        size = float(np.linalg.norm(axis))
        if kind in ("fixed", "floating", "ball"):
            return Z
        if kind == "universal":
            return X
        if size < 1e-9:
            self.report.add(Finding("trees.no_axis", joint=element.get("name")), element.line)
            return np.array([0.0, 0.0, 1.0])
        return np.asarray(axis / size)

    def bounds(self, element: Element) -> Bounds:
        limit = element.first("limit")
        lower, upper = self.numbers.optional(limit, "lower"), self.numbers.optional(limit, "upper")
        bounds = Bounds(lower, upper, self.numbers.optional(limit, "velocity"), self.numbers.optional(limit, "effort"))
        if element.get("type") not in ("revolute", "prismatic"):
            return replace(bounds, lower=None, upper=None)
        if lower is not None and upper is not None and lower > upper:
            self.report.add(Finding("urdf.limits", joint=element.get("name"), lower=lower, upper=upper), element.line)
            return replace(bounds, lower=None, upper=None)
        return bounds

    def mimic(self, element: Element) -> Mimic | None:
        mimic = element.first("mimic")
        if mimic is None:
            return None
        ratio, offset = self.numbers.number(mimic, "multiplier", 1.0), self.numbers.number(mimic, "offset")
        return Mimic(mimic.get("joint"), ratio, offset)

    def reduced(self, joints: tuple[JointOf, ...], robot: Element) -> tuple[JointOf, ...]:
        """The joints with the reductions of the transmissions that have one joint and one motor.

        In a file with loops the joints with transmissions are active, if there are any.
        """
        reductions: dict[str, float] = {}
        armatures: dict[str, float] = {}
        names = {joint.name for joint in joints if joint.kind != "fixed" and joint.mimic is None}
        for one in robot.all("transmission"):
            moved, motors = ([child.get("name") for child in one.all(tag)] for tag in ("joint", "actuator"))
            if len(moved) == 1 == len(motors) and moved[0] in names:
                reductions[moved[0]], armatures[moved[0]] = self.reduction(one), self.armature(one)
            else:
                joints_of = moved or Finding("urdf.no_joint")
                self.report.add(Finding("urdf.transmission", name=one.get("name"), joints=joints_of), one.line)
        loops = robot.first("drake:ball_constraint") is not None and bool(reductions)
        return tuple(
            replace(
                joint,
                reduction=reductions.get(joint.name, 1.0),
                armature=armatures.get(joint.name, 0.0),
                active=joint.name in reductions if loops else joint.active,
            )
            for joint in joints
        )

    def armature(self, transmission: Element) -> float:
        """The inertia of a rotor as the joint feels it, of Drake's elements."""
        motor = transmission.first("actuator")
        inner = (None, None) if motor is None else (motor.first("drake:rotor_inertia"), motor.first("drake:gear_ratio"))
        inertia, gear = self.numbers.number(inner[0], "value"), self.numbers.number(inner[1], "value", 1.0)
        return inertia * gear**2

    def reduction(self, transmission: Element) -> float:
        """Turns of the motor for a turn of the joint; old files have them outside the motor's element."""
        motor = transmission.first("actuator")
        element = (motor.first("mechanicalReduction") if motor else None) or transmission.first("mechanicalReduction")
        aside = Report(self.report.file)
        ratio = float(NumberReader(aside).text(element, "1", 1)[0])
        if aside.problems or not ratio:
            reason = aside.problems[0].placed() if aside.problems else Finding("urdf.reduction_0")
            self.report.add(Finding("urdf.reduction", name=transmission.get("name"), reason=reason), transmission.line)
        return 1.0 if aside.problems else ratio or 1.0

    def root(self, links: tuple[Link, ...], joints: tuple[JointOf, ...]) -> str:
        """The one link that is no joint's child."""
        names, behind = {link.name for link in links}, {joint.child for joint in joints}
        roots = [link.name for link in links if link.name not in behind]
        if len(roots) != 1 and all(joint.parent in names for joint in joints):  # links that are missing are found later
            self.report.add(Finding("urdf.roots", links=roots[:10]) if roots else Finding("urdf.cycle"))
        return roots[0] if roots else links[0].name

    def closures(self, robot: Element, joints: tuple[JointOf, ...]) -> tuple[LoopJoint, ...]:
        """Drake's constraints that hold a point of one link on a point of another: two of them are a hinge."""
        names = {link.get("name") for link in robot.all("link")}
        closures = []
        for k, one in enumerate(robot.all("drake:ball_constraint"), 1):
            inner = {end: one.first(f"drake:ball_constraint_{end}") for end in ("body_A", "body_B", "p_AP", "p_BQ")}
            a, b = (body.get("name") if (body := inner[end]) else "" for end in ("body_A", "body_B"))
            P, Q = (shift(self.numbers.row(inner[end], "value", "0 0 0", 3)) for end in ("p_AP", "p_BQ"))
            if not {a, b} <= names:
                self.report.add(Finding("urdf.no_bodies", bodies=[a, b]), one.line)
                continue
            if a == b:
                self.report.add(Finding("mjcf.one_body", tag=one.tag, name=f"ball{k}"), one.line)
                continue
            in_b = aligned(Q, place_at_zero(joints, b), place_at_zero(joints, a) @ P)
            closures.append(LoopJoint(f"ball{k}", "ball", a, b, P, in_b, line=one.line))
        return tuple(hinged(closures))

    def note_ignored(self, robot: Element) -> None:
        """A note of the elements that have no place in a description."""
        ignored = sorted({child.tag for child in robot.children if child.tag not in _CARRIED})
        if ignored:
            self.report.add(Finding("trees.elements", tags=[f"<{tag}>" for tag in ignored]))
        if self.changes:
            self.report.add(Finding("urdf.exact", count=len(self.changes), change=max(self.changes)))
