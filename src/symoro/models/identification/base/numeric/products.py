"""Recognition of numbers as products of a geometry's lengths, sines and cosines, from their values at geometries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.bind.binding import multiply
from symoro.robot.values import ONE, Apply, Number, Value, evaluate

Array = NDArray[Any]
_NEAR, _LARGEST_DENOMINATOR, _MOST_POWER = 1e-8, 8, 4
#: How well any number has to fit, which has its own rounding; a simple fraction has none.
EXACT = 1e-11


def simple_fraction(x: float) -> Fraction | None:
    """The number as a fraction with a small denominator; None if it is not one."""
    near = Fraction(x).limit_denominator(_LARGEST_DENOMINATOR)
    return near if abs(float(near) - x) <= _NEAR * max(1.0, abs(x)) and abs(near) <= 64 else None


def product(factors: Sequence[Value], points: Sequence[Mapping[str, float]], values: Array) -> Value | None:
    """The product k Π factor^power that has these values at these points; None if there is none.

    As many points as there are factors and one more determine k and the powers; the other points confirm them. Where
    the geometry has numbers, k may be any number.
    """
    constant = simple_fraction(float(values[0]))
    if constant is not None and np.ptp(values) <= _NEAR * max(1.0, abs(values[0])):
        return Number(constant)
    if len(points) < len(factors) + 2 or not (np.sign(values) == np.sign(values[0])).all():
        return None
    table = np.array([[evaluate(f, point) for f in factors] for point in points])
    if (np.abs(table) < 1e-9).any():
        return None
    logs = np.hstack([np.log(np.abs(table)), np.ones((len(points), 1))])
    *exponents, _ = np.linalg.lstsq(logs, np.log(np.abs(values)), rcond=None)[0]
    powers = [round(float(x)) for x in exponents]
    if max(map(abs, powers), default=0) > _MOST_POWER:
        return None
    rest = values / np.prod(table ** np.array(powers), axis=1)
    scale = simple_fraction(float(rest[0])) or decimal(float(rest[0]))
    if np.ptp(rest) > (_NEAR if _is_simple(scale) else EXACT) * abs(rest[0]):
        return None
    return _product(scale, factors, powers)


def _is_simple(x: Fraction) -> bool:
    return x.denominator <= _LARGEST_DENOMINATOR


def decimal(x: float) -> Fraction:
    """A number to fifteen digits."""
    return Fraction(f"{x:.15g}")


def _product(scale: Fraction, factors: Sequence[Value], powers: Sequence[int]) -> Value:
    above = [power(f, n) for f, n in zip(factors, powers, strict=True) if n > 0]
    below = [power(f, -n) for f, n in zip(factors, powers, strict=True) if n < 0]
    size = abs(scale)
    above = [Number(Fraction(size.numerator)), *above] if size.numerator != 1 or not above else above
    below = [Number(Fraction(size.denominator)), *below] if size.denominator != 1 else below
    value = reduce(multiply, above) if above else ONE
    if below:
        value = Apply("/", (value, reduce(multiply, below)))
    return Apply("neg", (value,)) if scale < 0 else value


def power(factor: Value, n: int) -> Value:
    """A factor to the power n."""
    return factor if n == 1 else Apply("^", (factor, Number(Fraction(n))))


def scaled(scale: Fraction, value: Value) -> Value:
    """A value times a fraction."""
    return _product(scale, [value], [1]) if value != ONE else Number(scale)
