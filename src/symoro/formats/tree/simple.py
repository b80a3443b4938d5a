"""Makes revolute and prismatic joints of all other kinds, with links without mass between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from symoro.findings import Finding
from symoro.formats._report import Report
from symoro.formats.tree.description import JointOf, Kind, Link, Mimic, Tree
from symoro.formats.tree.poses import Array, X, Y, Z, cross, perpendicular, pose, shift, turn

_GROUND = "world"
"""The usual name of the root that is the ground, and no body."""
_Part = tuple[str, Kind, Array]
"""The letters behind the joint's name, the kind and the axis of a part."""


def simple(tree: Tree, report: Report) -> Tree:
    """The tree with revolute, prismatic and fixed joints only; a floating joint at the root makes the base float."""
    tree = _free_base(tree, report)
    links, joints = list(tree.links), []
    for joint in tree.joints:
        parts = list(_parts(joint))
        if len(parts) > 1:
            chain = list(_chain(joint, parts, report))
            links += [Link(part.child, named=False) for part in chain[:-1]]
            joints += chain
        else:
            joints.append(joint)
    named = {joint.name: joint for joint in joints}
    return replace(tree, links=tuple(links), joints=tuple(_held(joint, named) for joint in joints))


def _free_base(tree: Tree, report: Report) -> Tree:
    """A tree whose root carries one floating joint beside bodies that stand still: its child is the base, which floats.

    What stands still, such as a table or a floor, moves nothing. It is left out, unless the robot is tied to it.
    """
    below = [joint for joint in tree.joints if joint.parent == tree.root]
    free = [joint for joint in below if joint.kind == "floating"]
    still = {tree.root, *(name for joint in below if joint not in free for name in _standing(tree, joint))}
    moving = {joint.child for joint in tree.joints} - still
    tied = {link for closure in tree.closures for link in (closure.parent, closure.child)}
    carried = [joint for joint in tree.joints if joint.parent in still and joint.child in moving]
    if len(free) != 1 or carried != free or tied & still:
        return tree
    _without_drive(free[0], report)
    if left_out := sorted(still - {link.name for link in tree.links if link.name == _GROUND and not link.mass.M}):
        report.add(Finding("trees.standing", links=left_out))
    return replace(
        tree,
        root=free[0].child,
        links=tuple(link for link in tree.links if link.name not in still),
        joints=tuple(joint for joint in tree.joints if joint is not free[0] and joint.child not in still),
        frames=tuple(frame for frame in tree.frames if frame.link not in still),
        floating=True,
        pose=tree.pose @ free[0].origin,
    )


def _standing(tree: Tree, joint: JointOf) -> set[str]:
    """The links that stand still because this joint and those behind it are fixed."""
    if joint.kind != "fixed":
        return set()
    behind = (_standing(tree, one) for one in tree.joints if one.parent == joint.child)
    return {joint.child}.union(*behind)


def _held(joint: JointOf, named: Mapping[str, JointOf]) -> JointOf:
    """A joint that stands still, because it follows another one with the ratio 0 or one that stands still, is fixed."""
    at = _position(joint, named, ())
    if at is None:
        return joint
    way = at - joint.zero
    moved = pose(turn(joint.axis, way)) if joint.kind == "revolute" else shift(way * joint.axis)
    return replace(joint, kind="fixed", origin=joint.origin @ moved, mimic=None, zero=0.0)


def _position(joint: JointOf, named: Mapping[str, JointOf], behind: tuple[str, ...]) -> float | None:
    """Where a joint stands still; None if it moves. `behind` are the joints that follow it."""
    mimic = joint.mimic
    if mimic is None or joint.kind not in ("revolute", "prismatic"):
        return None
    if not mimic.ratio:
        return mimic.offset
    if mimic.joint not in named or mimic.joint in behind:
        return None
    master = _position(named[mimic.joint], named, (*behind, joint.name))
    return None if master is None else mimic.ratio * master + mimic.offset


def _parts(joint: JointOf) -> Iterator[_Part]:
    """The joints that a joint is made of, from its parent to its child."""
    if joint.kind == "planar":
        first = perpendicular(joint.axis)
        yield from (("_tx", "prismatic", first), ("_ty", "prismatic", cross(joint.axis, first)))
        yield "_rz", "revolute", joint.axis
    elif joint.kind == "floating":
        yield from (("_tx", "prismatic", X), ("_ty", "prismatic", Y), ("_tz", "prismatic", Z))
    elif joint.kind == "screw":
        yield from (("", "revolute", joint.axis), ("_advance", "prismatic", joint.axis))
    elif joint.kind == "universal" and joint.second is not None:
        yield from (("", "revolute", joint.axis), ("_2", "revolute", joint.second))
    if joint.kind in ("floating", "ball"):
        yield from (("_rx", "revolute", X), ("_ry", "revolute", Y), ("_rz", "revolute", Z))


def drive_of(joint: JointOf) -> dict[str, float]:
    """What the drive and the spring of a joint have, by the codes of their names."""
    return {
        "trees.damping": joint.damping,
        "trees.friction": joint.friction,
        "trees.armature": joint.armature,
        "trees.spring": joint.stiffness,
    }


def _without_drive(joint: JointOf, report: Report) -> JointOf:
    """The joint without what belongs to its angular velocity: three rotations in series have other rates."""
    if lost := [Finding(code) for code, number in drive_of(joint).items() if number]:
        report.add(Finding("trees.lost", kind=joint.kind, joint=joint.name, lost=lost), joint.line)
    return replace(joint, damping=0.0, friction=0.0, armature=0.0, stiffness=0.0, rest=0.0)


def _chain(joint: JointOf, parts: list[_Part], report: Report) -> Iterator[JointOf]:
    names = [joint.name + end for end, _, _ in parts]
    code = "trees.singular_joints" if joint.kind in ("floating", "ball") else "trees.several_joints"
    report.add(Finding(code, kind=joint.kind, name=joint.name, count=len(parts), joints=names), joint.line)
    if joint.mimic is not None and joint.kind != "screw":
        report.add(Finding("trees.follows_by_several", name=joint.name, count=len(parts)), joint.line)
        joint = replace(joint, mimic=None)
    if joint.kind in ("floating", "ball"):
        joint = _without_drive(joint, report)
    parent, origin = joint.parent, joint.origin
    for name, (_, kind, axis) in zip(names, parts, strict=True):
        child = joint.child if name == names[-1] else f"{name}_link"
        one = replace(joint, name=name, kind=kind, parent=parent, child=child, origin=origin, axis=axis, second=None)
        if joint.kind == "screw" and name != joint.name:
            one = replace(one, mimic=Mimic(joint.name, joint.pitch, -joint.pitch * joint.zero), damping=0.0)
            one = replace(one, friction=0.0, armature=0.0, stiffness=0.0, zero=0.0)
        yield one
        parent, origin = child, np.eye(4)
