"""A copy of a robot in which every angle is a symbol or a multiple of π/2.

Sines and cosines of other angles are decimals, in which cos² + sin² = 1 cannot be recognised; of symbols it can.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from symoro.robot.joint import ANGLES, GEOMETRY, Joint
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import PI, Apply, Number, Symbol, Value, evaluate, is_zero, symbols

Replaced = dict[str, Value]
"""The value that each symbol of the copy stands for."""


def skeleton(robot: Robot) -> tuple[Robot, Replaced]:
    """The copy, and what its symbols stand for. Joint coordinates are the variables alone, without offsets."""
    replaced: Replaced = {}
    taken = {name for value in parameters(robot) for name in symbols(value)}
    joints = tuple(_skeleton_joint(joint, replaced, taken) for joint in robot.joints)
    return replace(robot, joints=joints), replaced


def _skeleton_joint(joint: Joint, replaced: Replaced, taken: set[str]) -> Joint:
    changes: dict[str, Any] = {}
    for name in GEOMETRY:
        value = getattr(joint, name)
        if joint.movable and name == joint.moving:
            if joint.variable is not None and value != Symbol(joint.variable):
                changes[name] = Symbol(joint.variable)
                replaced[joint.variable] = value
        elif name in ANGLES and not _plain(value):
            symbol = f"{name}{joint.index}"
            while symbol in taken:
                symbol += "_"
            changes[name] = Symbol(symbol)
            replaced[symbol] = value
    return replace(joint, **changes) if changes else joint


def _plain(value: Value) -> bool:
    """Whether an angle is a symbol or a multiple of π/2."""
    if isinstance(value, Symbol) or is_zero(value):
        return True
    if symbols(value):
        return False
    quarters = Fraction(evaluate(value, {}) * 2 / evaluate(PI, {})).limit_denominator(10**6)
    return _has_pi(value) and quarters.denominator == 1


def _has_pi(value: Value) -> bool:
    if isinstance(value, Number | Symbol):
        return False
    assert isinstance(value, Apply)
    return value.function == "pi" or any(_has_pi(a) for a in value.arguments)
