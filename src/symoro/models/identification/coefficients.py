"""Coefficients of geometry: expressions that know whether they are zero.

Whether sin²α + cos²α − 1 or D3·SA2/SA2 − D3 vanishes decides which parameters can be regrouped. Each coefficient
carries its expression and its value, to fifty digits, at one generic point: every symbol of the robot has a number of
its own there, drawn from its name. An identity holds there, and what is not an identity does not. Numbers that a
robot gives count as they are; a difference below 1e-12 of its terms is zero, as it is where a robot is read.
Equal values share the expression that was made first, so that cancelled terms do not pile up.
"""

from __future__ import annotations

from decimal import Context, Decimal
from functools import cache
from random import Random
from typing import Any

from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.robot.values import Apply, Number, Symbol, Value

_EXACT = Context(prec=50)
_SAME = Context(prec=30)
_CANCELLED = Decimal("1e-12")


class Coefficient:
    """An expression of parameters and its value at the generic point."""

    __slots__ = ("expr", "field", "number")

    def __init__(self, field: Coefficients, expr: Expr, number: Decimal) -> None:
        self.field, self.expr, self.number = field, expr, number

    @property
    def is_zero(self) -> bool:
        return not self.number

    @property
    def is_one(self) -> bool:
        return self.expr is self.field.one.expr

    @property
    def is_number(self) -> bool:
        return self.expr.constant is not None

    def __neg__(self) -> Coefficient:
        return Coefficient(self.field, -self.expr, -self.number)

    def __add__(self, other: Coefficient) -> Coefficient:
        a, b = self.number, other.number
        if not a or not b:
            return other if not a else self
        total = _EXACT.add(a, b)
        if abs(total) <= _CANCELLED * max(abs(a), abs(b)):
            return self.field.zero
        return self.field.make(self.expr + other.expr, total)

    def __sub__(self, other: Coefficient) -> Coefficient:
        return self + -other

    def __mul__(self, other: Coefficient) -> Coefficient:
        if not self.number or not other.number:
            return self.field.zero
        return self.field.make(self.expr * other.expr, _EXACT.multiply(self.number, other.number))

    def __truediv__(self, other: Coefficient) -> Coefficient:
        if not self.number:
            return self.field.zero
        return self.field.make(self.expr / other.expr, _EXACT.divide(self.number, other.number))

    def __repr__(self) -> str:
        return f"{self.expr!r} ~ {float(self.number):.4g}"


class Coefficients:
    """Makes the coefficients of one graph."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._known: dict[Decimal, Expr] = {}
        self.zero = Coefficient(self, graph.zero, Decimal(0))
        self.one = self.constant(1)
        self.half = self.one / self.constant(2)

    def constant(self, value: int) -> Coefficient:
        """A whole number."""
        return self.make(self.graph.constant(value), Decimal(value)) if value else self.zero

    def make(self, expr: Expr, number: Decimal) -> Coefficient:
        """A coefficient; where its value is known already, with the expression that is known for it."""
        if not number or expr.is_zero:
            return self.zero
        known = self._known.setdefault(_SAME.plus(abs(number)), expr if number > 0 else -expr)
        return Coefficient(self, known if number > 0 else -known, number)

    def value(self, value: Value, expr: Expr) -> Coefficient:
        """A value of the robot's tables, which is also given as an expression."""
        return self.make(expr, _decimal(_generic(value)))

    def turn(self, value: Value, angle: Expr) -> tuple[Coefficient, Coefficient]:
        """Cosine and sine of an angle."""
        number, graph = _generic(value), self.graph
        cosine, sine = _decimal(_point().cos(number)), _decimal(_point().sin(number))
        return self.make(graph.cos(angle), cosine), self.make(graph.sin(angle), sine)


@cache
def _point() -> Any:
    """Arithmetic of sixty digits."""
    from mpmath import MPContext

    context = MPContext()
    context.dps = 60
    return context


def _decimal(number: Any) -> Decimal:
    return Decimal(str(_point().nstr(number, 55, strip_zeros=False)))


def _generic(value: Value) -> Any:
    """The value at the generic point."""
    if isinstance(value, Number):
        return _point().mpf(value.value.numerator) / value.value.denominator
    if isinstance(value, Symbol):
        return _point().mpf(Random(value.name).getrandbits(180)) / (1 << 179) + 0.25
    arguments = [_generic(argument) for argument in value.arguments]
    return _apply(value, arguments)


def _apply(value: Apply, x: list[Any]) -> Any:
    match value.function:
        case "+":
            return x[0] + x[1]
        case "-":
            return x[0] - x[1]
        case "*":
            return x[0] * x[1]
        case "/":
            return x[0] / x[1]
        case "^":
            return x[0] ** x[1]
        case "neg":
            return -x[0]
        case "pi":
            return +_point().pi
        case "abs" | "sign" | "min" | "max":
            return {"abs": abs, "sign": _point().sign, "min": min, "max": max}[value.function](*x)
    return getattr(_point(), value.function)(*x)
