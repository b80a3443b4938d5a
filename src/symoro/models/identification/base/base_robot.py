"""Base parameters as values of a robot's tables, and the robot that has them: the same dynamics, fewer parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce

from symoro.binding import add, multiply, value_of
from symoro.ir.expr import Expr
from symoro.models.identification.base.tree.coefficients import Coefficient
from symoro.models.identification.base.tree.regrouping import BaseSet, changed
from symoro.models.identification.parameters import Key, own_value
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot, parameters
from symoro.robot.values import ONE, ZERO, Apply, Bindings, Symbol, Value, as_value, symbols


def base_robot(given: Robot, found: BaseSet, numbers: Mapping[str, float]) -> Robot:
    """The robot whose own parameters are the base parameters; `numbers` are the known numbers of base parameters."""
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
    """The values of the symbols in the robot's tables, and of the symbols in these values."""
    needed: set[str] = set()
    pending = _names(parameters(replace(robot, values=Bindings())))
    while pending:
        needed |= pending
        pending = _names(values[name] for name in pending if name in values) - needed
    return {name: value for name, value in values.items() if name in needed}


def _names(values: Iterable[Value]) -> set[str]:
    return {name for value in values for name in symbols(value)}


def relation_value(relation: Mapping[Key, Coefficient], names: Mapping[Key, str]) -> Value:
    """XX2 - YY2 - D3^2*(M3 + M4): parameters with the same coefficient are in one group."""
    groups: dict[Expr, list[tuple[bool, Value]]] = {}
    for key, x in relation.items():
        groups.setdefault(x.expr.node.plus, []).append((x.expr.negative, Symbol(names[key])))
    terms: list[Value] = []
    for coefficient, members in groups.items():
        factor = value_of(coefficient)
        if factor == ONE:
            terms += [Apply("neg", (symbol,)) if negative else symbol for negative, symbol in members]
        else:
            terms.append(_group(factor, members))
    return _sum(terms)


def _group(factor: Value, members: list[tuple[bool, Value]]) -> Value:
    first = members[0][0]
    inside = _sum(Apply("neg", (symbol,)) if negative != first else symbol for negative, symbol in members)
    product = multiply(factor, inside)
    return Apply("neg", (product,)) if first else product


def _sum(terms: Iterable[Value]) -> Value:
    ordered = sorted(terms, key=lambda term: isinstance(term, Apply) and term.function == "neg")
    return reduce(add, ordered) if ordered else ZERO
