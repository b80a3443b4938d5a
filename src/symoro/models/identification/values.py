"""Expressions of parameters as values of a robot's tables."""

from __future__ import annotations

from fractions import Fraction

from symoro.ir.expr import Expr
from symoro.ir.ops import Op
from symoro.robot.values import ONE, PI, Apply, Number, Symbol, Value


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
