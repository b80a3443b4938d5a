"""The exact values that rounded numbers stand for."""

from __future__ import annotations

import math
from fractions import Fraction

from symoro.robot.values import PI, ZERO, Apply, Number, Value

TOLERANCE = Fraction(1, 10**12)


def exact_length(number: Fraction, tolerance: Fraction = TOLERANCE) -> Value | None:
    """The integer that a number is close to; None if there is none or the number is that integer."""
    nearest = Fraction(round(number))
    return Number(nearest) if 0 < abs(number - nearest) <= tolerance else None


def exact_angle(number: Fraction) -> Value | None:
    """The multiple of pi/12 that a number is close to, else the integer as `exact_length` gives it."""
    if abs(number) > 1000:
        return None
    twelfths = round(float(number) * 12 / math.pi)
    if twelfths and abs(float(number) - twelfths * math.pi / 12) <= TOLERANCE:
        return multiple_of_pi(Fraction(twelfths, 12))
    return exact_length(number)


def multiple_of_pi(factor: Fraction) -> Value:
    """factor * pi, as people write it: pi/2, -pi/2, 3*pi/4."""
    if factor == 0:
        return ZERO
    top: Value = Apply("*", (Number(Fraction(factor.numerator)), PI))
    if abs(factor.numerator) == 1:
        top = PI if factor > 0 else Apply("neg", (PI,))
    return top if factor.denominator == 1 else Apply("/", (top, Number(Fraction(factor.denominator))))
