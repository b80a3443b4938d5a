"""The derivative of every operation by each of its arguments: one table for forward and reverse mode."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.ops import COMPARISONS, Op

#: (graph, y, arguments, t) -> ∂y/∂argument · t, for the value y of an operation. In forward mode, t is the tangent of
#: the argument and the result is a part of the tangent of y. In reverse mode, t is the adjoint of y and the result is a
#: part of the adjoint of the argument.
Push = Callable[[Graph, Expr, tuple[Expr, ...], Expr], Expr]


def _times(partial: Callable[..., Expr]) -> Push:
    """t times a partial derivative; `partial` is a function of the graph, the value and the arguments."""
    return lambda g, y, args, t: partial(g, y, *args) * t


def _square_sum(a: Expr, b: Expr) -> Expr:
    return a * a + b * b


def _nothing(g: Graph, y: Expr, args: tuple[Expr, ...], t: Expr) -> Expr:
    return g.zero


def _where(condition: Callable[..., Expr], negated: bool = False) -> Push:
    """t where a condition holds, else 0. It is not a product, because 0 times an infinite tangent is not 0."""

    def push(g: Graph, y: Expr, args: tuple[Expr, ...], t: Expr) -> Expr:
        holds = condition(g, *args)
        return g.select(holds, g.zero, t) if negated else g.select(holds, t, g.zero)

    return push


#: Where min and max are equal, the first argument counts; abs and sign have the derivative 0 at 0.
PARTIALS: dict[Op, tuple[Push, ...]] = {
    Op.ADD: (_times(lambda g, y, a, b: g.one), _times(lambda g, y, a, b: g.one)),
    Op.MUL: (_times(lambda g, y, a, b: b), _times(lambda g, y, a, b: a)),
    Op.DIV: (_times(lambda g, y, a, b: g.one / b), _times(lambda g, y, a, b: -y * (g.one / b))),
    Op.SQRT: (_times(lambda g, y, x: Fraction(1, 2) / y),),
    Op.SIN: (_times(lambda g, y, x: g.cos(x)),),
    Op.COS: (_times(lambda g, y, x: -g.sin(x)),),
    Op.TAN: (_times(lambda g, y, x: y * y + 1),),
    Op.ASIN: (_times(lambda g, y, x: 1 / g.sqrt(1 - x * x)),),
    Op.ACOS: (_times(lambda g, y, x: -1 / g.sqrt(1 - x * x)),),
    Op.ATAN2: (
        _times(lambda g, y, a, b: b / _square_sum(a, b)),
        _times(lambda g, y, a, b: -a / _square_sum(a, b)),
    ),
    Op.EXP: (_times(lambda g, y, x: y),),
    Op.ABS: (_times(lambda g, y, x: g.sign(x)),),
    Op.SIGN: (_nothing,),
    Op.MIN: (
        _where(lambda g, a, b: g.apply(Op.LESS_EQUAL, a, b)),
        _where(lambda g, a, b: g.apply(Op.LESS_EQUAL, a, b), negated=True),
    ),
    Op.MAX: (
        _where(lambda g, a, b: g.apply(Op.LESS_EQUAL, b, a)),
        _where(lambda g, a, b: g.apply(Op.LESS_EQUAL, b, a), negated=True),
    ),
    **dict.fromkeys(COMPARISONS, (_nothing, _nothing)),
    Op.SELECT: (_nothing, _where(lambda g, c, a, b: c), _where(lambda g, c, a, b: c, negated=True)),
}
