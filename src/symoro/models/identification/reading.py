"""Linear relations as values of a robot's tables: text, numbers, LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce

from symoro.binding import bind
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.latex import latex
from symoro.ir.program import Variable
from symoro.models.identification.coefficients import Coefficient
from symoro.models.identification.regrouping import Key
from symoro.models.identification.values import add, multiply, value_of
from symoro.robot.values import ONE, ZERO, Apply, Symbol, Value, symbols


def relation_value(relation: Mapping[Key, Coefficient], names: Mapping[Key, str]) -> Value:
    """XX2 - YY2 - D3^2*(M3 + M4): what has the same coefficient stands together."""
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


def latex_of(values: Mapping[str, Value]) -> str:
    """Named values as an `align` environment."""
    graph = Graph()
    used = sorted({name for value in values.values() for name in symbols(value)})
    exprs = tuple(bind(graph, value) for value in values.values())
    result = Result("", (len(exprs),), exprs, tuple(values))
    return latex(extract(graph, (), [Variable(name) for name in used], [result]), expanded=True)
