"""Symbols for the numbers of a description: the numbers stay, as values of the symbols."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from symoro.errors import RobotError
from symoro.robot.joint import Joint
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Robot, parameters
from symoro.robot.trigonometry import negative
from symoro.robot.values import Apply, Bindings, Number, Symbol, Value, is_zero, symbols

GROUPS = ("geometry", "inertia", "drives")
LENGTHS = {"b": "B", "d": "D", "r": "RL"}
"""Length of a joint: letters of its symbol."""
_EQUAL = Fraction(1, 10**9)


def with_symbols(robot: Robot, groups: Collection[str] = GROUPS) -> Robot:
    """A copy in which the numbers of some groups are symbols that have these numbers as values.

    geometry: the lengths b, d, r; equal lengths are one symbol, also with opposite signs. inertia: the ten parameters
    of each link that has a mass. drives: rotor inertia and friction that are not 0. Angles stay numbers.
    """
    for group in groups:
        if group not in GROUPS:
            raise RobotError(f"symbols for {group!r} (allowed: {', '.join(GROUPS)})")
    if robot.parallel:
        raise RobotError(f"{robot.name} is a parallel robot: give symbols to its legs, which are robots of their own")
    names = _Names(robot)
    made = robot
    if "geometry" in groups:
        made = replace(made, joints=tuple(_joint(joint, names) for joint in robot.joints))
    if "inertia" in groups:
        base = replace(robot.base, inertia=_inertia(0, robot.base.inertia, names))
        inertias = tuple(_inertia(j, inertia, names) for j, inertia in enumerate(robot.inertias, 1))
        made = replace(made, base=base if robot.base.free else robot.base, inertias=inertias)
    if "drives" in groups:
        made = replace(made, drives=tuple(_drive(j, drive, names) for j, drive in enumerate(robot.drives, 1)))
    return replace(made, values=Bindings({**robot.values, **names.values}))


class _Names:
    """New symbols of a robot, and their numbers."""

    def __init__(self, robot: Robot) -> None:
        self.taken = {name for value in (*parameters(robot), *robot.values.values()) for name in symbols(value)}
        self.taken |= set(robot.values)
        self.values: dict[str, Value] = {}
        self.lengths: list[tuple[Fraction, Symbol]] = []

    def new(self, name: str, number: Number) -> Symbol:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.values[name] = number
        return Symbol(name)

    def length(self, name: str, number: Number) -> Value:
        """The symbol of a length: that of an equal one if there is one."""
        for known, symbol in self.lengths:
            if abs(number.value - known) <= _EQUAL * abs(known):
                return symbol
            if abs(number.value + known) <= _EQUAL * abs(known):
                return negative(symbol)
        made = self.new(name, number)
        self.lengths.append((number.value, made))
        return made


def _joint(joint: Joint, names: _Names) -> Joint:
    made: dict[str, Any] = {}
    for field, letters in LENGTHS.items():
        given: Value = getattr(joint, field)
        made[field] = _named(given, partial(names.length, f"{letters}{joint.index}"))
    return replace(joint, **made)


def _named(value: Value, name: Callable[[Number], Value]) -> Value:
    """A value with a symbol for its number: the whole value, or the constant term behind a variable."""
    if isinstance(value, Number):
        return value if is_zero(value) else name(value)
    if isinstance(value, Apply) and value.function in ("+", "-"):
        first, second = value.arguments
        return Apply(value.function, (first, name(second))) if isinstance(second, Number) else value
    return value


def _inertia(j: int, inertia: Inertia, names: _Names) -> Inertia:
    if is_zero(inertia.M) or not all(isinstance(value, Number) for _, value in inertia.items()):
        return inertia
    return Inertia(*(names.new(f"{name}{j}", value) for name, value in inertia.items() if isinstance(value, Number)))


def _drive(j: int, drive: Drive, names: _Names) -> Drive:
    estimated = [(name, value) for name, value in drive.items() if name != "N"]  # a reduction is known
    return Drive(**{name: _named(value, partial(names.new, f"{name}{j}")) for name, value in estimated}, N=drive.N)
