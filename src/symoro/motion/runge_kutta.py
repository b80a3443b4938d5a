"""Steps of the classical method of Runge and Kutta as expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symoro.ir.expr import Expr
from symoro.motion.writing import Exprs, Writer

STEP = "STEP"
"""The parameter that is the length of a step, in seconds."""
Rates = Callable[[Sequence[Expr]], Exprs]


def period(w: Writer, default: float = 1e-3) -> Expr:
    """The length of a period, as a parameter."""
    return w.parameter(STEP, default, "length of a period", "s")


def steps(w: Writer, rates: Rates, y: Exprs, count: int = 1) -> Exprs:
    """The state after a period in some equal steps, each of order 4."""
    h = period(w) / count
    for _ in range(count):
        k1 = rates(y)
        k2 = rates(_moved(y, h / 2, k1))
        k3 = rates(_moved(y, h / 2, k2))
        k4 = rates(_moved(y, h, k3))
        mean = tuple(a + 2 * (b + c) + d for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
        y = _moved(y, h / 6, mean)
    return y


def _moved(y: Exprs, h: Expr, rate: Exprs) -> Exprs:
    return tuple(x + h * k for x, k in zip(y, rate, strict=True))
