"""Loops of a tree of links: joints that close them become cut joints with a mate on the other side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from symoro.formats.tree.bodies import Bodies
from symoro.formats.tree.description import JointOf, Link, LoopJoint, Tree
from symoro.formats.tree.frames import feet_of
from symoro.formats.tree.lines import Line
from symoro.formats.tree.parameters import Parameters, exact_parameters
from symoro.formats.tree.poses import Array, X, Y, Z, cross, inverse, perpendicular, pose, shift


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


def cut_line(closure: LoopJoint, bodies: Bodies, poses: list[Array]) -> Line:
    """The axis of a cut joint on the side of its parent."""
    body, pose = bodies.where(closure.parent, closure.in_parent)
    there = poses[body] @ pose
    z = there[:3, :3] @ closure.axis
    return Line(body, there[:3, 3], z / np.linalg.norm(z))


def mate(
    closure: LoopJoint, bodies: Bodies, poses: list[Array], cut: Array, before: list[Array]
) -> tuple[int, Parameters]:
    """The body of the mate and its parameters: on the child it is where the cut frame is if the loop is closed."""
    parent, in_parent = bodies.where(closure.parent, closure.in_parent)
    child, in_child = bodies.where(closure.child, closure.in_child)
    target = poses[child] @ in_child @ inverse(poses[parent] @ in_parent) @ cut
    n, first, second = feet_of(before[child], target)
    return child, exact_parameters(before[child], target, n, first, second)


def aligned(point: Array, world: Array, target: Array) -> Array:
    """A frame at a point of a link with this pose, with the axes of the target."""
    frame = shift(point[:3, 3])
    frame[:3, :3] = world[:3, :3].T @ target[:3, :3]
    return frame


def hinged(closures: list[LoopJoint]) -> list[LoopJoint]:
    """The closures, where two balls between the same links are a hinge about the line through both."""
    groups: dict[tuple[str, str], list[LoopJoint]] = {}
    for one in closures:
        if (one.child, one.parent) in groups:
            swapped = {"parent": one.child, "child": one.parent, "in_parent": one.in_child, "in_child": one.in_parent}
            one = replace(one, **swapped)  # type: ignore[arg-type]
        groups.setdefault((one.parent, one.child), []).append(one)
    return [joint for group in groups.values() for joint in (_hinge(*group) if len(group) == 2 else group)]


def _hinge(first: LoopJoint, second: LoopJoint) -> list[LoopJoint]:
    """One hinge of two balls, if the links have the same distance between them."""
    lines = [(a[:3, 3], b[:3, 3] - a[:3, 3]) for a, b in (
        (first.in_parent, second.in_parent), (first.in_child, second.in_child))]  # fmt: skip
    sizes = [float(np.linalg.norm(along)) for _, along in lines]
    if min(sizes) < 1e-6 or abs(sizes[0] - sizes[1]) > 1e-9 * sizes[0]:
        return [first, second]
    frames = [_frame_along(point, along / size) for (point, along), size in zip(lines, sizes, strict=True)]
    return [replace(first, kind="revolute", in_parent=frames[0], in_child=frames[1], axis=Z)]


def _frame_along(point: Array, z: Array) -> Array:
    x = perpendicular(z)
    return pose(np.column_stack([x, cross(z, x), z]), point)
