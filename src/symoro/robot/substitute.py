"""Numbers in the place of symbols."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar, cast

from symoro.robot.robot import Robot
from symoro.robot.values import Apply, Number, Symbol, Value, symbols

Part = TypeVar("Part")


def substituted(part: Part, given: Mapping[str, Value]) -> Part:
    """A value, or a table of a robot, with the given values in the place of symbols."""
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
        return replace(part, **{f.name: _substituted(getattr(part, f.name), given) for f in fields(part)})
    return part


def with_numbers(robot: Robot, given: Mapping[str, Value]) -> Robot:
    """The robot with the given values in its tables; its own numbers for those symbols go."""
    values = {name: substituted(value, given) for name, value in robot.values.items() if name not in given}
    return replace(substituted(robot, given), values=values)  # type: ignore[arg-type]


def known_values(robot: Robot) -> dict[str, Value]:
    """The robot's values without symbols: those that other values define are written out."""
    known: dict[str, Value] = {}
    waiting = dict(robot.values)
    while ready := [name for name, value in waiting.items() if symbols(value) <= known.keys()]:
        known.update((name, substituted(waiting.pop(name), known)) for name in ready)
    return known
