"""The graph of expressions: equal expressions are one node, and they are simplified while they are built."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import isfinite

from symoro.errors import ProgramError
from symoro.ir import rules
from symoro.ir.expr import ONE, PI, ZERO, Constant, Expr, Node, Number, Op, constant
from symoro.ir.meaning import Meaning

_ADD, _MUL = Op.ADD, Op.MUL  # the members themselves: finding them in the class takes longer than most of what follows


class Graph:
    """Makes expressions.

    With `angle_sums`, C2*C3 - S2*S3 becomes cos(q2 + q3). With `cancel`, a term that one sum adds and another subtracts
    is left out.
    """

    def __init__(self, *, angle_sums: bool = False, cancel: bool = False) -> None:
        self.angle_sums = angle_sums
        self.cancel = cancel
        self._folds = angle_sums or cancel
        self.labels: dict[Node, str] = {}
        self.hints: dict[Node, tuple[str, bool, Meaning | None]] = {}
        self._node_count = 0
        self._sums: dict[tuple[Expr, ...], Node] = {}
        self._products: dict[tuple[Expr, ...], Node] = {}
        self._others: dict[tuple[object, ...], Node] = {}
        self._whole: dict[int, Expr] = {}
        self.zero = self.constant(ZERO)
        self.one = self.constant(ONE)
        self.pi = self.constant(PI)

    def _intern(self, op: Op, args: tuple[Expr, ...], value: Constant | str | int | None = None) -> Node:
        key = (op, args, value)
        node = self._others.get(key)
        if node is None:
            node = self._others[key] = self._node(op, args, value)
        return node

    def _node(self, op: Op, args: tuple[Expr, ...], value: Constant | str | int | None = None) -> Node:
        node = Node(self, op, args, value, self._node_count)
        self._node_count += 1
        return node

    # leaves

    def constant(self, value: Number | Constant) -> Expr:
        """A number; the sign belongs to the expression, not to the node."""
        number = constant(value)
        if isinstance(number.coefficient, float) and not isfinite(number.coefficient):
            raise ProgramError("programs.infinite_constant", value=number)
        if number.coefficient < 0:
            return self._intern(Op.CONST, (), -number).minus
        return self._intern(Op.CONST, (), number).plus

    def symbol(self, name: str, label: str | None = None) -> Expr:
        """A named input or parameter; `label` is how it enters the names of sines and cosines (q2 -> "2")."""
        node = self._intern(Op.SYMBOL, (), name)
        if label is not None:
            self.labels[node] = label
        return node.plus

    def lift(self, value: Expr | Number) -> Expr:
        """A number or an expression as an expression of this graph."""
        if isinstance(value, Expr):
            return value
        if isinstance(value, int):  # mostly 0 and 1, very often
            known = self._whole.get(value)
            if known is None:
                known = self._whole[value] = self.constant(value)
            return known
        return self.constant(value)

    # arithmetic

    def add(self, a: Expr, b: Expr) -> Expr:
        """a + b. Sums and products are made more often than all else: what folds seldom is looked at last."""
        if a.is_zero:
            return b
        if b.is_zero:
            return a
        left, right = a.node, b.node
        if self._folds or left is right or a.constant is not None:
            folded = rules.fold_add(self, a, b)
            if folded is not None:
                return folded
        if right.serial < left.serial:
            a, b = b, a
        negative = a.negative  # the first operand is positive: a - b and b - a are one node
        args = (a.opposite, b.opposite) if negative else (a, b)
        node = self._sums.get(args)
        if node is None:
            node = self._sums[args] = self._node(_ADD, args)
        return node.minus if negative else node.plus

    def mul(self, a: Expr, b: Expr) -> Expr:
        """a * b; signs move out of the product."""
        if a.constant is not None or b.constant is not None:
            folded = rules.fold_mul(self, a, b)
            if folded is not None:
                return folded
            if a.constant is None:
                a, b = b, a  # a constant comes first, so that a further constant factor is multiplied with it
        elif b.node.serial < a.node.serial:
            a, b = b, a
        args = (a.node.plus, b.node.plus)
        node = self._products.get(args)
        if node is None:
            node = self._products[args] = self._node(_MUL, args)
        return node.minus if a.negative != b.negative else node.plus

    def div(self, a: Expr, b: Expr) -> Expr:
        """a / b."""
        divisor = b.constant
        if divisor is not None:
            if not divisor.coefficient:
                raise ProgramError("programs.division_by_zero")
            return self.mul(a, self.constant(divisor.inverse()))
        if a.is_zero:
            return self.zero
        if a.node is b.node:
            return self.one if a.negative == b.negative else -self.one
        node = self._intern(Op.DIV, (a.node.plus, b.node.plus))
        return node.minus if a.negative != b.negative else node.plus

    def power(self, base: Expr, exponent: Fraction) -> Expr:
        """base ** exponent for whole and half exponents, by squaring."""
        if exponent.denominator == 2:
            return self.power(self.sqrt(base), exponent * 2)
        if exponent.denominator != 1 or abs(exponent) > 64:
            raise ProgramError("programs.exponent", exponent=exponent)
        if exponent < 0:
            return self.one / self.power(base, -exponent)
        result, square, n = self.one, base, exponent.numerator
        while n:
            if n & 1:
                result = result * square
            n >>= 1
            square = square * square if n else square
        return result

    # functions

    def apply(self, op: Op, *args: Expr) -> Expr:
        """Any operation by its name."""
        if op is _ADD:
            return self.add(*args)
        if op is _MUL:
            return self.mul(*args)
        if op is Op.DIV:
            return self.div(*args)
        if op not in rules.FUNCTIONS:
            raise ProgramError("programs.no_function", operation=op.value)
        folded = rules.FUNCTIONS[op](self, *args)
        return folded if folded is not None else self.raw(op, *args)

    def raw(self, op: Op, *args: Expr) -> Expr:
        """The node itself, without folding."""
        return self._intern(op, args).plus

    def sqrt(self, x: Expr) -> Expr:
        return self.apply(Op.SQRT, x)

    def sin(self, x: Expr) -> Expr:
        return self.apply(Op.SIN, x)

    def cos(self, x: Expr) -> Expr:
        return self.apply(Op.COS, x)

    def atan2(self, y: Expr, x: Expr) -> Expr:
        return self.apply(Op.ATAN2, y, x)

    def sign(self, x: Expr) -> Expr:
        return self.apply(Op.SIGN, x)

    def absolute(self, x: Expr) -> Expr:
        return self.apply(Op.ABS, x)

    def less(self, a: Expr, b: Expr) -> Expr:
        return self.apply(Op.LESS, a, b)

    def select(self, condition: Expr, then: Expr, otherwise: Expr) -> Expr:
        """`then` where the condition is not zero, else `otherwise`."""
        return self.apply(Op.SELECT, condition, then, otherwise)

    def solve(self, matrix: Sequence[Sequence[Expr]], right: Sequence[Expr]) -> tuple[Expr, ...]:
        """x with A x = b, by elimination with pivoting."""
        n = len(right)
        if len(matrix) != n or any(len(row) != n for row in matrix) or n == 0:
            raise ProgramError("programs.solve")
        if n == 1:
            return (right[0] / matrix[0][0],)
        block = self._intern(Op.SOLVE, (*(x for row in matrix for x in row), *right)).plus
        return tuple(self._intern(Op.ITEM, (block,), i).plus for i in range(n))

    # names

    def name(self, expr: Expr, name: str, meaning: Meaning | None = None) -> Expr:
        """Suggest a name for an expression that contains an operation; the first suggestion stays."""
        if self.nameless(expr):
            self.hints[expr.node] = (name, expr.negative, meaning)
        return expr

    def nameless(self, expr: Expr) -> bool:
        """Whether an expression contains an operation and has no name yet."""
        return bool(expr.node.args) and expr.node not in self.hints

    def dissolve(self) -> None:
        """Free all nodes. Nothing of this graph can be used after it.

        Nodes, expressions and the graph refer to each other, so that only the garbage collector would find that they
        are not used any more, and it takes longer than all else that is done with a small graph.
        """
        del self.zero, self.one, self.pi
        for nodes in (self._sums, self._products, self._others):
            for node in nodes.values():
                del node.plus.opposite, node.minus.opposite, node.plus, node.minus
            nodes.clear()
        for names in (self._whole, self.hints, self.labels):
            names.clear()
