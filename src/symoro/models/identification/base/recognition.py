"""Expressions that are recognised from their values at sampled geometries: products, and quotients of polynomials."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import chain, combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.bind.binding import add, multiply
from symoro.models.identification.base.geometry import Geometry
from symoro.robot.values import ONE, Apply, Number, Symbol, Value, evaluate

# Recognition of numbers as products of a geometry's lengths, sines and cosines, from their values at geometries.


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


# Recognition of numbers as quotients c = P/Q of sums of products of a geometry's lengths, sines and cosines.
#
# P and Q are homogeneous in the lengths, because of the units. Their coefficients are a null vector of the rows
# [monomials of P, −c · monomials of Q], a row for each geometry. The smallest shape with exactly one null vector is
# taken, if the ratios of its elements are simple fractions and geometries that are not used in the fit confirm it.
# Where the geometry has numbers beside symbols, these are factors, too: P and Q may then have terms of lower degree in
# the symbols and any numbers as coefficients, if no other quotient is found.


_CHECKS, _MOST_POINTS, _DEGREES, _MOST_DEGREE = 3, 60, (0, 1, 2), 3
_NULL, _GAP, _ABSENT = 1e-9, 1e-4, 1e-6


@dataclass(frozen=True, slots=True)
class QuotientShape:
    """The monomials that a numerator and a denominator may have."""

    above: tuple[Value, ...]
    below: tuple[Value, ...]
    any_number: bool = False
    """Whether the coefficients may be any numbers."""

    @property
    def points(self) -> int:
        """The number of geometries that determine the coefficients and confirm them."""
        return len(self.above) + len(self.below) + _CHECKS


def shapes(geometry: Geometry, degree: int) -> list[QuotientShape]:
    """The shapes of a coefficient whose unit has this power of length, those with few monomials first."""
    turns = _turns(geometry)
    every = set()
    for below in (n for n in _DEGREES if 0 <= n + degree <= _MOST_DEGREE):
        for first, second in combinations_with_replacement(turns, 2):
            for mixed in (False, True) if geometry.has_numbers else (False,):
                above, under = (
                    _monomials(geometry, n, turn, mixed) for n, turn in ((below + degree, second), (below, first))
                )
                every.add(QuotientShape(above, under, mixed))
    return sorted((shape for shape in every if shape.points <= _MOST_POINTS), key=_size)


def _size(shape: QuotientShape) -> tuple[bool, int]:
    return shape.any_number, shape.points


def _turns(geometry: Geometry) -> list[list[tuple[Value, ...]]]:
    """Products of none, at most one, at most two ratios, sines and cosines; without sin², which is 1 − cos²."""
    parts: list[Value] = [Apply(f, (Symbol(name),)) for name in geometry.angles for f in ("cos", "sin")]
    parts += map(Symbol, geometry.ratios)
    pairs = [pair for pair in combinations_with_replacement(parts, 2) if pair[0] != pair[1] or not _is_sine(pair[0])]
    none: tuple[Value, ...] = ()
    singles: list[tuple[Value, ...]] = [(part,) for part in parts]
    return [[none], [none, *singles], [none, *singles, *pairs]]


def _is_sine(value: Value) -> bool:
    return isinstance(value, Apply) and value.function == "sin"


def _monomials(geometry: Geometry, degree: int, turns: Sequence[tuple[Value, ...]], mixed: bool) -> tuple[Value, ...]:
    """All products of `degree` lengths, or at most as many if mixed, with these ratios, sines and cosines."""
    monomials: list[Value] = []
    degrees = range(degree + 1) if mixed else (degree,)
    for lengths in chain.from_iterable(combinations_with_replacement(geometry.lengths, n) for n in degrees):
        powers = [power(Symbol(name), lengths.count(name)) for name in dict.fromkeys(lengths)]
        monomials += [reduce(multiply, (*powers, *turn)) if powers or turn else ONE for turn in turns]
    return tuple(monomials)


def quotient(shape: QuotientShape, points: Sequence[Mapping[str, float]], values: Array) -> Value | None:
    """The quotient of this shape that has these values at these points; None if there is none."""
    if len(points) < shape.points:
        return None
    above, below = (np.array([[evaluate(x, p) for x in part] for p in points]) for part in (shape.above, shape.below))
    rows = np.hstack([above, -values[:, None] * below])[:-_CHECKS]
    size = np.linalg.norm(rows, axis=0)
    _, singular, right = np.linalg.svd(rows / size)
    if singular.size < 2 or singular[-1] > _NULL * singular[0] or singular[-1] > _GAP * singular[-2]:
        return None
    weights = _fractions(right[-1] / size, shape.any_number)
    if weights is None:
        return None
    P, Q = weights[: len(shape.above)], weights[len(shape.above) :]
    if not any(P) or not any(Q):
        return None
    again = above @ np.array(P, float) / (below @ np.array(Q, float))
    if np.abs(again - values).max() > (EXACT if _has_decimals(weights) else _NEAR) * np.abs(values).max():
        return None
    return _quotient(_sum(P, shape.above), _sum(Q, shape.below))


def _fractions(vector: Array, any_number: bool) -> list[Fraction] | None:
    """The vector up to a factor, in simple fractions, the last of them positive; else in any numbers, or None."""
    vector = np.where(np.abs(vector) > _ABSENT * np.abs(vector).max(), vector, 0.0)
    filled = vector[vector != 0]
    fractions = [simple_fraction(float(x)) for x in vector / (np.abs(filled).min() * np.sign(filled[-1]))]
    simple = [x for x in fractions if x is not None]
    if len(simple) == len(fractions):
        return simple
    return [decimal(float(x)) for x in vector / filled[-1]] if any_number else None


def _has_decimals(weights: Sequence[Fraction]) -> bool:
    return any(simple_fraction(float(x)) != x for x in weights)


def _sum(weights: Sequence[Fraction], monomials: Sequence[Value]) -> Value:
    terms = [scaled(w, x) for w, x in zip(weights, monomials, strict=True) if w]
    return reduce(add, sorted(terms, key=lambda term: isinstance(term, Apply) and term.function == "neg"))


def _quotient(P: Value, Q: Value) -> Value:
    if isinstance(Q, Number) and abs(Q.value) == 1:
        return P if Q == ONE else Apply("neg", (P,))
    return Apply("/", (P, Q))
