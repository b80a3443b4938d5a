"""The graph of expressions: equal expressions are one node, and they are simplified while they are built."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from heapq import heappop, heappush

from symoro.errors import ProgramError
from symoro.ir.expr import COMPARISONS, ONE, PI, ZERO, Constant, Expr, Node, Number, Op, constant
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
        if isinstance(number.coefficient, float) and not math.isfinite(number.coefficient):
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
            folded = fold_add(self, a, b)
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
            folded = fold_mul(self, a, b)
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
        if op not in FUNCTIONS:
            raise ProgramError("programs.no_function", operation=op.value)
        folded = FUNCTIONS[op](self, *args)
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


# Sines, cosines and tangents: exact values at exact angles, one node for each angle, and sums of angles.


#: sin(x·π) for x in 0 ... 1/2, where it is rational.
_SINES = {Fraction(0): Fraction(0), Fraction(1, 6): Fraction(1, 2), Fraction(1, 2): Fraction(1)}


def exact_sine(angle: Constant) -> Constant:
    """sin of a constant, exact at the multiples of π/6 where it is rational."""
    if not angle.exact or not (angle.pi or not angle.coefficient):
        return Constant(math.sin(float(angle)))
    half_turns = Fraction(angle.coefficient) % 2
    sign = 1 if half_turns < 1 else -1
    reduced = min(half_turns % 1, 1 - half_turns % 1)  # sin(π - x) = sin x: equal sines are equal constants
    exact = _SINES.get(reduced)
    return Constant(sign * (exact if exact is not None else math.sin(float(reduced) * math.pi)))


def quarter_turn(angle: Constant) -> Constant:
    return angle + Constant(Fraction(1, 2), pi=True) if angle.coefficient else Constant(Fraction(1, 2), pi=True)


def _split_quarters(g: Graph, angle: Expr) -> tuple[Expr, int]:
    """rest and k of angle = rest + k·π/2; k is the whole number of quarter turns in the constant of the sum."""
    terms, offset = _angle_terms(angle)
    quarters = 0
    if offset.exact and offset.pi:
        quarters = math.floor(Fraction(offset.coefficient) * 2)
        offset = offset + Constant(Fraction(-quarters, 2), pi=True)
    if not quarters and any(node.op is not Op.SYMBOL for node, _ in terms):
        return angle, 0  # a sum of other terms keeps their order, so that it is the node that others use too
    rest = g.zero
    for node, times in terms:
        rest = rest + node.plus * times
    return rest + g.constant(offset), quarters


def _angle_terms(angle: Expr) -> tuple[list[tuple[Node, int]], Constant]:
    """The terms of a sum, as nodes with a whole factor, in the order in which they were made; and its constant.

    A node has a higher serial than its arguments. The loop goes through falling serials and therefore meets each node
    once, even if the sum uses it several times.
    """
    times = {angle.node: -1 if angle.negative else 1}
    pending = [(-angle.node.serial, angle.node)]
    terms: list[tuple[Node, int]] = []
    offset = ZERO
    while pending:
        _, node = heappop(pending)
        k = times[node]
        if isinstance(node.value, Constant):
            offset = offset + node.value * Constant(Fraction(k))
        elif node.op is not Op.ADD:
            terms.append((node, k))
        else:
            for x in node.args:
                if x.node not in times:
                    heappush(pending, (-x.node.serial, x.node))
                times[x.node] = times.get(x.node, 0) + (-k if x.negative else k)
    return [(node, k) for node, k in reversed(terms) if k], offset


def fold_sin(g: Graph, angle: Expr) -> Expr:
    """sin of an angle; quarter turns and signs are resolved exactly."""
    number = angle.constant
    if number is not None:
        return g.constant(exact_sine(number))
    rest, quarters = _split_quarters(g, angle)
    return _sine(g, rest, quarters)


def fold_cos(g: Graph, angle: Expr) -> Expr:
    """cos x = sin(x + π/2)."""
    number = angle.constant
    if number is not None:
        return g.constant(exact_sine(quarter_turn(number)))
    rest, quarters = _split_quarters(g, angle)
    return _sine(g, rest, quarters + 1)


def _sine(g: Graph, angle: Expr, quarters: int) -> Expr:
    """sin(angle + quarters·π/2) as one sine or cosine of a positive angle."""
    number = angle.constant
    if number is not None:
        return g.constant(exact_sine(number + Constant(Fraction(quarters, 2), pi=True) if quarters else number))
    positive = angle.node.plus
    if quarters % 2:
        value = g.raw(Op.COS, positive)
    else:
        value = g.raw(Op.SIN, positive)
        value = -value if angle.negative else value
    return -value if quarters % 4 >= 2 else value


def fold_tan(g: Graph, angle: Expr) -> Expr | None:
    number = angle.constant
    if number is not None:
        sine, cosine = exact_sine(number), exact_sine(quarter_turn(number))
        if not cosine.coefficient:
            raise ProgramError("programs.infinite_tangent", value=number)
        if number.exact and number.pi and (Fraction(number.coefficient) * 4).denominator == 1:
            return g.one if float(sine) * float(cosine) > 0 else -g.one if sine.coefficient else g.zero
        return g.constant(sine * cosine.inverse())
    return -g.raw(Op.TAN, -angle) if angle.negative else None


def angle_sum(g: Graph, a: Expr, b: Expr) -> Expr | None:
    """x*(C2*C3 - S2*S3) is x*C23, x*(S2*C3 + C2*S3) is x*S23, and x*(S2*S2 + C2*C2) is x."""
    if a.node.op is not _MUL or b.node.op is not _MUL:
        return None
    left, right = _factors(a.node), _factors(b.node)
    if left is None or right is None:
        return None
    common = [n for n in left if n in right and n.op not in (Op.SIN, Op.COS)]
    shared = list(common)
    for node in common:
        if left.count(node) != right.count(node):
            return None
        while node in left:
            left.remove(node)
            right.remove(node)
    if len(left) > 2 or len(right) > 2:
        for node in list(left):
            if node in right and len(left) > 2:
                left.remove(node)
                right.remove(node)
                shared.append(node)
    if len(left) != 2 or len(right) != 2:
        return None
    merged = _merge_pair(g, left, right, a.negative == b.negative)
    if merged is None:
        return None
    result = -merged if a.negative else merged
    for node in shared:
        result = node.plus * result
    return result


def _merge_pair(g: Graph, left: list[Node], right: list[Node], same_sign: bool) -> Expr | None:
    """Two products of two sines and cosines, added (same sign) or subtracted, as one sine or cosine."""
    if any(n.op not in (Op.SIN, Op.COS) for n in left + right):
        return None
    kinds = sorted(n.op.value for n in left), sorted(n.op.value for n in right)
    angles_left, angles_right = {n.args[0].node for n in left}, {n.args[0].node for n in right}
    if angles_left != angles_right:
        return None
    x, y = (left[0].args[0], left[1].args[0])
    if kinds == (["cos", "cos"], ["sin", "sin"]):
        return g.cos(x - y if same_sign else x + y)
    if kinds == (["sin", "sin"], ["cos", "cos"]):
        return g.cos(x - y) if same_sign else -g.cos(x + y)
    if kinds == (["cos", "sin"], ["cos", "sin"]):
        sine, cosine = (left[0], left[1]) if left[0].op is Op.SIN else (left[1], left[0])
        u, v = sine.args[0], cosine.args[0]
        if next(n for n in right if n.op is Op.SIN).args[0] is not v:  # S2*C3 again, not C2*S3; or u is v
            return None
        return g.sin(u + v) if same_sign else g.sin(u - v)
    return None


def _factors(node: Node, most: int = 6) -> list[Node] | None:
    """The factors of a product of two to `most` factors; None for anything else."""
    factors: list[Node] = []
    pending = [node]
    while pending:
        n = pending.pop()
        if n.op is _MUL:
            pending += [x.node for x in n.args]
        else:
            factors.append(n)
        if len(factors) + len(pending) > most:
            return None
    return factors if len(factors) >= 2 else None


# Rules that simplify an expression while it is built: zeros, ones, constants, exact angles.
#
# A rule returns the simpler expression, or None if it does not apply.


def fold_add(g: Graph, a: Expr, b: Expr) -> Expr | None:
    """a + a, a - a, constants; with angle sums also C2*C3 - S2*S3. Neither term is zero."""
    if a.node is b.node:
        return g.mul(g.lift(2), a) if a.negative == b.negative else g.zero
    left, right = a.constant, b.constant
    if left is not None and right is not None:
        total = left + right
        # π + 1 is not an exact constant: it becomes a float, the same that generated code would compute
        return g.constant(total)
    if g.cancel and (shorter := _cancel(g, a, b)) is not None:
        return shorter
    return angle_sum(g, a, b) if g.angle_sums else None


def _cancel(g: Graph, a: Expr, b: Expr) -> Expr | None:
    """a + (b − a) is b, and (a − t) + (b + t) is a + b: a term that is added and subtracted is left out."""
    if a.node.op is not _ADD and b.node.op is not _ADD:
        return None
    left, right = _addends(a), _addends(b)
    for i, x in enumerate(left):
        gone = x.opposite
        for k, y in enumerate(right):
            if y is gone:
                rest = [*left[:i], *left[i + 1 :], *right[:k], *right[k + 1 :]]
                return rest[0] if len(rest) == 1 else g.add(*rest)
    return None


def _addends(x: Expr) -> tuple[Expr, ...]:
    """The two terms of a sum; of any other expression, the expression itself."""
    if x.node.op is not _ADD:
        return (x,)
    first, second = x.node.args
    return (first.opposite, second.opposite) if x.negative else (first, second)


def fold_mul(g: Graph, a: Expr, b: Expr) -> Expr | None:
    """0 * b, 1 * b, products of constants."""
    left, right = a.constant, b.constant
    if left is None and right is None:
        return None
    if a.is_zero or b.is_zero:
        return g.zero
    if a.node is g.one.node:
        return -b if a.negative else b
    if b.node is g.one.node:
        return -a if b.negative else a
    if left is not None and right is not None:
        return g.constant(left * right)
    if left is not None:
        return _gather_constants(g, left, b)
    return None if right is None else _gather_constants(g, right, a)


def _gather_constants(g: Graph, factor: Constant, other: Expr) -> Expr | None:
    """c1 * (c2 * x) is (c1 c2) * x."""
    if other.node.op is not _MUL:
        return None
    inner = other.node.args[0].constant
    if inner is None:
        return None
    product = g.mul(g.constant(factor * inner), other.node.args[1])
    return -product if other.negative else product


def _numeric(function: Callable[..., float]) -> Callable[..., Expr | None]:
    """Fold a function of constants to a float."""

    def fold(g: Graph, *args: Expr) -> Expr | None:
        numbers = [x.constant for x in args]
        if any(n is None for n in numbers):
            return None
        try:
            return g.constant(Constant(function(*(float(n) for n in numbers if n is not None))))
        except (ValueError, OverflowError) as error:
            raise ProgramError(
                "programs.function", function=function.__name__, numbers=numbers, reason=str(error)
            ) from None

    return fold


def fold_sqrt(g: Graph, x: Expr) -> Expr | None:
    number = x.constant
    if number is None:
        return None
    if number.coefficient < 0:
        raise ProgramError("programs.negative_root", value=number)
    if isinstance(number.coefficient, Fraction) and not number.pi:
        p, q = math.isqrt(number.coefficient.numerator), math.isqrt(number.coefficient.denominator)
        if Fraction(p * p, q * q) == number.coefficient:
            return g.constant(Fraction(p, q))
    return g.constant(Constant(math.sqrt(float(number))))


def _exact_inverse(
    forward: Callable[[Constant], Constant], numeric: Callable[[float], float], name: str
) -> Callable[..., Expr | None]:
    """asin and acos: exact where the angle is a multiple of π/6."""

    def fold(g: Graph, x: Expr) -> Expr | None:
        number = x.constant
        if number is None:
            return None
        if not -1 <= float(number) <= 1:
            raise ProgramError("programs.outside", name=name, value=number)
        angle = numeric(float(number))
        sixths = Fraction(round(angle * 6 / math.pi), 6)
        guess = Constant(sixths, pi=True) if sixths else ZERO
        if number.exact and forward(guess) == number:
            return g.constant(guess)
        return g.constant(Constant(angle))

    return fold


def fold_atan2(g: Graph, y: Expr, x: Expr) -> Expr | None:
    top, bottom = y.constant, x.constant
    if top is None or bottom is None:
        return None
    angle = math.atan2(float(top), float(bottom))
    quarters = Fraction(round(angle * 4 / math.pi), 4)
    on_axis = not top.coefficient or not bottom.coefficient
    on_diagonal = top in (bottom, -bottom)
    if on_axis or on_diagonal:
        return g.constant(Constant(quarters, pi=True) if quarters else ZERO)
    return g.constant(Constant(angle))


def fold_abs(g: Graph, x: Expr) -> Expr | None:
    if x.constant is not None or x.node.op in (Op.ABS, Op.SQRT, Op.EXP):
        return x.node.plus
    return g.raw(Op.ABS, x.node.plus) if x.negative else None


def fold_sign(g: Graph, x: Expr) -> Expr | None:
    if x.is_zero:
        return g.zero
    if x.constant is not None:
        return -g.one if x.negative else g.one
    return -g.raw(Op.SIGN, x.node.plus) if x.negative else None


def _fold_extreme(pick: Callable[..., float]) -> Callable[..., Expr | None]:
    def fold(g: Graph, a: Expr, b: Expr) -> Expr | None:
        if a is b:
            return a
        left, right = a.constant, b.constant
        if left is None or right is None:
            return None
        return a if pick(float(left), float(right)) == float(left) else b

    return fold


def _fold_comparison(holds: Callable[[float, float], bool]) -> Callable[..., Expr | None]:
    def fold(g: Graph, a: Expr, b: Expr) -> Expr | None:
        left, right = (g.zero.constant, g.zero.constant) if a is b else (a.constant, b.constant)
        if left is None or right is None:
            return None
        return g.one if holds(float(left), float(right)) else g.zero

    return fold


def fold_select(g: Graph, condition: Expr, then: Expr, otherwise: Expr) -> Expr | None:
    if then is otherwise:
        return then
    if condition.constant is not None:
        return otherwise if condition.is_zero else then
    return None


FUNCTIONS: dict[Op, Callable[..., Expr | None]] = {
    Op.SQRT: fold_sqrt,
    Op.SIN: fold_sin,
    Op.COS: fold_cos,
    Op.TAN: fold_tan,
    Op.ASIN: _exact_inverse(exact_sine, math.asin, "asin"),
    Op.ACOS: _exact_inverse(lambda angle: exact_sine(quarter_turn(angle)), math.acos, "acos"),
    Op.ATAN2: fold_atan2,
    Op.EXP: _numeric(math.exp),
    Op.ABS: fold_abs,
    Op.SIGN: fold_sign,
    Op.MIN: _fold_extreme(min),
    Op.MAX: _fold_extreme(max),
    **{op: _fold_comparison(comparison.holds) for op, comparison in COMPARISONS.items()},
    Op.SELECT: fold_select,
}
