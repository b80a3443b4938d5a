"""The choices of a lean formulation, which a search by counted operations makes for each robot."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Self, TypeVar

from symoro.bind.symbols import Symbols
from symoro.robot import topology
from symoro.robot.arithmetic import cosine, sine
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.values import is_zero

Chosen = TypeVar("Chosen", bound="FrameLayout")
Joints = tuple[Joint, ...]


@dataclass(frozen=True)
class FrameLayout:
    """Where each link is evaluated: in which frame, and about which point."""

    #: Links that are evaluated in the frame before their group of parallel joints, and not in their own frame.
    grouped: frozenset[int] = frozenset()
    #: Joints whose link has its origin where r would be 0: the offset is left to the next links.
    slid: frozenset[int] = frozenset()

    def __str__(self) -> str:
        return ", ".join(self._parts()) or "each link in its own frame"

    def _parts(self) -> Iterator[str]:
        yield from _listed("links {} in the frame before their joint", self.grouped)
        yield from _listed("offsets of joints {} left to the next links", self.slid)

    @property
    def kind(self) -> Hashable:
        """What decides how far the algebraic passes can lower a layout: first of all, the frames."""
        return self.grouped

    def turned_over(self, links: frozenset[int]) -> Self:
        """The other frame for these links."""
        return replace(self, grouped=self.grouped ^ links)

    def neighbours(self, robot: Robot) -> Iterator[Self]:
        """Every layout that differs in one choice, which legs that are alike share."""
        for joints in alike(robot):
            yield from self._at(robot, joints)

    def _at(self, robot: Robot, joints: Joints) -> Iterator[Self]:
        """Every layout that differs at these joints."""
        yield self.turned_over(_where(joints))
        if slidable := _where(joints, _slidable):
            yield replace(self, slid=self.slid ^ slidable)


@dataclass(frozen=True)
class MotionLayout(FrameLayout):
    """Where each link is evaluated, and how its motion is found."""

    #: Links whose U comes from ω̇, and not from a column of the U before it.
    by_rates: frozenset[int] = frozenset()

    def _parts(self) -> Iterator[str]:
        yield from super()._parts()
        yield from _listed("U of links {} from ω̇", self.by_rates)

    def _at(self, robot: Robot, joints: Joints) -> Iterator[Self]:
        yield from super()._at(robot, joints)
        if revolute := _where(joints, lambda joint: joint.revolute):
            yield replace(self, by_rates=self.by_rates ^ revolute)


@dataclass(frozen=True)
class InertiaLayout(FrameLayout):
    """Where each link is evaluated, and with which of the parameters that mean the same."""

    #: Links behind a revolute joint that keep their mass, which could as well be the antecedent's.
    heavy: frozenset[int] = frozenset()

    def _parts(self) -> Iterator[str]:
        yield from super()._parts()
        yield from _listed("mass kept on links {}", self.heavy)

    def _at(self, robot: Robot, joints: Joints) -> Iterator[Self]:
        yield from super()._at(robot, joints)
        if heavy := _where(joints, _may_keep_mass):
            yield replace(self, heavy=self.heavy ^ heavy)


@dataclass(frozen=True)
class RecursionLayout(MotionLayout, InertiaLayout):
    """All choices of the Newton-Euler recursion."""

    #: Links that have YY = 0 in the place of Kzz = 0.
    j_form: frozenset[int] = frozenset()
    #: Links that have so much of Kzz that their antecedent's Kxx and Kyy are the same, as those of a round body.
    rounding: frozenset[int] = frozenset()

    def _parts(self) -> Iterator[str]:
        yield from super()._parts()
        yield from _listed("J form of links {}", self.j_form)
        yield from _listed("antecedents of links {} made round", self.rounding)

    @property
    def kind(self) -> Hashable:
        return self.grouped, self.rounding

    def other_form(self, links: frozenset[int]) -> Self:
        """The other form for these links."""
        return replace(self, j_form=self.j_form ^ links)

    def _at(self, robot: Robot, joints: Joints) -> Iterator[Self]:
        yield from super()._at(robot, joints)
        links = _where(joints)
        yield self.other_form(links)
        yield self.turned_over(links).other_form(links)
        if j := _where(joints, lambda joint: _rounds(robot, joint)):  # in the J form a round body has ZZ alone
            i = {robot.joint(k).parent for k in j}
            if j <= self.rounding:
                yield replace(self, rounding=self.rounding - j)
            else:
                yield replace(self, rounding=self.rounding | j, j_form=self.j_form | i, by_rates=self.by_rates | j)


def alike(robot: Robot) -> Iterator[Joints]:
    """The joints of the tree that share their choices: those in the same place of legs that are alike.

    Others choose for themselves. Free links have no choices.
    """
    every = [joint for joint in topology.tree_joints(robot) if not joint.free]
    of_legs: dict[Hashable, list[Joints]] = {}
    for group in robot.groups:
        leg = tuple(joint for joint in every if joint.index in group.joints)
        of_legs.setdefault(tuple(_shape(joint, leg[0].index) for joint in leg), []).append(leg)
    if not of_legs:
        yield from ((joint,) for joint in every)
    for legs in of_legs.values():
        yield from zip(*legs, strict=True)


def _shape(joint: Joint, first: int) -> Hashable:
    """What decides about the choices at a joint of a leg; where the leg stands on the base does not."""
    if joint.parent == 0:
        return joint.kind
    offsets = tuple(map(is_zero, (joint.b, joint.d, joint.r)))
    angles = tuple(is_zero(of(angle)) for of in (sine, cosine) for angle in (joint.gamma, joint.alpha))
    return joint.kind, joint.parent - first, offsets, angles


def _where(joints: Joints, holds: Callable[[Joint], bool] = lambda joint: True) -> frozenset[int]:
    return frozenset(joint.index for joint in joints if holds(joint))


def _listed(text: str, links: Iterable[int]) -> Iterator[str]:
    if links:
        yield text.format(" ".join(map(str, sorted(links))))


def starts(robot: Robot, kind: Callable[..., Chosen]) -> tuple[Chosen, ...]:
    """Layouts for a search to begin with: offsets along oblique axes are left to the next links."""
    oblique = _where(topology.tree_joints(robot), lambda joint: _slidable(joint) and _oblique(joint))
    return kind(_likely(robot), oblique), kind(frozenset(), oblique)


def _slidable(joint: Joint) -> bool:
    return not joint.prismatic and not is_zero(joint.r)


def _may_keep_mass(joint: Joint) -> bool:
    """Whether the link's mass could be the antecedent's, and that is another one for it."""
    return joint.revolute and joint.parent != 0 and not all(map(is_zero, (joint.b, joint.d, joint.r)))


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
    grouped: set[int] = set()
    for joint in topology.outward(robot):
        if joint.free:
            depth[joint.index] = 2
            continue
        turns = joint.revolute and not _parallel(robot, joint.index)
        depth[joint.index] = depth[joint.parent] + turns
        if joint.index in tips or depth[joint.index] == 2 or not joint.revolute:
            grouped.add(joint.index)
    return frozenset(grouped)


def _parallel(robot: Robot, j: int) -> bool:
    """Whether the axis of joint j is written as parallel to its antecedent's."""
    joint = robot.joint(j)
    return joint.parent != 0 and is_zero(joint.alpha) and robot.joint(joint.parent).revolute


@dataclass(frozen=True)
class SystemLayout:
    """A layout for A and one for H."""

    A: InertiaLayout
    H: RecursionLayout

    def __str__(self) -> str:
        return f"A with {self.A}; H with {self.H}"

    @property
    def kind(self) -> Hashable:
        return self.A.kind, self.H.kind

    def neighbours(self, robot: Robot) -> Iterator[SystemLayout]:
        yield from (replace(self, A=A) for A in self.A.neighbours(robot))
        yield from (replace(self, H=H) for H in self.H.neighbours(robot))


# where a search begins


def layouts(s: Symbols) -> tuple[RecursionLayout, ...]:
    """For models by the Newton-Euler recursion."""
    return starts(s.robot, RecursionLayout)


def weighings(s: Symbols) -> tuple[InertiaLayout, ...]:
    """For the inertia matrix."""
    return starts(s.robot, InertiaLayout)


def moving_layouts(s: Symbols) -> tuple[MotionLayout, ...]:
    """For models that need the motion of the links alone."""
    return starts(s.robot, MotionLayout)


def system_layouts(s: Symbols) -> tuple[SystemLayout, ...]:
    """For models through A and H."""
    return tuple(map(SystemLayout, weighings(s), layouts(s)))
