"""A robot whose own parameters are the base parameters of another, so that it has the same dynamics with fewer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from symoro.models.identification.minimal import Minimal, changed
from symoro.models.identification.reading import relation_value
from symoro.models.identification.regrouping import Key
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import ZERO, Bindings, Symbol, Value, as_value, symbols


def own_value(robot: Robot, key: Key) -> Value:
    """A parameter of the robot's tables."""
    letters, j = key
    found: Value = getattr(robot.drive(j) if letters in ("IA", "FV", "FS") else robot.inertia(j), letters)
    return found


def base_robot(given: Robot, found: Minimal, numbers: Mapping[str, float]) -> Robot:
    """The robot with base parameters; `numbers` are those of the base parameters, as far as they are known."""
    entries = {p: relation_value(relation, found.names) for p, relation in found.dependent.items()}
    for p, relation in found.base.items():
        entries[p] = Symbol(found.names[p]) if changed(p, relation) else own_value(given, p)
    links = range(1, given.link_count + 1)
    base = replace(given.base, inertia=_inertia(entries, 0)) if given.base.free else given.base
    robot = replace(
        given,
        name=f"{given.name}-base",
        title=f"{given.title or given.name}, base parameters",
        inertias=tuple(_inertia(entries, j) for j in links),
        drives=tuple(replace(given.drive(j), IA=entries.get(("IA", j), ZERO)) for j in links),
        base=base,
    )
    fresh = {name: as_value(x) for name, x in numbers.items() if name not in given.values}
    return replace(robot, values=Bindings(_needed(robot, {**given.values, **fresh})))


def _inertia(entries: Mapping[Key, Value], j: int) -> Inertia:
    return Inertia(**{name: entries.get((name, j), ZERO) for name in Inertia.names()})


def _needed(robot: Robot, values: Mapping[str, Value]) -> dict[str, Value]:
    """The values of the symbols that the robot has, and of the symbols in them."""
    needed: set[str] = set()
    pending = _names(parameters(replace(robot, values=Bindings())))
    while pending:
        needed |= pending
        pending = _names(values[name] for name in pending if name in values) - needed
    return {name: value for name, value in values.items() if name in needed}


def _names(values: Iterable[Value]) -> set[str]:
    return {name for value in values for name in symbols(value)}
