"""The value of a parameter: a number, a symbol or an expression of them.

A value is data. Our own parser reads it, so that no text of a file is ever run as Python. A value is exact: "0.225" is
the fraction 9/40. `parse(to_text(value)) == value` for every value.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from graphlib import CycleError, TopologicalSorter
from typing import Any

from symoro.errors import MissingParameter, ParameterError, ValueSyntaxError
from symoro.robot._expression import (
    FUNCTIONS,
    ONE,
    PI,
    ZERO,
    Apply,
    Number,
    Symbol,
    Value,
    fold,
    is_name,
    is_zero,
    parse,
    symbols,
    to_text,
)

__all__ = [
    "ARITHMETIC",
    "FUNCTIONS",
    "ONE",
    "PI",
    "TOLERANCE",
    "ZERO",
    "Apply",
    "Bindings",
    "Number",
    "Symbol",
    "Value",
    "as_value",
    "evaluate",
    "exact_angle",
    "exact_length",
    "fold",
    "is_name",
    "is_zero",
    "multiple_of_pi",
    "parse",
    "symbols",
    "to_text",
]


def as_value(value: int | float | Fraction | str | Value) -> Value:
    """The value of a Python number or of a text; a float becomes the decimal that Python prints for it."""
    if isinstance(value, Number | Symbol | Apply):
        return value
    if isinstance(value, str):
        return parse(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueSyntaxError("values.not_finite", value=value)
        return Number(Fraction(repr(float(value))))
    if isinstance(value, bool) or not isinstance(value, int | Fraction):
        raise ValueSyntaxError("values.no_value", value=repr(value))
    return Number(Fraction(value))


ARITHMETIC: dict[str, Callable[..., Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "neg": operator.neg,
}
"""The operators that every kind of number and expression has under the same name in Python."""

_MEANING: dict[str, Callable[..., float]] = {
    **ARITHMETIC,
    "^": math.pow,
    "pi": lambda: math.pi,
    "sign": lambda a: float(a > 0) - float(a < 0),
    "abs": abs,
    "min": min,
    "max": max,
    **{name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sqrt", "exp")},
}


def evaluate(value: Value, numbers: Mapping[str, float]) -> float:
    """The number of a value when its symbols have the given numbers."""
    if missing := sorted(symbols(value) - numbers.keys()):
        raise MissingParameter(missing)
    try:
        return fold(value, _float, lambda name: float(numbers[name]), _apply)
    except (ArithmeticError, ValueError) as error:
        raise ParameterError("values.cannot_be_evaluated", value=to_text(value), reason=str(error)) from error


def _float(number: Fraction) -> float:
    return number.numerator / number.denominator


def _apply(node: Apply, arguments: list[float]) -> float:
    return float(_MEANING[node.function](*arguments))


TOLERANCE = Fraction(1, 10**12)
"""How far a rounded number may be from the exact one that it stands for."""


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


class Bindings(Mapping[str, Value]):
    """The values of symbols: an immutable mapping that compares and hashes by its content."""

    __slots__ = ("_numbers", "_values")

    def __init__(self, values: Mapping[str, int | float | Fraction | str | Value] | None = None) -> None:
        self._values = {Symbol(name).name: as_value(value) for name, value in (values or {}).items()}
        self._numbers: dict[str, float] | None = None  # computed when somebody asks for them

    def __getitem__(self, name: str) -> Value:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return hash(frozenset(self._values.items()))

    def known(self) -> tuple[str, ...]:
        """The symbols whose value has a number, each after those that its value is an expression of."""
        order = TopologicalSorter({name: symbols(value) & self.keys() for name, value in self.items()})
        known: dict[str, None] = {}
        try:
            for name in order.static_order():
                if symbols(self[name]) <= known.keys():
                    known[name] = None
        except CycleError as error:
            raise ParameterError("values.circular", names=error.args[1][1:]) from error
        return tuple(known)

    def numbers(self) -> dict[str, float]:
        """The numbers of the symbols, as far as they are known: a value may be an expression of other symbols."""
        if self._numbers is None:
            numbers: dict[str, float] = {}
            for name in self.known():
                numbers[name] = evaluate(self[name], numbers)
            self._numbers = numbers
        return dict(self._numbers)

    def __repr__(self) -> str:
        return f"Bindings({', '.join(f'{name}={to_text(value)}' for name, value in self.items())})"
