"""All solutions of the closure equations at one complex position of the motors, found once for a geometry."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symoro.errors import NotApplicable
from symoro.models.loops.complex_closure import ComplexClosure
from symoro.models.loops.family import Array
from symoro.models.loops.monodromy import orbit
from symoro.models.loops.trace import traced

#: Turns without a new solution after which a trace test is tried, and after which the search ends without one.
_QUIET, _STABLE = 2, 5
#: More solutions than this are not followed, as a path takes milliseconds; and those for which a trace test is tried.
_MOST, _FEW = 600, 40
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
        raise NotApplicable("there is no motor whose position could be changed")
    rng = np.random.default_rng(seed)
    u = family.drawn(rng)
    known = _seeds(family, u, rng)
    if not len(known):
        raise NotApplicable("no position of the motors was found at which the loops determine all passive joints")
    known = orbit(family, u, known, rng, _MOST, _QUIET)
    confirmed = traced(family, u, known, rng) if len(known) <= _FEW else None
    if confirmed is not None:
        return Generic(family, u, confirmed, traced=True)
    return Generic(family, u, orbit(family, u, known, rng, _MOST, _STABLE - _QUIET), traced=False)


def _seeds(family: ComplexClosure, u: Array, rng: np.random.Generator) -> Array:
    """Some solutions: those from complex starts at u, and those of real closed configurations, followed to u."""
    known = np.empty((0, family.unknowns), dtype=complex)
    known = family.united(known, family.newton(family.starts(rng, _STARTS), u))
    for q in family.real_solutions(rng, _STARTS)[:_POSITIONS]:
        at = q[family.active]
        found, closed = family.assembler.newton(family.assembler.starts(at, rng, _STARTS))
        real = family.solutions(found[closed][:, family.passive].astype(complex), at)
        x, reached = family.follow(family.united(known[:0], real), at.astype(complex), u)
        known = family.united(known, family.solutions(x[reached >= 1], u))
    return known
