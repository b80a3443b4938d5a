"""Sines and cosines of values, exact where the angle is a multiple of pi/2."""

from __future__ import annotations

from fractions import Fraction

from symoro.robot.values import ONE, PI, ZERO, Apply, Number, Value, is_zero

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
    """-value; the result is a number if the value is one."""
    return Number(-value.value) if isinstance(value, Number) else Apply("neg", (value,))


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
