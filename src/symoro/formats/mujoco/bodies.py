"""The bodies of an MJCF file as links and joints: a body with k joints is k links, the first k − 1 without mass."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from symoro.findings import Finding
from symoro.formats._report import Report
from symoro.formats._xml import Element
from symoro.formats.mujoco.settings import Defaults, Settings
from symoro.formats.mujoco.shapes import Shapes
from symoro.formats.tree.description import Bounds, FrameOf, JointOf, Kind, Link, Mass
from symoro.formats.tree.poses import Array, Z, shift

KINDS: dict[str, Kind] = {"hinge": "revolute", "slide": "prismatic", "ball": "ball", "free": "floating"}
WORLD = "world"


@dataclass(slots=True)
class Collected:
    """The links, joints and frames of a file; `home` is where each body is: its link, and its pose there."""

    links: list[Link] = field(default_factory=lambda: [Link(WORLD)])
    joints: list[JointOf] = field(default_factory=list)
    frames: list[FrameOf] = field(default_factory=list)
    home: dict[str, tuple[str, Array]] = field(default_factory=lambda: {WORLD: (WORLD, np.eye(4))})
    sites: dict[str, tuple[str, Array]] = field(default_factory=dict)
    still: set[str] = field(default_factory=lambda: {WORLD})
    """The bodies that do not move: no joint is between them and the world."""
    compensated: dict[str, tuple[float, int]] = field(default_factory=dict)
    """The part of its weight that a force on a body holds (gravcomp), and the line of the body."""
    by_motors: list[bool] = field(default_factory=list)
    """For each joint whether its motor gives the part of these forces that is along it (actuatorgravcomp)."""
    sprung: dict[str, tuple[float, float]] = field(default_factory=dict)
    """Time constant and damping ratio (springdamper) of hinges and slides."""


class BodyReader:
    """Walks through the bodies of a file."""

    def __init__(self, shapes: Shapes, defaults: Defaults, settings: Settings, report: Report) -> None:
        self.shapes, self.defaults, self.settings, self.report = shapes, defaults, settings, report
        self.numbers = shapes.numbers
        self.collected = Collected()
        self.unnamed = 0

    def walk(self, element: Element, parent: str, around: Array, childclass: str) -> None:
        """The children of a body or of a frame; `around` is the pose of the element in the parent's frame."""
        for child in element.children:
            if child.tag == "body":
                self.body(child, parent, around, child.get("childclass", childclass))
            elif child.tag == "frame":
                inner = around @ self.shapes.pose(child)
                self.walk(child, parent, inner, child.get("childclass", childclass))
            elif child.tag == "site":
                self.site(self.defaults.apply(child, childclass), parent, around)
            elif child.tag in ("replicate", "composite", "flexcomp"):
                self.report.add(Finding("mjcf.cannot_be_read", tag=child.tag), child.line)

    def site(self, element: Element, body: str, around: Array) -> None:
        if name := element.get("name"):
            link, where = self.collected.home[body]
            self.collected.sites[name] = (link, where @ around @ self.shapes.extent(element, element.get("type"))[0])

    def body(self, element: Element, parent: str, around: Array, childclass: str) -> None:
        name = self.name(element)
        link, where = self.collected.home[parent]
        there = where @ around @ self.shapes.pose(element)
        joints = list(self._inside(element, np.eye(4), childclass, "joint", "freejoint"))
        if not joints and parent in self.collected.still:
            self.collected.still.add(name)
        shift_back = np.eye(4)
        for k, (one, frame) in enumerate(joints, 1):
            free = one.tag == "freejoint" or one.get("type") == "free"
            at = np.zeros(3) if free else (frame @ [*self.numbers.row(one, "pos", "0 0 0", 3), 1])[:3]
            child = name if k == len(joints) else f"{name}_{k}"
            joint = self.joint(one, name, k, len(joints), link, child, there @ shift(at))
            self.collected.joints.append(replace(joint, axis=frame[:3, :3] @ joint.axis))
            there, link, shift_back = shift(-at), child, shift(-at)
            self.collected.links.append(
                Link(child, self._mass(element, childclass, shift_back, child == name), named=False)
            )
        if not joints:
            self.collected.joints.append(JointOf(f"{name}_fixed", "fixed", link, name, there))
            self.collected.links.append(Link(name, self._mass(element, childclass, np.eye(4), True), named=False))
        self.collected.home[name] = (name, shift_back)
        self.collected.frames.append(FrameOf(name, name, shift_back))
        if name not in self.collected.still:
            self.collected.compensated[name] = self.numbers.number(element, "gravcomp"), element.line
        if element.get("mocap", "false") != "false":
            self.report.add(Finding("mjcf.body", key="mocap", body=name), element.line)
        self.walk(element, name, np.eye(4), childclass)

    def _inside(self, element: Element, around: Array, childclass: str, *tags: str) -> Iterator[tuple[Element, Array]]:
        """The children with these tags, also those inside frames: with the attributes of their class, and the frame."""
        for child in element.children:
            if child.tag in tags:
                yield self.defaults.apply(child, childclass), around
            elif child.tag == "frame":
                inner = around @ self.shapes.pose(child)
                yield from self._inside(child, inner, child.get("childclass", childclass), *tags)

    def name(self, element: Element) -> str:
        if name := element.get("name"):
            if name in self.collected.home:
                self.report.add(Finding("mjcf.two_bodies", name=name), element.line)
            return name
        self.unnamed += 1
        return f"body{self.unnamed}"

    def _mass(self, element: Element, childclass: str, where: Array, whole: bool) -> Mass:
        """The mass of a body in the frame of its last joint; the links before it have none."""
        still = element.get("name") in self.collected.still
        return self.mass(element, childclass, still).seen_from(where) if whole else Mass()

    def mass(self, element: Element, childclass: str, still: bool) -> Mass:
        inertial = element.first("inertial")
        if inertial is not None and self.settings.from_shapes != "true":
            mass = self.shapes.inertial(inertial)
        elif self.settings.from_shapes == "false":
            mass = Mass()
        else:
            mass = Mass()
            for geom, around in self._inside(element, np.eye(4), childclass, "geom"):
                mass = mass + self.shapes.geom(geom, still).seen_from(around)
        return self.bounded(mass)

    def bounded(self, mass: Mass) -> Mass:
        """With the least mass and inertia that the file asks for, and with balanced moments if it asks for them."""
        s = self.settings
        if not (s.least_mass or s.least_inertia or s.balance):
            return mass
        M = max(mass.M, s.least_mass)
        c = mass.MS / mass.M if mass.M else np.zeros(3)
        centre = Mass(mass.M, mass.MS, mass.J).seen_from(shift(-c)).J
        moments, axes = np.linalg.eigh(centre)
        moments = np.maximum(moments, s.least_inertia)
        if s.balance and moments[0] + moments[1] < moments[2]:
            moments = np.full(3, moments.mean())
        return Mass.at_centre(M, axes @ np.diag(moments) @ axes.T, shift(c))

    def joint(self, e: Element, body: str, k: int, of: int, parent: str, child: str, origin: Array) -> JointOf:
        kind = KINDS.get("free" if e.tag == "freejoint" else e.get("type", "hinge"))
        name = e.get("name") or (f"{body}_joint" if of == 1 else f"{body}_joint{k}")
        if kind is None:
            self.report.add(Finding("mjcf.kind", joint=name, type=e.get("type"), allowed=KINDS), e.line)
            kind = "revolute"
        unit = self.settings.radians if kind == "revolute" else 1.0
        axis = self.numbers.row(e, "axis", "0 0 1", 3)
        size = float(np.linalg.norm(axis))
        if size < 1e-9:
            self.report.add(Finding("trees.no_axis", joint=name), e.line)
        self.collected.by_motors.append(e.get("actuatorgravcomp") == "true")
        time, ratio = (float(x) for x in self.numbers.row(e, "springdamper", "0 0", 2))
        if time > 0 and ratio > 0 and kind in ("revolute", "prismatic"):
            self.collected.sprung[name] = time, ratio
        elif time or ratio:
            self.report.add(Finding("mjcf.springdamper", joint=name), e.line)
        return JointOf(
            name=name,
            kind=kind,
            parent=parent,
            child=child,
            origin=origin,
            axis=axis / size if size >= 1e-9 else Z,
            zero=self.numbers.number(e, "ref") * unit,
            bounds=Bounds() if kind in ("ball", "floating") else self.bounds(e, unit),
            damping=self._first(e, "damping"),
            friction=self.numbers.number(e, "frictionloss"),
            armature=self.numbers.number(e, "armature"),
            stiffness=self._first(e, "stiffness"),
            rest=self.numbers.number(e, "springref") * unit,
            line=e.line,
        )

    def _first(self, element: Element, name: str) -> float:
        """A linear coefficient; polynomial ones of higher order are listed."""
        coefficients = self.numbers.row(element, name, "0", None)
        if len(coefficients) > 1 and np.any(coefficients[1:]):
            self.report.add(Finding("mjcf.polynomial", name=name, joint=element.get("name")), element.line)
        return float(coefficients[0]) if len(coefficients) else 0.0

    def bounds(self, element: Element, unit: float) -> Bounds:
        limited = element.get("limited", "auto")
        if limited == "auto":
            limited = "true" if self.settings.autolimits and "range" in element.attributes else "false"
        if limited == "false":
            return Bounds()
        lower, upper = (float(x) * unit for x in self.numbers.row(element, "range", "0 0", 2))
        if lower >= upper:
            self.report.add(Finding("mjcf.limits", joint=element.get("name"), lower=lower, upper=upper), element.line)
            return Bounds()
        return Bounds(lower, upper)
