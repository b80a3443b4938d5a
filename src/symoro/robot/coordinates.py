"""Joint coordinates as functions of the variables: θ = q1 + π/2, −q1, N1 q1, q2 − q1, or r = p q1 of a screw."""

from __future__ import annotations

from collections.abc import Collection

from symoro.robot import topology
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot
from symoro.robot.values import Apply, Symbol, Value, symbols


def variables(robot: Robot) -> dict[str, int]:
    """The name of each variable, with the joint that it belongs to."""
    return {joint.variable: joint.index for joint in robot.joints if joint.variable}


def has_plain_coordinates(robot: Robot) -> bool:
    """Whether the coordinate of each movable joint of the tree is written as its variable plus a constant."""
    names = variables(robot).keys()
    return all(is_plain(joint, names) for joint in topology.tree_joints(robot) if joint.movable)


def is_plain(joint: Joint, variables: Collection[str]) -> bool:
    """Whether a joint's coordinate is written as its variable plus terms without any variable."""
    return joint.variable is not None and _is_sum(joint.position, joint.variable, variables)


def _is_sum(value: Value, variable: str, variables: Collection[str]) -> bool:
    if value == Symbol(variable):
        return True
    if not isinstance(value, Apply) or value.function not in ("+", "-"):
        return False
    first, second = value.arguments
    if _is_sum(first, variable, variables):
        return not symbols(second) & set(variables)
    return value.function == "+" and _is_sum(second, variable, variables) and not symbols(first) & set(variables)


def terms(value: Value) -> tuple[Value, ...]:
    """The terms of a sum, without their signs; a value that is no sum is its only term."""
    if not isinstance(value, Apply) or value.function not in ("+", "-", "neg"):
        return (value,)
    return tuple(term for argument in value.arguments for term in terms(argument))


def ratios(robot: Robot) -> dict[str, int]:
    """The symbols that occur in a term with a variable, such as N1 of N1*q1, with the first joint of such a term."""
    names, found = variables(robot).keys(), dict[str, int]()
    for joint in topology.tree_joints(robot):
        for term in terms(joint.position) if joint.movable else ():
            if symbols(term) & names:
                found |= {name: found.get(name, joint.index) for name in sorted(symbols(term) - names)}
    return found
