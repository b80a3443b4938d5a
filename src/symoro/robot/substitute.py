"""Replaces symbols by values, in a value or in a whole robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from symoro.robot.robot import Robot
from symoro.robot.values import Apply, Number, Symbol, Value

Part = TypeVar("Part")


def substituted(part: Part, given: Mapping[str, Value]) -> Part:
    """A copy of a value, or of a part of a robot, in which the given values replace symbols."""
    return cast(Part, _substituted(part, given))


def _substituted(part: Any, given: Mapping[str, Value]) -> Any:
    match part:
        case Symbol():
            return given.get(part.name, part)
        case Apply():
            return replace(part, arguments=_substituted(part.arguments, given))
        case tuple():
            return tuple(_substituted(one, given) for one in part)
        case Number():
            return part
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{f.name: _substituted(getattr(part, f.name), given) for f in fields(part) if f.init})
    return part


def with_numbers(robot: Robot, given: Mapping[str, Value]) -> Robot:
    """A copy of the robot in which the given values replace symbols; its own numbers for these symbols are removed."""
    values = {name: substituted(value, given) for name, value in robot.values.items() if name not in given}
    return replace(substituted(robot, given), values=values)  # type: ignore[arg-type]


def known_values(robot: Robot) -> dict[str, Value]:
    """The robot's values that have a number; a value that is an expression of others is written out without symbols."""
    found: dict[str, Value] = {}
    for name in robot.values.known():
        found[name] = substituted(robot.values[name], found)
    return found
