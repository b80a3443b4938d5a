"""Parallel robots as robots: the trees of the legs, the platform on a free joint, a closure for each leg."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from symoro.errors import RobotError
from symoro.findings import Finding, Place
from symoro.robot import topology
from symoro.robot._rules import find_given, find_numbers, find_pose, find_unused, known_numbers
from symoro.robot.arithmetic import cosine, negative, product, sine
from symoro.robot.base import FIXED_BASE, IDENTITY, NO_WRENCH, Base, BaseKind, Frame, Pose, translation
from symoro.robot.joint import GEOMETRY, Joint, JointKind
from symoro.robot.link import Drive, Inertia, ValueLike, Wrench
from symoro.robot.robot import OUTSIDE, Attachment, Closure, FrameRef, Group, Robot, parameters
from symoro.robot.springs import has_plain_coordinates, is_plain, slope, variables
from symoro.robot.symbolic import substituted
from symoro.robot.values import ZERO, Bindings, Symbol, Value, symbols

# Rules of `check` for parallel robots.


Check = Callable[[Robot], Sequence[Finding]]
#: The tag of warnings that are no problem of a leg: its attachment moves its passive joints, which carry the platform.
_ALONE = "robots_alone"
#: Where problems of a base are.
_OF_BASE = ("base", "V0", "VP0", "pose", "inertia", "wrench")


def parallel_findings(robot: Robot, of_robot: Check) -> Iterator[Finding]:
    """Every problem of a parallel robot; `of_robot` checks the robots that the legs are."""
    yield from _tables(robot)
    yield from _branch(robot)
    yield from find_given(robot)
    yield from _whole(robot)
    wrong = set()
    for i, leg in enumerate(robot.legs, 1):
        of_leg = [f for f in of_robot(leg) if not f.has(_ALONE)]
        yield from (f.at(leg=i) for f in of_leg)
        if any(f.severity == "error" for f in of_leg):
            wrong.add(i)
        else:
            yield from _leg(leg, i)
    for i, (leg, attachment) in enumerate(zip(robot.legs, robot.attachments, strict=False), 1):
        yield from _attachment(leg, attachment, i) if i not in wrong else ()
        name, place = Finding("platforms.pose_of_attachment"), Place(leg=i, cell="platform")
        yield from find_pose(name, attachment.pose, known_numbers(robot), place)
    of_tree = list(_platform(robot, of_robot))
    yield from of_tree
    yield from _wheels(robot) if not any(f.severity == "error" for f in of_tree) else ()
    yield from _values(robot)
    if robot.legs and not robot.motors:
        yield Finding("platforms.no_motor", place=Place(cell="legs"))


def _tables(robot: Robot) -> Iterator[Finding]:
    """Names, sizes and the home pose."""
    if not robot.name.strip():
        yield Finding("descriptions.no_name", place=Place(cell="name"))
    if not robot.legs:
        yield Finding("platforms.no_legs", place=Place(cell="legs"))
    if len(robot.legs) != len(robot.attachments):
        yield Finding(
            "platforms.attachments", place=Place(cell="legs"), legs=len(robot.legs), attachments=len(robot.attachments)
        )
    if len(robot.gravity) != 3:
        yield Finding("platforms.gravity", place=Place(cell="gravity"), count=len(robot.gravity))
    pose = robot.home_pose
    if robot.home_positions or len(pose) != 4 or any(len(row) != 4 for row in pose):
        yield Finding("platforms.home", place=Place(cell="home"))
    elif unknown := {name for row in pose for x in row for name in symbols(x)} - robot.values.keys():
        yield Finding("platforms.home_symbols", place=Place(cell="home"), names=sorted(unknown))
    else:
        yield from find_pose("home", pose, known_numbers(robot), Place(cell="home"))


def _branch(robot: Robot) -> Iterator[Finding]:
    """The working mode has a branch for each leg."""
    if robot.branch is not None and len(robot.branch) != len(robot.legs):
        yield Finding(
            "platforms.branches", place=Place(cell="branch"), branches=len(robot.branch), legs=len(robot.legs)
        )


def _whole(robot: Robot) -> Iterator[Finding]:
    """What a robot with a platform must be: one platform with its legs, and a tree on the base or on the platform."""
    of_legs = _of_legs(robot)
    for joint in robot.joints:
        if joint.index in of_legs:
            continue
        named, place = {"joint": joint.index, "name": joint.name}, Place(cell="joints")
        if joint.free and joint.index != robot.parts.platform:
            yield Finding("platforms.second", place=place, **named)
        if joint.parent in of_legs:
            yield Finding("platforms.on_a_leg", place=place, **named)
        if joint.movable and not is_plain(joint, variables(robot)):
            yield Finding("platforms.not_plain", place=place, **named)
        if joint.elastic and joint.actuated:
            yield Finding("platforms.spring", place=place, **named)


def _of_legs(robot: Robot) -> set[int]:
    """The joints of all legs."""
    return {j for group in robot.groups if group.numbered for j in group.joints}


def _wheels(robot: Robot) -> Iterator[Finding]:
    """A mobile base has wheels, and neither legs nor what the platform carries roll."""
    if robot.base.kind is BaseKind.MOBILE and not robot.base.wheels:
        yield Finding("platforms.no_wheels", place=Place(cell="base"))
    for joint in (robot.joint(wheel.joint) for wheel in robot.base.wheels):
        if joint.index in _of_legs(robot) or any(one.free for one in topology.path(robot, joint.index)):
            yield Finding("platforms.no_wheel", place=Place(cell="base"), joint=joint.index, name=joint.name)


def _leg(leg: Robot, i: int) -> Iterator[Finding]:
    """What a leg must be: a serial, tree or closed-loop robot on a fixed base."""
    wrong = {
        "platforms.leg_on_moving_base": leg.base.kind is not BaseKind.FIXED or not leg.base.still,
        "platforms.leg_with_coupling": bool(leg.coupling),
        "platforms.leg_not_plain": bool(leg.cuts) and not has_plain_coordinates(leg),
        "platforms.leg_not_linear": any(j.movable and slope(j, variables(leg)) is None for j in leg.joints),
        "platforms.leg_with_springs": any(j.elastic and j.actuated for j in leg.joints),
        "platforms.leg_with_wrenches": any(not w.is_zero for w in leg.wrenches),
    }
    yield from (Finding(code, place=Place(leg=i)) for code, holds in wrong.items() if holds)


def _attachment(leg: Robot, attachment: Attachment, i: int) -> Iterator[Finding]:
    if len(attachment.pose) != 4 or any(len(row) != 4 for row in attachment.pose):
        name = Finding("platforms.pose_of_attachment")
        yield Finding("descriptions.no_matrix", place=Place(leg=i, cell="platform"), name=name)
    try:
        link = _attached_link(leg, attachment)
    except RobotError as error:
        yield Finding("platforms.attachment", place=Place(leg=i, cell="end"), reason=error.finding)
        return
    if not 1 <= link <= leg.link_count:
        yield Finding("platforms.no_frame", place=Place(leg=i, cell="end"), frame=link, most=leg.link_count)
        return
    yield from _beside(leg, link, i)
    joints = len(topology.with_variables(leg))
    held = 6 - attachment.kind.freedoms
    if joints > held and not leg.cuts:
        place = Place(leg=i, cell="attachment")
        yield Finding("platforms.loose_leg", place=place, joints=joints, kind=attachment.kind.value, held=held)


def _attached_link(leg: Robot, attachment: Attachment) -> int:
    """The link of a leg that is attached."""
    if attachment.frame is None:
        ends = topology.tips(leg)
        if len(ends) != 1:
            listed = [f"{tip.index} ({tip.name})" for tip in ends]
            raise RobotError("platforms.several_ends", count=len(ends), ends=listed)
        return ends[0].index
    end = leg.frame_ref(attachment.frame)
    return end if isinstance(end, int) else next(f.link for f in leg.frames if f.name == end)


def _beside(leg: Robot, link: int, i: int) -> Iterator[Finding]:
    """Joints of a tree that the pose of the end does not determine."""
    on_way = topology.path(leg, link) if not leg.cuts else leg.joints
    beside = [f"{j.index} ({j.name})" for j in topology.movable(leg) if j not in on_way]
    if beside:
        yield Finding("platforms.beside", place=Place(leg=i, cell="end"), joints=beside)


def _values(robot: Robot) -> Iterator[Finding]:
    """What is wrong with numbers of symbols; those of a leg's own table are reported with the leg."""
    shared = robot.values.keys() - {name for leg in robot.legs for name in leg.values}
    of_values = (f for f in find_numbers(robot) if f.joint is None)
    yield from (f for f in of_values if f.place.cell.removeprefix("values.") in (*shared, "values"))
    yield from find_unused(robot, shared)
    for i, leg in enumerate(robot.legs, 1):
        for joint in (joint for joint in leg.joints if joint.variable in shared):
            yield Finding("platforms.value_of_variable", place=Place(cell="values"), leg=i, variable=joint.variable)


def _platform(robot: Robot, of_robot: Check) -> Iterator[Finding]:
    """The tree of the platform, with the platform on a joint that cannot have a wheel, as a robot; and the base."""
    tree = robot.parts.tree
    n = next(joint.index for joint in tree.joints if joint.free)
    held = tuple(Joint(n, "platform", 0, JointKind.PRISMATIC) if joint.free else joint for joint in tree.joints)
    pairs, legs = zip(robot.base.wheels, tree.base.wheels, strict=True), _of_legs(robot)
    base = replace(tree.base, wheels=tuple(own for wheel, own in pairs if wheel.joint not in legs))
    for finding in of_robot(replace(tree, name="platform", joints=held, base=base, gravity=(ZERO,) * 3)):
        cell = finding.place.cell
        if finding.joint is None and cell.partition(".")[0] in _OF_BASE:
            yield finding if cell == "base" else finding.at(cell=f"base.{cell}")
        elif cell.startswith("inertia") and finding.joint in (None, n):
            yield finding.at(joint=None, platform=True)
        elif finding.joint not in (None, n):
            yield finding


# Parallel robots: a platform, legs that are robots of their own, and how each leg is attached, as one robot.
#
# `ParallelRobot` makes the robot: the tree of all legs and the platform, a link on a free joint, with a closure where
# each leg meets it. `parts` is the way back.


def placed_frame(placement: Mapping[str, Value]) -> Pose:
    """Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) (K97:1b), or a translation x, y, z."""
    if placement.keys() <= {"x", "y", "z"}:
        return translation([placement.get(name, ZERO) for name in "xyz"])
    gamma, b, alpha, d, theta, r = (placement.get(name, ZERO) for name in GEOMETRY)
    pose = product(_about_z(gamma), translation((ZERO, ZERO, b)))
    pose = product(product(pose, _about_x(alpha)), translation((d, ZERO, ZERO)))
    return product(product(pose, _about_z(theta)), translation((ZERO, ZERO, r)))


def _about_z(angle: Value) -> Pose:
    c, s = cosine(angle), sine(angle)
    return ((c, negative(s), ZERO, ZERO), (s, c, ZERO, ZERO), *IDENTITY[2:])


def _about_x(angle: Value) -> Pose:
    c, s = cosine(angle), sine(angle)
    return (IDENTITY[0], (ZERO, c, negative(s), ZERO), (ZERO, s, c, ZERO), IDENTITY[3])


def ParallelRobot(
    platform: Inertia | Robot,
    legs: Sequence[Robot],
    attachments: Sequence[Attachment],
    name: str = "parallel-robot",
    *,
    home: Pose = IDENTITY,
    branch: Sequence[int] | None = None,
    given: str | None = None,
    platform_wrench: Wrench = NO_WRENCH,
    base: Base = FIXED_BASE,
    gravity: tuple[Value, ...] = (ZERO, ZERO, Symbol("G3")),
    values: Mapping[str, ValueLike] | None = None,
    title: str = "",
    source: str = "",
    notes: tuple[str, ...] = (),
    label: str = "P",
) -> Robot:
    """A robot whose legs carry a platform. Symbols and variables of leg i end in _i: D1_1, q3_6.

    `platform` are the inertial parameters of the platform in its frame, or a tree of which one joint is free: its link
    is the platform, and other joints, on the base or on the platform, belong to no leg. `platform_wrench` is then that
    of the tree. `home` is a pose of the platform in frame 0
    that the legs can reach: where checks and searches begin. `branch` is the working mode: the branch of each leg; by
    default the first one that reaches the home pose. `given` are the coordinates that models take: those of the
    `platform`, T, V and VP, or those of the `joints`. Gravity is that of the robot for all legs.
    `platform_wrench` is the wrench of the platform on its environment, in its frame; where it is not 0, it is an input.
    `base` carries the legs: it may have a given motion, float, or roll on wheels at joints of the tree `platform`, by
    their numbers there. T, V and VP of the platform are then against it, in frame 0, which moves with it.
    `label` stands for the platform in names, such as XXP.

    The robot is the tree of all legs and of the platform, a link on a free joint. Closures tie it to the legs.
    """
    for i, leg in enumerate(legs, 1):
        if not isinstance(leg, Robot) or leg.platforms:
            raise RobotError("platforms.no_robot", number=i, leg=repr(leg))
    named_legs = tuple(numbered(leg, i) for i, leg in enumerate(legs, 1))
    of_legs = {name: value for leg in named_legs for name, value in leg.values.items()}
    tree = platform if isinstance(platform, Robot) else _alone(platform, platform_wrench)
    forest = _Forest(named_legs, tree)
    n = forest.platform
    return Robot(
        name,
        forest.joints,
        tuple(x for one in (*named_legs, tree) for x in one.inertias),
        tuple(x for one in (*named_legs, tree) for x in one.drives),
        tuple(x for one in (*named_legs, tree) for x in one.wrenches),
        base.renumbered(forest.in_tree),
        gravity,
        frames=forest.frames,
        values=Bindings({**of_legs, **Bindings(values)}),
        title=title,
        source=source,
        notes=notes,
        closures=(
            *forest.closures,
            *(
                Closure(one.kind, FrameRef(n, one.pose), FrameRef(one.frame, group=i))
                for i, one in enumerate(attachments, 1)
            ),
        ),
        groups=(
            Group("platform", (n,), label, numbered=False),
            *(
                Group(leg.name, forest.group(i), f"_{i}", True, leg.title, leg.source)
                for i, leg in enumerate(named_legs, 1)
            ),
        ),
        home=home,
        branch=None if branch is None else tuple(branch),
        given=given,
    )


def _alone(platform: Inertia, wrench: Wrench) -> Robot:
    """The tree of a platform without other joints."""
    return Robot("platform", (Joint(1, "platform", 0, JointKind.FREE),), (platform,), (Drive(),), (wrench,))


def with_legs(
    robot: Robot,
    legs: Sequence[Robot] | None = None,
    *,
    platform: Inertia | None = None,
    attachments: Sequence[Attachment] | None = None,
    label: str = "P",
) -> Robot:
    """The same robot with other legs, another platform or other attachments."""
    tree = robot.parts.tree
    if platform is not None:
        tree = replace(tree, inertias=tuple(platform if j.free else tree.inertia(j.index) for j in tree.joints))
    return ParallelRobot(
        tree,
        robot.legs if legs is None else legs,
        robot.attachments if attachments is None else attachments,
        robot.name,
        home=robot.home_pose,
        branch=robot.branch,
        given=robot.given,
        base=tree.base,
        gravity=robot.gravity,
        values=robot.values,
        title=robot.title,
        source=robot.source,
        notes=robot.notes,
        label=label,
    )


def legs_alone(robot: Robot) -> Robot:
    """The same robot without the joints that belong to no leg."""
    if len(robot.parts.tree.joints) == 1:
        return robot
    return ParallelRobot(
        robot.platform,
        robot.legs,
        robot.attachments,
        robot.name,
        home=robot.home_pose,
        branch=robot.branch,
        platform_wrench=robot.platform_wrench,
        base=robot.base,
        gravity=robot.gravity,
        values=robot.values,
    )


def numbered(leg: Robot, i: int) -> Robot:
    """The leg with _i behind its symbols and variables; one that has it already stays."""
    variables = [joint.variable for joint in leg.joints if joint.variable]
    if variables and all(name.endswith(f"_{i}") for name in variables):
        return leg
    bare = replace(leg, gravity=(ZERO,) * 3)
    used = {name for value in (*parameters(bare), *leg.values.values()) for name in symbols(value)}
    leg_values = {name: value for name, value in leg.values.items() if name in used or name not in _of_gravity(leg)}
    new: dict[str, Value] = {name: Symbol(f"{name}_{i}") for name in sorted({*used, *variables, *leg_values})}
    values = {f"{name}_{i}": substituted(value, new) for name, value in leg_values.items()}
    named = substituted(replace(bare, values=Bindings()), new)
    joints = tuple(replace(j, variable=f"{j.variable}_{i}") if j.variable else j for j in named.joints)
    return replace(named, joints=joints, values=Bindings(values))


def _of_gravity(robot: Robot) -> set[str]:
    return {name for value in robot.gravity for name in symbols(value)}


@dataclass(frozen=True)
class _Forest:
    """The numbers of all joints in one robot: trees of the legs, that of the platform, cut joints and their mates."""

    legs: tuple[Robot, ...]
    tree: Robot

    @property
    def _before(self) -> int:
        """The number of links of all legs."""
        return sum(leg.link_count for leg in self.legs)

    @property
    def platform(self) -> int:
        free = [joint.index for joint in self.tree.joints if joint.free]
        if len(free) != 1 or self.tree.cuts:
            raise RobotError("platforms.free_joints", joints=len(free), cuts=len(self.tree.cuts))
        return self.in_tree(free[0])

    def in_tree(self, j: int) -> int:
        """The number of joint j of the tree that has the platform; 0 is the base."""
        if not 0 <= j <= self.tree.link_count:
            return OUTSIDE + j
        return j and self._before + j

    def number(self, i: int, j: int) -> int:
        """The number of joint j of leg i, from 1; 0 is the base."""
        leg, before = self.legs[i - 1], self.legs[: i - 1]
        cuts = sum(len(one.cuts) for one in self.legs)
        if j == 0:
            return 0
        if not 0 < j <= len(leg.joints):
            return OUTSIDE + j
        if j <= leg.link_count:
            return sum(one.link_count for one in before) + j
        place = sum(len(one.cuts) for one in before) + self._before + self.tree.link_count
        if j <= leg.joint_count:
            return place + j - leg.link_count
        return place + cuts + j - leg.joint_count

    def group(self, i: int) -> tuple[int, ...]:
        """The joints of leg i, in the order of their numbers in the leg."""
        return tuple(self.number(i, joint.index) for joint in self.legs[i - 1].joints)

    @property
    def joints(self) -> tuple[Joint, ...]:
        moved = [
            replace(j, index=self.number(i, j.index), name=f"leg {i} {j.name}", parent=self.number(i, j.parent))
            for i, leg in enumerate(self.legs, 1)
            for j in leg.joints
        ]
        tree = [replace(j, index=self.in_tree(j.index), parent=self.in_tree(j.parent)) for j in self.tree.joints]
        return tuple(sorted([*moved, *tree], key=lambda joint: joint.index))

    @property
    def frames(self) -> tuple[Frame, ...]:
        return tuple(
            replace(frame, name=f"leg {i} {frame.name}", link=self.number(i, frame.link))
            for i, leg in enumerate(self.legs, 1)
            for frame in leg.frames
        ) + tuple(replace(frame, link=self.in_tree(frame.link)) for frame in self.tree.frames)

    @property
    def closures(self) -> tuple[Closure, ...]:
        return tuple(
            closure.renumbered(partial(self.number, i))
            for i, leg in enumerate(self.legs, 1)
            for closure in leg.closures
        )
