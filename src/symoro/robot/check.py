"""Checks a description: every problem is reported, errors first, then warnings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from math import nan

from symoro.errors import CheckError, ParameterError, Problem
from symoro.robot._rules import (
    Finding,
    find_centres,
    find_copies,
    find_floating_base,
    find_given,
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


def check(robot: Robot) -> tuple[Problem, ...]:
    """Every problem of a robot, errors first."""
    return tuple(finding.problem for finding in findings(robot))


def require_valid(robot: Robot) -> Robot:
    """Return the robot, or raise `CheckError` with all its errors."""
    if errors := [problem for problem in check(robot) if problem.severity == "error"]:
        raise CheckError(errors)
    return robot


def findings(robot: Robot) -> list[Finding]:
    """The problems that `check` reports, each with its field, errors first."""
    if robot.platforms:
        from symoro.robot.parallel import parallel_findings  # most robots are not parallel

        return sorted(parallel_findings(robot, findings), key=lambda finding: finding.severity != "error")
    rules: list[Callable[[Robot], Iterable[Finding]]] = [_shape]
    if not list(_shape(robot)):
        rules = [_parents, _cuts, _variables, _angles, _joints, _links, _base, _values]
        rules.append(_expressions)
    found = [finding for rule in rules for finding in rule(robot)]
    if not found or all(finding.severity != "error" for finding in found):
        physics = (find_inertias, find_springs, find_floating_base, find_poses)
        looks = (find_motion, find_units, find_centres, find_massless, find_copies)
        found += [finding for rule in (*physics, *looks) for finding in rule(robot)]
    return sorted(found, key=lambda finding: finding.severity != "error")


def _shape(robot: Robot) -> Iterator[Finding]:
    """Indices, lengths and sizes, on which all other rules rely."""
    if not robot.name.strip():
        yield Finding("the robot has no name", where="name")
    if has_control_character(robot.name):
        yield Finding(f"the name {robot.name!r} has a control character", where="name")
    if not robot.joints:
        yield Finding("the robot has no joint (at least one is needed)", where="joints")
    for place, joint in enumerate(robot.joints, 1):
        if joint.index != place:
            yield Finding(f"index is {joint.index}, but it is joint number {place}", joint=place, where="joints")
    if 2 * len(robot.cuts) > len(robot.joints):
        yield Finding(f"{len(robot.cuts)} cuts need two frames each, and there are {robot.frame_count}", where="cuts")
    for name in ("inertias", "drives", "wrenches"):
        yield from _length(name, getattr(robot, name), robot.link_count)
    yield from _length("gravity", robot.gravity, 3)
    yield from find_given(robot)
    yield from _length("V0", robot.base.velocity, 6)
    yield from _length("VP0", robot.base.acceleration, 6)
    yield from _pose("pose", robot.base.pose)
    for frame in robot.frames:
        yield from _pose(f"pose of frame {frame.name!r}", frame.pose)
    if robot.coupling:
        size = sum(bool(joint.variable) for joint in robot.joints[: robot.link_count])
        yield from _length("coupling", robot.coupling, size)
        for row in robot.coupling:
            yield from _length("coupling", row, size)
        if any(not is_zero(drive.N) for drive in robot.drives):
            yield Finding("a drive has a reduction N, too (give all reductions in the coupling)", where="coupling")


def _length(name: str, items: tuple[object, ...], count: int) -> Iterator[Finding]:
    if len(items) != count:
        yield Finding(f"{name} has {len(items)} entries, not {count}", where=name)


def _pose(name: str, pose: Pose) -> Iterator[Finding]:
    if len(pose) != 4 or any(len(row) != 4 for row in pose):
        yield Finding(f"{name} is not 4 rows of 4 values", where="pose")


def _parents(robot: Robot) -> Iterator[Finding]:
    """Antecedents exist and lead to the base; no joint of the tree has a cut joint or a mate as its antecedent."""
    reached = _reached(robot)
    for joint in robot.joints:
        highest = robot.link_count if joint.index <= robot.link_count else robot.frame_count
        if not 0 <= joint.parent <= highest or joint.parent == joint.index:
            allowed = f"0, the base, to {highest}, and not itself"
            yield Finding(f"its antecedent is {joint.parent} (allowed: {allowed})", joint.index, "parent")
        elif joint.index not in reached:
            yield Finding(
                f"it does not reach the base: the antecedents of joint {joint.parent} form a cycle or do not exist",
                joint.index,
                "parent",
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
            pairs = ", ".join(f"{k} with {m}" for k, m in sorted(expected))
            yield Finding(f"a cut pairs {cut.joint} with {cut.mate} (allowed, once each: {pairs})", where="cuts")
    if len(set(robot.cuts)) != count:
        yield Finding("a cut is listed twice", where="cuts")
    kinds = {closure.cut.joint: closure.kind.value for closure in robot.closures if closure.cut}
    for joint in robot.joints[first - 1 : first - 1 + count]:
        if kinds.get(joint.index, joint.kind.value) != joint.kind.value:
            text = f"a loop is cut at it, and the closure is {kinds[joint.index]}"
            yield Finding(f"{text} (allowed: the kind of the joint, {joint.kind.value})", joint.index, "cuts")
        if joint.actuated:
            yield Finding("a loop is cut at it, so it must be passive", joint.index, "actuated")
        if joint.fixed:
            yield Finding("a loop is cut at it, so it must be revolute or prismatic", joint.index, "kind")
        if joint.elastic:
            yield Finding(
                "a loop is cut at it, so it has no spring; cut the loop at another joint", joint.index, "elastic"
            )
    for joint in robot.joints[first - 1 + count :]:
        if joint.movable:
            yield Finding(
                f"it is the mate of cut joint {joint.index - count}, so it must be fixed", joint.index, "kind"
            )


def _variables(robot: Robot) -> Iterator[Finding]:
    """A variable is a symbol of its joint's position; it may occur in positions of other joints, and nowhere else."""
    owners = variables(robot)
    elsewhere = {name for value in _not_positions(robot) for name in symbols(value)}
    for joint in robot.joints:
        name, text = joint.variable, f"{joint.moving} = {to_text(joint.position)}"
        if not joint.movable:
            if name is not None:
                yield Finding(f"a fixed joint has no variable, but {name} is given as one", joint.index, "variable")
        elif name is None:
            yield from _follower(robot, joint)
        elif name not in symbols(joint.position):
            yield Finding(f"its variable {name} is not in {text}", joint.index, joint.moving)
        elif name in elsewhere:
            where = "allowed: in the coordinates of joints; describe a screw as a revolute and a prismatic joint"
            yield Finding(f"its variable {name} occurs elsewhere too ({where})", joint.index, joint.moving)
        elif owners[name] != joint.index:
            yield Finding(f"its variable {name} is that of joint {owners[name]}, too", joint.index, "variable")
        elif not _depends_on(joint.position, name):
            yield Finding(f"{text} does not depend on its variable {name}", joint.index, joint.moving)
        elif joint.elastic and joint.actuated and not _is_linear(joint.position, name):
            where = "allowed with a spring between motor and link: linear functions, such as -q1 or N1*q1 + pi/2"
            yield Finding(f"{text} is not linear in its variable {name} ({where})", joint.index, joint.moving)
        if name is not None and name in _followers(robot):
            text = f"its variable is called {name}, but joint {name[1:]} follows others and has no variable"
            yield Finding(f"{text}: it does not follow joint {name[1:]}", joint.index, joint.moving, "warning")
        if name in robot.values:
            yield Finding(
                f"its variable {name} has a value in [values], but a variable may not have one", joint.index, "values"
            )
    for joint in robot.joints[robot.link_count : robot.joint_count]:
        if not is_plain(joint, owners):
            text = "a loop is cut at it, so its coordinate must be its variable plus a constant"
            yield Finding(text, joint.index, joint.moving)


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
        allowed = f"allowed: 0, or an expression such as q{joint.index} + pi/2, -q{joint.index} or q{joint.index} - q1"
        yield Finding(f"it has no variable: {text} contains none ({allowed})", joint.index, joint.moving)
    if joint.elastic:
        yield Finding("it has no variable of its own, so it has no spring", joint.index, "elastic")
    if joint.limits != NO_LIMITS:
        text = "it follows other joints: its limits have no effect (give limits to the joints that it follows)"
        yield Finding(text, joint.index, "limits", "warning")
    if joint.index <= robot.link_count and not robot.drive(joint.index).is_zero:
        yield Finding("it has no variable of its own, so it has no drive", joint.index, "drive")


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
        for name, text in in_degrees(joint, at_zero):
            yield Finding(text, joint.index, name, "warning")


def _joints(robot: Robot) -> Iterator[Finding]:
    counts = Counter(joint.name for joint in robot.joints)
    numbers = known_numbers(robot)
    passive = [joint.index for joint in robot.joints if joint.variable and not (joint.actuated or joint.elastic)]
    for joint in robot.joints:
        if not joint.name.strip() or counts[joint.name] > 1:
            yield Finding(f"its name {joint.name!r} is empty or taken (names are unique)", joint.index, "name")
        elif has_control_character(joint.name):
            yield Finding(f"its name {joint.name!r} has a control character", joint.index, "name")
        if not joint.elastic and not (is_zero(joint.stiffness) and is_zero(joint.rest)):
            text = "its stiffness and rest position have no effect: it is not elastic (set elastic = true)"
            yield Finding(text, joint.index, "stiffness", "warning")
        if joint.elastic and joint.fixed:
            yield Finding("it is elastic, but a fixed joint cannot be", joint.index, "elastic")
        low, high = (known_number(v, numbers) for v in (joint.limits.lower, joint.limits.upper))
        if low is not None and high is not None and low > high:
            yield Finding(f"its lower limit {low:g} is above its upper limit {high:g}", joint.index, "limits")
    if not robot.cuts and passive:
        listed = ", ".join(map(str, passive))
        yield Finding(f"passive joints in an open robot: {listed}", where="actuated", severity="warning")


def _links(robot: Robot) -> Iterator[Finding]:
    counts = Counter(frame.name for frame in robot.frames)
    for frame in robot.frames:
        if not frame.name.strip() or counts[frame.name] > 1:
            yield Finding(f"a frame's name {frame.name!r} is empty or taken (names are unique)", where="frames")
        elif has_control_character(frame.name):
            yield Finding(f"a frame's name {frame.name!r} has a control character", where="frames")
        if not 0 <= frame.link <= robot.link_count:
            allowed = f"0, the base, to {robot.link_count}"
            yield Finding(f"frame {frame.name!r} is on link {frame.link} (allowed: {allowed})", where="frames")


def _base(robot: Robot) -> Iterator[Finding]:
    if robot.base.kind is BaseKind.FIXED and not robot.base.still:
        yield Finding("the base is fixed, but V0 or VP0 is not 0 (use the kind moving)", where="base")
    if robot.base.wheels and robot.base.kind is not BaseKind.MOBILE:
        yield Finding("only a base of the kind mobile has wheels", where="base")
    revolute, known = [j.index for j in robot.joints[: robot.link_count] if j.revolute], known_numbers(robot)
    for wheel in robot.base.wheels:
        if wheel.joint not in revolute:
            allowed = ", ".join(map(str, revolute))
            yield Finding(f"a wheel is at joint {wheel.joint} (allowed, the revolute ones: {allowed})", where="base")
        if symbols(wheel.radius) <= known.keys() and not evaluate(wheel.radius, known) > 0:
            said = f"the wheel at joint {wheel.joint} has the radius {to_text(wheel.radius)} (allowed: more than 0)"
            yield Finding(said, where="base")


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
