"""The six parameters between two frames, as exact numbers where rounded ones stand for them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import pi

import numpy as np

from symoro.formats.tree.poses import Array, X, Z, angle, of_rpy, pose, shift, to_rpy, turn
from symoro.robot.values import Number, Value, multiple_of_pi

TOLERANCE = 1e-10
"""How far an angle (rad) may be from a multiple of π/12, or a length (m) from 0, to be taken for it."""
_DIGITS = 12
_NOISE = 4e-15


@dataclass(frozen=True, slots=True)
class Angle:
    """An angle; `twelfths` is the number of π/12 in it if it is a multiple of π/12, `change` what was rounded."""

    radians: float = 0.0
    twelfths: int | None = 0
    change: float = 0.0

    @classmethod
    def near(cls, radians: float) -> Angle:
        """The angle, or the multiple of π/12 that it is close to."""
        twelfths = round(radians * 12 / pi)
        change = abs(radians - twelfths * pi / 12)
        if change <= TOLERANCE:
            twelfths = 12 if twelfths == -12 else twelfths
            return cls(twelfths * pi / 12, twelfths, change)
        return cls(radians, None)

    @property
    def right(self) -> bool:
        """Whether the angle is a multiple of π/2."""
        return self.twelfths is not None and self.twelfths % 6 == 0

    def value(self) -> Value:
        if self.twelfths is not None:
            return multiple_of_pi(Fraction(self.twelfths, 12))
        return number(self.radians)


def exact_length(metres: float) -> float:
    """0 for a length that is close to 0; else the number without the noise of rounding."""
    return 0.0 if abs(metres) <= TOLERANCE else quiet(metres)


def quiet(x: float) -> float:
    """The decimal number of 12 digits that differs from a number by rounding; the same number where there is none."""
    short = round(x, _DIGITS)
    return short if abs(x - short) <= _NOISE * (1 + abs(x)) else x


def number(x: float) -> Value:
    """The value of a float: the decimal number that Python prints for it."""
    return Number(Fraction(repr(float(x) + 0.0)))


ROUNDED = 1e-5
"""How far a rounding to five decimals or more, such as 1.5708, may be from the multiple of π/12 that it stands for."""


def rounded(angle: Angle) -> float:
    """How far an angle that looks like a rounding is from the multiple of π/12; 0 for any other angle."""
    away = abs(angle.radians - round(angle.radians * 12 / pi) * pi / 12)
    return away if angle.twelfths is None and away <= ROUNDED else 0.0


def exact_rotation(R: Array) -> Array:
    """The rotation by multiples of π/12 of which this is a rounding; the same rotation where it is none."""
    right = np.round(R)
    if np.abs(R - right).max() <= ROUNDED:
        return np.asarray(right)
    angles = to_rpy(R)
    exact = [round(a * 12 / pi) * pi / 12 for a in angles]
    return of_rpy(exact) if max(abs(a - b) for a, b in zip(angles, exact, strict=True)) <= ROUNDED else R


@dataclass(frozen=True, slots=True)
class Parameters:
    """γ, b, α, d, θ, r of T = Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r), with θ and r at the zero of the file."""

    gamma: Angle = Angle()
    b: float = 0.0
    alpha: Angle = Angle()
    d: float = 0.0
    theta: Angle = Angle()
    r: float = 0.0

    def matrix(self) -> Array:
        """T."""
        first = pose(turn(Z, self.gamma.radians)) @ shift(self.b * Z)
        second = pose(turn(X, self.alpha.radians)) @ shift(self.d * X)
        return np.asarray(first @ second @ pose(turn(Z, self.theta.radians)) @ shift(self.r * Z))

    @property
    def cost(self) -> int:
        """How much the parameters cost in a model, roughly: lengths that are not 0, angles that are not right."""
        return sum(length != 0 for length in (self.b, self.d, self.r)) + 3 * sum(not one.right for one in self.angles)

    @property
    def angles(self) -> tuple[Angle, Angle, Angle]:
        return self.gamma, self.alpha, self.theta


def exact_parameters(before: Array, target: Array, n: Array, first: Array, second: Array) -> Parameters:
    """The parameters of a frame seen from the frame before it, with the normal n of their axes and its feet."""
    x, z, o = before[:3, 0], before[:3, 2], before[:3, 3]
    xj, zj, oj = target[:3, 0], target[:3, 2], target[:3, 3]
    return Parameters(
        gamma=Angle.near(angle(x, n, z)),
        b=exact_length(float((first - o) @ z)),
        alpha=Angle.near(angle(z, zj, n)),
        d=exact_length(float((second - first) @ n)),
        theta=Angle.near(angle(n, xj, zj)),
        r=exact_length(float((oj - second) @ zj)),
    )
