"""A value of a robot's table as an expression of a graph."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from symoro.errors import RobotError
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.ops import Op
from symoro.robot.values import Apply, Number, Symbol, Value, to_text

_FUNCTIONS = {
    "sin": Op.SIN, "cos": Op.COS, "tan": Op.TAN, "asin": Op.ASIN, "acos": Op.ACOS, "atan2": Op.ATAN2,
    "sqrt": Op.SQRT, "exp": Op.EXP, "abs": Op.ABS, "sign": Op.SIGN, "min": Op.MIN, "max": Op.MAX,
}  # fmt: skip


def bind(graph: Graph, value: Value, given: Mapping[str, Expr] | None = None) -> Expr:
    """A value of a robot's table as an expression; `given` replaces symbols."""
    if isinstance(value, Number):
        return graph.constant(value.value)
    if isinstance(value, Symbol):
        return (given or {}).get(value.name) or graph.symbol(value.name)
    args = [bind(graph, a, given) for a in value.arguments]
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
        raise RobotError(f"{to_text(value)}: the exponent must be a number (allowed: whole and half numbers up to 64)")
    return number.coefficient
