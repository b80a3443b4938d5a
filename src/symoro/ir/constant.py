"""Constants: rationals and rational multiples of π are exact; other constants are floats."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from symoro.errors import ProgramError

#: A rational with more bits comes from long arithmetic, not from a description: it becomes a float.
_MOST_BITS = 160


def _tidy(value: Fraction | float) -> Fraction | float:
    if isinstance(value, Fraction) and max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        try:
            return float(value)
        except OverflowError:
            raise ProgramError("a constant is too large for a floating-point number") from None
    return value


@dataclass(frozen=True, slots=True)
class Constant:
    """coefficient · π^(1 if pi else 0); a coefficient that is a float is not exact."""

    coefficient: Fraction | float
    pi: bool = False

    @property
    def exact(self) -> bool:
        return isinstance(self.coefficient, Fraction)

    def __float__(self) -> float:
        return float(self.coefficient) * (math.pi if self.pi else 1.0)

    def __neg__(self) -> Constant:
        return Constant(-self.coefficient, self.pi)

    def __add__(self, other: Constant) -> Constant:
        if not self.coefficient or not other.coefficient:
            return other if not self.coefficient else self
        if self.exact and other.exact and self.pi == other.pi:
            return _make(self.coefficient + other.coefficient, self.pi)
        return Constant(float(self) + float(other))

    def __mul__(self, other: Constant) -> Constant:
        if self.exact and other.exact and not (self.pi and other.pi):
            return _make(self.coefficient * other.coefficient, self.pi or other.pi)
        return Constant(float(self) * float(other))

    def inverse(self) -> Constant:
        if self.exact and not self.pi:
            return Constant(1 / self.coefficient)
        return Constant(1.0 / float(self))

    def __str__(self) -> str:
        if isinstance(self.coefficient, float):
            return repr(float(self))
        p, q = self.coefficient.numerator, self.coefficient.denominator
        if not self.pi:
            return str(p) if q == 1 else f"{p}/{q}"
        head = "pi" if p == 1 else "-pi" if p == -1 else f"{p}*pi"
        return head if q == 1 else f"{head}/{q}"


def _make(coefficient: Fraction | float, pi: bool) -> Constant:
    coefficient = _tidy(coefficient)
    if not coefficient:
        return Constant(Fraction(0))
    if isinstance(coefficient, float) and pi:
        return Constant(coefficient * math.pi)
    return Constant(coefficient, pi)


def constant(value: int | float | Fraction | Constant) -> Constant:
    """A number as a constant; a float becomes exactly the decimal that Python prints for it."""
    if isinstance(value, Constant):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is not a finite number")
        return Constant(_tidy(Fraction(repr(value))))
    return Constant(_tidy(Fraction(value)))


ZERO = Constant(Fraction(0))
ONE = Constant(Fraction(1))
PI = Constant(Fraction(1), pi=True)


def parse_constant(text: str) -> Constant:
    """The inverse of str()."""
    if "pi" in text:
        head, _, denominator = text.partition("/")
        factor = head.removesuffix("pi").removesuffix("*")
        p = {"": "1", "-": "-1"}.get(factor, factor)
        return Constant(Fraction(p) / Fraction(denominator or 1), pi=True)
    if any(letter in text for letter in ".eni"):
        return Constant(float(text))
    return Constant(Fraction(text))
