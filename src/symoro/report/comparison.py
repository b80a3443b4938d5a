"""Compares two descriptions of a robot: where they differ, and what each difference makes in torque."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.formats import valid_robot
from symoro.formats._report import Report
from symoro.formats.tree.description import Tree
from symoro.formats.tree.of_robot import tree_of
from symoro.formats.tree.poses import Array
from symoro.formats.tree.robot import robot_of
from symoro.models.identity import as_identifier
from symoro.report.differences import TOLERANCE, Difference, differences
from symoro.report.matching import matched
from symoro.robot.base import IDENTITY, NO_WRENCH, Base, Pose
from symoro.robot.joint import Joint, JointKind
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO, Symbol, as_value, evaluate
from symoro.solve.given import model

if TYPE_CHECKING:
    from collections.abc import Sequence

_MOTIONS = 20
_LARGE = 40


@dataclass(frozen=True, slots=True)
class RobotDifference:
    """A difference: what it is, how large, and what it makes in torque.

    `torque` is the root mean square of the torque that it changes along random motions, at joint `joint`, where its
    `share` of the whole difference of that joint is the largest; they are None if the difference changes no torque.
    """

    what: str
    text: str
    size: float
    torque: float | None = None
    joint: str | None = None
    share: float | None = None

    def __str__(self) -> str:
        if self.torque is None or self.share is None:
            return self.text
        share = f"{100 * min(self.share, 1):.0f} % of the torque difference of joint {self.joint}"
        return f"{self.text} → {share} ({self.torque:.3g} N m or N, rms)"


@dataclass(frozen=True, slots=True)
class RobotComparison:
    """The differences of two robots, the one that changes the torques most first."""

    first: str
    second: str
    differences: tuple[RobotDifference, ...]

    def __str__(self) -> str:
        if not self.differences:
            return f"{self.first} and {self.second}: no difference"
        return "\n".join(str(one) for one in self.differences)


def compare(first: Robot | str | Path, second: Robot | str | Path) -> RobotComparison:
    """Where two descriptions of a robot differ, in order of what each difference makes in torque.

    Links and joints are matched by name; joints with other names by the places of their axes, and links by their
    joints, in frames that follow from the axes. Random motions (always the same ones) give the torques. Of loops and
    platforms they are those of the open tree, in which a platform is on three slides and three hinges.
    """
    a, b = valid_robot(first), valid_robot(second)
    one, two = matched(*(tree_of(_on_six_joints(robot)) for robot in (a, b)))
    unranked = [*differences(one, two), *_order(a, b, one, two), *_of_closures(a, b)]
    return RobotComparison(a.name, b.name, tuple(_ranked(one, two, unranked)))


_SIX = (
    ("prismatic", "x", "0", "0"),
    ("prismatic", "y", "pi/2", "pi/2"),
    ("prismatic", "z", "pi/2", "0"),
    ("revolute", "rx", "0", "0"),
    ("revolute", "ry", "pi/2", "0"),
    ("revolute", "rz", "-pi/2", "0"),
)
"""Kind, name, alpha and theta of joints that move a body freely: each axis is orthogonal to the one before it."""


def _on_six_joints(robot: Robot) -> Robot:
    """The robot without its attachments, and its platform on six joints in the place of a free one."""
    if not robot.platforms:
        return robot
    platform = robot.joint(robot.parts.platform)
    six = []
    for k, (kind, name, alpha, theta) in enumerate(_SIX):
        variable = f"{as_identifier(platform.name)}_{name}"
        turns, position = kind == "revolute", Symbol(variable)
        six.append(
            Joint(
                platform.index + k,
                f"{platform.name} {name}",
                platform.index + k - 1 if k else platform.parent,
                JointKind(kind),
                alpha=as_value(alpha),
                theta=position if turns else as_value(theta),
                r=ZERO if turns else position,
                variable=variable,
            )
        )
    six[-1] = replace(six[-1], name=platform.name)

    def number(j: int) -> int:
        return j if j < platform.index else j + 5

    def tables(items: tuple[Any, ...], nothing: Any) -> tuple[Any, ...]:
        return (*items[: platform.index - 1], *[nothing] * 5, *items[platform.index - 1 :])

    before, behind = robot.joints[: platform.index - 1], robot.joints[platform.index :]
    others = [
        [replace(j, index=number(j.index), parent=number(j.parent)) for j in joints] for joints in (before, behind)
    ]
    return replace(
        robot,
        joints=(*others[0], *six, *others[1]),
        inertias=tables(robot.inertias, Inertia()),
        drives=tables(robot.drives, Drive()),
        wrenches=tables(robot.wrenches, NO_WRENCH),
        frames=tuple(replace(frame, link=number(frame.link)) for frame in robot.frames),
        closures=tuple(one.renumbered(number) for one in robot.closures if one.cut),
        base=robot.base.renumbered(number),
        groups=(),
        home=IDENTITY,
        branch=None,
        given=None,
    )


def _of_closures(a: Robot, b: Robot) -> Iterator[Difference]:
    """What of two parallel robots the open tree does not have."""
    if not (a.platforms and b.platforms):
        return
    for i, (one, two) in enumerate(zip(a.attachments, b.attachments, strict=False), 1):
        if one.kind is not two.kind:
            yield Difference("attachment", f"leg {i}: attachment {one.kind.value} / {two.kind.value}", 1.0)
        yield from _of_poses(f"leg {i}: pose of the attachment", *(_pose(x.pose, r) for x, r in ((one, a), (two, b))))
    yield from _of_poses("home", _pose(a.home_pose, a), _pose(b.home_pose, b))
    if a.branch != b.branch:
        yield Difference("branch", f"branch: {a.branch} / {b.branch}", 1.0)


def _pose(rows: Pose, robot: Robot) -> Array:
    numbers = robot.values.numbers()
    return np.array([[evaluate(x, numbers) for x in row] for row in rows])


def _of_poses(what: str, a: Array, b: Array) -> Iterator[Difference]:
    if (size := float(np.abs(a - b).max())) > TOLERANCE:
        at = " / ".join(str(T[:3, 3].round(6).tolist()) for T in (a, b))
        turned = "" if np.abs(a - b)[:3, :3].max() <= TOLERANCE else ", another orientation"
        yield Difference("pose", f"{what}: {at} m{turned}", size)


def _order(a: Robot, b: Robot, one: Tree, two: Tree) -> Iterator[Difference]:
    """The order of q, which a program that works with arrays relies on."""
    mine, yours = ([joint.name for joint in robot.joints if joint.variable] for robot in (a, b))
    if sorted(mine) == sorted(yours) and mine != yours:
        place = {joint.name: joint for joint in one.joints}
        others = [joint for joint in one.joints if joint.name not in yours]
        text = f"order of the joints in q: {' '.join(mine)} / {' '.join(yours)}"
        yield Difference("order", text, 1.0, replace(one, joints=(*(place[name] for name in yours), *others)))


def _ranked(one: Tree, two: Tree, differences: list[Difference]) -> list[RobotDifference]:
    """The differences with what they make in torque, largest first; those without effect follow by their size."""
    names = [joint.name for joint in one.joints if joint.kind != "fixed" and joint.mimic is None]
    usual = _torques(one) if len(names) <= _LARGE and differences else None
    effects: dict[int, Array | None] = {}
    total = np.zeros(len(names))
    for difference in differences:
        effect = None if usual is None or difference.changed is None else _effect(usual, _torques(difference.changed))
        effects[id(difference)] = effect
        if effect is not None:
            total = total + effect**2
    ranked = [_with_effect(difference, effects[id(difference)], np.sqrt(total), names) for difference in differences]
    return sorted(ranked, key=lambda one: (-(one.torque or 0.0), -one.size))


def _effect(usual: Array, other: Array | None) -> Array | None:
    """The root mean square of the torque of each joint that a difference changes."""
    if other is None or other.shape != usual.shape:
        return None
    return np.asarray(np.sqrt(((other - usual) ** 2).mean(axis=0)))


def _with_effect(difference: Difference, effect: Array | None, total: Array, names: Sequence[str]) -> RobotDifference:
    if effect is None or not np.any(effect > 1e-9):
        return RobotDifference(difference.what, difference.text, difference.size)
    joint = int(effect.argmax())
    share = float(effect[joint] / total[joint])
    return RobotDifference(difference.what, difference.text, difference.size, float(effect[joint]), names[joint], share)


def _torques(tree: Tree) -> Array | None:
    """The torques along random motions, with the base at rest; None if the tree has no such model."""
    robot = robot_of(replace(tree, frames=(), closures=(), floating=False), Report(None)).robot
    robot = replace(robot, base=Base(), joints=tuple(replace(j, actuated=True, elastic=False) for j in robot.joints))
    names = [joint.name for joint in robot.joints if joint.variable]
    if not names:
        return None
    rng = np.random.default_rng(0)
    q, qd, qdd = (rng.uniform(-1, 1, (_MOTIONS, len(names))) * scale for scale in (1.5, 2.0, 5.0))
    torques = model("inverse_dynamics", robot, optimize=False).compile()(q, qd, qdd)
    return np.asarray(torques)
