"""The closure equations of all loops together, in complex numbers (K97:2).

Sines and cosines of complex angles are analytic, so positions of the joints may be complex. The passive joints are the
unknowns, and the positions of the motors are the parameters of the family.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program
from symoro.models.loops.assembly import Assembler
from symoro.models.loops.closing import closure_programs, numeric_assembler
from symoro.models.loops.constraint import Loops
from symoro.models.loops.family import Array, Family, random_complex
from symoro.symbols import Symbols


@dataclass(frozen=True, eq=False)
class ComplexClosure(Family):
    """The equations of a robot for one set of numbers of its parameters; `assembler` closes its loops in real ones."""

    closure: Program
    slope: Program
    numbers: Mapping[str, float]
    assembler: Assembler
    _last: list[Array] = field(default_factory=list)

    @property
    def active(self) -> list[int]:
        return list(self.assembler.active)

    @property
    def passive(self) -> list[int]:
        return list(self.assembler.passive)

    @property
    def equations(self) -> int:
        return self.closure.outputs[0].shape[0]

    # the equations

    def values(self, x: Array, u: Array) -> Array:
        return evaluate(self.closure, {"q": self.whole(x, u)}, self.numbers, np.complex128)["E"]

    def slopes(self, x: Array, u: Array) -> Array:
        found: Array = self.all_slopes(x, u)[:, :, self.passive]
        return found

    def rates(self, x: Array, u: Array, change: Array) -> Array:
        found: Array = self.all_slopes(x, u)[:, :, self.active] @ change
        return found

    def all_slopes(self, x: Array, u: Array) -> Array:
        """∂E/∂q: (n, equations, joints). The last ones are remembered: slopes and rates are asked for at the same x."""
        if not self._last or self._last[0] is not x or self._last[1] is not u:
            found = evaluate(self.slope, {"q": self.whole(x, u)}, self.numbers, np.complex128)["dE_dq"]
            self._last[:] = [x, u, found]
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
        axes = evaluate(self.closure, {"q": self.whole(x, u)}, self.numbers, np.complex128)["ALIGN"]
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
        found: Array = q[closed]
        return found


def complex_closure(s: Symbols, numbers: Mapping[str, float]) -> ComplexClosure:
    """The equations of a robot's loops for these numbers of its parameters."""
    rows = Loops(s).every
    assembler = numeric_assembler(s, rows, every_joint=False, given=numbers)
    periods = np.array(assembler.periods)[list(assembler.passive)]
    return ComplexClosure(periods, assembler.reach, *closure_programs(s, rows), numbers, assembler)
