"""The base parameters of models with params="base": relations that hold wherever a model can be used.

A model may be given any configuration, and other numbers for its geometry. So these models use the relations of loops
that hold on every branch, and the relations of wheels and coordinates that are expressions of the geometry. Relations
of one branch or of the robot's own numbers are used by `base_parameters(robot).robot` alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain

from symoro.binding import value_of
from symoro.errors import NotApplicable
from symoro.interface import robot_numbers
from symoro.ir.expr import Expr
from symoro.ir.extract import reachable
from symoro.ir.linalg import total
from symoro.ir.ops import Op
from symoro.models.families import constraints
from symoro.models.identification.base.tree.coefficients import Span
from symoro.models.identification.base.tree.regrouping import (
    BaseSet,
    Elimination,
    eliminated_further,
    field_of,
    kept_order,
    named_value,
    tree_base_set,
    tree_values,
)
from symoro.models.identification.parameters import Key
from symoro.robot.topology import opened
from symoro.robot.values import evaluate, symbols, to_text
from symoro.symbols import Symbols

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
    from symoro.models.identification.base.constrained.wheels import general_relations

    return _together(s, tree, loops, general_relations(opened(s.robot), rotors))


def _by_loops(s: Symbols, tree: BaseSet) -> Elimination:
    if not s.robot.cuts:
        return {}
    from symoro.models.identification.base.constrained.loops import structural

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
                raise NotApplicable(
                    f"the relations of the base parameters of {s.robot.name} divide by {to_text(divisor)}, which is 0 "
                    f"with its numbers (replace {', '.join(sorted(symbols(divisor)))} in its geometry by numbers)"
                )
