"""Loops that determine their joints only together: all ways to close them, by continuation.

All solutions at one complex position of the motors are found once (`generic.py`). Along a straight line to the wanted
positions they move to all isolated solutions there. The line begins at a complex position, so that it meets no
singular one, with probability one (A. Morgan, A. Sommese, Coefficient-parameter polynomial continuation, Appl. Math.
Comput. 1989). The real ones are the branches.

Where there are more equations than unknowns, this holds for solutions that exist at all positions of the motors nearby.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from symoro.errors import MissingParameter, NotApplicable
from symoro.models.loops.closing import closure_programs
from symoro.models.loops.complex_closure import ComplexClosure, complex_closure
from symoro.models.loops.constraint import Loops
from symoro.models.loops.family import Array
from symoro.models.loops.generic import Generic, generic_solutions
from symoro.symbols import Symbols

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
        found = self._known[key]
        if isinstance(found, NotApplicable):
            raise found
        return found


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
    found: Array = (simple & family.alone(x)) | (~simple & (reached > _LATE) & family.far(x))
    return found


def _simple(family: ComplexClosure, end: Array, x: Array, reached: Array) -> Array:
    """Which paths end at a simple solution."""
    found: Array = (reached >= 1) & np.isfinite(x).all(-1) & ~family.far(x)
    found[found] = family.regular(x[found], end)
    return found


def _real(family: ComplexClosure, qa: Array, x: Array, simple: Array, late: Array) -> Array:
    """The closed configurations at the real ones of the ends, by Newton's method in real numbers."""
    imaginary = np.abs(x.imag).max(-1, initial=0.0)
    chosen = x[(simple & (imaginary < _REAL)) | (late & (imaginary < _NEARLY_REAL))].real
    found, closed = family.assembler.newton(family.whole(chosen, qa).real)
    return family.assembler.distinct(found[closed])
