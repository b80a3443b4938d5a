"""SDF, the format of Gazebo and Drake: see docs/formats.md."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import pi
from typing import Literal

import numpy as np

from symoro.findings import Finding
from symoro.formats._report import Reading, Report
from symoro.formats._sdf_write import not_written, write_text
from symoro.formats._xml import Element, NumberReader, parse
from symoro.formats.tree.description import Bounds, FrameOf, JointOf, Kind, Link, LoopJoint, Mass, Mimic, Tree, Weld
from symoro.formats.tree.poses import Array, Z, inverse, of_quaternion, of_rpy, pose
from symoro.formats.tree.robot import robot_of

__all__ = ["not_written", "read_text", "tree_of", "write_text"]


def read_text(text: str, name: str, file: str | None = None, floating: bool = False, exact: bool = False) -> Reading:
    """The robot of an SDF text with one model.

    `floating`: its base floats, whatever the file says. `exact`: rounded orientations are the exact ones.
    """
    report = Report(file)
    report.size(text)
    tree = tree_of(parse(text, report), name, report)
    return robot_of(replace(tree, floating=floating or tree.floating), report, exact)


def tree_of(root: Element, name: str, report: Report) -> Tree:
    """The links and joints of the model of an <sdf> element."""
    if root.tag != "sdf":
        report.add(Finding("sdf.root", tag=root.tag), root.line)
        report.raise_errors()
    world = root.first("world")
    models = [*root.all("model"), *(world.all("model") if world else ())]
    moving = [model for model in models if not _is_static(model)]
    if len(models) > 1 and len(moving) == 1:
        report.add(Finding("trees.standing", links=[model.get("name") for model in models if model not in moving]))
        models = moving
    if len(models) != 1:
        names = [model.get("name") for model in models] or Finding("sdf.none")
        report.add(Finding("sdf.models", names=names), root.line)
        report.raise_errors()
    for one in world.all("joint", "include", "actor") if world else ():
        report.add(Finding("sdf.element", tag=one.tag), one.line)
    gravity = None if world is None else world.first("gravity")
    return SdfModel(models[0], _version(root, report), report).tree(name, gravity if world else None, world is not None)


def _is_static(model: Element) -> bool:
    return text_of(model, "static") in ("true", "1")


def _version(root: Element, report: Report) -> tuple[int, int]:
    """The version of the format, which changes the meaning of axes."""
    try:
        first, _, second = root.get("version", "1.7").partition(".")
        return int(first), int(second or 0)
    except ValueError:
        report.add(Finding("sdf.version", version=root.get("version")), root.line)
        return 1, 7


# The links and joints of an SDF model.


KINDS: dict[str, Kind] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "fixed": "fixed",
    "ball": "ball",
    "screw": "screw",
    "universal": "universal",
    "revolute2": "universal",
}
_CLOSING: dict[str, Literal["revolute", "prismatic", "ball"]] = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "ball": "ball",
}
_ENDLESS = 1e15
_LISTED = ("plugin", "gripper", "include")
_STANDARD = "0 0 -9.8"


@dataclass(slots=True)
class SdfModel:
    """Reads a <model>."""

    element: Element
    version: tuple[int, int]
    report: Report

    def tree(self, name: str, gravity: Element | None, in_world: bool) -> Tree:
        for tag in sorted({child.tag for child in self.element.children if child.tag in _LISTED}):
            self.report.add(Finding("sdf.element", tag=tag))
        for model in self.element.all("model"):
            self.report.add(Finding("sdf.nested", model=model.get("name")), model.line)
        numbers = NumberReader(self.report)
        poses = Poses(self.element, numbers)
        reader = _SdfReader(self.element, poses, numbers, self.version)
        joints, closures = reader.joints()
        self.report.raise_errors()
        links, home = reader.links(joints)
        static = _is_static(self.element)
        joints = reader.placed(joints, home)
        gravity_in_world = None
        if in_world:
            gravity_in_world = tuple(float(x) for x in numbers.text(gravity, _STANDARD, 3))
        rest = [link.name for link in links if link.name not in {joint.child for joint in joints}]
        joints += [
            JointOf(f"{root}_to_world", "fixed" if static else "floating", WORLD, root, home[root]) for root in rest
        ]
        return Tree(
            name=self.element.get("name") or name,
            root=WORLD,
            links=(Link(WORLD), *links),
            joints=tuple(joints),
            frames=tuple(reader.frames(home)),
            closures=tuple(reader.closed(closures, home)),
            welds=tuple(reader.welded(closures, home)),
            gravity=gravity_in_world,
            pose=poses.read(self.element) @ inverse(poses.of(self.element.get("placement_frame") or MODEL)),
        )


@dataclass(slots=True)
class _SdfReader:
    element: Element
    poses: Poses
    numbers: NumberReader
    version: tuple[int, int]

    def joints(self) -> tuple[list[JointOf], list[Element]]:
        """The joints of the tree, each with its pose in the model; and those that close loops."""
        joints: list[JointOf] = []
        closing: list[Element] = []
        held: set[str] = set()
        for e in self.element.all("joint"):
            kind = KINDS.get(e.get("type"))
            if kind is None:
                if e.get("type") == "gearbox":
                    self.poses.report.add(Finding("sdf.gearbox", joint=e.get("name")), e.line)
                    continue
                self.poses.report.add(
                    Finding("sdf.kind", joint=e.get("name"), kind=e.get("type"), allowed=KINDS), e.line
                )
                continue
            parent, child = self.poses.ends(e)
            sign = 1.0
            if child == WORLD:
                parent, child, sign = WORLD, parent, -1.0
            if child in held:
                closing.append(e)
                continue
            held.add(child)
            joints.append(self.joint(e, kind, parent, child, sign))
        return joints, closing

    def joint(self, e: Element, kind: Kind, parent: str, child: str, sign: float) -> JointOf:
        axis = e.first("axis")
        dynamics = None if axis is None else axis.first("dynamics")
        stiffness = self.inner(dynamics, "spring_stiffness")
        second = e.first("axis2")
        return JointOf(
            name=e.get("name"),
            kind=kind,
            parent=parent,
            child=child,
            origin=self.poses.of(e.get("name"), e.line),
            axis=sign * self.axis(e, axis),
            bounds=self.bounds(axis) if e.get("type") != "continuous" else Bounds(),
            damping=self.inner(dynamics, "damping"),
            friction=self.inner(dynamics, "friction"),
            stiffness=stiffness,
            rest=self.inner(dynamics, "spring_reference"),
            active=not stiffness,
            mimic=self.mimic(axis),
            second=None if second is None else self.axis(e, second),
            pitch=self.pitch(e),
            line=e.line,
        )

    def axis(self, e: Element, axis: Element | None) -> Array:
        """The direction in the joint's frame; before version 1.5 it is in the model's frame unless the file says it."""
        xyz = None if axis is None else axis.first("xyz")
        direction = self.numbers.text(xyz, "0 0 1", 3)
        size = float(np.linalg.norm(direction))
        if size < 1e-9:
            self.poses.report.add(Finding("trees.no_axis", joint=e.get("name")), e.line)
            return Z
        where = "" if xyz is None else xyz.get("expressed_in")
        old = axis is not None and text_of(axis, "use_parent_model_frame") in ("true", "1")
        if not where and (self.version <= (1, 4) or old):
            where = MODEL
        turned = self.poses.of(where, e.line)[:3, :3] if where else self.poses.of(e.get("name"), e.line)[:3, :3]
        return np.asarray(self.poses.of(e.get("name"))[:3, :3].T @ turned @ direction / size)

    def inner(self, element: Element | None, tag: str, default: float = 0.0) -> float:
        child = None if element is None else element.first(tag)
        return float(self.numbers.text(child, repr(default), 1)[0])

    def bounds(self, axis: Element | None) -> Bounds:
        limit = None if axis is None else axis.first("limit")
        tags = ("lower", "upper", "velocity", "effort")
        lower, upper, velocity, effort = (self.limit(limit, tag) for tag in tags)
        if lower is not None and upper is not None and lower > upper:
            line = None if limit is None else limit.line
            self.poses.report.add(Finding("sdf.limits", lower=lower, upper=upper), line)
            lower = upper = None
        return Bounds(lower, upper, velocity, effort)

    def limit(self, limit: Element | None, tag: str) -> float | None:
        """A limit; infinite, negative for velocity and effort, and very large numbers mean none."""
        child = None if limit is None else limit.first(tag)
        if child is None or child.text.strip().lstrip("+-").lower() in ("inf", "infinity"):
            return None
        bound = self.inner(limit, tag)
        return None if abs(bound) >= _ENDLESS or (tag in ("velocity", "effort") and bound < 0) else bound

    def mimic(self, axis: Element | None) -> Mimic | None:
        """follower = multiplier · (leader − reference) + offset."""
        mimic = None if axis is None else axis.first("mimic")
        if mimic is None:
            return None
        ratio = self.inner(mimic, "multiplier", 1.0)
        return Mimic(mimic.get("joint"), ratio, self.inner(mimic, "offset") - ratio * self.inner(mimic, "reference"))

    def pitch(self, e: Element) -> float:
        """Metres for a radian: `screw_thread_pitch` is for a turn; the old `thread_pitch` is rad/m, the other way."""
        if e.first("screw_thread_pitch") is not None:
            return self.inner(e, "screw_thread_pitch") / (2 * pi)
        old = self.inner(e, "thread_pitch", 1.0)
        return -1 / old if old else 0.0

    def links(self, joints: list[JointOf]) -> tuple[list[Link], dict[str, Array]]:
        """The links, each in the frame of the joint that it hangs on, and these frames in the model."""
        held = {joint.child: joint.origin for joint in joints}
        home: dict[str, Array] = {WORLD: np.eye(4)}
        links = []
        for e in self.element.all("link"):
            name = e.get("name")
            home[name] = held.get(name, self.poses.of(name, e.line))
            where = inverse(home[name]) @ self.poses.of(name)
            links.append(Link(name, self.mass(e).seen_from(where), named=False))
        return links, home

    def mass(self, e: Element) -> Mass:
        if text_of(e, "gravity") in ("false", "0"):
            self.poses.report.add(Finding("sdf.no_gravity", link=e.get("name")), e.line)
        inertial = e.first("inertial")
        if inertial is None:
            return Mass()
        if inertial.first("fluid_added_mass") is not None:
            self.poses.report.add(Finding("sdf.added_mass", link=e.get("name")), inertial.line)
        tensor = inertial.first("inertia")
        xx, yy, zz = (self.inner(tensor, tag, 1.0) for tag in ("ixx", "iyy", "izz"))
        xy, xz, yz = (self.inner(tensor, tag) for tag in ("ixy", "ixz", "iyz"))
        mass = self.inner(inertial, "mass", 1.0)
        if tensor is None and mass == 0:
            xx = yy = zz = 0.0
        J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return Mass.at_centre(mass, J, self.poses.read(inertial))

    def placed(self, joints: list[JointOf], home: dict[str, Array]) -> list[JointOf]:
        """The joints with their origins in the frames of their parents."""
        placed = []
        for joint in joints:
            if joint.parent not in home:
                self.poses.report.add(Finding("trees.no_parent", joint=joint.name, link=joint.parent), joint.line)
                continue
            placed.append(replace(joint, origin=inverse(home[joint.parent]) @ joint.origin))
        self.poses.report.raise_errors()
        return placed

    def welded(self, closing: list[Element], home: dict[str, Array]) -> Iterator[Weld]:
        """Fixed joints that close loops."""
        for e in (e for e in closing if e.get("type") == "fixed"):
            (parent, child), where = self.poses.ends(e), self.poses.of(e.get("name"), e.line)
            in_parent, in_child = (inverse(home[link]) @ where for link in (parent, child))
            yield Weld(e.get("name"), parent, child, in_parent, in_child, e.line)

    def closed(self, closing: list[Element], home: dict[str, Array]) -> Iterator[LoopJoint]:
        for e in closing:
            (parent, child), kind = self.poses.ends(e), e.get("type")
            if kind == "fixed" and parent in home:
                continue
            if kind not in _CLOSING or parent not in home:
                self.poses.report.add(Finding("sdf.closing", joint=e.get("name")), e.line)
                continue
            where = self.poses.of(e.get("name"), e.line)
            yield LoopJoint(
                name=e.get("name"),
                kind=_CLOSING[kind],
                parent=parent,
                child=child,
                in_parent=inverse(home[parent]) @ where,
                in_child=inverse(home[child]) @ where,
                axis=self.axis(e, e.first("axis")),
                line=e.line,
            )
        self.poses.report.raise_errors()

    def frames(self, home: dict[str, Array]) -> Iterator[FrameOf]:
        for name in (e.get("name") for e in self.element.all("link")):
            yield FrameOf(name, name, inverse(home[name]) @ self.poses.of(name))
        for e in self.element.all("frame"):
            link = self.poses.attached(e) or WORLD
            yield FrameOf(e.get("name"), link, inverse(home[link]) @ self.poses.of(e.get("name"), e.line))


# Resolves the poses of links, joints and frames of an SDF model, each relative to another one.


MODEL, WORLD = "__model__", "world"


class Poses:
    """The pose in the model's frame of everything that has a name."""

    def __init__(self, model: Element, numbers: NumberReader) -> None:
        self.numbers, self.report = numbers, numbers.report
        self.elements: dict[str, tuple[Element, str]] = {}
        for link in model.all("link"):
            self.elements[link.get("name")] = (link, MODEL)
        for joint in model.all("joint"):
            self.elements[joint.get("name")] = (joint, text_of(joint, "child"))
        for frame in model.all("frame"):
            self.elements[frame.get("name")] = (frame, frame.get("attached_to") or MODEL)
        self.poses: dict[str, Array] = {MODEL: np.eye(4), WORLD: np.eye(4)}
        first = model.first("link")
        self.canonical = model.get("canonical_link") or ("" if first is None else first.get("name"))

    def of(self, name: str, line: int | None = None) -> Array:
        """The pose of something by its name."""
        chain: list[str] = []
        while name not in self.poses:
            if name not in self.elements or name in chain:
                code = (
                    "sdf.circular_pose" if name in chain else "sdf.nested_pose" if "::" in name else "sdf.no_such_pose"
                )
                self.report.add(Finding(code, name=name), line)
                self.report.raise_errors()
            chain.append(name)
            element, usual = self.elements[name]
            pose_element = element.first("pose")
            name = (pose_element.get("relative_to") if pose_element is not None else "") or usual
        for one in reversed(chain):
            self.poses[one] = self.poses[name] @ self.read(self.elements[one][0])
            name = one
        return self.poses[name]

    def read(self, element: Element) -> Array:
        """The numbers of the <pose> of an element."""
        pose_element = element.first("pose")
        if pose_element is not None and pose_element.get("rotation_format") == "quat_xyzw":
            x, y, z, a, b, c, d = self.numbers.text(pose_element, "0 0 0 0 0 0 1", 7)
            return pose(of_quaternion(d, a, b, c) if a or b or c or d else np.eye(3), (x, y, z))
        numbers = self.numbers.text(pose_element, "0 0 0 0 0 0", 6)
        if pose_element is not None and pose_element.get("degrees") in ("true", "1"):
            return pose(of_rpy((numbers[3:] * pi / 180).tolist()), numbers[:3])
        self.numbers.note_degrees(pose_element, "pose", numbers[3:])
        return pose(of_rpy(numbers[3:].tolist()), numbers[:3])

    def attached(self, frame: Element) -> str:
        """The link that a frame is fixed on, over other frames and joints; that of the model is its canonical link."""
        seen: list[str] = []
        name = frame.get("attached_to") or MODEL
        while name not in seen:
            seen.append(name)
            name = self.canonical if name == MODEL else name
            if name not in self.elements:
                return ""
            element = self.elements[name][0]
            if element.tag == "link":
                return name
            name = text_of(element, "child") if element.tag == "joint" else element.get("attached_to") or MODEL
        return ""

    def ends(self, joint: Element) -> tuple[str, str]:
        """The links of the parent and of the child of a joint, which may be named by frames on them."""
        return self._carrier(text_of(joint, "parent")), self._carrier(text_of(joint, "child"))

    def _carrier(self, name: str) -> str:
        """The link that a name means; "world" is always the ground."""
        element = self.elements[name][0] if name in self.elements and name != WORLD else None
        return name if element is None or element.tag != "frame" else self.attached(element) or name


def text_of(element: Element, tag: str, default: str = "") -> str:
    """The text of a child."""
    child = element.first(tag)
    return default if child is None else child.text.strip()
