"""The profiles of K13 § 8.3 and their shortest times, for limits V, A, J of ṙ, r̈ and the jerk of r.

All joints share one r, so that the motion is a straight line in joint space. V is the least k_v/|D| of all joints that
move, A the least k_a/|D|, J the least k_j/|D|: then a synchronised motion is that of one joint with D = 1
(K13:8.23-8.35, 8.40-8.47).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import cbrt, inf, isfinite, sqrt

from symoro.errors import MotionError
from symoro.motion.profile import Piece, Profile, of_acceleration, of_polynomial


@dataclass(frozen=True, slots=True)
class Rates:
    """The limits of ṙ, r̈ and the jerk of r; infinite where there is none."""

    V: float = inf
    A: float = inf
    J: float = inf


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of profile: the limits without which it has no shape of its own, and the limits that it can keep."""

    fastest: Callable[[Rates, float], Profile]
    needs: str = ""
    keeps: str = "VA"


@dataclass(frozen=True, slots=True)
class _Polynomial:
    """r as a polynomial of t/t_f; `most` are the maxima of ṙ t_f, r̈ t_f² and of the jerk times t_f³."""

    coefficients: tuple[float, ...]
    most: tuple[float, float, float]

    def __call__(self, rates: Rates, ramp: float) -> Profile:
        c1, c2, c3 = self.most
        shortest = max(c1 / rates.V, sqrt(c2 / rates.A), cbrt(c3 / rates.J))  # (K13 Table 8.1)
        return of_polynomial(shortest if isfinite(shortest) and shortest > 0 else 1.0, self.coefficients)


def _trapezoid(rates: Rates, ramp: float) -> Profile:
    v = min(rates.V, sqrt(rates.A))  # (K13:8.35)
    tau = v / rates.A  # (K13:8.33)
    return _with_cruise(v, tau, [(tau, (rates.A,))])


def _polynomial_acceleration(rates: Rates, ramp: float) -> Profile:
    v = min(rates.V, sqrt(2 * rates.A / 3))  # (K13:8.47)
    tau = 3 * v / (2 * rates.A)  # (K13:8.41)
    return _with_cruise(v, tau, [(tau, (0.0, 6 * v / tau**2, -6 * v / tau**3))])  # (K13:8.39)


def _trapezoidal_acceleration(rates: Rates, ramp: float) -> Profile:
    """The acceleration rises during a share `ramp` of its time, stays, and falls (K13 Figure 8.9b)."""
    v = min(rates.V, sqrt((1 - ramp) * rates.A))
    tau = v / ((1 - ramp) * rates.A)
    return _with_cruise(v, tau, _ramped(rates.A, tau, ramp * tau))


def _jerk_limited(rates: Rates, ramp: float) -> Profile:
    """Seven segments of constant jerk; the limits of velocity and acceleration are reached where there is room."""
    V, A, J = rates.V, rates.A, rates.J
    if isfinite(V) and V * _speeding_time(V, A, J) <= 1:
        v = V
    elif isfinite(A) and 2 * A**3 / J**2 <= 1:
        v = A / 2 * (-A / J + sqrt(A**2 / J**2 + 4 / A))
    else:
        v = cbrt(J / 4)
    rise = min(A / J, sqrt(v / J))
    tau = _speeding_time(v, A, J)
    return _with_cruise(v, tau, _ramped(J * rise, tau, rise))


def _speeding_time(v: float, A: float, J: float) -> float:
    """The time from rest to velocity v, with acceleration 0 at both ends."""
    return A / J + v / A if v * J >= A**2 else 2 * sqrt(v / J)


def _ramped(A: float, tau: float, rise: float) -> list[Piece]:
    """An acceleration that rises to A, stays and falls to 0 within the time tau."""
    return [(rise, (0.0, A / rise)), (tau - 2 * rise, (A,)), (rise, (A, -A / rise))]


def _with_cruise(v: float, tau: float, segments: list[Piece]) -> Profile:
    """Speeding up to v within tau, then a constant velocity; t_f = τ + 1/v (K13:8.22, 8.45)."""
    duration = tau + 1 / v
    return of_acceleration(duration, [*segments, (duration / 2 - tau, (0.0,))])


KINDS: Mapping[str, Kind] = {
    "linear": Kind(_Polynomial((0, 1), (1, 0, 0)), keeps="V"),  # (K13:8.4)
    "cubic": Kind(_Polynomial((0, 0, 3, -2), (1.5, 6, 0))),  # (K13:8.7-8.9)
    "quintic": Kind(_Polynomial((0, 0, 0, 10, -15, 6), (1.875, 10 / sqrt(3), 60)), keeps="VAJ"),  # (K13:8.11-8.13)
    "septic": Kind(_Polynomial((0, 0, 0, 0, 35, -84, 70, -20), (2.1875, 84 / (5 * sqrt(5)), 52.5)), keeps="VAJ"),
    "bang-bang": Kind(_Polynomial((0, 0, 2), (2, 4, 0))),  # (K13:8.15-8.17)
    "trapezoid": Kind(_trapezoid, needs="A"),  # (K13:8.19)
    "polynomial-acceleration": Kind(_polynomial_acceleration, needs="A"),  # (K13:8.37-8.45)
    "trapezoidal-acceleration": Kind(_trapezoidal_acceleration, needs="A"),
    "jerk-limited": Kind(_jerk_limited, needs="J", keeps="VAJ"),
}
"""The profiles by name."""
LIMITS = {"V": "velocity", "A": "acceleration", "J": "jerk"}


def fastest(name: str, rates: Rates, ramp: float = 1 / 3) -> Profile:
    """The profile with the shortest time that keeps the limits; without limits, its shape in one second."""
    require_kind(name)
    if not 0 < ramp <= 0.5:
        raise MotionError(f"ramp = {ramp} is not a share of the acceleration's time (allowed: above 0, up to 0.5)")
    kind = KINDS[name]
    given = [letter for letter in "VAJ" if isfinite(getattr(rates, letter))]
    for letter in given:
        if letter not in kind.keeps:
            able = ", ".join(other for other, one in KINDS.items() if letter in one.keeps)
            raise MotionError(f"the {LIMITS[letter]} of {name} has no limit (profiles with one: {able})")
    for letter in kind.needs:
        if letter not in given:
            raise MotionError(f"{name} needs a limit of {LIMITS[letter]}")
    return kind.fastest(rates, ramp)


def require_kind(name: str) -> None:
    """An error where there is no profile of this name."""
    if name not in KINDS:
        raise MotionError(f"no profile {name!r} (allowed: {', '.join(KINDS)})")
