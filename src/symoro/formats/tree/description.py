"""What files of links and joints say: links with inertia, joints with an origin and an axis, frames, loops."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from symoro.formats.tree.poses import Array, Z

Kind = Literal["revolute", "prismatic", "fixed", "planar", "floating", "ball", "universal", "screw"]
PARTS = {"planar": 3, "floating": 6, "ball": 3, "universal": 2, "screw": 2}
"""The kinds that become several joints, and how many."""


@dataclass(frozen=True, slots=True, eq=False)
class Mass:
    """Mass, first moments and inertia tensor about the origin of a frame, in its axes."""

    M: float = 0.0
    MS: Array = field(default_factory=lambda: np.zeros(3))
    J: Array = field(default_factory=lambda: np.zeros((3, 3)))

    @classmethod
    def at_centre(cls, mass: float, tensor: Array, pose: Array) -> Mass:
        """A body with this tensor about its centre of mass, in axes with this pose and their origin there."""
        return cls(mass, np.zeros(3), tensor).seen_from(pose)

    def seen_from(self, pose: Array) -> Mass:
        """The body in the frame where its own frame has this pose (K97:28-29)."""
        R, P = pose[:3, :3], pose[:3, 3]
        MS, J = R @ self.MS, R @ self.J @ R.T
        moved = 2 * (P @ MS) * np.eye(3) - np.outer(MS, P) - np.outer(P, MS)
        return Mass(self.M, MS + self.M * P, J + moved + self.M * (P @ P * np.eye(3) - np.outer(P, P)))

    def __add__(self, other: Mass) -> Mass:
        return Mass(self.M + other.M, self.MS + other.MS, self.J + other.J)


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A link, and its inertia about the origin of its frame; a link that no file names has no frame of its name."""

    name: str
    mass: Mass = field(default_factory=Mass)
    named: bool = True


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a joint; None where there is none."""

    lower: float | None = None
    upper: float | None = None
    velocity: float | None = None
    effort: float | None = None


@dataclass(frozen=True, slots=True)
class Mimic:
    """The joint that another one follows: coordinate = ratio · coordinate of `joint` + offset."""

    joint: str
    ratio: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class JointOf:
    """A joint between two links: the child's frame is at `origin` in the parent's where the coordinate is `zero`.

    `axis` is in the frame of the joint, which is the child's; `second` is the second axis of a universal joint, `pitch`
    the advance of a screw in metres for a radian, `reduction` the turns of its motor for a turn of the joint. Damping,
    friction and armature are those that the joint sees.
    """

    name: str
    kind: Kind
    parent: str
    child: str
    origin: Array
    axis: Array = field(default_factory=lambda: Z)
    zero: float = 0.0
    bounds: Bounds = field(default_factory=Bounds)
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    active: bool = True
    mimic: Mimic | None = None
    second: Array | None = None
    pitch: float = 0.0
    reduction: float = 1.0
    line: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class FrameOf:
    """A named frame on a link."""

    name: str
    link: str
    pose: Array


@dataclass(frozen=True, slots=True, eq=False)
class LoopJoint:
    """A passive joint that closes a loop between two links that other joints hold: its frame, as each link sees it."""

    name: str
    kind: Literal["revolute", "prismatic", "ball"]
    parent: str
    child: str
    in_parent: Array
    in_child: Array
    axis: Array = field(default_factory=lambda: Z)
    line: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Weld:
    """Two links that do not move against each other, though joints hold both: a frame that both see at its place."""

    name: str
    first: str
    second: str
    in_first: Array
    in_second: Array
    line: int | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Tree:
    """The links, joints and frames of a file; `root` is the link on which the others hang."""

    name: str
    root: str
    links: tuple[Link, ...]
    joints: tuple[JointOf, ...]
    frames: tuple[FrameOf, ...] = ()
    closures: tuple[LoopJoint, ...] = ()
    welds: tuple[Weld, ...] = ()
    floating: bool = False
    gravity: tuple[float, ...] | None = None
    pose: Array = field(default_factory=lambda: np.eye(4))


def place_at_zero(joints: Iterable[JointOf], link: str) -> Array:
    """The pose of a link in the root's frame where all coordinates are at the zero of the file."""
    above = {joint.child: joint for joint in joints}
    T = np.eye(4)
    while link in above:
        T, link = above[link].origin @ T, above[link].parent
    return T
