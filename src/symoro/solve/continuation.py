"""Follows the solutions of equations while the equations change into others: F(x, t) = 0 from t = 0 to t = 1.

Predictor: Runge-Kutta of order four on x' = −F_x⁻¹ F_t. Corrector: at most three steps of Newton's method (A. Sommese,
C. Wampler, The Numerical Solution of Systems of Polynomials Arising in Engineering and Science, 2005).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_NEWTON, _GROW, _SHORTEST = 3, 1.7, 1e-9


class PathEquations(Protocol):
    """As many equations as unknowns, at one t for each row of x (n, k)."""

    def values(self, x: Array) -> Array:
        """F: (n, k)."""

    def slopes(self, x: Array) -> Array:
        """∂F/∂x: (n, k, k)."""

    def rates(self, x: Array) -> Array:
        """∂F/∂t: (n, k)."""


Homotopy = Callable[[Array], PathEquations]
"""The equations for each t (n)."""


def followed(along: Homotopy, x: Array, first: float, most: int = 400) -> tuple[Array, Array]:
    """The ends of the paths from the solutions x at t = 0, and how far each came: 1 is all.

    `first` is how large the first correction of a step may be, relative to x. A step is halved where the corrector
    fails, and grows after two steps that did not.
    """
    n = len(x)
    t, h, good = np.zeros(n), np.full(n, 0.05), np.zeros(n, dtype=int)
    for _ in range(most):
        live = np.flatnonzero((t < 1) & (h > _SHORTEST))
        if not live.size:
            break
        step = np.minimum(h[live], 1 - t[live])
        new = _predicted(along, x[live], t[live], step)
        new, fine = _corrected(along(t[live] + step), new, first)
        done, failed = live[fine], live[~fine]
        x[done], t[done] = new[fine], np.where(step[fine] == 1 - t[done], 1.0, t[done] + step[fine])
        good[done] += 1
        h[failed], good[failed] = h[failed] / 2, 0
        grown = done[good[done] >= 2]
        h[grown], good[grown] = h[grown] * _GROW, 0
    last, ended = along(np.ones(n)), x
    for _ in range(2):
        ended = ended - solved(last.slopes(ended), last.values(ended))
    return np.where((t >= 1)[:, None], ended, x), np.where(np.isfinite(ended).all(-1), t, np.minimum(t, 1 - 1e-9))


def largest_correction(seed: int) -> float:
    """How large the first correction of a step may be, relative to x: each further attempt takes smaller steps."""
    return float(1e-2 / 4 ** max(0, seed - 1))


def patch_of(seed: int, count: int = 8) -> Array:
    """c of the patch c·x = 1 that keeps homogeneous coordinates x bounded."""
    rng = np.random.default_rng(abs(seed))
    patch: Array = rng.normal(size=count) + 1j * rng.normal(size=count)
    return patch


def _predicted(along: Homotopy, x: Array, t: Array, h: Array) -> Array:
    def tangent(at: Array, y: Array) -> Array:
        here = along(at)
        return -solved(here.slopes(y), here.rates(y))

    step = h[:, None]
    k1 = tangent(t, x)
    k2 = tangent(t + h / 2, x + step / 2 * k1)
    k3 = tangent(t + h / 2, x + step / 2 * k2)
    k4 = tangent(t + h, x + step * k3)
    predicted: Array = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return predicted


def _corrected(here: PathEquations, x: Array, first: float) -> tuple[Array, Array]:
    """The solutions near x, and where Newton's method reached them."""
    fine = np.ones(len(x), dtype=bool)
    small = np.zeros(len(x), dtype=bool)
    for k in range(_NEWTON):
        step = solved(here.slopes(x), here.values(x))
        size = np.abs(step).max(-1) / np.maximum(np.abs(x).max(-1), 1e-300)
        fine &= np.isfinite(size) & (size <= (first if k == 0 else np.inf))
        x = np.where(fine[:, None], x - step, x)
        small |= size <= 1e-6
    return x, fine & small


def solved(A: Array, b: Array) -> Array:
    """A⁻¹ b of each matrix; NaN where a matrix is singular."""
    try:
        solution: Array = np.linalg.solve(A, b[..., None])[..., 0]
        return solution
    except np.linalg.LinAlgError:
        regular = np.abs(np.linalg.det(A)) > 0
        safe = np.where(regular[:, None, None], A, np.eye(A.shape[-1]))
        return np.where(regular[:, None], np.linalg.solve(safe, b[..., None])[..., 0], np.nan)


def apart(x: Array) -> bool:
    """Whether all of some points in homogeneous coordinates differ."""
    scaled = x / np.take_along_axis(x, np.abs(x).argmax(-1)[:, None], 1)
    distance = np.abs(scaled[:, None] - scaled[None]).max(-1) + np.eye(len(x))
    return bool(distance.min(initial=1.0) > 1e-7)


# A family of equations F(x; u) = 0 in complex numbers: solutions x that are followed while the parameters u change.


#: Newton's method from random starts: steps, the longest one, and the largest residual at its end.
_STEPS, _LONGEST, _SOLVED = 40, 0.8, 1e-9
#: Solutions that differ by less are the same; singular values below this part of the largest are zero.
_SAME, _SINGULAR = 1e-6, 1e-9
#: Imaginary parts of angles from which on a solution is at infinity: |exp(i θ)| is 1e5 there; and slides, by the size.
_FAR, _LONG = 12.0, 1e4


@dataclass(frozen=True, eq=False)
class Family(ABC):
    """At least as many equations as unknowns. Unknown angles are known modulo their periods, which are 0 of slides.

    `size` is a length of the robot. Of more equations than unknowns, random combinations are followed.
    """

    periods: Array
    size: float

    @abstractmethod
    def values(self, x: Array, u: Array) -> Array:
        """F: (n, equations)."""

    @abstractmethod
    def slopes(self, x: Array, u: Array) -> Array:
        """∂F/∂x: (n, equations, unknowns)."""

    @abstractmethod
    def rates(self, x: Array, u: Array, change: Array) -> Array:
        """∂F/∂u in the direction of a change: (n, equations)."""

    @abstractmethod
    def drawn(self, rng: np.random.Generator) -> Array:
        """Random complex parameters."""

    @abstractmethod
    def returned(self, u: Array, rng: np.random.Generator) -> Array:
        """Parameters with the same equations as u, one of several where some parameters are angles."""

    @property
    def unknowns(self) -> int:
        return len(self.periods)

    def mixed(self, rows: Array) -> Array:
        """As many combinations of the rows (n, equations, …) as there are unknowns."""
        if rows.shape[1] == self.unknowns:
            return rows
        mix = random_complex(np.random.default_rng(17), self.unknowns, rows.shape[1])
        combinations: Array = np.einsum("ke,ne...->nk...", mix, rows)
        return combinations

    # solutions

    def follow(self, x: Array, start: Array, end: Array, attempt: int = 1) -> tuple[Array, Array]:
        """The ends of the paths from the solutions x at `start` to `end`, and how far each came: 1 is all."""
        change = end - start
        with np.errstate(all="ignore"):
            return followed(
                lambda t: _Along(self, start + t[:, None] * change, change), x.copy(), largest_correction(attempt)
            )

    def newton(self, x: Array, u: Array) -> Array:
        """The regular solutions that Newton's method reaches from x."""
        with np.errstate(all="ignore"):
            for _ in range(_STEPS):
                step = solved(self.mixed(self.slopes(x, u)), self.mixed(self.values(x, u)))
                length = np.abs(step).max(-1, keepdims=True)
                x = x - step * np.minimum(1.0, _LONGEST * self.size / np.maximum(length, 1e-300))
        return self.solutions(x, u)

    def solutions(self, x: Array, u: Array) -> Array:
        """Those of x that solve all equations, at which the unknowns are determined."""
        x = x[np.isfinite(x).all(-1)]
        x = x[~self.far(x)]
        gap = np.abs(self.values(x, u)).max(-1, initial=0.0)
        scale = np.abs(self.slopes(x, u)).max((-1, -2), initial=0.0)
        x = x[gap < _SOLVED * np.maximum(self.size, scale)]
        return x[self.regular(x, u)]

    def regular(self, x: Array, u: Array) -> Array:
        """At which of x the unknowns are determined."""
        values = np.linalg.svd(self.slopes(x, u), compute_uv=False)
        determined: Array = values[:, -1] > _SINGULAR * values[:, 0]
        return determined

    def far(self, x: Array) -> Array:
        """Which solutions are at infinity: angles with large imaginary parts, and long slides."""
        parts = np.where(self.periods > 0, np.abs(x.imag) / _FAR, np.abs(x) / (_LONG * self.size))
        at_infinity: Array = parts.max(-1, initial=0.0) > 1
        return at_infinity

    def united(self, known: Array, new: Array) -> Array:
        """The known solutions and those of the new ones that differ from them and from each other."""
        for x in new:
            if not len(known) or self._apart(known, x).min() > _SAME * self.size:
                known = np.vstack([known, x])
        return known

    def alone(self, x: Array) -> Array:
        """Which of x differ from all others."""
        return np.array([(self._apart(x, one) < _SAME * self.size).sum() <= 1 for one in x], dtype=bool)

    def _apart(self, x: Array, y: Array) -> Array:
        """The largest difference of positions, angles modulo their periods."""
        turning, difference = self.periods > 0, x - y
        turns = np.where(turning, np.round(difference.real / np.where(turning, self.periods, 1.0)), 0.0)
        far: Array = np.abs(difference - turns * self.periods).max(-1, initial=0.0)
        return far


@dataclass(frozen=True, eq=False)
class _Along:
    """The equations at parameters u (n, parameters) on a straight line, whose direction is `change`."""

    family: Family
    u: Array
    change: Array

    def values(self, x: Array) -> Array:
        return self.family.mixed(self.family.values(x, self.u))

    def slopes(self, x: Array) -> Array:
        return self.family.mixed(self.family.slopes(x, self.u))

    def rates(self, x: Array) -> Array:
        return self.family.mixed(self.family.rates(x, self.u, self.change))


def random_complex(rng: np.random.Generator, *shape: int) -> Array:
    """Random complex numbers of a size near 1."""
    numbers: Array = rng.normal(size=shape) + 1j * rng.normal(size=shape)
    return numbers
