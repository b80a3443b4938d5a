"""Loops of a tree of links: joints that close them become cut joints with a mate on the other side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symoro.formats.tree.bodies import Bodies
from symoro.formats.tree.description import Closure, JointOf, Link, Tree
from symoro.formats.tree.frames import feet_of
from symoro.formats.tree.lines import Line
from symoro.formats.tree.parameters import Parameters, exact_parameters
from symoro.formats.tree.poses import Array, X, Y, Z, inverse


def with_single_cuts(tree: Tree) -> Tree:
    """The tree with closures of one degree of freedom: a ball is two passive revolute joints and a revolute closure."""
    links, joints, closures = list(tree.links), list(tree.joints), []
    for closure in tree.closures:
        if closure.kind != "ball":
            closures.append(closure)
            continue
        first, second = f"{closure.name}_rx", f"{closure.name}_ry"
        links += [Link(f"{name}_link", named=False) for name in (first, second)]
        joints.append(_passive(first, closure.parent, closure.in_parent, X))
        joints.append(_passive(second, f"{first}_link", np.eye(4), Y))
        closures.append(replace(closure, kind="revolute", parent=f"{second}_link", in_parent=np.eye(4), axis=Z))
    return replace(tree, links=tuple(links), joints=tuple(joints), closures=tuple(closures))


def _passive(name: str, parent: str, origin: Array, axis: Array) -> JointOf:
    return JointOf(name, "revolute", parent, f"{name}_link", origin, axis, active=False)


def cut_line(closure: Closure, found: Bodies, poses: list[Array]) -> Line:
    """The axis of a cut joint on the side of its parent."""
    body, pose = found.where(closure.parent, closure.in_parent)
    there = poses[body] @ pose
    z = there[:3, :3] @ closure.axis
    return Line(body, there[:3, 3], z / np.linalg.norm(z))


def mate(
    closure: Closure, found: Bodies, poses: list[Array], cut: Array, before: list[Array]
) -> tuple[int, Parameters]:
    """The body of the mate and its parameters: on the child it is where the cut frame is if the loop is closed."""
    parent, in_parent = found.where(closure.parent, closure.in_parent)
    child, in_child = found.where(closure.child, closure.in_child)
    target = poses[child] @ in_child @ inverse(poses[parent] @ in_parent) @ cut
    n, first, second = feet_of(before[child], target)
    return child, exact_parameters(before[child], target, n, first, second)
