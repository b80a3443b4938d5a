"""Conditions of models: functions of a robot that give None, or the reason why a model does not exist for it."""

from __future__ import annotations

from symoro.errors import NotApplicable
from symoro.findings import Finding, ModelArgument
from symoro.models.families import OPEN, PLATFORM, kind
from symoro.robot import topology
from symoro.robot.base import BaseKind
from symoro.robot.robot import JOINTS, MOTORS, Robot
from symoro.robot.springs import has_plain_coordinates
from symoro.robot.values import is_zero


def rigid_without_given_motion(robot: Robot) -> Finding | None:
    """Models of rigid robots in which motors and gravity do all work."""
    return _no_springs_in_series(robot) or (None if robot.base.kind is BaseKind.FLOATING else fixed_base(robot))


def fixed_base(robot: Robot) -> Finding | None:
    """Models of robots on which nothing works but motors and gravity: the base stands still or rolls."""
    if robot.base.wheels or (robot.base.kind is BaseKind.FIXED and robot.base.still):
        return None
    if robot.base.kind is BaseKind.FLOATING:
        return Finding("models.floating_height")
    return Finding("models.moving_base_works")


def rigid_on_fixed_base(robot: Robot) -> Finding | None:
    """Models of rigid robots whose base stands still."""
    return _no_springs_in_series(robot) or fixed_base(robot)


def rigid_joint_velocities(robot: Robot) -> Finding | None:
    """Models of rigid robots whose velocities are all derivatives of positions."""
    if robot.base.free:
        return Finding("models.base_velocities")
    return _no_springs_in_series(robot)


def unconstrained(robot: Robot) -> Finding | None:
    """Models whose coefficients depend on independent positions."""
    if kind(robot) in OPEN:
        return None
    return Finding("models.dependent_positions")


def rigid(robot: Robot) -> Finding | None:
    """Models of trees whose rotors turn with their joints."""
    return _no_springs_in_series(robot) if kind(robot) in OPEN else None


def _no_springs_in_series(robot: Robot) -> Finding | None:
    springs = [joint.index for joint in robot.joints if joint.elastic and joint.actuated]
    return Finding("models.springs_in_series", joints=springs) if springs else None


def weighed(robot: Robot) -> Finding | None:
    """Models that divide by the mass of the robot."""
    weightless = all(is_zero(robot.inertia(j).M) for j in range(robot.link_count + 1))
    return Finding("models.no_mass") if weightless else None


def moves_no_inertia(robot: Robot) -> Finding | None:
    """The joints that move links without inertia and have no rotor: forces do not determine their accelerations."""
    light = {j for j in range(1, robot.link_count + 1) if robot.inertia(j).is_zero}
    idle = [
        joint.index
        for joint in topology.tree_joints(robot)
        if joint.variable and is_zero(robot.drive(joint.index).IA) and _moved(robot, joint.index) <= light
    ]
    if not idle:
        return None
    if len(light) == robot.link_count:
        return Finding("models.no_inertia")
    return Finding("models.moves_no_inertia", joints=idle)


def _moved(robot: Robot, joint: int) -> set[int]:
    """The links that a joint moves."""
    links = range(1, robot.link_count + 1)
    return {link for link in links if any(one.index == joint for one in topology.path(robot, link))}


def weighed_and_rigid(robot: Robot) -> Finding | None:
    """Models that divide by masses, of robots whose rotors turn with their joints."""
    return weighed(robot) or rigid(robot)


def closed_structure(robot: Robot) -> Finding | None:
    """Models of loops."""
    return None if robot.closures else Finding("models.no_loops")


def maybe_open(robot: Robot) -> Finding | None:
    """Models of loops that need not be closed."""
    if robot.closures and robot.takes == MOTORS:
        return Finding("models.closed_for_motors", allowed=repr(robot.may_take[0]))
    return closed_structure(robot)


def closed_with_given_motors(robot: Robot) -> Finding | None:
    """Steps towards positions of the motors."""
    if kind(robot) == "legs" and robot.takes == JOINTS:
        return Finding("models.joints_of_legs_given")
    return maybe_open(robot)


def loops_without_wheels(robot: Robot) -> Finding | None:
    """Models of the wrenches in loops that carry no wheels."""
    inside = {joint.index for loop in topology.loops(robot) for joint in (*loop.to_joint, *loop.to_mate)}
    paths = [{joint.index for joint in topology.path(robot, wheel.joint)} for wheel in robot.base.wheels]
    carries = any(inside & path for path in paths)
    return closed_structure(robot) or (no_wheels(robot) if carries else None)


def determined_in_loops(robot: Robot) -> Finding | None:
    """Models of the same wrenches where rigid bodies determine them, or where the rest is taken as 0."""
    if reason := loops_without_wheels(robot):
        return reason
    reason = _determined_by_legs(robot)
    return reason and Finding("platforms.least_norm", reason=reason, option=ModelArgument("least_norm"))


def determined_wrenches(robot: Robot) -> Finding | None:
    """Models of wrenches that rigid bodies determine."""
    return no_wheels(robot) or _determined_by_legs(robot)


def _determined_by_legs(robot: Robot) -> Finding | None:
    if kind(robot) not in PLATFORM:
        return None
    from symoro.models.parallel.mechanism import structure, undetermined_wrenches  # it brings NumPy

    try:
        return undetermined_wrenches(robot, structure(robot))
    except NotApplicable:  # no model of its legs exists
        return None


def no_wheels(robot: Robot) -> Finding | None:
    """Models of wrenches that depend on the forces of the ground."""
    return Finding("models.forces_of_wheels") if robot.base.wheels else None


def known_base_acceleration(robot: Robot) -> Finding | None:
    """Models that need the base's acceleration to be the derivative of the components of its velocity."""
    return Finding("models.floating_acceleration") if robot.base.kind is BaseKind.FLOATING else None


def open_structure(robot: Robot) -> Finding | None:
    """Models of trees."""
    return Finding("models.closed_loops") if robot.cuts else None


def moving_base(robot: Robot) -> Finding | None:
    """Models for which the base is fixed or its motion is given."""
    if not robot.base.free:
        return None
    floats = robot.base.kind is BaseKind.FLOATING
    return Finding("models.base_moves_freely") if floats else Finding("models.base_on_wheels")


def plain_on_known_base(robot: Robot) -> Finding | None:
    """Models of coordinates that are variables plus constants, on a base whose acceleration is known."""
    return _plain_coordinates(robot) or known_base_acceleration(robot)


def plain_or_loops(robot: Robot) -> Finding | None:
    """Models of coordinates that are variables plus constants; with loops, of any coordinates."""
    return None if robot.cuts else _plain_coordinates(robot)


def _plain_coordinates(robot: Robot) -> Finding | None:
    return None if has_plain_coordinates(robot) else Finding("models.coordinates_are_functions")
