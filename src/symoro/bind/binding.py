"""Values of a robot's tables as expressions of a graph (`bind`), and expressions as values (`value_of`)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symoro.errors import RobotError
from symoro.ir.expr import Expr, Op
from symoro.ir.graph import Graph
from symoro.robot.values import ONE, PI, Apply, Number, Symbol, Value, to_text

_FUNCTIONS = {
    "sin": Op.SIN, "cos": Op.COS, "tan": Op.TAN, "asin": Op.ASIN, "acos": Op.ACOS, "atan2": Op.ATAN2,
    "sqrt": Op.SQRT, "exp": Op.EXP, "abs": Op.ABS, "sign": Op.SIGN, "min": Op.MIN, "max": Op.MAX,
}  # fmt: skip


def bind(graph: Graph, value: Value, expressions: Mapping[str, Expr] | None = None) -> Expr:
    """A value of a robot's table as an expression; `expressions` replace symbols."""
    if isinstance(value, Number):
        return graph.constant(value.value)
    if isinstance(value, Symbol):
        return (expressions or {}).get(value.name) or graph.symbol(value.name)
    args = [bind(graph, a, expressions) for a in value.arguments]
    match value.function:
        case "+":
            return args[0] + args[1]
        case "-":
            return args[0] - args[1]
        case "*":
            return args[0] * args[1]
        case "/":
            return args[0] / args[1]
        case "^":
            return graph.power(args[0], _exponent(args[1], value))
        case "neg":
            return -args[0]
        case "pi":
            return graph.pi
        case "atan":
            return graph.atan2(args[0], graph.one)
    return graph.apply(_FUNCTIONS[value.function], *args)


def _exponent(expr: Expr, value: Apply) -> Fraction:
    number = expr.constant
    if number is None or number.pi or not isinstance(number.coefficient, Fraction):
        raise RobotError("values.exponent_number", value=to_text(value))
    return number.coefficient


def value_of(expr: Expr) -> Value:
    """An expression of parameters as a value of a robot's table: the inverse of `bind`."""
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
