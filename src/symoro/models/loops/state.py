"""How well the loops of a robot are closed at given configurations, and how far these are from dead points."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from symoro.models.loops.assembly import Array

Values = Mapping[str, Any] | None


def slope_by_q(slope: Callable[..., Any], q: Any, values: Values = None) -> Array:
    """∂E/∂q from the compiled derivative of the closure equations."""
    derivative: Array = slope(q, values=values).dE_dq
    return derivative


class LoopState(NamedTuple):
    """`residual` of the closure equations, in metres or radians: 0 where the loops are closed, 1 or more where the
    axes of a cut are opposite. `condition` of the equations that give the passive joints from the active ones: the
    ratio of the largest to the smallest singular value, infinite at a dead point."""

    residual: Array
    condition: Array


@dataclass(frozen=True, eq=False)
class LoopCheck:
    """Evaluates the closure equations of a robot and their derivatives by q.

    `closure` gives E and ALIGN of configurations, `slope` gives ∂E/∂q; `passive` are the places of the passive joints
    of the loops in q.
    """

    name: str
    closure: Callable[..., Any]
    slope: Callable[..., Any]
    passive: Sequence[int]

    def state(self, q: Any, values: Values = None) -> LoopState:
        """Residual and condition, with the leading axes of q."""
        residuals = self.closure(q, values=values)
        size = np.abs(residuals.E).max(axis=-1, initial=0.0)
        opposite = (residuals.ALIGN <= 0).any(axis=-1)
        slope = self.slope(q, values=values)[..., list(self.passive)]
        singular = np.linalg.svd(np.where(np.isfinite(slope), slope, 0.0), compute_uv=False)
        with np.errstate(divide="ignore", invalid="ignore"):
            condition = singular[..., 0] / singular[..., -1] if singular.size else np.ones(size.shape)
        return LoopState(np.where(opposite, np.maximum(size, 1.0), size), np.where(condition > 0, condition, np.inf))
