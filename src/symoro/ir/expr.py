"""An expression is a node of a graph seen through a sign: negation costs nothing and makes no node."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from symoro.ir.constant import Constant
from symoro.ir.ops import Op

if TYPE_CHECKING:
    from symoro.ir.graph import Graph

Number = int | float | Fraction


class Node:
    """An interned operation: equal nodes are one object. `serial` numbers them in the order of their making."""

    __slots__ = ("args", "minus", "op", "plus", "serial", "value")

    def __init__(
        self, graph: Graph, op: Op, args: tuple[Expr, ...], value: Constant | str | int | None, serial: int
    ) -> None:
        self.op = op
        self.args = args
        self.value = value
        self.serial = serial
        self.plus = Expr(graph, self, False)
        self.minus = Expr(graph, self, True)


class Expr:
    """A signed reference to a node. Equal expressions of one graph are one object, so `is` compares them."""

    __slots__ = ("graph", "negative", "node")

    def __init__(self, graph: Graph, node: Node, negative: bool) -> None:
        self.graph = graph
        self.node = node
        self.negative = negative

    @property
    def constant(self) -> Constant | None:
        """The value of a constant expression, with its sign."""
        value = self.node.value
        if not isinstance(value, Constant):
            return None
        return -value if self.negative else value

    @property
    def is_zero(self) -> bool:
        value = self.node.value
        return isinstance(value, Constant) and not value.coefficient

    def __neg__(self) -> Expr:
        return self.node.plus if self.negative or self.is_zero else self.node.minus

    def __abs__(self) -> Expr:
        return self.graph.absolute(self)

    def __add__(self, other: Expr | Number) -> Expr:
        return self.graph.add(self, self.graph.lift(other))

    def __sub__(self, other: Expr | Number) -> Expr:
        return self.graph.add(self, -self.graph.lift(other))

    def __mul__(self, other: Expr | Number) -> Expr:
        if not isinstance(other, Expr | int | float | Fraction):
            return NotImplemented
        return self.graph.mul(self, self.graph.lift(other))

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
