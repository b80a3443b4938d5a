"""All ways to close loops that have no closed form, for numbers: by elimination, by continuation, or by a search."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from warnings import warn

import numpy as np

from symoro.errors import LoopWarning, MissingParameter, NotApplicable
from symoro.models.loops.assembly import Array, Assembler
from symoro.models.loops.coupled import Continuation
from symoro.models.loops.elimination import Elimination
from symoro.models.loops.generic import Generic
from symoro.symbols import Symbols

_UNSURE = (
    "some paths of the continuation end in singular configurations or are lost at these positions of the motors; "
    "a search from many starts completes the branches, and there may be others"
)


class ByNumbers:
    """Elimination where each loop determines its joints once those before it are known, else all loops together."""

    def __init__(self, s: Symbols) -> None:
        self._symbols = s

    def branches(self, assembler: Assembler, qa: Array, numbers: Mapping[str, float]) -> Array:
        """Every closed configuration (branches, joints); a `LoopWarning` where continuation alone may miss one."""
        if self._elimination is not None:
            found = self._elimination(qa, numbers)
            return assembler.branches(qa) if found is None else found
        try:
            ends = self._continuation(qa, numbers)
        except NotApplicable:
            return assembler.branches(qa)
        if ends.sure:
            return ends.q
        searched = assembler.branches(qa)  # an error where the loops close in infinitely many ways
        warn(f"{self._symbols.robot.name}: {_UNSURE}", LoopWarning, stacklevel=3)
        return assembler.distinct(np.vstack([ends.q, searched]))

    def method(self, numbers: Mapping[str, float]) -> str:
        """elimination, continuation or search."""
        if self._elimination is not None:
            return "elimination"
        return "search" if self._generic(numbers) is None else "continuation"

    def completeness(self, numbers: Mapping[str, float]) -> str:
        """What says that the branches are all."""
        if self._elimination is not None:
            return "exact"
        generic = self._generic(numbers)
        if generic is None:
            return "nothing"
        return "trace test" if generic.traced else "stable count"

    def _generic(self, numbers: Mapping[str, float]) -> Generic | None:
        """The complex solutions; None where continuation does not apply."""
        try:
            return self._continuation.generic(numbers)
        except (NotApplicable, MissingParameter):
            return None

    @cached_property
    def _elimination(self) -> Elimination | None:
        try:
            return Elimination(self._symbols)
        except NotApplicable:
            return None

    @cached_property
    def _continuation(self) -> Continuation:
        return Continuation(self._symbols)
