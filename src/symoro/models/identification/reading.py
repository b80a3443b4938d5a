"""Expressions of parameters and linear relations as values of a robot's tables: text, numbers, LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce

from symoro.binding import bind
from symoro.ir.expr import Expr
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.latex import latex
from symoro.ir.ops import Op
from symoro.ir.program import Variable
from symoro.models.identification.coefficients import Coefficient
from symoro.models.identification.regrouping import Key
from symoro.robot.values import ONE, PI, ZERO, Apply, Number, Symbol, Value, symbols


def value_of(expr: Expr) -> Value:
    """An expression of parameters as a value."""
    value = _node_value(expr)
    if not expr.negative:
        return value
    return Number(-value.value) if isinstance(value, Number) else Apply("neg", (value,))


def _node_value(expr: Expr) -> Value:
    node, number = expr.node, expr.node.plus.constant
    if number is not None:
        factor = Number(Fraction(number.coefficient))
        return (PI if factor == ONE else Apply("*", (factor, PI))) if number.pi else factor
    if node.op is Op.SYMBOL:
        return Symbol(str(node.value))
    a, *rest = node.args
    if node.op is Op.ADD:
        return add(value_of(a), value_of(rest[0]))
    if node.op is Op.MUL:
        return multiply(value_of(a), value_of(rest[0]))
    if node.op is Op.DIV:
        return Apply("/", (value_of(a), value_of(rest[0])))
    return Apply(node.op.value, tuple(map(value_of, node.args)))


def add(a: Value, b: Value) -> Value:
    """a + b, with a difference where b is negative."""
    if isinstance(b, Apply) and b.function == "neg":
        return Apply("-", (a, b.arguments[0]))
    if isinstance(b, Number) and b.value < 0:
        return Apply("-", (a, Number(-b.value)))
    return Apply("+", (a, b))


def multiply(a: Value, b: Value) -> Value:
    """a·b, with a square where both are the same."""
    if a == b:
        return Apply("^", (a, Number(Fraction(2))))
    return Apply("*", (a, b))


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
