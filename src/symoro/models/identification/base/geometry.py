"""Other geometries of the same robot, at which the coefficients of relations are computed again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from symoro.lazy import lazy
from symoro.robot.joint import ANGLES, GEOMETRY, Joint
from symoro.robot.robot import Robot
from symoro.robot.springs import ratios, terms, variables
from symoro.robot.values import Apply, Symbol, Value, evaluate, is_zero, symbols

_CHANGE = 0.12


@dataclass(frozen=True)
class Geometry:
    """The symbols of a robot's lengths and angles, and other numbers for them."""

    robot: Robot
    numbers: Mapping[str, float]
    tied: bool = True
    """Whether equal numbers stay equal and zeros stay zero. If not, each symbol varies independently."""

    @lazy
    def angles(self) -> tuple[str, ...]:
        """The symbols of angles that vary; if tied, the first of those with equal numbers."""
        return self._groups(self._named("gamma", "alpha", "theta"))

    @lazy
    def lengths(self) -> tuple[str, ...]:
        """The symbols of lengths that vary; if tied, the first of those with equal numbers."""
        turning = self._named("gamma", "alpha", "theta")
        return self._groups(name for name in self._named("b", "d", "r") if name not in turning)

    @lazy
    def ratios(self) -> tuple[str, ...]:
        """The symbols that multiply variables in the coordinates of joints: gear ratios, leads of screws."""
        return self._groups(name for name in ratios(self.robot) if name in self.numbers)

    @lazy
    def has_numbers(self) -> bool:
        """Whether a length or an oblique angle of the robot is a number: coefficients then contain numbers."""
        lengths = [getattr(joint, name) for joint in self.robot.joints for name in GEOMETRY if name not in ANGLES]
        angles = [getattr(joint, name) for joint in self.robot.joints for name in ANGLES]
        lengths += [wheel.radius for wheel in self.robot.base.wheels]
        return any(map(_is_number, lengths)) or any(_is_number(x) and not _is_right(x) for x in angles)

    def _named(self, *fields: str) -> tuple[str, ...]:
        values = [term for joint in self.robot.joints for field in fields for term in self._constant(joint, field)]
        values += [wheel.radius for wheel in self.robot.base.wheels] if "d" in fields else []
        names = dict.fromkeys(chain.from_iterable(sorted(symbols(value)) for value in values))
        return tuple(name for name in names if name in self.numbers)

    def _constant(self, joint: Joint, field: str) -> Iterable[Value]:
        """The terms of a geometric parameter that contain no variable."""
        names = variables(self.robot).keys()
        return (term for term in terms(getattr(joint, field)) if not symbols(term) & names)

    def _groups(self, names: Iterable[str]) -> tuple[str, ...]:
        if not self.tied:
            return tuple(names)
        first: dict[float, str] = {}
        for name in names:
            first.setdefault(self._size(name), name)
        return tuple(name for size, name in first.items() if size)

    def _size(self, name: str) -> float:
        return round(abs(self.numbers[name]), 9)

    @lazy
    def factors(self) -> tuple[Value, ...]:
        """The factors that a coefficient may have: lengths, ratios, and sines and cosines of angles."""
        turns = (Apply(function, (Symbol(name),)) for name in self.angles for function in ("sin", "cos"))
        return (*map(Symbol, self.lengths), *map(Symbol, self.ratios), *turns)

    @property
    def _varying(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.lengths, *self.ratios, *self.angles)))

    def varied(self, seed: int) -> dict[str, float]:
        """Other numbers for the symbols, near the robot's own."""
        rng = np.random.default_rng(seed)
        change = {name: rng.uniform(-_CHANGE, _CHANGE) for name in self._varying}
        if not self.tied:
            largest = max(map(self._size, change), default=0.0)
            return {**self.numbers} | {n: self.numbers[n] + x * (self._size(n) or largest) for n, x in change.items()}
        by_size = {self._size(name): x for name, x in change.items()}
        named = (*self._named("gamma", "alpha", "theta", "b", "d", "r"), *ratios(self.robot))
        return {**self.numbers} | {
            n: self.numbers[n] * (1 + by_size.get(self._size(n), 0.0)) for n in named if n in self.numbers
        }


def _is_number(value: Value) -> bool:
    """Whether a value has a term that is a number and not 0."""
    return any(not symbols(term) and not is_zero(term) for term in terms(value))


def _is_right(angle: Value) -> bool:
    """Whether the terms of an angle that are numbers are multiples of a right angle."""
    quarters = [evaluate(term, {}) / (np.pi / 2) for term in terms(angle) if not symbols(term)]
    return all(abs(x - round(x)) < 1e-9 for x in quarters)
