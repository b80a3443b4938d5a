"""Loops that determine their joints only together: all ways to close them, by continuation.

All solutions at one complex position of the motors are found once (`generic_solutions`). Along a straight line to the
wanted positions they move to all isolated solutions there. The line begins at a complex position, so that it meets no
singular one, with probability one (A. Morgan, A. Sommese, Coefficient-parameter polynomial continuation, Appl. Math.
Comput. 1989). The real ones are the branches.

Where there are more equations than unknowns, this holds for solutions that exist at all positions of the motors nearby.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from symoro.bind.symbols import Symbols
from symoro.errors import MissingParameter, NotApplicable
from symoro.ir.evaluate import Evaluator, evaluator
from symoro.models.loops.assembly import Assembler
from symoro.models.loops.closing import closure_programs, numeric_assembler
from symoro.models.loops.constraint import Loops
from symoro.models.results import say
from symoro.solve.continuation import Array, Family, random_complex

# The closure equations of all loops together, in complex numbers (K97:2).
#
# Sines and cosines of complex angles are analytic, so positions of the joints may be complex. The passive joints are
# the unknowns, and the positions of the motors are the parameters of the family.


@dataclass(frozen=True, eq=False)
class ComplexClosure(Family):
    """The equations of a robot for one set of numbers of its parameters; `assembler` closes its loops in real ones."""

    closure: Evaluator
    slope: Evaluator
    equations: int
    assembler: Assembler
    _last: list[Array] = field(default_factory=list)

    @property
    def active(self) -> list[int]:
        return list(self.assembler.active)

    @property
    def passive(self) -> list[int]:
        return list(self.assembler.passive)

    # the equations

    def values(self, x: Array, u: Array) -> Array:
        return self.closure({"q": self.whole(x, u)})["E"]

    def slopes(self, x: Array, u: Array) -> Array:
        slopes: Array = self.all_slopes(x, u)[:, :, self.passive]
        return slopes

    def rates(self, x: Array, u: Array, change: Array) -> Array:
        rates: Array = self.all_slopes(x, u)[:, :, self.active] @ change
        return rates

    def all_slopes(self, x: Array, u: Array) -> Array:
        """∂E/∂q: (n, equations, joints). The last ones are remembered: slopes and rates are asked for at the same x."""
        if not self._last or self._last[0] is not x or self._last[1] is not u:
            dE_dq = self.slope({"q": self.whole(x, u)})["dE_dq"]
            self._last[:] = [x, u, dE_dq]
        slopes: Array = self._last[2]
        return slopes

    def whole(self, x: Array, u: Array) -> Array:
        """The positions of all joints of the tree."""
        q = np.empty((len(x), len(self.assembler.turning)), dtype=complex)
        q[:, self.passive], q[:, self.active] = x, u
        return q

    def solutions(self, x: Array, u: Array) -> Array:
        """Those at which no axes of a cut are opposite, too: on a path they remain so."""
        x = super().solutions(x, u)
        axes = self.closure({"q": self.whole(x, u)})["ALIGN"]
        return x[(axes.real > 0).all(-1)]

    # parameters and starts

    def drawn(self, rng: np.random.Generator) -> Array:
        return self._sizes(self.active) * random_complex(rng, len(self.active))

    def returned(self, u: Array, rng: np.random.Generator) -> Array:
        turns = rng.integers(-1, 2, len(self.active))
        return u + np.array(self.assembler.periods)[self.active] * turns

    def starts(self, rng: np.random.Generator, count: int) -> Array:
        """Random complex positions of the passive joints."""
        return self._sizes(self.passive) * random_complex(rng, count, self.unknowns)

    def _sizes(self, places: list[int]) -> Array:
        return np.where(np.array(self.assembler.turning)[places], 1.0, self.size / 2)

    def real_solutions(self, rng: np.random.Generator, count: int) -> Array:
        """Closed configurations (n, joints), by Newton's method in all joints."""
        free = replace(self.assembler, active=(), passive=tuple(range(len(self.assembler.turning))))
        q, closed = free.newton(free.starts(np.zeros(0), rng, count))
        configurations: Array = q[closed]
        return configurations


def complex_closure(s: Symbols, numbers: Mapping[str, float]) -> ComplexClosure:
    """The equations of a robot's loops for these numbers of its parameters."""
    rows = Loops(s).every
    assembler = numeric_assembler(s, rows, every_joint=False, parameters=numbers)
    periods = np.array(assembler.periods)[list(assembler.passive)]
    closure, slope = (evaluator(program, numbers, np.complex128) for program in closure_programs(s, rows))
    return ComplexClosure(periods, assembler.reach, closure, slope, len(rows), assembler)


# More solutions of equations from known ones, by monodromy.
#
# Solutions that are followed around a closed path of parameters come back in another order. What is not yet known among
# the ends is new, and after some such turns no new ones come (A. Sommese, C. Wampler, The Numerical Solution of Systems
# of Polynomials Arising in Engineering and Science, 2005, § 15.4; T. Duff et al., Solving polynomial systems via
# homotopy continuation and monodromy, IMA J. Numer. Anal. 2019).


_TURNS = 60


def orbit(family: Family, u: Array, known: Array, rng: np.random.Generator, most: int, enough: int) -> Array:
    """The known solutions and all that turns bring, until `enough` turns in a row bring no new one.

    `NotApplicable` where there are more than `most`.
    """
    quiet = 0
    for _ in range(_TURNS):
        before = len(known)
        known = family.united(known, _around(family, u, known, rng))
        quiet = quiet + 1 if len(known) == before else 0
        say(f"{len(known)} complex solutions, {quiet} turns without a new one")
        if quiet == enough:
            return known
        if len(known) > most:
            break
    raise NotApplicable("positions.many_solutions", most=min(most, len(known)))


def _around(family: Family, u: Array, x: Array, rng: np.random.Generator) -> Array:
    """The solutions after a turn: through two other parameters and back."""
    corners = [u, family.drawn(rng), family.drawn(rng), family.returned(u, rng)]
    for start, end in pairwise(corners):
        x, reached = family.follow(x, start, end)
        x = x[reached >= 1]
    return family.solutions(x, u)


# The trace test: whether known solutions are all of their kind.
#
# While the motors move along a line τ, the closed configurations form curves. A plane a·y = b cuts them in as many
# points as their degree. When the plane moves parallel to itself, the sum of all points of a curve is a linear function
# of b; the sum of some of them is not (A. Sommese, J. Verschelde, C. Wampler, Symmetric functions applied to
# decomposing solution sets of polynomial systems, SIAM J. Numer. Anal. 2002). The plane τ = 0 gives the solutions at
# one position of the motors.
#
# The coordinates y are τ and the sine and cosine of one angle, or one slide, that differs between all solutions; else
# those of all joints. The line is straight in the slides of the motors and in the tangents of half their angles. It is
# a random one, so each curve is all of a set of assemblies that motions of the motors connect, in complex numbers. A
# set without any known solution remains unseen by the test: known ones come from many starts.


#: The most points of a plane and the curves that are followed; how often the test is tried, each time with more turns.
_MOST_POINTS, _TRIALS = 300, 4
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
        points = orbit(planes, plane, points, rng, _MOST_POINTS, 2)
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
        solutions = planes.united(x[:0], planes.solutions(x[reached >= 1], plane + n * shift))
        if len(solutions) < len(points):
            return False
        y = planes.points(solutions)[0] @ weights
        sums, size = [*sums, y.sum()], max(size, float(np.abs(y).sum()))
    return bool(abs(sums[0] - 2 * sums[1] + sums[2]) < _ZERO * size)


# All solutions of the closure equations at one complex position of the motors, found once for a geometry.


#: Turns without a new solution after which a trace test is tried, and after which the search ends without one.
_QUIET, _STABLE = 2, 5
#: More solutions than this are not followed, as a path takes milliseconds; and those for which a trace test is tried.
_MOST_SOLUTIONS, _FEW = 600, 40
# seeds: positions of the motors, and starts of Newton's method at each, in real and in complex numbers
_POSITIONS, _STARTS = 4, 128


@dataclass(frozen=True, eq=False)
class Generic:
    """The solutions x (n, unknowns) at complex positions u of the motors; `traced` where a trace test confirms them."""

    family: ComplexClosure
    u: Array
    x: Array
    traced: bool


def generic_solutions(family: ComplexClosure, seed: int = 3) -> Generic:
    """All solutions at a random complex position of the motors; `NotApplicable` where they are no points, or many."""
    if not family.active:
        raise NotApplicable("positions.no_motor")
    rng = np.random.default_rng(seed)
    u = family.drawn(rng)
    known = _seeds(family, u, rng)
    if not len(known):
        raise NotApplicable("positions.no_start")
    known = orbit(family, u, known, rng, _MOST_SOLUTIONS, _QUIET)
    confirmed = traced(family, u, known, rng) if len(known) <= _FEW else None
    if confirmed is not None:
        return Generic(family, u, confirmed, traced=True)
    return Generic(family, u, orbit(family, u, known, rng, _MOST_SOLUTIONS, _STABLE - _QUIET), traced=False)


def _seeds(family: ComplexClosure, u: Array, rng: np.random.Generator) -> Array:
    """Some solutions: those from complex starts at u, and those of real closed configurations, followed to u."""
    known = np.empty((0, family.unknowns), dtype=complex)
    known = family.united(known, family.newton(family.starts(rng, _STARTS), u))
    for q in family.real_solutions(rng, _STARTS)[:_POSITIONS]:
        at = q[family.active]
        configurations, closed = family.assembler.newton(family.assembler.starts(at, rng, _STARTS))
        real = family.solutions(configurations[closed][:, family.passive].astype(complex), at)
        x, reached = family.follow(family.united(known[:0], real), at.astype(complex), u)
        known = family.united(known, family.solutions(x[reached >= 1], u))
    return known


# Closing the loops from the complex solutions.


_MORE_ATTEMPTS = (2, 3)
#: Imaginary parts of solutions that may be real, at regular and at singular ends. Newton's method decides.
_REAL, _NEARLY_REAL = 1e-5, 1e-2
#: A path that came so far ends at infinity or in a singular solution.
_LATE = 0.99


@dataclass(frozen=True, eq=False)
class Ends:
    """Closed configurations (branches, joints); `sure`: every path ended at a simple solution or at infinity."""

    q: Array
    sure: bool


class Continuation:
    """Closes all loops of a robot together, for numbers; what is found once for a geometry is remembered."""

    def __init__(self, s: Symbols) -> None:
        self._symbols = s
        self._names = [p.name for p in closure_programs(s, Loops(s).every)[0].parameters]
        self._known: dict[tuple[float, ...], Generic | NotApplicable] = {}

    def __call__(self, qa: Array, parameters: Mapping[str, float]) -> Ends:
        """Every closed configuration; `NotApplicable` where continuation cannot find them (see `generic`)."""
        return _ends(self.generic(parameters), qa)

    def generic(self, parameters: Mapping[str, float]) -> Generic:
        """The solutions at a complex position of the motors; `NotApplicable` where there are too many, or no points."""
        if missing := [name for name in self._names if name not in parameters]:
            raise MissingParameter(missing)
        key = tuple(parameters[name] for name in self._names)
        if key not in self._known:
            try:
                self._known[key] = generic_solutions(complex_closure(self._symbols, parameters))
            except NotApplicable as reason:
                self._known[key] = reason
        generic = self._known[key]
        if isinstance(generic, NotApplicable):
            raise generic
        return generic


def _ends(generic: Generic, qa: Array) -> Ends:
    """The branches at real positions of the motors; paths that fail or meet are followed again in smaller steps."""
    family, u, end = generic.family, generic.u, qa.astype(complex)
    x, reached = family.follow(generic.x, u, end)
    for attempt in _MORE_ATTEMPTS:
        again = ~_settled(family, end, x, reached)
        if again.any():
            x[again], reached[again] = family.follow(generic.x[again], u, end, attempt)
    simple = _simple(family, end, x, reached)
    late = ~simple & (reached > _LATE) & ~family.far(x)
    return Ends(_real(family, qa, x, simple, late), bool(_settled(family, end, x, reached).all()))


def _settled(family: ComplexClosure, end: Array, x: Array, reached: Array) -> Array:
    """Which paths end at infinity, or at a simple solution where no other path ends."""
    simple = _simple(family, end, x, reached)
    settled: Array = (simple & family.alone(x)) | (~simple & (reached > _LATE) & family.far(x))
    return settled


def _simple(family: ComplexClosure, end: Array, x: Array, reached: Array) -> Array:
    """Which paths end at a simple solution."""
    simple: Array = (reached >= 1) & np.isfinite(x).all(-1) & ~family.far(x)
    simple[simple] = family.regular(x[simple], end)
    return simple


def _real(family: ComplexClosure, qa: Array, x: Array, simple: Array, late: Array) -> Array:
    """The closed configurations at the real ones of the ends, by Newton's method in real numbers."""
    imaginary = np.abs(x.imag).max(-1, initial=0.0)
    chosen = x[(simple & (imaginary < _REAL)) | (late & (imaginary < _NEARLY_REAL))].real
    configurations, closed = family.assembler.newton(family.whole(chosen, qa).real)
    return family.assembler.distinct(configurations[closed])
