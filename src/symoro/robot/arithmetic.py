"""Sums and products of values: exact, and without zeros and ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symoro.robot.trigonometry import negative
from symoro.robot.values import ONE, ZERO, Apply, Number, Value, is_zero

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


def total(values: Iterable[Value]) -> Value:
    """The sum."""
    found: Value = ZERO
    for value in values:
        found = plus(found, value)
    return found


def product(A: Sequence[Row], B: Sequence[Row]) -> tuple[tuple[Value, ...], ...]:
    """A B."""
    columns = tuple(zip(*B, strict=True))
    return tuple(tuple(total(map(times, row, column)) for column in columns) for row in A)
