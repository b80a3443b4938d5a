"""Numbers that are products of a geometry's lengths and of sines and cosines of its angles, told by their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.identification.values import multiply
from symoro.robot.robot import Robot
from symoro.robot.values import ONE, Apply, Number, Symbol, Value, evaluate, symbols

Array = NDArray[Any]
_NEAR, _LARGEST_DENOMINATOR, _MOST_POWER, _CHANGE = 1e-8, 8, 4, 0.12


@dataclass(frozen=True)
class Geometry:
    """The lengths and angles of a robot that can vary while it stays what it is."""

    robot: Robot
    numbers: Mapping[str, float]
    tied: bool = True
    """Whether equal ones stay equal and zeros zero; else every symbol varies by itself."""

    @cached_property
    def angles(self) -> tuple[str, ...]:
        """The symbols of angles that have a number of their own; equal ones by their first."""
        return self._groups(self._named("gamma", "alpha", "theta"))

    @cached_property
    def lengths(self) -> tuple[str, ...]:
        """The symbols of lengths that have a number of their own; equal ones by their first."""
        turning = self._named("gamma", "alpha", "theta")
        return self._groups(name for name in self._named("b", "d", "r") if name not in turning)

    def _named(self, *fields: str) -> tuple[str, ...]:
        values = [getattr(joint, field) for joint in self.robot.joints for field in fields]
        values += [wheel.radius for wheel in self.robot.base.wheels] if "d" in fields else []
        found = dict.fromkeys(chain.from_iterable(sorted(symbols(value)) for value in values))
        return tuple(name for name in found if name in self.numbers)

    def _groups(self, names: Iterable[str]) -> tuple[str, ...]:
        if not self.tied:
            return tuple(names)
        first: dict[float, str] = {}
        for name in names:
            first.setdefault(self._size(name), name)
        return tuple(name for size, name in first.items() if size)

    def _size(self, name: str) -> float:
        return round(abs(self.numbers[name]), 9)

    @cached_property
    def factors(self) -> tuple[Value, ...]:
        """What a coefficient may be a product of."""
        turns = (Apply(function, (Symbol(name),)) for name in self.angles for function in ("sin", "cos"))
        return (*map(Symbol, self.lengths), *turns)

    def varied(self, seed: int) -> dict[str, float]:
        """Other numbers."""
        rng = np.random.default_rng(seed)
        change = {name: rng.uniform(-_CHANGE, _CHANGE) for name in (*self.lengths, *self.angles)}
        if not self.tied:
            largest = max(map(self._size, change), default=0.0)
            return {**self.numbers} | {n: self.numbers[n] + x * (self._size(n) or largest) for n, x in change.items()}
        by_size = {self._size(name): x for name, x in change.items()}
        named = self._named("gamma", "alpha", "theta", "b", "d", "r")
        return {**self.numbers} | {n: self.numbers[n] * (1 + by_size.get(self._size(n), 0.0)) for n in named}


def simple_fraction(x: float) -> Fraction | None:
    """A whole number or a simple fraction, where it is one."""
    near = Fraction(x).limit_denominator(_LARGEST_DENOMINATOR)
    return near if abs(float(near) - x) <= _NEAR * max(1.0, abs(x)) and abs(near) <= 64 else None


def recognised(factors: Sequence[Value], points: Sequence[Mapping[str, float]], values: Array) -> Value | None:
    """The product k Π factor^power that has these values at these points; None where there is none.

    One point more than there are factors determines the powers; the other points confirm them.
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
    *found, _ = np.linalg.lstsq(logs, np.log(np.abs(values)), rcond=None)[0]
    powers = [round(float(x)) for x in found]
    if max(map(abs, powers), default=0) > _MOST_POWER:
        return None
    rest = values / np.prod(table ** np.array(powers), axis=1)
    scale = simple_fraction(float(rest[0]))
    if scale is None or not scale or np.ptp(rest) > _NEAR * abs(rest[0]):
        return None
    return _product(scale, factors, powers)


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
    """A factor n times."""
    return factor if n == 1 else Apply("^", (factor, Number(Fraction(n))))


def scaled(scale: Fraction, value: Value) -> Value:
    """A value times a fraction."""
    return _product(scale, [value], [1]) if value != ONE else Number(scale)
