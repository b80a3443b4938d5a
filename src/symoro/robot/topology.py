"""How the joints of a robot are connected: functions of a valid robot (see `check`)."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from symoro.errors import RobotError
from symoro.robot.joint import Joint

if TYPE_CHECKING:
    from symoro.robot.robot import Cut, Robot


class FramePath(NamedTuple):
    """The path from frame i to frame j: the joints `up` from i to the common ancestor, then `down` from there to j."""

    up: tuple[Joint, ...]
    down: tuple[Joint, ...]


class CutLoop(NamedTuple):
    """A cut loop: `root` is the last link of both sides; from it joints lead to the cut joint and to its mate."""

    cut: Cut
    root: int
    to_joint: tuple[Joint, ...]
    to_mate: tuple[Joint, ...]

    def unknown(self, known: Container[int]) -> list[int]:
        """The joints of the loop, the cut one too, that move and are not known."""
        return [j.index for j in (*self.to_joint, *self.to_mate) if j.movable and j.index not in known]


def tree_joints(robot: Robot) -> tuple[Joint, ...]:
    """The joints of the tree, without cut joints and their mates, in index order."""
    return robot.joints[: robot.link_count]


def movable(robot: Robot) -> tuple[Joint, ...]:
    """The joints of the tree that move, in index order."""
    return tuple(joint for joint in tree_joints(robot) if joint.movable)


def with_variables(robot: Robot) -> tuple[Joint, ...]:
    """The joints of the tree that have a variable, in index order: the order of q. Followers move without one."""
    return tuple(joint for joint in tree_joints(robot) if joint.variable)


def active(robot: Robot) -> tuple[Joint, ...]:
    """The active joints of the tree: movable joints with a motor."""
    return tuple(joint for joint in movable(robot) if joint.actuated)


def passive(robot: Robot) -> tuple[Joint, ...]:
    """The passive joints of the tree: movable joints without a motor."""
    return tuple(joint for joint in movable(robot) if not joint.actuated)


def outward(robot: Robot) -> tuple[Joint, ...]:
    """The joints of the tree from the base to the tips: antecedents first, otherwise in index order."""
    ordered: dict[int, Joint] = {}
    for joint in tree_joints(robot):
        climb = [joint]
        while climb[-1].parent != 0 and climb[-1].parent not in ordered and len(climb) <= robot.link_count:
            climb.append(robot.joint(climb[-1].parent))
        ordered.update((above.index, above) for above in reversed(climb))
    return tuple(ordered.values())


def inward(robot: Robot) -> tuple[Joint, ...]:
    """The joints of the tree from the tips to the base: children first."""
    return outward(robot)[::-1]


def children(robot: Robot, link: int) -> tuple[Joint, ...]:
    """The joints of the tree whose antecedent is this link; 0 is the base."""
    return tuple(joint for joint in tree_joints(robot) if joint.parent == link)


def roots(robot: Robot) -> tuple[Joint, ...]:
    """The joints of the tree whose antecedent is the base."""
    return children(robot, 0)


def tips(robot: Robot) -> tuple[Joint, ...]:
    """The joints of the tree whose link is the antecedent of no other joint of the tree."""
    parents = {joint.parent for joint in tree_joints(robot)}
    return tuple(joint for joint in tree_joints(robot) if joint.index not in parents)


def path(robot: Robot, index: int) -> tuple[Joint, ...]:
    """The joints from the base to frame `index`, which may be a cut joint or a mate; none for the base, 0."""
    joints: list[Joint] = []
    while index != 0:
        joints.append(robot.joint(index))
        if len(joints) > len(robot.joints):
            raise RobotError("descriptions.cycle", joint=index, robot=robot.name)
        index = joints[-1].parent
    return tuple(joints[::-1])


def common_ancestor(robot: Robot, i: int, j: int) -> int:
    """The last frame that the paths from the base to frames i and j share; 0 is the base."""
    shared = 0
    for a, b in zip(path(robot, i), path(robot, j), strict=False):
        if a.index != b.index:
            break
        shared = a.index
    return shared


def chain(robot: Robot, i: int, j: int) -> FramePath:
    """The path from frame i to frame j."""
    above = len(path(robot, common_ancestor(robot, i, j)))
    return FramePath(path(robot, i)[above:][::-1], path(robot, j)[above:])


def loops(robot: Robot) -> tuple[CutLoop, ...]:
    """For each cut, the two sides of its loop."""
    cut_loops = []
    for cut in robot.cuts:
        way = chain(robot, cut.joint, cut.mate)
        cut_loops.append(CutLoop(cut, common_ancestor(robot, cut.joint, cut.mate), way.up[::-1], way.down))
    return tuple(cut_loops)


def opened(robot: Robot) -> Robot:
    """The tree of a robot: its loops are cut, and each of their joints moves by itself."""
    if not robot.closures:
        return robot
    inside = {joint.index for loop in loops(robot) for joint in (*loop.to_joint, *loop.to_mate)}
    moving = {joint.index for joint in passive(robot) if joint.variable} & inside
    joints = (replace(j, actuated=True, elastic=False) if j.index in moving else j for j in tree_joints(robot))
    return replace(robot, joints=tuple(joints), closures=(), home=robot.home_pose)


def without_cuts(robot: Robot) -> Robot:
    """The robot without cut joints and their mates: its tree, which closures of legs may hold."""
    if not robot.cuts:
        return robot
    closures = tuple(closure for closure in robot.closures if not closure.cut)
    kept = [tuple(j for j in group.joints if j <= robot.link_count) for group in robot.groups]
    groups = tuple(replace(group, joints=joints) for group, joints in zip(robot.groups, kept, strict=True))
    return replace(robot, joints=tree_joints(robot), closures=closures, groups=groups, home=robot.home_pose)


def is_serial(robot: Robot) -> bool:
    """Whether the robot is one open chain."""
    return not robot.cuts and len(roots(robot)) <= 1 and len(tips(robot)) <= 1
