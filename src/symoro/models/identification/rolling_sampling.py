"""Numbers of a base on wheels: all configurations are allowed, so that they are one family."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.identification.columns import Column
from symoro.models.identification.rank import rank_of
from symoro.models.identification.sampled_regressor import Branch, SampledRegressor
from symoro.models.wheels import Wheels
from symoro.symbols import Symbols

Array = NDArray[Any]
_CONFIGURATIONS = 200


@dataclass(frozen=True)
class RollingSampling:
    """The regressor of a robot on wheels, for any numbers of its parameters."""

    s: Symbols
    columns: Sequence[Column]

    @cached_property
    def regressor(self) -> SampledRegressor:
        return SampledRegressor(Wheels(self.s), self.columns)

    def branch(self, start: Array, numbers: Mapping[str, float]) -> Branch:
        """Any configurations, around `start`."""
        q = start + np.random.default_rng(3).uniform(-np.pi, np.pi, (_CONFIGURATIONS, len(start)))
        D, _ = self.regressor.rows(q, numbers)
        return Branch(start, D, rank_of(D), len(self.regressor.c.G))

    def near(self, q: Array, numbers: Mapping[str, float]) -> Array:
        """The same configuration: wheels roll on any geometry."""
        return q
