"""The arm as the method takes it: lengths in units of its reach, and six joints.

An arm with fewer joints gets virtual revolute joints behind its end, on axes in general position. Its branches are
those of the arm with six joints whose virtual joints are at zero. Joints that are given move what is behind them inside
a link.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.solve.general.arrangement import Loop, inverse
from symoro.solve.general.polish import Chain, motion

Array = NDArray[Any]
_AXES = np.array(
    [
        [0.70, 0.43, -0.51, 0.25, 0.31, -0.17, 0.23],
        [0.61, -0.55, 0.33, 0.46, -0.27, 0.35, 0.11],
        [0.57, 0.38, 0.62, -0.38, 0.14, 0.29, -0.33],
        [0.66, 0.49, 0.27, 0.50, -0.21, -0.36, 0.19],
        [0.52, -0.36, -0.59, 0.50, 0.37, 0.13, 0.26],
    ]
)
#: Axes of the virtual joints: rotations by unit quaternions (w, x, y, z) and translations in units of the reach.
VIRTUAL = np.hstack([_AXES[:, :4] / np.linalg.norm(_AXES[:, :4], axis=1, keepdims=True), _AXES[:, 4:]])


def scaled(kinds: str, links: Array, pose: Array) -> tuple[Chain, float]:
    """The chain with lengths in units of its reach, and the reach in its own units.

    The travel of prismatic joints is not known, so that the distance of the pose counts too where there are some.
    """
    reach = float(np.linalg.norm(links[:, :3, 3], axis=1).sum())
    reach += float(np.linalg.norm(pose[:3, 3])) if "P" in kinds else 0.0
    reach = reach if reach > 0.0 else 1.0
    unit = np.ones((4, 4))
    unit[:3, 3] = 1 / reach
    return Chain(kinds, links * unit, pose * unit), reach


def six_joints(chain: Chain) -> Chain:
    """The chain with virtual revolute joints behind its end, six in all."""
    missing = 6 - len(chain.kinds)
    if not missing:
        return chain
    D = np.stack([_displacement(row) for row in VIRTUAL[:missing]])
    links, pose = [*chain.links[:-1], chain.links[-1] @ D[0], *D[1:], np.eye(4)], chain.pose
    for displacement in D:
        pose = pose @ displacement
    return Chain(chain.kinds + "R" * missing, np.stack(links), pose)


def _displacement(row: Array) -> Array:
    w, x, y, z = row[:4]
    T = np.eye(4)
    T[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    T[:3, 3] = row[4:]
    return T


def loop_of(chain: Chain) -> Loop:
    """Z1 F1 … Z6 F6 = I, with the pose inside F6."""
    closing = chain.links[6] @ inverse(chain.pose) @ chain.links[0]
    return Loop(chain.kinds, np.stack([*chain.links[1:6], closing]))


@dataclass(frozen=True, slots=True, eq=False)
class GivenJoint:
    """A joint that is given: its place in r, R or P, its motion for a unit of r, the number of its link, its frame."""

    place: int
    kind: str
    rate: float
    link: int
    frame: Array


def links_at(links: Array, given: Sequence[GivenJoint], r: Array) -> Array:
    """The links (n + 1, 4, 4) of an arm with its given joints, in the order of the chain, at r.

    A link with given joints is L(r) = W1 Z1 W1⁻¹ W2 Z2 W2⁻¹ … L(0), where Z_k is the motion of a given joint, and W_k
    is its frame in the link when all given joints are at zero: a product of exponentials.
    """
    moved = np.array(links, dtype=float)
    for joint in reversed(given):
        Z = motion(joint.kind, np.array([joint.rate * r[joint.place]]))[0]
        moved[joint.link] = joint.frame @ Z @ inverse(joint.frame) @ moved[joint.link]
    return moved
