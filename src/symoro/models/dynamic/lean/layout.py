"""The choices of a lean formulation, which a search by counted operations makes for each robot."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Self, TypeVar

from symoro.robot import topology
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.trigonometry import cosine, sine
from symoro.robot.values import is_zero

Choice = Literal["body", "group"]
Chosen = TypeVar("Chosen", bound="Frames")


@dataclass(frozen=True)
class Frames:
    """Where each link is evaluated: in which frame, and about which point."""

    #: Links that are evaluated in the frame before their joint ("group"); the others in their own ("body").
    frames: frozenset[int] = frozenset()
    #: Joints whose link has its origin where r would be 0: the offset is left to the next links.
    slid: frozenset[int] = frozenset()

    def __str__(self) -> str:
        return ", ".join(self._parts()) or "each link in its own frame"

    def _parts(self) -> Iterator[str]:
        yield from _said("links {} in the frame before their joint", self.frames)
        yield from _said("offsets of joints {} left to the next links", self.slid)

    @property
    def kind(self) -> tuple[tuple[int, ...], ...]:
        """What decides how far the algebraic passes can lower a layout: first of all, the frames."""
        return (tuple(sorted(self.frames)),)

    def frame(self, j: int) -> Choice:
        return "group" if j in self.frames else "body"

    def turned_over(self, j: int) -> Self:
        """The other frame for link j."""
        return replace(self, frames=self.frames ^ {j})

    def neighbours(self, robot: Robot) -> Iterator[Self]:
        """Every layout that differs in one choice."""
        for joint in topology.tree_joints(robot):
            yield from self._at(robot, joint)

    def _at(self, robot: Robot, joint: Joint) -> Iterator[Self]:
        """Every layout that differs at one joint."""
        yield self.turned_over(joint.index)
        if _slidable(joint):
            yield replace(self, slid=self.slid ^ {joint.index})


@dataclass(frozen=True)
class Moving(Frames):
    """Where each link is evaluated, and how its motion is found."""

    #: Links whose U comes from ω̇, and not from a column of the U before it.
    by_rates: frozenset[int] = frozenset()

    def _parts(self) -> Iterator[str]:
        yield from super()._parts()
        yield from _said("U of links {} from ω̇", self.by_rates)

    def _at(self, robot: Robot, joint: Joint) -> Iterator[Self]:
        yield from super()._at(robot, joint)
        if joint.revolute:
            yield replace(self, by_rates=self.by_rates ^ {joint.index})


@dataclass(frozen=True)
class Weighing(Frames):
    """Where each link is evaluated, and with which of the parameters that mean the same."""

    #: Links behind a revolute joint that keep their mass, which could as well be the antecedent's.
    heavy: frozenset[int] = frozenset()

    def _parts(self) -> Iterator[str]:
        yield from super()._parts()
        yield from _said("mass kept on links {}", self.heavy)

    def _at(self, robot: Robot, joint: Joint) -> Iterator[Self]:
        yield from super()._at(robot, joint)
        if joint.revolute and joint.parent and not all(map(is_zero, (joint.b, joint.d, joint.r))):
            yield replace(self, heavy=self.heavy ^ {joint.index})


@dataclass(frozen=True)
class Layout(Moving, Weighing):
    """All choices of the Newton-Euler recursion."""

    #: Links that have YY = 0 in the place of Kzz = 0.
    j_form: frozenset[int] = frozenset()
    #: Links that have so much of Kzz that their antecedent's Kxx and Kyy are the same, as those of a round body.
    rounding: frozenset[int] = frozenset()

    def _parts(self) -> Iterator[str]:
        yield from super()._parts()
        yield from _said("J form of links {}", self.j_form)
        yield from _said("antecedents of links {} made round", self.rounding)

    @property
    def kind(self) -> tuple[tuple[int, ...], ...]:
        return tuple(sorted(self.frames)), tuple(sorted(self.rounding))

    def other_form(self, j: int) -> Self:
        """The other form for link j."""
        return replace(self, j_form=self.j_form ^ {j})

    def _at(self, robot: Robot, joint: Joint) -> Iterator[Self]:
        yield from super()._at(robot, joint)
        yield self.other_form(joint.index)
        yield self.turned_over(joint.index).other_form(joint.index)
        if _rounds(robot, joint):  # in the J form a round body has ZZ alone
            j, i = {joint.index}, {joint.parent}
            if j <= self.rounding:
                yield replace(self, rounding=self.rounding - j)
            else:
                yield replace(self, rounding=self.rounding | j, j_form=self.j_form | i, by_rates=self.by_rates | j)


def _said(text: str, links: Iterable[int]) -> Iterator[str]:
    if links:
        yield text.format(" ".join(map(str, sorted(links))))


def starts(robot: Robot, kind: Callable[..., Chosen]) -> tuple[Chosen, ...]:
    """Layouts for a search to begin with: offsets along oblique axes are left to the next links."""
    oblique = frozenset(j.index for j in topology.tree_joints(robot) if _slidable(j) and _oblique(j))
    return kind(_likely(robot), oblique), kind(frozenset(), oblique)


def _slidable(joint: Joint) -> bool:
    return not joint.prismatic and not is_zero(joint.r)


def _rounds(robot: Robot, joint: Joint) -> bool:
    """Whether what is moved along the joint's axis changes Kyy of the antecedent alone, and that one tumbles."""
    tumbles = joint.parent != 0 and robot.joint(joint.parent).parent != 0
    return joint.revolute and tumbles and is_zero(joint.gamma) and is_zero(cosine(joint.alpha))


def _oblique(joint: Joint) -> bool:
    """Whether the axis is neither parallel nor perpendicular to the antecedent's."""
    return not is_zero(sine(joint.alpha)) and not is_zero(cosine(joint.alpha))


def _likely(robot: Robot) -> frozenset[int]:
    """Tips, the first links and links that slide in frames that do not turn with their joint: it pays most often."""
    tips = {tip.index for tip in topology.tips(robot)}
    depth: dict[int, int] = {0: 0}
    frames = set()
    for joint in topology.outward(robot):
        turns = joint.revolute and not _parallel(robot, joint.index)
        depth[joint.index] = depth[joint.parent] + turns
        if joint.index in tips or depth[joint.index] == 2 or not joint.revolute:
            frames.add(joint.index)
    return frozenset(frames)


def _parallel(robot: Robot, j: int) -> bool:
    """Whether the axis of joint j is written as parallel to its antecedent's."""
    joint = robot.joint(j)
    return joint.parent != 0 and is_zero(joint.alpha) and robot.joint(joint.parent).revolute
