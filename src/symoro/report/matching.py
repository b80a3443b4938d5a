"""Matches the links and joints of two descriptions: by their names, else by the places of the joints' axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from symoro.formats._report import Report
from symoro.formats.tree.description import JointOf, Tree, place_at_zero
from symoro.formats.tree.of_robot import tree_of
from symoro.formats.tree.poses import Array, cross
from symoro.formats.tree.robot import robot_of

_OTHER_KIND, _ORDER = 1e3, 1e-6


def matched(a: Tree, b: Tree) -> tuple[Tree, Tree]:
    """The two trees with common names of joints and links."""
    if {link.name for link in a.links} == {link.name for link in b.links}:
        return a, b
    one, two = _plain(a), _plain(b)
    names = {joint.name: joint.child for joint in a.joints}
    return _by_joints(one, a.root, names), _by_joints(_renamed(two, _pairs(one, two)), a.root, names)


def _plain(tree: Tree) -> Tree:
    """The tree in the frames that follow from its axes, without the names of frames."""
    robot = robot_of(replace(tree, frames=(), closures=()), Report(None)).robot
    return tree_of(replace(robot, frames=()))


def _pairs(one: Tree, two: Tree) -> dict[str, str]:
    """For joints of the second tree whose names the first has not: the joint of the first at this place."""
    from scipy.optimize import linear_sum_assignment  # most comparisons match by names

    known = {joint.name for joint in one.joints} & {joint.name for joint in two.joints}
    mine, yours = ([joint for joint in tree.joints if joint.name not in known] for tree in (one, two))
    first, second = _axes(one), _axes(two)
    cost = [[_distance(m, y, first[m.name], second[y.name]) for y in yours] for m in mine]
    order = _ORDER * np.abs(np.subtract.outer(np.arange(len(mine)), np.arange(len(yours))))
    rows, columns = linear_sum_assignment(np.array(cost).reshape(len(mine), len(yours)) + order)
    return {yours[k].name: mine[i].name for i, k in zip(rows, columns, strict=True)}


def _axes(tree: Tree) -> dict[str, tuple[Array, Array]]:
    """A point and the direction of the axis of each joint where all coordinates are 0."""
    poses = {joint.name: place_at_zero(tree.joints, joint.child) for joint in tree.joints}
    return {joint.name: (poses[joint.name][:3, 3], poses[joint.name][:3, :3] @ joint.axis) for joint in tree.joints}


def _distance(a: JointOf, b: JointOf, first: tuple[Array, Array], second: tuple[Array, Array]) -> float:
    """How far two axes are apart: the distance of the lines, and the angle; axes may have opposite signs."""
    (p, z), (s, w) = first, second
    turned = min(float(np.linalg.norm(z - w)), float(np.linalg.norm(z + w)))
    apart = 0.0 if a.kind == "prismatic" else float(np.linalg.norm(cross(s - p, z)))
    return turned + apart + _OTHER_KIND * (a.kind != b.kind)


def _renamed(tree: Tree, names: dict[str, str]) -> Tree:
    joints = []
    for joint in tree.joints:
        mimic = joint.mimic and replace(joint.mimic, joint=names.get(joint.mimic.joint, joint.mimic.joint))
        joints.append(replace(joint, name=names.get(joint.name, joint.name), mimic=mimic))
    return replace(tree, joints=tuple(joints))


def _by_joints(tree: Tree, root: str, names: Mapping[str, str]) -> Tree:
    """The tree with links that have the names that are known for their joints."""
    links = {j.child: names.get(j.name, f"link of {j.name}") for j in tree.joints} | {tree.root: root}
    return replace(
        tree,
        root=root,
        links=tuple(replace(link, name=links[link.name]) for link in tree.links),
        joints=tuple(replace(j, parent=links[j.parent], child=links[j.child]) for j in tree.joints),
    )
