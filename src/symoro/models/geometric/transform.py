"""Transformation matrices between frames, and the direct geometric model (K97 §§ 3.1-3.2).

`plain` multiplies the matrices of the joints as they are. The others merge rotations about parallel axes (see `walk`):
`outward` multiplies from the first frame to the last, `inward` from the last to the first.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from symoro.bind.symbols import Symbols
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, identity, zeros
from symoro.models.geometric.frames import FrameRef, Pose, bound_pose, carrier, compose, invert
from symoro.models.geometric.walk import FramePose, groups, steps_between
from symoro.models.results import matrix
from symoro.robot import topology

Product = Callable[[Symbols, int, int, bool], Pose]
"""iTj for two frames of links; the flag asks for named intermediate variables."""


def transform(s: Symbols, i: FrameRef, j: FrameRef, fast: bool, product: Product | None = None) -> list[Result]:
    """iTj: frame j seen from frame i."""
    (a, first), (b, last) = carrier(s.robot, i), carrier(s.robot, j)
    pose = compose((product or plain)(s, a, b, fast), bound_pose(s, last))
    return [homogeneous(s, _pose_name(s), compose(invert(bound_pose(s, first)), pose))]


def forward_geometry(s: Symbols, link: FrameRef | None, fast: bool, product: Product | None = None) -> list[Result]:
    """0Tn from the world to the frame of a link or a named frame, or to each tip; the base's pose is included."""
    tips = [link] if link is not None else list(s.free) or [tip.index for tip in topology.tips(s.robot)]
    results = []
    for tip in tips:
        n, last = carrier(s.robot, tip)
        pose = compose((product or plain)(s, 0, n, fast), bound_pose(s, last))
        name = f"T{tip}_" if len(tips) > 1 else _pose_name(s)
        results.append(homogeneous(s, name, compose(bound_pose(s, s.robot.base.pose), pose)))
    return results


def _pose_name(s: Symbols) -> str:
    """T, or TL where T is the input."""
    return "TL" if s.robot.takes == "platform" else "T"


def plain(s: Symbols, i: int, j: int, fast: bool = False) -> Pose:
    """The product of the transformations of the joints on the way (K97:1)."""
    way = topology.chain(s.robot, i, j)
    down = along(s, [joint.index for joint in way.down])
    up = along(s, [joint.index for joint in reversed(way.up)])
    return compose(invert(up), down)


def along(s: Symbols, joints: list[int]) -> Pose:
    """The product of the transformations of a chain of joints (K97:1), from its end to its start."""
    A, P = identity(s.graph, 3), zeros(s.graph, 3)
    for j in reversed(joints):
        A = s.R[j] @ A
        P = s.R[j] @ P + s.P[j]
    return A, P


def outward(s: Symbols, i: int, j: int, fast: bool = False) -> Pose:
    """From frame i to frame j: the pose so far, times that of the next group of steps."""
    A, P = identity(s.graph, 3), zeros(s.graph, 3)
    for k, group in _groups(s, i, j):
        A, P = A @ group.A, A @ group.P + P
        _name(s, (A, P), f"_{i}_{k}", fast)
    return A, P


def inward(s: Symbols, i: int, j: int, fast: bool = False) -> Pose:
    """From frame j to frame i: the pose of the next group of steps, times the pose so far."""
    A, P = identity(s.graph, 3), zeros(s.graph, 3)
    for k, group in reversed(_groups(s, i, j)):
        A, P = group.A @ A, group.A @ P + group.P
        _name(s, (A, P), f"_{k}_{j}", fast)
    return A, P


def _groups(s: Symbols, i: int, j: int) -> list[tuple[int, FramePose]]:
    return groups(s, chain.from_iterable(steps for _, steps in steps_between(s, i, j)))


def _name(s: Symbols, pose: Pose, ending: str, fast: bool) -> None:
    """Name the elements, such as T12_4_6: element 12 of the product from joint 4 to frame 6 (K97 § 3.2)."""
    if fast:
        for row, (elements, p) in enumerate(zip(*pose, strict=True), 1):
            for column, x in enumerate((*elements, p), 1):
                s.graph.name(x, f"T{row}{column}{ending}")


def outward_crossed(s: Symbols, i: int, j: int, fast: bool = False) -> Pose:
    """As `outward`; the first row of the orientation is the vector product of the other two."""
    A, P = outward(s, i, j, fast)
    _, y, z = A
    return (Matrix(s.graph, (y.cross(z), y, z)) if fast else A), P


def inward_crossed(s: Symbols, i: int, j: int, fast: bool = False) -> Pose:
    """As `inward`; the second column of the orientation is the vector product of the other two."""
    A, P = inward(s, i, j, fast)
    x, _, z = A.T
    return (Matrix(s.graph, (x, z.cross(x), z)).T if fast else A), P


def homogeneous(s: Symbols, name: str, pose: Pose) -> Result:
    """The 4 × 4 matrix of a pose (K97:1a)."""
    A, P = pose
    return matrix(s, name, Matrix(s.graph, [*([*row, p] for row, p in zip(A, P, strict=True)), (0, 0, 0, 1)]))
