"""Pieper's condition: three axes that meet in a point, three that are parallel, or three prismatic joints.

Then the positions of three joints and the orientation of the other three, or the other way round, are separate
problems of degree four at most (D. Pieper, The kinematics of manipulators under computer control, Stanford, 1968).
Whether axes meet is said by the distances between them, not by the frames that were chosen on them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.models.geometric.inverse.chain import Chain
from symoro.models.geometric.inverse.screws import Screw


@dataclass(frozen=True, slots=True)
class Triple:
    """Three joints, and what their axes have in common."""

    joints: tuple[int, int, int]
    what: str

    def __str__(self) -> str:
        a, b, c = self.joints
        return f"{self.what} {a}, {b} and {c}"


def triples(chain: Chain) -> Iterator[Triple]:
    """The triples of a chain that separate it."""
    axes = chain.axes
    prismatic = [axis.joint for axis in axes if axis.prismatic]
    if len(prismatic) >= 3:
        yield Triple((prismatic[0], prismatic[1], prismatic[2]), "there are three prismatic joints,")
    for n in range(len(axes) - 2):
        a, b, c = axes[n : n + 3]
        if a.prismatic or b.prismatic or c.prismatic:
            continue
        first, second = chain.links[n : n + 2]
        joints = (a.joint, b.joint, c.joint)
        if _parallel(first) and _parallel(second):
            yield Triple(joints, "parallel are the axes")
        elif _meets(first) and _meets(second) and b.constant.is_zero:
            yield Triple(joints, "in a point meet the axes")


def _sine(angle: Expr) -> Expr:
    return angle.graph.sin(angle)


def _parallel(link: tuple[Screw, ...]) -> bool:
    return all(_sine(screw.turn).is_zero for screw in link)


def _meets(link: tuple[Screw, ...]) -> bool:
    return len(link) == 1 and link[0].shift.is_zero and not _parallel(link)
