"""Joint coordinates as functions of the variables, and joints with a spring as two joints."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from math import pi
from typing import Any

from symoro.robot import topology
from symoro.robot.arithmetic import negative, over, times
from symoro.robot.joint import MOTION, Joint, JointKind
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.robot import Robot
from symoro.robot.symbolic import substituted
from symoro.robot.topology import tree_joints, with_variables
from symoro.robot.values import ONE, ZERO, Apply, Bindings, Symbol, Value, evaluate, symbols

# Joint coordinates as functions of the variables: θ = q1 + π/2, −q1, N1 q1, q2 − q1, or r = p q1 of a screw.


def variables(robot: Robot) -> dict[str, int]:
    """The name of each variable, with the joint that it belongs to."""
    return {joint.variable: joint.index for joint in robot.joints if joint.variable}


def has_plain_coordinates(robot: Robot) -> bool:
    """Whether the coordinate of each movable joint of the tree is written as its variable plus a constant."""
    names = variables(robot).keys()
    return all(is_plain(joint, names) for joint in topology.tree_joints(robot) if joint.movable)


def is_plain(joint: Joint, variables: Collection[str]) -> bool:
    """Whether a joint's coordinate is written as its variable plus terms without any variable."""
    return slope(joint, variables) == ONE


def slope(joint: Joint, variables: Collection[str]) -> Value | None:
    """By what a joint's coordinate grows with its variable: 1 of q1 + pi/2, -1 of -q1, N1 of N1*q1.

    None where it is no multiple of the variable plus a constant, or has other variables.
    """
    return None if joint.variable is None else _slope(joint.position, joint.variable, set(variables))


def ratio(joint: Joint, numbers: Mapping[str, float]) -> float:
    """The size of the slope of a joint whose coordinate has no variable but its own; 0 where there is no slope."""
    grows = slope(joint, (str(joint.variable),))
    return 0.0 if grows is None else abs(evaluate(grows, numbers))


def whole_turn(joint: Joint, numbers: Mapping[str, float]) -> float:
    """The change of a joint's variable that turns the joint once; 0 for a slide, or without a slope."""
    size = ratio(joint, numbers) if joint.revolute else 0.0
    return 2 * pi / size if size else 0.0


def _slope(value: Value, variable: str, variables: set[str]) -> Value | None:
    if value == Symbol(variable):
        return ONE
    if not isinstance(value, Apply) or value.function not in ("neg", "+", "-", "*", "/"):
        return None
    *before, last = value.arguments
    if not symbols(last) & variables:
        first = _slope(before[0], variable, variables) if before else None
        if first is None or value.function in ("+", "-"):
            return first
        return times(first, last) if value.function == "*" else over(first, last)
    constant = before[0] if before else ZERO
    grows = _slope(last, variable, variables)
    if grows is None or symbols(constant) & variables or value.function == "/":
        return None
    if value.function == "*":
        return times(constant, grows)
    return grows if value.function == "+" else negative(grows)


def terms(value: Value) -> tuple[Value, ...]:
    """The terms of a sum, without their signs; a value that is no sum is its only term."""
    if not isinstance(value, Apply) or value.function not in ("+", "-", "neg"):
        return (value,)
    return tuple(term for argument in value.arguments for term in terms(argument))


def ratios(robot: Robot) -> dict[str, int]:
    """The symbols that occur in a term with a variable, such as N1 of N1*q1, with the first joint of such a term."""
    names, first_joints = variables(robot).keys(), dict[str, int]()
    for joint in topology.tree_joints(robot):
        for term in terms(joint.position) if joint.movable else ():
            if symbols(term) & names:
                first_joints |= {name: first_joints.get(name, joint.index) for name in sorted(symbols(term) - names)}
    return first_joints


# Replaces a joint that has a motor and a spring between motor and link by two joints (K13 § 7.3.8).


def motor_spring_pairs(robot: Robot) -> Robot:
    """The robot in 2n coordinates: a joint that is active and elastic becomes the joint of the motor and of the spring.

    The motor moves a link without mass by qm<j>, and its joint has the drive. The spring carries the link, and its
    variable qs<j> is the deformation q − qm. In these coordinates the equations of K10 are those of K13:7.35. With
    closed loops or wheels the spring's coordinate is one that the constraints leave.
    """
    pairs = [joint.index for joint in robot.joints if joint.elastic and joint.actuated]
    if not pairs:
        return robot
    place = {0: 0}
    for joint in robot.joints:
        place[joint.index] = len(place) + sum(j <= joint.index for j in pairs)
    rows = [row for joint in tree_joints(robot) for row in _links(robot, joint, place)]
    joints, inertias, drives, wrenches = zip(*rows, strict=True)
    cut = (_numbered(j, place[j.index], place[j.parent]) for j in robot.joints[robot.link_count :])
    return replace(
        robot,
        joints=(*joints, *cut),
        inertias=inertias,
        drives=drives,
        wrenches=wrenches,
        frames=tuple(replace(frame, link=place[frame.link]) for frame in robot.frames),
        closures=tuple(closure.renumbered(place.__getitem__) for closure in robot.closures),
        base=robot.base.renumbered(place.__getitem__),
        coupling=_coupling(robot, pairs) if robot.coupling else (),
        home=_at_rest(robot, pairs) if robot.home_positions else robot.home,
    )


def _at_rest(robot: Robot, pairs: list[int]) -> Bindings:
    """The configuration of home in the coordinates of motors; springs are not deformed."""
    motors = {robot.joint(j).variable: f"qm{j}" for j in pairs}
    return Bindings({motors.get(name, name): x for name, x in robot.home_positions.items()})


def without_springs(robot: Robot) -> Robot:
    """The robot with rigid transmissions in the place of springs; unchanged where it has no motors.

    A spring that is a joint of its own becomes a fixed joint in its rest position.
    """
    if not any(joint.elastic for joint in robot.joints) or not any(joint.actuated for joint in robot.joints):
        return robot
    rest = {str(joint.variable): joint.rest for joint in robot.joints if joint.elastic and not joint.actuated}
    joints = tuple(_rigid(joint) for joint in robot.joints)
    return substituted(replace(robot, joints=joints), rest)


def _rigid(joint: Joint) -> Joint:
    if not joint.elastic:
        return joint
    kind = joint.kind if joint.actuated else JointKind.FIXED
    variable = joint.variable if joint.actuated else None
    return replace(joint, kind=kind, variable=variable, elastic=False, stiffness=ZERO, rest=ZERO)


def _coupling(robot: Robot, pairs: list[int]) -> tuple[tuple[Value, ...], ...]:
    """The transmissions couple the joints of the motors; a spring has a coordinate of its own."""
    joints = [joint.index for joint in with_variables(robot)]
    places = [(n, spring) for n, j in enumerate(joints) for spring in ((False, True) if j in pairs else (False,))]

    def element(a: tuple[int, bool], b: tuple[int, bool]) -> Value:
        if a[1] or b[1]:
            return ONE if a == b else ZERO
        return robot.coupling[a[0]][b[0]]

    return tuple(tuple(element(a, b) for b in places) for a in places)


Link = tuple[Joint, Inertia, Drive, Wrench]


def _links(robot: Robot, joint: Joint, place: dict[int, int]) -> list[Link]:
    """The joint with its new index, or the two that it becomes."""
    joint = _with_pairs(robot, joint)
    j, index, parent = joint.index, place[joint.index], place[joint.parent]
    tables = robot.inertia(j), robot.drive(j), robot.wrench(j)
    if not (joint.elastic and joint.actuated):
        return [(_numbered(joint, index, parent), *tables)]
    motor = replace(joint, name=f"{joint.name}_motor", elastic=False, stiffness=ZERO, rest=ZERO, variable=f"qm{j}")
    if is_plain(joint, variables(robot)):
        turned: Value = ZERO  # stands for the variable itself
    else:  # the coordinate is linear in its variable: what the motor adds, and the rest
        at_motor, at_zero = (_with_variable(joint, value) for value in (Symbol(f"qm{j}"), ZERO))
        turned = Apply("-", (at_motor, at_zero))
    motor = replace(motor, theta=turned if joint.revolute else ZERO, r=ZERO if joint.revolute else turned)
    moving = _with_variable(joint, Symbol(f"qs{j}"))
    theta, r = (moving, joint.r) if joint.revolute else (joint.theta, moving)
    spring = replace(joint, actuated=False, variable=f"qs{j}", gamma=ZERO, b=ZERO, alpha=ZERO, d=ZERO, theta=theta, r=r)
    return [
        (_numbered(motor, index - 1, parent), Inertia(), tables[1], Wrench()),
        (_numbered(spring, index, index - 1), tables[0], Drive(), tables[2]),
    ]


def _with_pairs(robot: Robot, joint: Joint) -> Joint:
    """A joint whose coordinate has variables of other elastic joints: each is q = qm + qs."""
    sums: dict[str, Value] = {
        str(other.variable): Apply("+", (Symbol(f"qm{other.index}"), Symbol(f"qs{other.index}")))
        for other in robot.joints
        if other.elastic and other.actuated and other.index != joint.index
    }
    if joint.fixed or not symbols(joint.position) & sums.keys():
        return joint
    moving: dict[str, Any] = {joint.moving: substituted(joint.position, sums)}
    return replace(joint, **moving)


def _with_variable(joint: Joint, value: Value) -> Value:
    return substituted(joint.position, {str(joint.variable): value})


def _numbered(joint: Joint, index: int, parent: int) -> Joint:
    """The joint with another index, which its symbols QP, QDP and GAM carry too."""
    motion: dict[str, Any] = {field: Symbol(f"{letters}{index}") for field, letters in MOTION.items()}
    return replace(joint, index=index, parent=parent, **motion)
