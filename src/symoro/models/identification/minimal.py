"""The base parameters that a robot has: those of its nonzero parameters, named, each independent of the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from symoro.models.identification.coefficients import Coefficient
from symoro.models.identification.regrouping import Key, Relation, relations, standard
from symoro.models.identification.span import Span
from symoro.robot.values import Symbol, Value, is_zero
from symoro.symbols import Symbols


@dataclass(frozen=True, slots=True)
class Minimal:
    """Base parameters as relations of the standard ones that are not 0."""

    standard: dict[Key, str]
    """The standard parameters that are not 0, with their names."""
    names: dict[Key, str]
    """The names of all parameters that are not 0 after regrouping; ZZR1 where a value changed."""
    base: dict[Key, Relation]
    """The base parameters."""
    dependent: dict[Key, Relation]
    """Parameters after regrouping that are combinations of base parameters, where a robot has few parameters."""


def minimal(s: Symbols, rotors: bool | None = None) -> Minimal:
    """The base parameters of a robot, and how they come from its own.

    Rotor inertias are those that the robot has, or those of all joints, or none.
    """
    present = _present(s, rotors)
    found = {p: {k: x for k, x in relation.items() if k in present} for p, relation in full_relations(s).items()}
    found = {p: relation for p, relation in found.items() if relation}
    base, dependent = _independent(found, present)
    columns = _own_names(present)
    taken = set(columns.values()) | set(s.parameter_names)
    names = {p: base_name(p, relation, columns, taken) for p, relation in found.items()}
    return Minimal(columns, names, base, dependent)


def full_relations(s: Symbols) -> dict[Key, Relation]:
    """The relations of all parameters, whether or not the robot has them."""
    if "relations" not in s.memory:
        s.memory["relations"] = relations(s)
    found: dict[Key, Relation] = s.memory["relations"]
    return found


def _present(s: Symbols, rotors: bool | None) -> dict[Key, Value]:
    """The parameters that are not 0; all those of links, where a robot is described by its geometry alone."""
    everything = standard(s)
    geometry_only = all(is_zero(value) for (letters, _), value in everything.items() if letters != "IA")

    def is_present(key: Key, value: Value) -> bool:
        if key[0] == "IA":
            return rotors is not False and key[1] in s.movable and (rotors is True or not is_zero(value))
        return geometry_only or not is_zero(value)

    return {key: value for key, value in everything.items() if is_present(key, value)}


def changed(p: Key, relation: Mapping[Key, Coefficient]) -> bool:
    """Whether a parameter after regrouping is more than the standard parameter of its place."""
    return relation.keys() != {p} or not relation[p].is_one


def _independent(
    found: Mapping[Key, Relation], columns: Iterable[Key]
) -> tuple[dict[Key, Relation], dict[Key, Relation]]:
    """Those that are no combination of others, and the others.

    A parameter that was there before regrouping is in its own relation alone, so only the new ones can depend on each
    other. Each of their rows carries a tag of its own; a row of which only tags are left is a combination.
    """
    base, dependent = dict(found), {}
    span = Span([*columns])
    for p, relation in found.items():
        if p in relation:
            continue
        one = next(iter(relation.values())).field.one
        rest = span.reduced({**relation, _tag(p): one})
        if any(k in span.order for k in rest):
            span.include(rest)
        else:
            del base[p]
            dependent[p] = {_untag(k): -x / rest[_tag(p)] for k, x in rest.items() if k != _tag(p)}
    return base, dependent


def _tag(p: Key) -> Key:
    return f"#{p[0]}", p[1]


def _untag(p: Key) -> Key:
    return p[0][1:], p[1]


def _own_names(present: Mapping[Key, Value]) -> dict[Key, str]:
    """The symbol of a parameter where it is one that no other has, else its letters and link."""
    symbols = [value.name for value in present.values() if isinstance(value, Symbol)]
    return {
        (letters, j): v.name if isinstance(v, Symbol) and symbols.count(v.name) == 1 else f"{letters}{j}"
        for (letters, j), v in present.items()
    }


def base_name(p: Key, relation: Relation, columns: Mapping[Key, str], taken: set[str]) -> str:
    """ZZR1 where the value changed, else the name of the standard parameter."""
    if not changed(p, relation):
        return columns[p]
    name = f"{p[0]}R{p[1]}"
    while name in taken:
        name += "_"
    return name
