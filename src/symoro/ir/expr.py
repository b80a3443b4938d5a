"""Expressions: exact constants, operations and how they are counted, and nodes with a sign."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

from symoro.errors import ProgramError

if TYPE_CHECKING:
    from symoro.ir.graph import Graph


# Constants: rationals and rational multiples of π are exact; other constants are floats.


#: A rational with more bits comes from long arithmetic, not from a description: it becomes a float.
_MOST_BITS = 160


def _tidy(value: Fraction | float) -> Fraction | float:
    if isinstance(value, Fraction) and max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        try:
            return float(value)
        except OverflowError:
            raise ProgramError("programs.large_constant") from None
    return value


@dataclass(frozen=True, slots=True)
class Constant:
    """coefficient · π^(1 if pi else 0); a coefficient that is a float is not exact."""

    coefficient: Fraction | float
    pi: bool = False

    @property
    def exact(self) -> bool:
        return isinstance(self.coefficient, Fraction)

    def __float__(self) -> float:
        return float(self.coefficient) * (math.pi if self.pi else 1.0)

    def __neg__(self) -> Constant:
        return Constant(-self.coefficient, self.pi)

    def __add__(self, other: Constant) -> Constant:
        if not self.coefficient or not other.coefficient:
            return other if not self.coefficient else self
        if self.exact and other.exact and self.pi == other.pi:
            return _make(self.coefficient + other.coefficient, self.pi)
        return Constant(float(self) + float(other))

    def __mul__(self, other: Constant) -> Constant:
        if self.exact and other.exact and not (self.pi and other.pi):
            return _make(self.coefficient * other.coefficient, self.pi or other.pi)
        return Constant(float(self) * float(other))

    def inverse(self) -> Constant:
        if self.exact and not self.pi:
            return Constant(1 / self.coefficient)
        return Constant(1.0 / float(self))

    def __str__(self) -> str:
        if isinstance(self.coefficient, float):
            return repr(float(self))
        p, q = self.coefficient.numerator, self.coefficient.denominator
        if not self.pi:
            return str(p) if q == 1 else f"{p}/{q}"
        head = "pi" if p == 1 else "-pi" if p == -1 else f"{p}*pi"
        return head if q == 1 else f"{head}/{q}"


def _make(coefficient: Fraction | float, pi: bool) -> Constant:
    coefficient = _tidy(coefficient)
    if not coefficient:
        return Constant(Fraction(0))
    if isinstance(coefficient, float) and pi:
        return Constant(coefficient * math.pi)
    return Constant(coefficient, pi)


def constant(value: int | float | Fraction | Constant) -> Constant:
    """A number as a constant; a float becomes exactly the decimal that Python prints for it."""
    if isinstance(value, Constant):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        return Constant(_tidy(Fraction(repr(value))))
    return Constant(_tidy(Fraction(value)))


ZERO = Constant(Fraction(0))
ONE = Constant(Fraction(1))
PI = Constant(Fraction(1), pi=True)


def parse_constant(text: str) -> Constant:
    """The inverse of str()."""
    if "pi" in text:
        head, _, denominator = text.partition("/")
        factor = head.removesuffix("pi").removesuffix("*")
        p = {"": "1", "-": "-1"}.get(factor, factor)
        return Constant(Fraction(p) / Fraction(denominator or 1), pi=True)
    if any(letter in text for letter in ".eni"):
        return Constant(float(text))
    return Constant(Fraction(text))


# The operations of a program, and how they are counted.


class Op(Enum):
    """An operation; the value is its name in a program's text."""

    CONST = "const"
    SYMBOL = "symbol"
    ADD = "add"
    MUL = "mul"
    DIV = "div"
    SQRT = "sqrt"
    SIN = "sin"
    COS = "cos"
    TAN = "tan"
    ASIN = "asin"
    ACOS = "acos"
    ATAN2 = "atan2"
    EXP = "exp"
    ABS = "abs"
    SIGN = "sign"
    MIN = "min"
    MAX = "max"
    LESS = "less"
    LESS_EQUAL = "less_equal"
    EQUAL = "equal"
    SELECT = "select"
    SOLVE = "solve"
    ITEM = "item"

    __hash__ = object.__hash__  # members are singletons, and hashing them by identity makes interning fast


LEAVES = frozenset({Op.CONST, Op.SYMBOL})


class Comparison(NamedTuple):
    """How most languages write a comparison, and what it means."""

    sign: str
    holds: Callable[[Any, Any], Any]


COMPARISONS = {
    Op.LESS: Comparison("<", operator.lt),
    Op.LESS_EQUAL: Comparison("<=", operator.le),
    Op.EQUAL: Comparison("==", operator.eq),
}

#: How many arguments an instruction takes; `solve` takes n·n + n of them.
ARITY = {
    **dict.fromkeys((Op.SQRT, Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.EXP, Op.ABS, Op.SIGN), 1),
    **dict.fromkeys((Op.ADD, Op.MUL, Op.DIV, Op.ATAN2, Op.MIN, Op.MAX, *COMPARISONS), 2),
    Op.SELECT: 3,
}

#: The kind of operation that an instruction counts as.
COUNTED_AS = {
    Op.ADD: "add",
    Op.MUL: "mul",
    Op.DIV: "div",
    Op.SQRT: "sqrt",
    **dict.fromkeys((Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN2), "trig"),
    **dict.fromkeys((Op.EXP, Op.ABS, Op.SIGN, Op.MIN, Op.MAX, *COMPARISONS, Op.SELECT), "other"),
}


@dataclass(frozen=True, slots=True)
class OpCount:
    """Numbers of operations. A square and a doubling are one multiplication each; a negation is not counted."""

    mul: int = 0
    add: int = 0
    div: int = 0
    sqrt: int = 0
    trig: int = 0
    other: int = 0

    @property
    def total(self) -> int:
        """Multiplications, additions and divisions."""
        return self.mul + self.add + self.div

    def __add__(self, other: OpCount) -> OpCount:
        return OpCount(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(OpCount)))

    def __str__(self) -> str:
        parts = [f"{self.mul} M", f"{self.add} A"]
        parts += [
            f"{n} {what}"
            for n, what in ((self.div, "D"), (self.sqrt, "sqrt"), (self.trig, "trig"), (self.other, "other"))
            if n
        ]
        return " + ".join(parts)


def solve_count(n: int) -> OpCount:
    """Operations of solving n linear equations by elimination with partial pivoting."""
    eliminations = sum(k * k for k in range(n))  # a multiplication and a subtraction each
    substitutions = n * (n - 1)  # forward and backward
    both = eliminations + substitutions
    return OpCount(mul=both, add=both, div=n * (n - 1) // 2 + n)


# An expression is a node of a graph with a sign, so that a negation needs no operation and no node.


Number = int | float | Fraction
_NUMBERS = (int, float, Fraction)


class Node:
    """An interned operation: equal nodes are one object. `serial` numbers nodes in the order in which they are made."""

    __slots__ = ("args", "minus", "op", "plus", "serial", "value")

    def __init__(
        self, graph: Graph, op: Op, args: tuple[Expr, ...], value: Constant | str | int | None, serial: int
    ) -> None:
        self.op = op
        self.args = args
        self.value = value
        self.serial = serial
        number = value if isinstance(value, Constant) else None
        zero = number is not None and not number.coefficient
        self.plus = Expr(graph, self, False, number, zero)
        self.minus = Expr(graph, self, True, None if number is None else -number, zero)
        self.plus.opposite = self.plus if zero else self.minus
        self.minus.opposite = self.plus


class Expr:
    """A signed reference to a node. Equal expressions of one graph are one object, so `is` compares them.

    `constant` is the value of a constant expression, with its sign. It is stored, as are `is_zero` and `opposite`,
    because building expressions reads them very often.
    """

    __slots__ = ("constant", "graph", "is_zero", "negative", "node", "opposite")

    opposite: Expr

    def __init__(self, graph: Graph, node: Node, negative: bool, constant: Constant | None, is_zero: bool) -> None:
        self.graph = graph
        self.node = node
        self.negative = negative
        self.constant = constant
        self.is_zero = is_zero

    def __neg__(self) -> Expr:
        return self.opposite

    def __abs__(self) -> Expr:
        return self.graph.absolute(self)

    def __add__(self, other: Expr | Number) -> Expr:
        return self.graph.add(self, other if isinstance(other, Expr) else self.graph.lift(other))

    def __sub__(self, other: Expr | Number) -> Expr:
        return self.graph.add(self, (other if isinstance(other, Expr) else self.graph.lift(other)).opposite)

    def __mul__(self, other: Expr | Number) -> Expr:
        if isinstance(other, Expr):
            return self.graph.mul(self, other)
        return self.graph.mul(self, self.graph.lift(other)) if isinstance(other, _NUMBERS) else NotImplemented

    def __truediv__(self, other: Expr | Number) -> Expr:
        return self.graph.div(self, self.graph.lift(other))

    def __pow__(self, exponent: int | Fraction) -> Expr:
        return self.graph.power(self, Fraction(exponent))

    def __radd__(self, other: Number) -> Expr:
        return self + other

    def __rsub__(self, other: Number) -> Expr:
        return -self + other

    def __rmul__(self, other: Number) -> Expr:
        return self * other

    def __rtruediv__(self, other: Number) -> Expr:
        return self.graph.lift(other) / self

    def __repr__(self) -> str:
        sign = "-" if self.negative else ""
        node = self.node
        if node.value is not None and not node.args:
            return f"{sign}{node.value}"
        return f"{sign}{node.op.value}#{node.serial}"
