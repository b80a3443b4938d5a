"""A robot whose odd numbers are letters: exact algebra finds what cos² + sin² = 1 hides in decimals."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

from symoro.robot.joint import ANGLES, GEOMETRY, Joint
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import PI, Apply, Number, Symbol, Value, evaluate, is_zero, symbols

Letters = dict[str, Value]
"""What each new letter stands for."""


def skeleton(robot: Robot) -> tuple[Robot, Letters]:
    """The same chain with every angle that is not a multiple of π/2 as a letter, offsets of joints included."""
    letters: Letters = {}
    taken = {name for value in parameters(robot) for name in symbols(value)}
    joints = tuple(_skeleton_joint(joint, letters, taken) for joint in robot.joints)
    return replace(robot, joints=joints), letters


def _skeleton_joint(joint: Joint, letters: Letters, taken: set[str]) -> Joint:
    changes: dict[str, Any] = {}
    for name in GEOMETRY:
        value = getattr(joint, name)
        if joint.movable and name == joint.moving:
            assert joint.variable is not None
            if value != Symbol(joint.variable):
                changes[name] = Symbol(joint.variable)
                letters[joint.variable] = value
        elif name in ANGLES and not _plain(value):
            letter = f"{name}{joint.index}"
            while letter in taken:
                letter += "_"
            changes[name] = Symbol(letter)
            letters[letter] = value
    return replace(joint, **changes) if changes else joint


def _plain(value: Value) -> bool:
    """A letter, or a multiple of a quarter turn."""
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
