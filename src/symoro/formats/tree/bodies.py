"""Joins links that are fixed on each other: a body is a link behind a movable joint and all that is fixed on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from symoro.findings import Finding
from symoro.formats._report import MAX_FRAMES, Report
from symoro.formats.tree.description import FrameOf, JointOf, Mass, Tree
from symoro.formats.tree.poses import Array


@dataclass(frozen=True, slots=True, eq=False)
class MergedBody:
    """Body j: its movable joint (None for the base), the body before it, and the joint's frame in that body's frame."""

    joint: JointOf | None
    parent: int
    origin: Array
    mass: Mass


@dataclass(frozen=True, slots=True, eq=False)
class Bodies:
    """Body 0 is the base; body j has the j-th movable joint of the file. `place` is where each link of the file is."""

    bodies: tuple[MergedBody, ...]
    place: dict[str, tuple[int, Array]]
    frames: tuple[FrameOf, ...]

    def where(self, link: str, pose: Array) -> tuple[int, Array]:
        """The body of a link, and in its frame what has this pose in the link's frame."""
        number, there = self.place[link]
        return number, there @ pose


def bodies(tree: Tree, report: Report) -> Bodies:
    """The bodies of a tree; the report gets an error if it is none."""
    _check(tree, report)
    place = _places(tree, report)
    report.raise_errors()
    masses = [Mass() for _ in range(1 + sum(joint.kind != "fixed" for joint in tree.joints))]
    for link in tree.links:
        number, pose = place[link.name]
        masses[number] = masses[number] + link.mass.seen_from(pose)
    merged = [MergedBody(None, -1, np.eye(4), masses[0])]
    for joint in _movable(tree):
        parent, pose = place[joint.parent]
        merged.append(MergedBody(joint, parent, pose @ joint.origin, masses[len(merged)]))
    return Bodies(tuple(merged), place, _frames(tree))


def _frames(tree: Tree) -> tuple[FrameOf, ...]:
    """The frames of the links and the other named frames; of two with one name the first."""
    links = [FrameOf(link.name, link.name, np.eye(4)) for link in tree.links if link.named]
    named: dict[str, FrameOf] = {}
    for frame in (*links, *tree.frames):
        named.setdefault(frame.name, frame)
    return tuple(named.values())


def _movable(tree: Tree) -> Iterator[JointOf]:
    return (joint for joint in tree.joints if joint.kind != "fixed")


def _places(tree: Tree, report: Report) -> dict[str, tuple[int, Array]]:
    """For each link the body that it is part of and its pose there."""
    number = {joint.name: j for j, joint in enumerate(_movable(tree), 1)}
    below: dict[str, list[JointOf]] = {}
    for joint in tree.joints:
        below.setdefault(joint.parent, []).append(joint)
    place, front = {tree.root: (0, np.eye(4))}, [tree.root]
    while front:
        link = front.pop()
        for joint in below.get(link, ()):
            body, pose = place[link]
            fixed = joint.kind == "fixed"
            place[joint.child] = (body, pose @ joint.origin) if fixed else (number[joint.name], np.eye(4))
            front.append(joint.child)
    if lost := [link.name for link in tree.links if link.name not in place]:
        report.add(Finding("trees.unconnected", root=tree.root, links=lost[:10]))
    return place


def _check(tree: Tree, report: Report) -> None:
    """Names are unique, links exist, and a link hangs on one joint."""
    links = {link.name for link in tree.links}
    if len(tree.joints) > MAX_FRAMES:
        report.add(Finding("trees.joints", joints=len(tree.joints), most=MAX_FRAMES))
    for name in _twice(link.name for link in tree.links):
        report.add(Finding("trees.two_links", name=name))
    for name in _twice(joint.name for joint in tree.joints):
        report.add(Finding("trees.two_joints", name=name))
    for joint in tree.joints:
        for code, name in (("trees.no_parent", joint.parent), ("trees.no_child", joint.child)):
            if name not in links:
                report.add(Finding(code, joint=joint.name, link=name), joint.line)
    for name in _twice(joint.child for joint in tree.joints):
        report.add(Finding("trees.two_parents", name=name))
    report.raise_errors()


def _twice(names: Iterable[str]) -> list[str]:
    return [name for name, count in Counter(names).items() if count > 1]
