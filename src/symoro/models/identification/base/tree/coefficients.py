"""Linear algebra with coefficients of the geometry: expressions that know whether they are zero.

Whether sin²α + cos²α − 1 or D3·SA2/SA2 − D3 vanishes decides which parameters can be regrouped. Each coefficient
carries its expression and its value, to fifty digits, at one generic point: every symbol of the robot has a number of
its own there, drawn from its name. An identity holds there, and what is not an identity does not. Numbers of the
robot's tables are taken as they are. A sum below 1e-12 of its terms is zero, the same limit as where a robot is read.
Coefficients with the same value share the expression that was made first, so that cancelled terms disappear.
A row is a mapping from names to coefficients without those that are zero. A `Span` is the subspace that rows span.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from decimal import Context, Decimal
from functools import cache
from random import Random
from typing import Any, Generic, TypeVar

from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.robot.values import Apply, Number, Symbol, Value

_EXACT = Context(prec=50)
_SAME = Context(prec=30)
_CANCELLED = Decimal("1e-12")
K = TypeVar("K", bound=Hashable)


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
        """A coefficient. If its value was made before, it has the expression that was made then."""
        if not number or expr.is_zero:
            return self.zero
        known = self._known.setdefault(_SAME.plus(abs(number)), expr if number > 0 else -expr)
        return Coefficient(self, known if number > 0 else -known, number)

    def value(self, value: Value, expr: Expr) -> Coefficient:
        """The coefficient of a value of the robot's tables; `expr` is the same value as an expression."""
        return self.make(expr, _decimal(_generic(value)))

    def turn(self, value: Value, angle: Expr) -> tuple[Coefficient, Coefficient]:
        """Cosine and sine of an angle; `angle` is the same value as an expression."""
        number, graph = _generic(value), self.graph
        cosine, sine = _decimal(_point().cos(number)), _decimal(_point().sin(number))
        return self.make(graph.cos(angle), cosine), self.make(graph.sin(angle), sine)


# rows


def accumulate(into: dict[K, Coefficient], factor: Coefficient, row: Mapping[K, Coefficient]) -> None:
    """into += factor · row."""
    for name, x in row.items():
        term = factor * x
        total = into[name] + term if name in into else term
        if total.is_zero:
            into.pop(name, None)
        else:
            into[name] = total


class Span(Generic[K]):
    """A subspace that grows row by row, in reduced echelon form: each basis row has a 1 where the others have nothing.

    `order` lists the columns; the first ones become pivots first. `most` is the largest dimension of the subspace.
    """

    def __init__(
        self, order: Sequence[K], rows: Iterable[Mapping[K, Coefficient]] = (), most: int | None = None
    ) -> None:
        self.order = order
        self.most = len(order) if most is None else most
        self._basis: dict[K, dict[K, Coefficient]] = {}
        for row in rows:
            self.include(row)

    @property
    def basis(self) -> Mapping[K, dict[K, Coefficient]]:
        """Pivot and row, in the order of the columns."""
        return {name: self._basis[name] for name in self.order if name in self._basis}

    @property
    def full(self) -> bool:
        return len(self._basis) >= self.most

    def include(self, row: Mapping[K, Coefficient]) -> None:
        """Add a row to those that span the subspace."""
        if self.full:
            return
        rest = self.reduced(row)
        pivot = self._pivot(rest)
        if pivot is None:
            return
        lead = rest[pivot]
        new = rest if lead.is_one else {name: x / lead for name, x in rest.items()}
        for other in self._basis.values():
            if pivot in other:
                accumulate(other, -other[pivot], new)
        self._basis[pivot] = new

    def _pivot(self, row: Mapping[K, Coefficient]) -> K | None:
        """The first column whose entry is a number, because a symbol may be 0 and is a bad divisor; else the first."""
        columns = [name for name in self.order if name in row]
        return next((name for name in columns if row[name].is_number), next(iter(columns), None))

    def reduced(self, row: Mapping[K, Coefficient]) -> dict[K, Coefficient]:
        """The row minus its part in the subspace: nothing is left at the pivots."""
        rest = dict(row)
        for pivot, own in self._basis.items():
            if pivot in row:
                accumulate(rest, -row[pivot], own)
        return rest


# the generic point


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
