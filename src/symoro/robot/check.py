"""Checks a description: every problem is reported, errors first, then warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import nan

from symoro.errors import CheckError, ParameterError
from symoro.findings import Finding, Place
from symoro.robot._rules import (
    find_centres,
    find_copies,
    find_floating_base,
    find_given,
    find_home,
    find_inertias,
    find_massless,
    find_motion,
    find_numbers,
    find_poses,
    find_springs,
    find_units,
    find_unused,
    has_control_character,
    known_number,
    known_numbers,
)
from symoro.robot.base import BaseKind, Pose
from symoro.robot.joint import GEOMETRY, NO_LIMITS, Joint, in_degrees
from symoro.robot.robot import Robot, parameters
from symoro.robot.springs import is_plain, variables
from symoro.robot.values import Apply, Value, evaluate, is_zero, symbols, to_text


def check(robot: Robot) -> tuple[Finding, ...]:
    """Every problem of a robot, each with its joint and its field, errors first."""
    if robot.platforms:
        from symoro.robot.parallel import parallel_findings  # most robots are not parallel

        return _errors_first(parallel_findings(robot, check))
    rules: list[Callable[[Robot], Iterable[Finding]]] = [_shape]
    if not list(_shape(robot)):
        rules = [_parents, _cuts, _variables, _angles, _joints, _links, _base, _values]
        rules.append(_expressions)
    findings = [finding for rule in rules for finding in rule(robot)]
    if all(finding.severity != "error" for finding in findings):
        physics = (find_inertias, find_springs, find_floating_base, find_poses)
        looks = (find_motion, find_units, find_centres, find_massless, find_copies)
        findings += [finding for rule in (*physics, *looks) for finding in rule(robot)]
    return _errors_first(findings)


def _errors_first(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(findings, key=lambda finding: finding.severity != "error"))


def require_valid(robot: Robot) -> Robot:
    """Return the robot, or raise `CheckError` with all its errors."""
    if errors := [problem for problem in check(robot) if problem.severity == "error"]:
        raise CheckError(errors)
    return robot


def _shape(robot: Robot) -> Iterator[Finding]:
    """Indices, lengths and sizes, on which all other rules rely."""
    if not robot.name.strip():
        yield Finding("descriptions.no_name", place=Place(cell="name"))
    if has_control_character(robot.name):
        yield Finding("descriptions.control_character", place=Place(cell="name"), name=robot.name)
    if not robot.joints:
        yield Finding("descriptions.no_joint", place=Place(cell="joints"))
    for place, joint in enumerate(robot.joints, 1):
        if joint.index != place:
            yield Finding(
                "descriptions.index", place=Place(joint=place, cell="joints"), index=joint.index, number=place
            )
    if 2 * len(robot.cuts) > len(robot.joints):
        yield Finding(
            "descriptions.cut_frames", place=Place(cell="cuts"), count=len(robot.cuts), frames=robot.frame_count
        )
    for name in ("inertias", "drives", "wrenches"):
        yield from _length(name, getattr(robot, name), robot.link_count)
    yield from _length("gravity", robot.gravity, 3)
    yield from find_given(robot)
    yield from find_home(robot)
    yield from _length("V0", robot.base.velocity, 6)
    yield from _length("VP0", robot.base.acceleration, 6)
    yield from _pose("pose", robot.base.pose)
    for frame in robot.frames:
        yield from _pose(Finding("descriptions.pose_of_frame", name=frame.name), frame.pose)
    if robot.coupling:
        size = sum(bool(joint.variable) for joint in robot.joints[: robot.link_count])
        if len(robot.coupling) != size:
            yield Finding(
                "descriptions.rows", place=Place(cell="coupling"), name="coupling", rows=len(robot.coupling), count=size
            )
        for number, row in enumerate(robot.coupling, 1):
            if len(row) != size:
                yield Finding(
                    "descriptions.entries_of_row",
                    place=Place(cell="coupling"),
                    name="coupling",
                    row=number,
                    entries=len(row),
                    count=size,
                )
        if any(not is_zero(drive.N) for drive in robot.drives):
            yield Finding("descriptions.two_reductions", place=Place(cell="coupling"))


def _length(name: str, items: tuple[object, ...], count: int) -> Iterator[Finding]:
    if len(items) != count:
        yield Finding("descriptions.entries", place=Place(cell=name), name=name, entries=len(items), count=count)


def _pose(name: str | Finding, pose: Pose) -> Iterator[Finding]:
    if len(pose) != 4 or any(len(row) != 4 for row in pose):
        yield Finding("descriptions.no_matrix", place=Place(cell="pose"), name=name)


def _parents(robot: Robot) -> Iterator[Finding]:
    """Antecedents exist and lead to the base; no joint of the tree has a cut joint or a mate as its antecedent."""
    reached = _reached(robot)
    for joint in robot.joints:
        highest = robot.link_count if joint.index <= robot.link_count else robot.frame_count
        if not 0 <= joint.parent <= highest or joint.parent == joint.index:
            yield Finding(
                "descriptions.antecedent",
                place=Place(joint=joint.index, cell="parent"),
                antecedent=joint.parent,
                highest=highest,
            )
        elif joint.index not in reached:
            yield Finding(
                "descriptions.no_way_to_base", place=Place(joint=joint.index, cell="parent"), antecedent=joint.parent
            )


def _reached(robot: Robot) -> set[int]:
    """The frames from which the antecedents lead to the base."""
    below: dict[int, list[int]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint.index)
    reached, front = set(), [0]
    while front:
        front = [index for parent in front for index in below.get(parent, ())]
        reached.update(front)
    return reached


def _cuts(robot: Robot) -> Iterator[Finding]:
    """Cut joints come after the tree and are passive; the mate of cut joint k is the fixed frame k + B, for B cuts."""
    first, count = robot.link_count + 1, len(robot.cuts)
    expected = {(k, k + count) for k in range(first, first + count)}
    for cut in robot.cuts:
        if (cut.joint, cut.mate) not in expected:
            pairs = [Finding("descriptions.pair", first=k, second=m) for k, m in sorted(expected)]
            yield Finding("descriptions.cut", place=Place(cell="cuts"), joint=cut.joint, mate=cut.mate, pairs=pairs)
    if len(set(robot.cuts)) != count:
        yield Finding("descriptions.cut_twice", place=Place(cell="cuts"))
    kinds = {closure.cut.joint: closure.kind.value for closure in robot.closures if closure.cut}
    for joint in robot.joints[first - 1 : first - 1 + count]:
        if kinds.get(joint.index, joint.kind.value) != joint.kind.value:
            yield Finding(
                "descriptions.closure_kind",
                place=Place(joint=joint.index, cell="cuts"),
                closure=kinds[joint.index],
                kind=joint.kind.value,
            )
        if joint.actuated:
            yield Finding("descriptions.active_cut", place=Place(joint=joint.index, cell="actuated"))
        if joint.fixed:
            yield Finding("descriptions.fixed_cut", place=Place(joint=joint.index, cell="kind"))
        if joint.elastic:
            yield Finding("descriptions.elastic_cut", place=Place(joint=joint.index, cell="elastic"))
    for joint in robot.joints[first - 1 + count :]:
        if joint.movable:
            yield Finding(
                "descriptions.moving_mate", place=Place(joint=joint.index, cell="kind"), joint=joint.index - count
            )


def _variables(robot: Robot) -> Iterator[Finding]:
    """A variable is a symbol of its joint's position; it may occur in positions of other joints, and nowhere else."""
    owners = variables(robot)
    elsewhere = {name for value in _not_positions(robot) for name in symbols(value)}
    for joint in robot.joints:
        name, text = joint.variable, f"{joint.moving} = {to_text(joint.position)}"
        if not joint.movable:
            if name is not None:
                yield Finding(
                    "descriptions.fixed_with_variable", place=Place(joint=joint.index, cell="variable"), name=name
                )
        elif name is None:
            yield from _follower(robot, joint)
        elif name not in symbols(joint.position):
            yield Finding(
                "descriptions.variable_missing", place=Place(joint=joint.index, cell=joint.moving), name=name, text=text
            )
        elif name in elsewhere:
            yield Finding(
                "descriptions.variable_elsewhere", place=Place(joint=joint.index, cell=joint.moving), name=name
            )
        elif owners[name] != joint.index:
            yield Finding(
                "descriptions.variable_taken",
                place=Place(joint=joint.index, cell="variable"),
                name=name,
                joint=owners[name],
            )
        elif not _depends_on(joint.position, name):
            yield Finding(
                "descriptions.independent", place=Place(joint=joint.index, cell=joint.moving), text=text, name=name
            )
        elif joint.elastic and joint.actuated and not _is_linear(joint.position, name):
            yield Finding(
                "descriptions.not_linear", place=Place(joint=joint.index, cell=joint.moving), text=text, name=name
            )
        if name is not None and name in _followers(robot):
            yield Finding(
                "descriptions.name_of_follower",
                place=Place(joint=joint.index, cell=joint.moving),
                name=name,
                joint=name[1:],
            )
        if name in robot.values:
            yield Finding("descriptions.variable_with_value", place=Place(joint=joint.index, cell="values"), name=name)
    for joint in robot.joints[robot.link_count : robot.joint_count]:
        if not is_plain(joint, owners):
            yield Finding("descriptions.cut_not_plain", place=Place(joint=joint.index, cell=joint.moving))


def _followers(robot: Robot) -> set[str]:
    """The usual names of the variables that joints without a variable do not have."""
    return {f"q{joint.index}" for joint in robot.joints if joint.movable and joint.variable is None}


def _not_positions(robot: Robot) -> Iterator[Value]:
    """All values of the robot but the coordinates of its movable joints."""
    for joint in robot.joints:
        yield from (getattr(joint, name) for name in GEOMETRY if joint.fixed or name != joint.moving)
        yield from parameters((joint.stiffness, joint.rest, joint.limits))
    tables = (robot.inertias, robot.drives, robot.base, robot.wrenches, robot.gravity, robot.frames, robot.coupling)
    yield from parameters(tables)
    yield from robot.values.values()


def _follower(robot: Robot, joint: Joint) -> Iterator[Finding]:
    """A joint without a variable follows other joints; it has neither a motor nor a spring."""
    text, others = f"{joint.moving} = {to_text(joint.position)}", variables(robot)
    if not symbols(joint.position) & others.keys():
        yield Finding(
            "descriptions.no_variable", place=Place(joint=joint.index, cell=joint.moving), text=text, joint=joint.index
        )
    if joint.elastic:
        yield Finding("descriptions.follower_with_spring", place=Place(joint=joint.index, cell="elastic"))
    if joint.limits != NO_LIMITS:
        yield Finding("descriptions.follower_with_limits", place=Place(joint=joint.index, cell="limits"))
    if joint.index <= robot.link_count and not robot.drive(joint.index).is_zero:
        yield Finding("descriptions.follower_with_drive", place=Place(joint=joint.index, cell="drive"))


def _depends_on(position: Value, name: str) -> bool:
    """Whether a value changes with a symbol, for arbitrary numbers of the others."""
    first, second, _ = _at_three(position, name)
    return first != second


def _is_linear(position: Value, name: str) -> bool:
    """Whether a value is a linear function of a symbol, for arbitrary numbers of the others."""
    first, second, third = _at_three(position, name)
    return abs(first - 2 * second + third) < 1e-12 * (1 + abs(second))


def _at_three(position: Value, name: str) -> tuple[float, float, float]:
    """The value at three equidistant numbers of a symbol; NaN where it has none."""
    others = {symbol: 0.3 + 0.1 * k for k, symbol in enumerate(sorted(symbols(position)))}
    try:
        a, b, c = (evaluate(position, {**others, name: x}) for x in (0.37, 0.54, 0.71))
        return a, b, c
    except (ArithmeticError, ValueError, ParameterError):
        return nan, nan, nan


def _angles(robot: Robot) -> Iterator[Finding]:
    """Warnings for angles that look like degrees."""
    at_zero = {**known_numbers(robot), **dict.fromkeys(variables(robot), 0.0)}
    for joint in robot.joints:
        yield from in_degrees(joint, at_zero)


def _joints(robot: Robot) -> Iterator[Finding]:
    counts = Counter(joint.name for joint in robot.joints)
    numbers = known_numbers(robot)
    passive = [joint.index for joint in robot.joints if joint.variable and not (joint.actuated or joint.elastic)]
    for joint in robot.joints:
        if not joint.name.strip() or counts[joint.name] > 1:
            yield Finding("descriptions.name_taken", place=Place(joint=joint.index, cell="name"), name=joint.name)
        elif has_control_character(joint.name):
            yield Finding(
                "descriptions.name_with_control_character", place=Place(joint=joint.index, cell="name"), name=joint.name
            )
        if not joint.elastic and not (is_zero(joint.stiffness) and is_zero(joint.rest)):
            yield Finding("descriptions.stiffness_without_effect", place=Place(joint=joint.index, cell="stiffness"))
        if joint.elastic and joint.fixed:
            yield Finding("descriptions.elastic_fixed", place=Place(joint=joint.index, cell="elastic"))
        low, high = (known_number(v, numbers) for v in (joint.limits.lower, joint.limits.upper))
        if low is not None and high is not None and low > high:
            yield Finding(
                "descriptions.limits_reversed", place=Place(joint=joint.index, cell="limits"), low=low, high=high
            )
    if not robot.cuts and passive:
        yield Finding("descriptions.passive", place=Place(cell="actuated"), passive=passive)


def _links(robot: Robot) -> Iterator[Finding]:
    counts = Counter(frame.name for frame in robot.frames)
    for frame in robot.frames:
        if not frame.name.strip() or counts[frame.name] > 1:
            yield Finding("descriptions.frame_name_taken", place=Place(cell="frames"), name=frame.name)
        elif has_control_character(frame.name):
            yield Finding("descriptions.frame_name_with_control_character", place=Place(cell="frames"), name=frame.name)
        if not 0 <= frame.link <= robot.link_count:
            yield Finding(
                "descriptions.frame_on_link",
                place=Place(cell="frames"),
                name=frame.name,
                link=frame.link,
                most=robot.link_count,
            )


def _base(robot: Robot) -> Iterator[Finding]:
    if robot.base.kind is BaseKind.FIXED and not robot.base.still:
        yield Finding("descriptions.fixed_base_moves", place=Place(cell="base"))
    if robot.base.wheels and robot.base.kind is not BaseKind.MOBILE:
        yield Finding("descriptions.wheels_on_base", place=Place(cell="base"))
    revolute, known = [j.index for j in robot.joints[: robot.link_count] if j.revolute], known_numbers(robot)
    for wheel in robot.base.wheels:
        if wheel.joint not in revolute:
            yield Finding("descriptions.wheel_joint", place=Place(cell="base"), joint=wheel.joint, allowed=revolute)
        if symbols(wheel.radius) <= known.keys() and not evaluate(wheel.radius, known) > 0:
            yield Finding(
                "descriptions.wheel_radius", place=Place(cell="base"), joint=wheel.joint, radius=to_text(wheel.radius)
            )


def _expressions(robot: Robot) -> Iterator[Finding]:
    """Expressions have numbers, and a coupling has an inverse."""
    if robot.coupling or any(isinstance(value, Apply) for value in parameters(robot)):
        from symoro.robot._rules import find_coupling, find_values  # most robots have symbols and numbers alone

        yield from find_values(robot, known_numbers(robot))
        yield from find_coupling(robot, known_numbers(robot))


def _values(robot: Robot) -> Iterator[Finding]:
    """Every value can be evaluated, and every symbol with a value occurs in the robot."""
    yield from find_numbers(robot)
    yield from find_unused(robot, robot.values)
