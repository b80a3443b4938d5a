"""The base parameters of a parallel robot, with their relations to the parameters of its tables."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from symoro.bind.binding import value_of
from symoro.bind.interface import inputs
from symoro.bind.symbols import Symbols
from symoro.findings import Finding, Sentence, sentence
from symoro.ir.evaluate import evaluate
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import total as sum_of
from symoro.ir.program import Variable
from symoro.models.families import constraint_of
from symoro.models.identification.base.forms import Coefficients, accumulate
from symoro.models.identification.base.model_parameters import model_base_set
from symoro.models.identification.base.rank import coefficients, dependent_columns, rank_of
from symoro.models.identification.base.tree import BaseSet, Relation, own_names, tree_base_set
from symoro.models.identification.base_parameters import BaseParameters, friction_names, reason, regrouped_in
from symoro.models.identification.columns import FRICTION, INERTIAL, OFFSET, Column, Key, own_value, torques
from symoro.models.identification.regressors.selection import Columns, selected
from symoro.models.parallel.constraint import PlatformSymbols, platform_symbols
from symoro.models.parallel.mechanism import with_moved_bodies
from symoro.models.parallel.motions import random_states
from symoro.models.parallel.platform import Array
from symoro.models.sampling import numbers_of
from symoro.robot.arithmetic import plus, times, total
from symoro.robot.robot import Robot
from symoro.robot.topology import without_cuts
from symoro.robot.values import ZERO, Apply, Symbol, Value, as_value, symbols


def base_parameters(robot: Robot, *, friction: bool = False, alike: bool = False) -> BaseParameters:
    """The base parameters: what legs and platform share is moved to the platform, each leg is regrouped as a tree, and
    what the constraints of the platform make dependent is found by numbers, at random motions.

    `alike`: all legs have the same parameters; the relations of a leg are those of one of them. Relations that numbers
    found have numbers as factors.
    """
    s = platform_symbols(robot, Graph(), None, base=True)
    c = constraint_of(s)
    column = torques(c.moving)
    chosen = selected(s, Columns(friction=None if friction else False, offset=None if friction else False, alike=alike))
    parts = [{key: c.torques(column(key)) for key in one.parts} for one in chosen]
    elements = [
        sum_of(s.graph, (x * part[key][j] for key, x in one.parts.items()))
        for j in c.torque_rows
        for one, part in zip(chosen, parts, strict=True)
    ]
    count = max(12, 2 * len(chosen) // len(c.torque_rows) + 4)
    D = _unit_rows(_at_random(s, elements, random_states(robot, count)).reshape(-1, len(chosen)))
    names = _own_names(robot)
    tree, known = tree_base_set(s), model_base_set(s)
    relations = _relations(s, known, without_cuts(with_moved_bodies(_named(robot, names))))
    cause = "regressors.by_platform_and_wheels" if robot.base.wheels else "regressors.by_platform"
    own_values = {column.name: relations.get(column.key, ZERO) for column in chosen}
    values, eliminated, notes = _independent(own_values, D, cause)
    eliminated = {
        tree.names[p]: sentence(cause, reason=reason(known, p)) for p in tree.base if p not in known.base
    } | eliminated
    wanted = {key: name for key, name in names.items() if friction or key[0] not in (*FRICTION, *OFFSET)}
    minimal = _base_set(s, known, wanted, [column for column in chosen if column.name in values], values)
    return BaseParameters(robot, minimal, values, eliminated, friction, notes=notes)


def _at_random(s: PlatformSymbols, elements: list[Expr], states: dict[str, Array]) -> Array:
    """The elements as numbers at these states."""
    result = Result("X", (len(elements),), tuple(elements), ())
    left = tuple(j for j in constraint_of(s).left if j > 0)
    arrays = inputs(s, states, {"q": s.beside_legs, "qd": left, "qdd": left})
    program = extract(s.graph, arrays, map(Variable, s.mechanism.of.parameter_names), [result])
    return evaluate(program, states, numbers_of(s.mechanism.of))["X"]


def _unit_rows(D: Array) -> Array:
    """Rows of length 1: near singular poses some are a million times longer, and hide what only the others show."""
    length = np.linalg.norm(D, axis=1, keepdims=True)
    rows: Array = D / np.where(length > 0, length, 1.0)
    return rows


def _independent(
    values: Mapping[str, Value], D: Array, cause: str
) -> tuple[dict[str, Value], dict[str, Sentence], tuple[Finding, ...]]:
    """The parameters whose columns are independent; the others, with the reason, are added to them."""
    rank, names = rank_of(D), list(values)
    gone = dependent_columns(D, range(len(names)), rank.rank)
    kept = [k for k in range(len(names)) if k not in gone]
    C = coefficients(D, kept, gone)[0] if gone else np.zeros((len(kept), 0))
    base, eliminated = {names[k]: values[names[k]] for k in kept}, {}
    for column, k in enumerate(gone):
        into = {names[kept[i]]: float(x) for i, x in enumerate(C[:, column]) if abs(x) > 1e-9}
        for name, x in into.items():
            base[name] = plus(base[name], times(_number(x), values[names[k]]))
        eliminated[names[k]] = sentence(cause, reason=regrouped_in(into))
    return base, eliminated, () if rank.clear else (Finding("regressors.smaller_set", rank=rank.finding),)


def _number(x: float) -> Value:
    near = round(x)
    return as_value(near if abs(x - near) < 1e-9 else float(f"{x:.12g}"))


def _own_names(robot: Robot) -> dict[Key, str]:
    """The robot's own parameters that are not 0, with their names; friction is the last."""
    s = Symbols(without_cuts(robot), Graph())
    return own_names(s) | friction_names(s)


def _named(robot: Robot, names: Mapping[Key, str]) -> Robot:
    """The robot with its parameters as symbols of these names."""
    of_link: dict[int, dict[str, Value]] = {}
    for (letters, j), name in names.items():
        of_link.setdefault(j, {})[letters] = Symbol(name)
    links, base = range(1, robot.link_count + 1), replace(robot.base.inertia, **of_link.get(0, {}))
    bodies, drives = (
        [{letters: x for letters, x in of_link.get(j, {}).items() if (letters in INERTIAL) == body} for j in links]
        for body in (True, False)
    )
    return replace(
        robot,
        base=replace(robot.base, inertia=base),
        inertias=tuple(replace(table, **entries) for table, entries in zip(robot.inertias, bodies, strict=True)),
        drives=tuple(replace(table, **entries) for table, entries in zip(robot.drives, drives, strict=True)),
    )


def _relations(s: PlatformSymbols, known: BaseSet, named: Robot) -> dict[Key, Value]:
    """Every column of a regrouped robot with its value in terms of the robot's own parameters."""
    relations = {
        p: total(times(value_of(x.expr), own_value(named, k)) for k, x in relation.items())
        for p, relation in known.base.items()
    }
    return relations | {(name, j): own_value(named, (name, j)) for j in s.variables for name in (*FRICTION, *OFFSET)}


def _base_set(
    s: PlatformSymbols, known: BaseSet, standard: dict[Key, str], kept: Iterable[Column], values: Mapping[str, Value]
) -> BaseSet:
    """The parameters by letters and link. What legs alike have at the other legs depends on what one of them has."""
    field, keys = Coefficients(s.graph), {name: key for key, name in standard.items()}
    dependents, kept = known.dependent, list(kept)
    shared = {key: column.key for column in kept for key in column.parts if key not in dependents}
    dependent = {d: {shared[p]: x for p, x in row.items() if p in shared} for d, row in dependents.items()}
    dependent |= {key: {to: field.one} for key, to in shared.items() if key != to}
    base = {column.key: _relation(s, field, values[column.name], keys) for column in kept}
    return BaseSet(standard, {column.key: column.name for column in kept}, base, dependent)


def _relation(s: PlatformSymbols, field: Coefficients, value: Value, keys: Mapping[str, Key]) -> Relation:
    """A value as a linear combination of the parameters that have these names."""
    if isinstance(value, Symbol) and value.name in keys:
        return {keys[value.name]: field.one}
    relation: Relation = {}
    if isinstance(value, Apply):
        terms = list(value.arguments)
        factor = field.one
        if value.function == "*":
            scale = next(x for x in terms if not symbols(x) & keys.keys())
            factor, terms = field.value(scale, s.bind(scale)), [x for x in terms if x is not scale]
        for k, term in enumerate(terms):
            negative = value.function == "neg" or (value.function == "-" and k)
            accumulate(relation, -factor if negative else factor, _relation(s, field, term, keys))
    return relation
