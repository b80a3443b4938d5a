"""Conditions of models: functions of a robot that give None, or the reason why a model does not exist for it."""

from __future__ import annotations

from symoro.models.families import OPEN, kind
from symoro.robot import topology
from symoro.robot.base import BaseKind
from symoro.robot.robot import JOINTS, MOTORS, Robot
from symoro.robot.springs import has_plain_coordinates
from symoro.robot.values import is_zero


def rigid_without_given_motion(robot: Robot) -> str | None:
    """Models of rigid robots in which motors and gravity do all work."""
    return _no_springs_in_series(robot) or (None if robot.base.kind is BaseKind.FLOATING else fixed_base(robot))


def fixed_base(robot: Robot) -> str | None:
    """Models of robots on which nothing works but motors and gravity: the base stands still or rolls."""
    if robot.base.wheels or (robot.base.kind is BaseKind.FIXED and robot.base.still):
        return None
    if robot.base.kind is BaseKind.FLOATING:
        return "the height of a floating base is not known, nor is its potential energy; this model is for a fixed base"
    return "the base moves, and so does work; this model is for a fixed base"


def rigid_on_fixed_base(robot: Robot) -> str | None:
    """Models of rigid robots whose base stands still."""
    return _no_springs_in_series(robot) or fixed_base(robot)


def rigid_joint_velocities(robot: Robot) -> str | None:
    """Models of rigid robots whose velocities are all derivatives of positions."""
    if robot.base.free:
        return "the velocities of the base are not derivatives of positions, which the derivation of this model needs"
    return _no_springs_in_series(robot)


def unconstrained(robot: Robot) -> str | None:
    """Models whose coefficients depend on independent positions."""
    if kind(robot) in OPEN:
        return None
    return "its positions depend on each other, or its base is free; inertia_matrix, coriolis_torques and gravity exist"


def rigid(robot: Robot) -> str | None:
    """Models of trees whose rotors turn with their joints."""
    return _no_springs_in_series(robot) if kind(robot) in OPEN else None


def _no_springs_in_series(robot: Robot) -> str | None:
    springs = ", ".join(str(joint.index) for joint in robot.joints if joint.elastic and joint.actuated)
    if not springs:
        return None
    return f"the springs between the motors and the links of joints {springs} store energy, which this model leaves out"


def weighed(robot: Robot) -> str | None:
    """Models that divide by the mass of the robot."""
    if all(is_zero(robot.inertia(j).M) for j in range(robot.link_count + 1)):
        return "no link has a mass; this model needs the masses M of the links"
    return None


def moves_no_inertia(robot: Robot) -> str | None:
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
        return "no link has an inertia; this model needs the inertial parameters of the links"
    listed = f"joint {idle[0]} moves" if len(idle) == 1 else f"joints {', '.join(map(str, idle))} move"
    return f"{listed} no inertia; this model needs inertial parameters of the links there, or rotor inertias IA"


def _moved(robot: Robot, joint: int) -> set[int]:
    """The links that a joint moves."""
    links = range(1, robot.link_count + 1)
    return {link for link in links if any(one.index == joint for one in topology.path(robot, link))}


def weighed_and_rigid(robot: Robot) -> str | None:
    """Models that divide by masses, of robots whose rotors turn with their joints."""
    return weighed(robot) or rigid(robot)


def closed_structure(robot: Robot) -> str | None:
    """Models of loops."""
    return None if robot.closures else "the robot has no closed loops; this model is for robots with cuts"


def maybe_open(robot: Robot) -> str | None:
    """Models of loops that need not be closed."""
    if robot.closures and robot.takes == MOTORS:
        return f"its loops are closed for the motors that are given (allowed: given={robot.may_take[0]!r})"
    return closed_structure(robot)


def closed_with_given_motors(robot: Robot) -> str | None:
    """Steps towards positions of the motors."""
    if kind(robot) == "legs" and robot.takes == JOINTS:
        return "the joints of its legs are given; given='platform' steps towards a pose for given motors"
    return maybe_open(robot)


def loops_without_wheels(robot: Robot) -> str | None:
    """Models of the wrenches in loops that carry no wheels."""
    inside = {joint.index for loop in topology.loops(robot) for joint in (*loop.to_joint, *loop.to_mate)}
    paths = [{joint.index for joint in topology.path(robot, wheel.joint)} for wheel in robot.base.wheels]
    carries = any(inside & path for path in paths)
    return closed_structure(robot) or (no_wheels(robot) if carries else None)


def no_wheels(robot: Robot) -> str | None:
    """Models of wrenches that depend on the forces of the ground."""
    if not robot.base.wheels:
        return None
    return (
        "how the ground's forces are shared among the wheels is not determined, so the wrenches on links are not known"
    )


def known_base_acceleration(robot: Robot) -> str | None:
    """Models that need the base's acceleration to be the derivative of the components of its velocity."""
    if robot.base.kind is not BaseKind.FLOATING:
        return None
    return (
        "VP0 of a floating base is not the derivative of the components of V0, so no matrix C gives the Coriolis "
        "torques and makes Ȧ − 2C skew-symmetric (coriolis_torques gives the torques)"
    )


def open_structure(robot: Robot) -> str | None:
    """Models of trees."""
    return "the robot has closed loops; this model is for serial and tree robots" if robot.cuts else None


def moving_base(robot: Robot) -> str | None:
    if not robot.base.free:
        return None
    how = "freely" if robot.base.kind is BaseKind.FLOATING else "on wheels"
    return f"the base moves {how}; this model is for a base that is fixed or whose motion is given"


def plain_on_known_base(robot: Robot) -> str | None:
    """Models of coordinates that are variables plus constants, on a base whose acceleration is known."""
    return _plain_coordinates(robot) or known_base_acceleration(robot)


def plain_or_loops(robot: Robot) -> str | None:
    """Models of coordinates that are variables plus constants; with loops, of any coordinates."""
    return None if robot.cuts else _plain_coordinates(robot)


def _plain_coordinates(robot: Robot) -> str | None:
    if has_plain_coordinates(robot):
        return None
    return "coordinates of joints are functions of the variables; this model is for variables plus constants"
