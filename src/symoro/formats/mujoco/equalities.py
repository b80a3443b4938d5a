"""Equality constraints of MJCF: cut loops, and joints that follow others or stand still."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from symoro.findings import Finding
from symoro.formats._xml import Element, NumberReader
from symoro.formats.mujoco.bodies import WORLD, Collected
from symoro.formats.tree.description import JointOf, LoopJoint, Mimic, Weld, place_at_zero
from symoro.formats.tree.loops import aligned, hinged
from symoro.formats.tree.poses import Array, inverse, of_quaternion, pose, shift

_Place = tuple[str, Array]
"""A link, and the pose of a frame there."""


class Equalities:
    """Reads <equality>; what cannot be carried over is listed."""

    def __init__(self, root: Element, numbers: NumberReader, collected: Collected) -> None:
        self.numbers, self.collected, self.report = numbers, collected, numbers.report
        self.elements = [
            one for group in root.all("equality") for one in group.children if one.get("active", "true") != "false"
        ]
        for one in self.elements:
            if one.tag not in ("connect", "weld", "joint"):
                self.report.add(Finding("mjcf.equality", tag=one.tag), one.line)

    def closures(self) -> list[LoopJoint]:
        """A ball joint for each point that two bodies have in common, a hinge for two points."""
        closures = []
        for name, one, ends in self._ends("connect"):
            (first, in_first), (second, in_second) = ends
            closures.append(LoopJoint(name, "ball", first, second, in_first, in_second, line=one.line))
        return hinged(closures)

    def welds(self) -> Iterator[Weld]:
        """Two bodies, or the frames of two sites, that stay at one place."""
        for name, one, ends in self._ends("weld"):
            (first, in_first), (second, in_second) = ends
            yield Weld(name, first, second, in_first, in_second, one.line)

    def _ends(self, tag: str) -> Iterator[tuple[str, Element, tuple[_Place, _Place]]]:
        """The name of each constraint, and the frame that it holds together as both of its links see it."""
        for k, one in enumerate((e for e in self.elements if e.tag == tag), 1):
            name = one.get("name") or f"{tag}{k}"
            ends = self._by_sites(one) if "site1" in one.attributes else self._by_bodies(one)
            if ends is None:
                self.report.add(Finding("mjcf.no_ends", tag=tag, name=name), one.line)
            elif ends[0][0] == ends[1][0]:
                self.report.add(Finding("mjcf.one_body", tag=tag, name=name), one.line)
            else:
                yield name, one, ends

    def _by_sites(self, one: Element) -> tuple[_Place, _Place] | None:
        names = one.get("site1"), one.get("site2")
        if any(name not in self.collected.sites for name in names):
            return None
        (a, at_a), (b, at_b) = (self.collected.sites[name] for name in names)
        if one.tag == "weld":
            return (a, at_a), (b, at_b)
        return (a, at_a), (b, aligned(at_b, self._world(b), self._world(a) @ at_a))

    def _by_bodies(self, one: Element) -> tuple[_Place, _Place] | None:
        """The anchor is in the frame of the first body; in the second it is where it is at the zero of the file."""
        names = one.get("body1"), one.get("body2", WORLD)
        if any(name not in self.collected.home for name in names):
            return None
        (a, in_a), (b, in_b) = (self.collected.home[name] for name in names)
        if one.tag == "weld":
            *point, w, x, y, z = self.numbers.row(one, "relpose", "0 1 0 0 0 0 0", 7)
            if w or x or y or z:
                return (a, in_a @ pose(of_quaternion(w, x, y, z), point)), (b, in_b)
            return (a, in_a), (b, inverse(self._world(b)) @ self._world(a) @ in_a)
        at_a = in_a @ shift(self.numbers.row(one, "anchor", "0 0 0", 3))
        return (a, at_a), (b, inverse(self._world(b)) @ self._world(a) @ at_a)

    def _world(self, link: str) -> Array:
        return place_at_zero(self.collected.joints, link)

    def joints(self) -> list[JointOf]:
        """The joints, with what they follow."""
        joints = {joint.name: joint for joint in self.collected.joints}
        for one in (e for e in self.elements if e.tag == "joint"):
            follower, master = joints.get(one.get("joint1")), joints.get(one.get("joint2"))
            a = np.array([0.0, 1.0, 0.0, 0.0, 0.0])
            written = self.numbers.row(one, "polycoef", "", None)[:5]
            a[: len(written)] = written
            if follower is None or (master is None and one.get("joint2")) or (master is not None and not linear(a)):
                self.report.add(Finding("mjcf.equality_of_joints"), one.line)
                continue
            joints[follower.name] = following(follower, master, a)
        return list(joints.values())


def linear(a: Array) -> bool:
    """Whether a polynomial is linear, or constant."""
    return not np.any(a[2:])


def following(follower: JointOf, master: JointOf | None, a: Array) -> JointOf:
    """The joint that follows: y − y0 = a0 + a1 (x − x0) with the zeros of the file; without a master y − y0 = a0."""
    if master is None:
        return replace(follower, mimic=Mimic("", 0.0, follower.zero + float(a[0])))
    offset = follower.zero + float(a[0]) - float(a[1]) * master.zero
    return replace(follower, mimic=Mimic(master.name, float(a[1]), offset))
