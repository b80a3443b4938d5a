"""The choices of a lean formulation, which a search by counted operations makes for each robot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.robot.values import is_zero

Choice = Literal["body", "group"]


@dataclass(frozen=True)
class Layout:
    """The frame of evaluation of each link ("body" where none is said), and which links use J instead of K."""

    frames: Mapping[int, Choice] = field(default_factory=dict)
    j_form: frozenset[int] = frozenset()

    def __str__(self) -> str:
        turning = [str(j) for j, choice in sorted(self.frames.items()) if choice == "group"]
        parts = [f"links {' '.join(turning)} in the frame before their joint"] * bool(turning)
        parts += [f"J form of links {' '.join(map(str, sorted(self.j_form)))}"] * bool(self.j_form)
        return ", ".join(parts) or "each link in its own frame"

    def frame(self, j: int) -> Choice:
        return self.frames.get(j, "body")

    def turned_over(self, j: int) -> Layout:
        """The other frame for link j."""
        other: Choice = "group" if self.frame(j) == "body" else "body"
        return replace(self, frames={**self.frames, j: other})

    def other_form(self, j: int) -> Layout:
        """The other form for link j."""
        return replace(self, j_form=self.j_form ^ {j})

    def neighbours(self, robot: Robot) -> Iterator[Layout]:
        """Every layout that differs in one link."""
        for joint in topology.tree_joints(robot):
            yield self.turned_over(joint.index)
            yield self.other_form(joint.index)
            yield self.turned_over(joint.index).other_form(joint.index)


def likely(robot: Robot) -> Layout:
    """Tips, the first links and links that slide in frames that do not turn with their joint: it pays most often."""
    tips = {tip.index for tip in topology.tips(robot)}
    depth: dict[int, int] = {0: 0}
    frames: dict[int, Choice] = {}
    for joint in topology.outward(robot):
        turns = joint.revolute and not _parallel(robot, joint.index)
        depth[joint.index] = depth[joint.parent] + turns
        if joint.index in tips or depth[joint.index] == 2 or not joint.revolute:
            frames[joint.index] = "group"
    return Layout(frames)


def _parallel(robot: Robot, j: int) -> bool:
    """Whether the axis of joint j is written as parallel to its antecedent's."""
    joint = robot.joint(j)
    return joint.parent != 0 and is_zero(joint.alpha) and robot.joint(joint.parent).revolute
