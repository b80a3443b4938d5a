"""Branches that rounding lost, and that the program of a closed form does not mend itself, by Newton's method.

`mend.py` says how a branch is lost. The program mends one branch of a pose; here all of them are restored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.geometric.inverse.chain import Chain
from symoro.models.geometric.inverse.general.distinct import alike
from symoro.models.geometric.inverse.general.polish import Chain as Arm
from symoro.models.geometric.inverse.general.polish import newton
from symoro.models.geometric.inverse.numeric import NumericChain

Array = NDArray[Any]
_STEPS = 12


class Restore:
    """Restores the lost branches of one pose at a time, for a chain with given joints."""

    def __init__(self, chain: Chain, given: Sequence[int]) -> None:
        self._chain, self._given = chain, tuple(given)

    @cached_property
    def _numeric(self) -> NumericChain:
        return NumericChain(self._chain)

    def __call__(
        self, T: Array, r: Array, numbers: Mapping[str, float], q: Array, valid: Array, limit: float
    ) -> Mapping[int, Array]:
        """Positions of the branches of q (branches, joints) that are not `valid` and have errors below `limit` now.

        A branch that is like a valid or an earlier one is left out.
        """
        made = self._numeric.displacements(numbers, self._given)
        arm = Arm(made.kinds, made.at(r), T)
        motions = self._numeric.motions(made.joints, q)
        lost = np.flatnonzero(~valid)
        starts, error = newton(arm, motions[lost], _STEPS)
        known, found = motions[valid], {}
        for branch, start, miss in zip(lost.tolist(), starts, error, strict=True):
            if miss <= limit and not alike(arm, known, start, miss):
                known = np.vstack([known, start])
                given = dict(zip(self._given, r.tolist(), strict=True))
                found[branch] = self._numeric.positions(made.joints, start[None], given)[0]
        return found
