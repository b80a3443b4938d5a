"""Rules that simplify an expression while it is built: zeros, ones, constants, exact angles.

A rule returns the simpler expression, or None if it does not apply.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING

from symoro.errors import ProgramError
from symoro.ir.angles import angle_sum, exact_sine, fold_cos, fold_sin, fold_tan, quarter_turn
from symoro.ir.constant import ZERO, Constant
from symoro.ir.expr import Expr
from symoro.ir.ops import COMPARISONS, Op

if TYPE_CHECKING:
    from symoro.ir.graph import Graph

_ADD, _MUL = Op.ADD, Op.MUL


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
            raise ProgramError(f"{function.__name__} of {', '.join(map(str, numbers))}: {error}") from None

    return fold


def fold_sqrt(g: Graph, x: Expr) -> Expr | None:
    number = x.constant
    if number is None:
        return None
    if number.coefficient < 0:
        raise ProgramError(f"sqrt({number}): the argument is negative")
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
            raise ProgramError(f"{name}({number}): the argument is outside -1 ... 1")
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
