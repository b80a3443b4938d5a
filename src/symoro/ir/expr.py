"""An expression is a node of a graph with a sign, so that a negation needs no operation and no node."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from symoro.ir.constant import Constant
from symoro.ir.ops import Op

if TYPE_CHECKING:
    from symoro.ir.graph import Graph

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
