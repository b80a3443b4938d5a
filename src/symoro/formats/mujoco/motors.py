"""Which joints of a MuJoCo model have motors, which have springs, and what holds the weight of its bodies."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from symoro.findings import Finding
from symoro.formats._report import Report
from symoro.formats.tree.description import JointOf, Link, Mass, place_at_zero
from symoro.formats.tree.poses import Array, X, Y, Z, cross, skew


def sprung(
    joints: Iterable[JointOf], links: Iterable[Link], wanted: Mapping[str, tuple[float, float]]
) -> list[JointOf]:
    """The joints, with stiffness and damping for the time constant T and the damping ratio ζ that some of them want.

    k = I / (T ζ)² and d = 2 I / T (MuJoCo's documentation, joint/springdamper), where I is what the joint feels at the
    zero of the file while the others are free: the inverse of its element of the inverse inertia matrix.
    """
    listed = list(joints)
    if not wanted:
        return listed
    names, A = _inertia_matrix(listed, {link.name: link.mass for link in links})
    felt = dict(zip(names, 1 / np.diag(np.linalg.inv(A)), strict=True))
    with_springs = []
    for joint in listed:
        if joint.name in wanted:
            (time, ratio), inertia = wanted[joint.name], float(felt[joint.name])
            joint = replace(joint, stiffness=inertia / (time * ratio) ** 2, damping=2 * inertia / time)
        with_springs.append(joint)
    return with_springs


def _inertia_matrix(joints: Sequence[JointOf], masses: Mapping[str, Mass]) -> tuple[list[str], Array]:
    """The inertia matrix at the zero of the file, and the joint of each row: Σ Cᵀ S C over the links.

    C has a column [v; ω] for each velocity, as a body at the origin of the world has it, and S is the inertia there.
    """
    names: list[str] = []
    columns: list[Array] = []
    armatures: list[float] = []
    moves: dict[str, list[int]] = {}
    above = {joint.child: joint for joint in joints}
    for joint in joints:
        T = place_at_zero(joints, joint.child)
        axes = [T[:3, :3] @ axis for axis in ((joint.axis,) if joint.kind in ("revolute", "prismatic") else (X, Y, Z))]
        moves[joint.child] = []
        slides = [np.r_[axis, 0, 0, 0] for axis in axes if joint.kind in ("prismatic", "floating")]
        turns = [np.r_[cross(T[:3, 3], axis), axis] for axis in axes if joint.kind in ("revolute", "ball", "floating")]
        for column in (*slides, *turns):
            moves[joint.child].append(len(columns))
            names.append(joint.name)
            columns.append(column)
            armatures.append(joint.armature)
    A = np.diag(armatures)
    for link, mass in masses.items():
        way, at = [], link
        while at in above:
            way += moves[at]
            at = above[at].parent
        here = mass.seen_from(place_at_zero(joints, link))
        S = np.block([[here.M * np.eye(3), -skew(here.MS)], [skew(here.MS), here.J]])
        C = np.array([columns[k] for k in way]).reshape(-1, 6).T
        A[np.ix_(way, way)] += C.T @ S @ C
    return names, A


def held_part(parts: Mapping[str, tuple[float, int | None]], by_motors: Collection[bool], report: Report) -> float:
    """The part of gravity that forces on bodies hold: `parts` has that of each moving body with mass, and its line.

    It is 0 where all joints leave these forces to their motors (`by_motors`). What only some bodies or some motors have
    is not carried over. MuJoCo computes the forces if one of them is positive.
    """
    if all(part <= 0 for part, _ in parts.values()) or all(by_motors):
        return 0.0
    if len({part for part, _ in parts.values()}) == 1 and not any(by_motors):
        return next(part for part, _ in parts.values())
    for name, (part, line) in parts.items():
        if part:
            report.add(Finding("mjcf.body", key="gravcomp", body=name), line)
    return 0.0


def with_motors(joints: Iterable[JointOf], driven: set[str], loops: bool, report: Report) -> tuple[JointOf, ...]:
    """The joints, active or passive; `driven` are those with an actuator.

    A joint with a spring and without an actuator is passive. An active joint has no spring beside its motor. In a file
    with loops the joints with an actuator are active, if there are any.
    """
    marked = []
    for joint in joints:
        if joint.stiffness and (joint.name in driven or joint.mimic is not None):
            report.add(Finding("mjcf.spring", joint=joint.name), joint.line)
            joint = replace(joint, stiffness=0.0, rest=0.0)
        active = joint.name in driven if loops and driven else not joint.stiffness
        marked.append(replace(joint, active=active))
    return tuple(marked)
