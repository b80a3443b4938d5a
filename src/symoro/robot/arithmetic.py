"""Sums and products of values, sines and cosines of them: exact, and without zeros and ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from symoro.robot.values import ONE, PI, ZERO, Apply, Number, Value, is_zero

# Sums and products of values: exact, and without zeros and ones.


Row = Sequence[Value]


def plus(a: Value, b: Value) -> Value:
    """a + b."""
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value + b.value)
    if is_zero(a) or is_zero(b):
        return b if is_zero(a) else a
    if isinstance(b, Apply) and b.function == "neg":
        return Apply("-", (a, b.arguments[0]))
    return Apply("+", (a, b))


def minus(a: Value, b: Value) -> Value:
    """a − b."""
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value - b.value)
    if is_zero(b):
        return a
    return negative(b) if is_zero(a) else Apply("-", (a, b))


def times(a: Value, b: Value) -> Value:
    """a · b."""
    if isinstance(a, Number) and isinstance(b, Number):
        return Number(a.value * b.value)
    if is_zero(a) or is_zero(b):
        return ZERO
    if ONE in (a, b):
        return b if a == ONE else a
    for x, y in ((a, b), (b, a)):
        if isinstance(x, Number) and x.value == -1:
            return negative(y)
    return Apply("*", (a, b))


def over(a: Value, b: Value) -> Value:
    """a / b."""
    if isinstance(a, Number) and isinstance(b, Number) and b.value:
        return Number(a.value / b.value)
    return a if b == ONE else Apply("/", (a, b))


def total(values: Iterable[Value]) -> Value:
    """The sum."""
    result: Value = ZERO
    for value in values:
        result = plus(result, value)
    return result


def product(A: Sequence[Row], B: Sequence[Row]) -> tuple[tuple[Value, ...], ...]:
    """A B."""
    columns = tuple(zip(*B, strict=True))
    return tuple(tuple(total(map(times, row, column)) for column in columns) for row in A)


# Sines and cosines of values, exact where the angle is a multiple of pi/2.


_QUARTERS: tuple[Value, ...] = (ZERO, ONE, ZERO, Number(Fraction(-1)))


def sine(angle: Value) -> Value:
    """sin(angle)."""
    quarters = _quarters(angle)
    return Apply("sin", (angle,)) if quarters is None else _QUARTERS[quarters % 4]


def cosine(angle: Value) -> Value:
    """cos(angle)."""
    quarters = _quarters(angle)
    return Apply("cos", (angle,)) if quarters is None else _QUARTERS[(quarters + 1) % 4]


def negative(value: Value) -> Value:
    """-value; the result is a number if the value is one, and x for -x."""
    if isinstance(value, Number):
        return Number(-value.value)
    return value.arguments[0] if isinstance(value, Apply) and value.function == "neg" else Apply("neg", (value,))


def _quarters(angle: Value) -> int | None:
    """The integer k of an angle k pi/2; None if the angle is not such a multiple."""
    factor = _factor_of_pi(angle)
    return None if factor is None or (2 * factor).denominator != 1 else int(2 * factor)


def _factor_of_pi(angle: Value) -> Fraction | None:
    """The factor f of an angle f pi; None if the angle is not such a product."""
    if is_zero(angle):
        return Fraction(0)
    if angle == PI:
        return Fraction(1)
    if not isinstance(angle, Apply) or angle.function not in ("neg", "*", "/"):
        return None
    if angle.function == "neg":
        inner = _factor_of_pi(angle.arguments[0])
        return None if inner is None else -inner
    left, right = angle.arguments
    if angle.function == "*" and isinstance(left, Number):
        left, right = right, left
    inner = _factor_of_pi(left)
    if inner is None or not isinstance(right, Number):
        return None
    return inner * right.value if angle.function == "*" else inner / right.value
