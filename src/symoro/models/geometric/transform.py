"""Transformation matrices between frames, and the direct geometric model (K97 §§ 3.1-3.2)."""

from __future__ import annotations

from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, identity, zeros
from symoro.models.results import matrix
from symoro.robot import topology
from symoro.symbols import Symbols

Pose = tuple[Matrix, Vector]
"""Orientation and origin of a frame."""


def transform(s: Symbols, i: int, j: int) -> list[Result]:
    """iTj: frame j seen from frame i."""
    way = topology.chain(s.robot, i, j)
    down = along(s, [joint.index for joint in way.down])
    up = along(s, [joint.index for joint in reversed(way.up)])
    return [homogeneous(s, "T", compose(invert(up), down))]


def forward_geometry(s: Symbols, link: int | None) -> list[Result]:
    """0Tn from the world to the frame of a link, or of each tip of the tree; the base's pose is included."""
    tips = [link] if link is not None else [tip.index for tip in topology.tips(s.robot)]
    results = []
    for tip in tips:
        pose = along(s, [joint.index for joint in topology.path(s.robot, tip)])
        results.append(homogeneous(s, "T" if len(tips) == 1 else f"T{tip}_", compose(base_pose(s), pose)))
    return results


def base_pose(s: Symbols) -> Pose:
    """The pose of frame 0 in the world."""
    rows = [[s.bind(x) for x in row] for row in s.robot.base.pose]
    return Matrix(s.graph, (row[:3] for row in rows[:3])), Vector(s.graph, (row[3] for row in rows[:3]))


def along(s: Symbols, joints: list[int]) -> Pose:
    """The product of the transformations of a chain of joints (K97:1), from its end to its start."""
    A, P = identity(s.graph, 3), zeros(s.graph, 3)
    for j in reversed(joints):
        A = s.R[j] @ A
        P = s.R[j] @ P + s.P[j]
    return A, P


def compose(first: Pose, second: Pose) -> Pose:
    return first[0] @ second[0], first[0] @ second[1] + first[1]


def invert(pose: Pose) -> Pose:
    A, P = pose
    return A.T, -(A.T @ P)


def homogeneous(s: Symbols, name: str, pose: Pose) -> Result:
    """The 4 × 4 matrix of a pose (K97:1a)."""
    A, P = pose
    return matrix(s, name, Matrix(s.graph, [*([*row, p] for row, p in zip(A, P, strict=True)), (0, 0, 0, 1)]))
