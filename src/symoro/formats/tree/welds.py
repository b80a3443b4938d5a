"""Welds between links that joints hold already: one link hangs on the other, and a joint of the loop is cut instead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from symoro.findings import Finding
from symoro.formats._report import Report
from symoro.formats.tree.description import JointOf, Link, LoopJoint, Tree, Weld
from symoro.formats.tree.poses import Array, inverse
from symoro.formats.tree.simple import drive_of

_CUT = {"floating": 0, "ball": 1, "revolute": 2, "prismatic": 2}
"""The kinds of joints that can be cut, those with most freedom first: fewer joints remain."""

_CLOSING: dict[str, Literal["revolute", "prismatic", "ball"]] = {
    "revolute": "revolute",
    "prismatic": "prismatic",
    "ball": "ball",
}


def without_welds(tree: Tree, report: Report) -> Tree:
    """The same mechanism without welds.

    A weld takes six freedoms, a cut joint has one. So the weld becomes a fixed joint of the tree, and a joint of the
    loop that this would close becomes the cut joint. The joints between the two turn round.
    """
    for weld in tree.welds:
        tree = _hung(tree, weld, report)
    return replace(tree, welds=())


def _hung(tree: Tree, weld: Weld, report: Report) -> Tree:
    loop = _WeldLoop.of(tree, weld)
    cut = min(loop.candidates(tree), key=loop.rank, default=None)
    if cut is None:
        report.add(Finding("trees.weld", weld=weld.name), weld.line)
        return tree
    _note(cut, weld, report)
    below, link, on, pose = loop.side(cut)
    turned = {joint.name: _turned(joint) for joint in below}
    kept = [part for joint in tree.joints if joint is not cut for part in turned.get(joint.name, (joint,))]
    joints = (*kept, JointOf(f"{weld.name}_weld", "fixed", on, link, pose, line=weld.line))
    between = [Link(parts[0].child, named=False) for parts in turned.values() if len(parts) > 1]
    closures = (*tree.closures, *_closures(cut, joints))
    return replace(tree, links=(*tree.links, *between), joints=joints, closures=closures)


def _note(cut: JointOf, weld: Weld, report: Report) -> None:
    """What is cut, and what a cut joint does not keep."""
    lost = [Finding(code) for code, number in drive_of(cut).items() if number]
    lost += [Finding("trees.limits")] if cut.bounds.lower is not None or cut.bounds.upper is not None else []
    report.add(Finding("trees.weld_cut", weld=weld.name, joint=cut.name), weld.line)
    if lost:
        report.add(Finding("trees.lost_at_cut", joint=cut.name, lost=lost), cut.line)


@dataclass(frozen=True, slots=True)
class _WeldLoop:
    """The joints from the last common link to both ends of a weld."""

    weld: Weld
    first: tuple[JointOf, ...]
    second: tuple[JointOf, ...]

    @classmethod
    def of(cls, tree: Tree, weld: Weld) -> _WeldLoop:
        above = {joint.child: joint for joint in tree.joints}
        one, two = (_path(above, link) for link in (weld.first, weld.second))
        while one and two and one[0] is two[0]:
            one, two = one[1:], two[1:]
        return cls(weld, tuple(one), tuple(two))

    def candidates(self, tree: Tree) -> list[JointOf]:
        followed = {joint.mimic.joint for joint in tree.joints if joint.mimic}
        loop = (*self.first, *self.second)
        return [j for j in loop if j.kind in _CUT and j.mimic is None and j.name not in followed]

    def rank(self, joint: JointOf) -> tuple[object, ...]:
        """Passive joints first, without anything that is lost, and near the weld, so that few joints turn round."""
        lost = any((joint.damping, joint.friction, joint.armature, joint.stiffness))
        path = self.first if joint in self.first else self.second
        return _CUT[joint.kind], joint.active, lost, len(path) - path.index(joint), joint in self.first

    def side(self, cut: JointOf) -> tuple[tuple[JointOf, ...], str, str, Array]:
        """The joints behind the cut, the link that is hung, the link on which it is hung, and its pose there."""
        weld = self.weld
        if cut in self.second:
            pose = weld.in_first @ inverse(weld.in_second)
            return self.second[self.second.index(cut) + 1 :], weld.second, weld.first, pose
        pose = weld.in_second @ inverse(weld.in_first)
        return self.first[self.first.index(cut) + 1 :], weld.first, weld.second, pose


def _path(above: dict[str, JointOf], link: str) -> list[JointOf]:
    """The joints from the root to a link."""
    path: list[JointOf] = []
    while link in above and above[link] not in path:
        path.insert(0, above[link])
        link = above[link].parent
    return path


def _turned(joint: JointOf) -> tuple[JointOf, ...]:
    """A joint from its child to its parent: O M(a, q) of the one is M(-a, q) O⁻¹ of the other."""
    back = inverse(joint.origin)
    if joint.kind == "fixed":
        return (replace(joint, parent=joint.child, child=joint.parent, origin=back),)
    between = f"{joint.name} before"
    moving = replace(joint, parent=joint.child, child=between, origin=np.eye(4), axis=-joint.axis)
    return moving, JointOf(f"{joint.name}_origin", "fixed", between, joint.parent, back)


def _closures(cut: JointOf, joints: tuple[JointOf, ...]) -> list[LoopJoint]:
    """The cut joint; none if it was free, or if its links are one body now."""
    above = {joint.child: joint for joint in joints if joint.kind == "fixed"}
    ends = []
    for link in (cut.parent, cut.child):
        while link in above:
            link = above[link].parent
        ends.append(link)
    if cut.kind == "floating" or ends[0] == ends[1]:
        return []
    kind = _CLOSING[cut.kind]
    return [LoopJoint(cut.name, kind, cut.parent, cut.child, cut.origin, np.eye(4), cut.axis, cut.line)]
