"""The base parameters of models with params="base", as values of tables, and the robot that has them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import reduce
from itertools import chain

from symoro.bind.binding import add, multiply, value_of
from symoro.bind.interface import robot_numbers
from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr, Op
from symoro.ir.extract import reachable
from symoro.ir.linalg import total
from symoro.models.families import constraints
from symoro.models.identification.base.forms import Coefficient, Span
from symoro.models.identification.base.tree import (
    BaseSet,
    Elimination,
    changed,
    eliminated_further,
    field_of,
    kept_order,
    named_value,
    tree_base_set,
    tree_values,
)
from symoro.models.identification.columns import Key, own_value
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot, parameters
from symoro.robot.topology import opened
from symoro.robot.values import ONE, ZERO, Apply, Bindings, Symbol, Value, as_value, evaluate, symbols, to_text

# Base parameters as values of a robot's tables, and the robot that has them: the same dynamics, fewer parameters.


def base_robot(robot: Robot, base_set: BaseSet, numbers: Mapping[str, float]) -> Robot:
    """The robot whose own parameters are the base parameters; `numbers` are the known numbers of base parameters."""
    entries = {p: relation_value(relation, base_set.names) for p, relation in base_set.dependent.items()}
    regrouped = {base_set.names[p] for p, relation in base_set.base.items() if changed(p, relation)}
    for p in base_set.base:
        entries[p] = Symbol(base_set.names[p]) if base_set.names[p] in regrouped else own_value(robot, p)
    links = range(1, robot.link_count + 1)
    base = replace(robot.base, inertia=_inertia(entries, 0)) if robot.base.free else robot.base
    regrouped_robot = replace(
        robot,
        name=f"{robot.name}-base",
        title=f"{robot.title or robot.name}, base parameters",
        inertias=tuple(_inertia(entries, j) for j in links),
        drives=tuple(replace(robot.drive(j), IA=entries.get(("IA", j), ZERO)) for j in links),
        base=base,
    )
    known = {name: value for name, value in robot.values.items() if name not in regrouped}
    fresh = {name: as_value(x) for name, x in numbers.items() if name not in known}
    return replace(regrouped_robot, values=Bindings(_needed(regrouped_robot, {**known, **fresh})))


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


# The base parameters of models with params="base": relations that hold wherever a model can be used.
#
# A model may be given any configuration, and other numbers for its geometry. So these models use the relations of loops
# that hold on every branch, and the relations of wheels and coordinates that are expressions of the geometry. Relations
# of one branch or of the robot's own numbers are used by `base_parameters(robot).robot` alone.


_ROUNDING = 1e-9


def model_base_set(s: Symbols, rotors: bool | None = None) -> BaseSet:
    """The base parameters of models. Rotor inertias: those that the robot has (None), of all joints, or none."""
    tree = tree_base_set(s, rotors)
    return eliminated_further(s, tree, [model_elimination(s, tree, rotors)])


def regrouped(s: Symbols) -> dict[Key, Expr]:
    """Every inertial parameter and rotor inertia of a model as an expression; 0 if it is eliminated."""
    values, tree = tree_values(s), tree_base_set(s)
    elimination = model_elimination(s, tree)
    for gone, row in elimination.items():
        for p, x in row.items():
            values[p] = named_value(s, p, values[p] + tree.coefficient(s, x).expr * values[gone], "K10:55")
        values[gone] = s.graph.zero
    for d, relation in tree.dependent.items() if elimination else ():  # combinations of what has changed
        values[d] = total(s.graph, (x.expr * values[p] for p, x in relation.items()))
    _require_divisors(s, values.values())
    return values


def model_elimination(s: Symbols, tree: BaseSet, rotors: bool | None = None) -> Elimination:
    """The parameters of the tree that constraints eliminate wherever a model can be used.

    The modules are imported where a robot needs them: a tree needs none, and other constraints than loops bring the
    numeric search.
    """
    if not constraints(s.robot):
        return {}
    loops = _by_loops(s, tree)
    if not constraints(opened(s.robot)):
        return loops
    from symoro.models.identification.base.wheels import general_relations

    return _together(s, tree, loops, general_relations(opened(s.robot), rotors))


def _by_loops(s: Symbols, tree: BaseSet) -> Elimination:
    if not s.robot.cuts:
        return {}
    from symoro.models.identification.base.loops import structural

    return structural(s, tree)


def _together(s: Symbols, tree: BaseSet, loops: Elimination, motion: Elimination) -> Elimination:
    """The relations of loops with those of wheels and coordinates, which hold for open loops, so for closed ones, too.

    Numbers in the second ones are rounded: what is left of a relation that follows from others is not taken for one.
    """
    if not loops or not motion:
        return loops or motion
    keys, one = [*tree.base], field_of(tree.base).one
    span: Span[Key] = Span([keys[k] for k in reversed(kept_order(keys))])
    for gone, row in chain(loops.items(), motion.items()):
        rest = span.reduced({gone: one} | {p: -tree.coefficient(s, x) for p, x in row.items()})
        span.include({p: x for p, x in rest.items() if abs(x.number) > _ROUNDING})
    return {gone: {p: -x for p, x in row.items() if p != gone} for gone, row in span.basis.items()}


def _require_divisors(s: Symbols, exprs: Iterable[Expr]) -> None:
    """Raise if an expression has a divisor that is 0 with the robot's numbers.

    Relations of a geometry with symbols may have symbols as divisors, which have no special value there.
    """
    known = robot_numbers(s.robot)
    for node in reachable(exprs):
        if node.op is Op.DIV:
            divisor = value_of(node.args[1])
            if symbols(divisor) <= known.keys() and abs(evaluate(divisor, known)) < 1e-12:
                about = {"divisor": to_text(divisor), "symbols": sorted(symbols(divisor))}
                raise NotApplicable("regressors.divisor", robot=s.robot.name, **about)
