"""Rules of `check` for parallel robots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from symoro.errors import RobotError
from symoro.robot import topology
from symoro.robot._finding import Finding
from symoro.robot._physics import find_numbers, find_pose, find_unused, known_numbers
from symoro.robot.base import BaseKind
from symoro.robot.coordinates import has_plain_coordinates
from symoro.robot.joint import Joint
from symoro.robot.parallel import Attachment, ParallelRobot
from symoro.robot.robot import Robot
from symoro.robot.values import symbols

Check = Callable[[Robot], list[Finding]]
#: Warnings that are no problem of a leg: its attachment moves its passive joints, and they carry the platform.
_OF_ROBOTS_ALONE = ("passive joints in an open robot", "it moves no mass")


def parallel_findings(robot: Robot, of_robot: Check) -> Iterator[Finding]:
    """Every problem of a parallel robot; `of_robot` checks the robots that the legs are."""
    assert isinstance(robot, ParallelRobot)
    yield from _tables(robot)
    wrong = set()
    for i, leg in enumerate(robot.legs, 1):
        own = [f for f in of_robot(leg) if not f.message.startswith(_OF_ROBOTS_ALONE)]
        yield from (replace(f, message=f"leg {i}: {_joint(f)}{f.message}", leg=i) for f in own)
        if any(f.severity == "error" for f in own):
            wrong.add(i)
        else:
            yield from _leg(leg, i)
    for i, (leg, attachment) in enumerate(zip(robot.legs, robot.attachments, strict=False), 1):
        yield from _attachment(leg, attachment, i) if i not in wrong else ()
        at = Finding("", where="platform", leg=i)
        yield from find_pose(f"the pose of attachment {i}", attachment.pose, known_numbers(robot), at)
    yield from _platform(robot, of_robot)
    yield from _values(robot)
    if robot.legs and not robot.motors:
        yield Finding("no joint of a leg has a motor (actuated)", where="legs")


def _tables(robot: ParallelRobot) -> Iterator[Finding]:
    """Names, sizes and the home pose."""
    if not robot.name.strip():
        yield Finding("the robot has no name", where="name")
    if not robot.legs:
        yield Finding("the robot has no legs (at least one is needed)", where="legs")
    if len(robot.legs) != len(robot.attachments):
        counts = f"{len(robot.legs)} legs and {len(robot.attachments)} attachments"
        yield Finding(f"there are {counts} (allowed: one attachment for each leg)", where="legs")
    if len(robot.gravity) != 3:
        yield Finding(f"gravity has {len(robot.gravity)} entries, not 3", where="gravity")
    if len(robot.home) != 4 or any(len(row) != 4 for row in robot.home):
        yield Finding("home is not 4 rows of 4 values", where="home")
    elif unknown := {name for row in robot.home for x in row for name in symbols(x)} - robot.values.keys():
        yield Finding(f"home has symbols without numbers: {', '.join(sorted(unknown))}", where="home")
    else:
        yield from find_pose("home", robot.home, known_numbers(robot), Finding("", where="home"))


def _joint(finding: Finding) -> str:
    return f"joint {finding.joint}: " if finding.joint else ""


def _leg(leg: Robot, i: int) -> Iterator[Finding]:
    """What a leg must be: a serial, tree or closed-loop robot on a fixed base."""
    wrong = {
        "has a base that moves (allowed: fixed)": leg.base.kind is not BaseKind.FIXED or not leg.base.still,
        "has a coupling of its motors, which a leg cannot have": bool(leg.coupling),
        "has coordinates that are not a variable plus a constant": not has_plain_coordinates(leg),
        "has springs between motors and links, which a leg cannot have": any(
            j.elastic and j.actuated for j in leg.joints
        ),
        "has wrenches on the environment, which a leg cannot have": any(not w.is_zero for w in leg.wrenches),
    }
    yield from (Finding(f"leg {i} {what}", leg=i) for what, holds in wrong.items() if holds)


def _attachment(leg: Robot, attachment: Attachment, i: int) -> Iterator[Finding]:
    if len(attachment.pose) != 4 or any(len(row) != 4 for row in attachment.pose):
        yield Finding(f"the pose of attachment {i} is not 4 rows of 4 values", where="platform", leg=i)
    try:
        link = _attached_link(leg, attachment)
    except RobotError as error:
        yield Finding(f"attachment {i}: {error}", where="end", leg=i)
        return
    if not 1 <= link <= leg.link_count:
        text = f"attachment {i}: leg {i} has no frame {link} (allowed: 1 to {leg.link_count})"
        yield Finding(text, where="end", leg=i)
        return
    yield from _beside(leg, link, i)
    joints = len(topology.with_variables(leg))
    held = 6 - attachment.kind.freedoms
    if joints > held and not leg.cuts:
        yield Finding(
            f"leg {i} moves by itself: it has {joints} joints, and its {attachment.kind.value} attachment holds {held}",
            where="attachment",
            leg=i,
        )


def _attached_link(leg: Robot, attachment: Attachment) -> int:
    """The link of a leg that is attached."""
    if attachment.frame is None:
        ends = topology.tips(leg)
        if len(ends) != 1:
            listed = ", ".join(f"{tip.index} ({tip.name})" for tip in ends)
            raise RobotError(f"the leg has {len(ends)} ends: choose a frame of one of them as its end ({listed})")
        return ends[0].index
    found = leg.frame_ref(attachment.frame)
    return found if isinstance(found, int) else next(f.link for f in leg.frames if f.name == found)


def _beside(leg: Robot, link: int, i: int) -> Iterator[Finding]:
    """Joints of a tree that the pose of the end does not determine."""
    on_way = topology.path(leg, link) if not leg.cuts else leg.joints
    beside = [f"{j.index} ({j.name})" for j in topology.movable(leg) if j not in on_way]
    if beside:
        what = f"joint {', '.join(beside)} of leg {i} is not on the way to its end"
        yield Finding(f"{what}: the pose of the platform does not determine it", where="end", leg=i)


def _values(robot: ParallelRobot) -> Iterator[Finding]:
    """What is wrong with numbers of symbols; those of a leg's own table are reported with the leg."""
    own = robot.values.keys() - {name for leg in robot.legs for name in leg.values}
    of_values = (f for f in find_numbers(robot) if f.joint is None)
    yield from (f for f in of_values if f.where.removeprefix("values.") in (*own, "values"))
    yield from find_unused(robot, own)
    for i, leg in enumerate(robot.legs, 1):
        for joint in (joint for joint in leg.joints if joint.variable in own):
            said = f"its variable {joint.variable} has a value in [values], but a variable may not have one"
            yield Finding(f"leg {i}: {said}", where="values")


def _platform(robot: ParallelRobot, of_robot: Check) -> Iterator[Finding]:
    """The inertia of the platform, checked as that of a link."""
    alone = Robot("platform", (Joint(1, "platform", 0),), (robot.platform,), values=robot.values)
    for finding in of_robot(alone):
        if finding.where.startswith("inertia"):
            said = finding.message.replace("link 1", "the platform")
            yield replace(finding, message=f"platform: {said}", joint=None)
