"""The trace test: whether known solutions are all of their kind.

While the motors move along a line τ, the closed configurations form curves. A plane a·y = b cuts them in as many
points as their degree. When the plane moves parallel to itself, the sum of all points of a curve is a linear function
of b; the sum of some of them is not (A. Sommese, J. Verschelde, C. Wampler, Symmetric functions applied to decomposing
solution sets of polynomial systems, SIAM J. Numer. Anal. 2002). The plane τ = 0 gives the solutions at one position of
the motors.

The coordinates y are τ and the sine and cosine of one angle, or one slide, that differs between all solutions; else
those of all joints. The line is straight in the slides of the motors and in the tangents of half their angles. It is a
random one, so each curve is all of a set of assemblies that motions of the motors connect, in complex numbers. A set
without any known solution remains unseen by the test: known ones come from many starts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symoro.errors import NotApplicable
from symoro.models.loops.complex_closure import ComplexClosure
from symoro.models.loops.family import Array, Family, random_complex
from symoro.models.loops.monodromy import orbit

#: The most points of a plane and the curves that are followed; how often the test is tried, each time with more turns.
_MOST, _TRIALS = 300, 4
#: How far the plane moves, and what is zero of a sum, in parts of its terms.
_SHIFT, _ZERO = 2.0, 1e-9
#: Positions of a joint that differ so much tell solutions apart.
_DIFFERENT = 1e-3


@dataclass(frozen=True, eq=False)
class Planes(Family):
    """Curves cut by planes: the unknowns are the passive joints and τ, the parameters are a and b of a plane.

    `chosen` is 1 for each coordinate of y that is used, else 0.
    """

    closure: ComplexClosure
    u: Array
    direction: Array
    chosen: Array

    # the curves

    def motors(self, t: Array) -> tuple[Array, Array]:
        """The positions of the motors at τ (n), and their derivatives.

        The line is z = z0 + τ direction, where z is tan(π q / period) of an angle, and q of a slide.
        """
        periods = np.array(self.closure.assembler.periods)[self.closure.active]
        turning = periods > 0
        rate = np.pi / np.where(turning, periods, np.pi)
        z = np.where(turning, np.tan(rate * np.where(turning, self.u, 0.0)), self.u) + t[:, None] * self.direction
        q = np.where(turning, np.arctan(np.where(turning, z, 0.0)) / rate, z)
        return q, np.where(turning, 1 / (rate * (1 + z**2)), 1.0) * self.direction

    def values(self, x: Array, u: Array) -> Array:
        E = self.closure.values(x[:, :-1], self.motors(x[:, -1])[0])
        plane = (u[..., :-1] * self.points(x)[0]).sum(-1) - u[..., -1]
        return np.concatenate([E, plane[:, None]], axis=1)

    def slopes(self, x: Array, u: Array) -> Array:
        qa, moved = self.motors(x[:, -1])
        dE = self.closure.all_slopes(x[:, :-1], qa)
        along = dE[:, :, self.closure.active] @ moved[:, :, None]
        a, (_, dy) = u[..., :-1], self.points(x)
        plane = a[..., : self.unknowns] * dy[:, : self.unknowns] + a[..., self.unknowns :] * dy[:, self.unknowns :]
        rows = np.concatenate([dE[:, :, self.closure.passive], along], axis=2)
        return np.concatenate([rows, plane[:, None]], axis=1)

    def rates(self, x: Array, u: Array, change: Array) -> Array:
        plane = self.points(x)[0] @ change[:-1] - change[-1]
        zeros = np.zeros((len(x), self.closure.equations))
        return np.concatenate([zeros, plane[:, None]], axis=1)

    def points(self, x: Array) -> tuple[Array, Array]:
        """y (n, 2 unknowns) and the derivative of each coordinate by its unknown: cosines or slides, sines or zeros."""
        turning = self.periods > 0
        rate = np.where(turning, 2 * np.pi / np.where(turning, self.periods, 1.0), 0.0)
        size = np.append(np.full(self.unknowns - 1, self.size), 1.0)  # τ, the last one, is no length
        c, s = np.cos(rate * x), np.sin(rate * x)
        y = np.concatenate([np.where(turning, c, x / size), s], axis=1)
        return y, np.concatenate([np.where(turning, -rate * s, 1 / size), rate * c], axis=1)

    # planes

    def drawn(self, rng: np.random.Generator) -> Array:
        plane: Array = random_complex(rng, 2 * self.unknowns + 1) * np.append(self.chosen, 1.0)
        return plane

    def returned(self, u: Array, rng: np.random.Generator) -> Array:
        return u

    def still(self) -> Array:
        """The plane τ = 0."""
        plane = np.zeros(2 * self.unknowns + 1, dtype=complex)
        plane[self.unknowns - 1] = 1.0
        return plane


def traced(family: ComplexClosure, u: Array, x: Array, rng: np.random.Generator) -> Array | None:
    """The solutions at u with those that the curves add, where a trace test confirms them; else None."""
    angles = np.array(family.assembler.turning)
    if (angles & (np.array(family.assembler.periods) == 0)).any():
        return None  # the equations have no sines and cosines of common angles
    direction, periods = random_complex(rng, len(family.active)), np.append(family.periods, 0.0)
    planes = Planes(periods, family.size, family, u, direction, _separating(family, x))
    try:
        return _confirmed(planes, x, rng)
    except NotApplicable:
        return None


def _separating(family: ComplexClosure, x: Array) -> Array:
    """1 for the coordinates of τ and of a joint whose positions differ, else of all joints: (2 unknowns)."""
    chosen = np.zeros((2, family.unknowns + 1))
    for k, period in enumerate(family.periods):
        z = np.exp(2j * np.pi * x[:, k] / period) if period else x[:, k] / family.size
        if (np.abs(z[:, None] - z) + np.eye(len(z))).min() > _DIFFERENT:
            chosen[:, [k, -1]] = 1
            return chosen.ravel()
    return np.ones(chosen.size)


def _confirmed(planes: Planes, x: Array, rng: np.random.Generator) -> Array | None:
    """The solutions at τ = 0 on all points of the curves; None where the sum of the points is not linear."""
    still, plane = planes.still(), planes.drawn(rng)
    at = np.hstack([x, np.zeros((len(x), 1))])
    start, reached = planes.follow(at, still, plane)
    points = planes.united(start[:0], planes.solutions(start[reached >= 1], plane))
    for _ in range(_TRIALS):
        points = orbit(planes, plane, points, rng, _MOST, 2)
        if _linear(planes, plane, points, rng):
            break
    else:
        return None
    back, reached = planes.follow(points, plane, still)
    ends = planes.solutions(back[reached >= 1], still)
    return planes.closure.united(x, ends[:, :-1])


def _linear(planes: Planes, plane: Array, points: Array, rng: np.random.Generator) -> bool:
    """Whether the sum of the points is a linear function of b, by its second difference."""
    shift = np.zeros_like(plane)
    shift[-1] = _SHIFT * random_complex(rng, 1)[0]
    weights = planes.drawn(rng)[:-1]
    sums: list[complex] = []
    size = 0.0
    for n in range(3):
        x, reached = planes.follow(points, plane, plane + n * shift) if n else (points, np.ones(len(points)))
        found = planes.united(x[:0], planes.solutions(x[reached >= 1], plane + n * shift))
        if len(found) < len(points):
            return False
        y = planes.points(found)[0] @ weights
        sums, size = [*sums, y.sum()], max(size, float(np.abs(y).sum()))
    return bool(abs(sums[0] - 2 * sums[1] + sums[2]) < _ZERO * size)
