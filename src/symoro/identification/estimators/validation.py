"""Relative errors on data that was used, and on data that was not: cross-validation over blocks of time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.rows.triangles import Triangles

Fit = Callable[[Triangles, Sequence[int]], Estimate]
"""An estimator that takes the blocks of time on which it works."""


@dataclass(frozen=True)
class Errors:
    """Relative errors ‖y − W β‖ / ‖y‖: of all rows, by joint, and by block of time."""

    total: float
    joints: dict[str, float] = field(default_factory=dict)
    blocks: tuple[float, ...] = ()

    def __str__(self) -> str:
        by_joint = ", ".join(f"{name} {100 * x:.3g} %" for name, x in self.joints.items())
        return f"{100 * self.total:.4g} % ({by_joint})"


def errors(t: Triangles, beta: Array, folds: Sequence[int] | None = None) -> Errors:
    """The errors of given parameters."""
    squares, norms = t.squares(beta, folds), t.norm(folds)
    by_fold = tuple(
        _ratio(t.squares(beta, [f]).sum(), t.norm([f]).sum()) for f in (t.folds if folds is None else folds)
    )
    return Errors(_ratio(squares.sum(), norms.sum()), _by_joint(t, squares, norms), by_fold)


def cross_validated(t: Triangles, fit: Fit) -> Errors:
    """Each block is predicted by what the other blocks give."""
    squares, norms, blocks = np.zeros(len(t.joints)), t.norm(), []
    for fold in t.folds:
        others = [f for f in t.folds if f != fold]
        mine = t.squares(fit(t, others).beta, [fold])
        squares += mine
        blocks.append(_ratio(mine.sum(), t.norm([fold]).sum()))
    return Errors(_ratio(squares.sum(), norms.sum()), _by_joint(t, squares, norms), tuple(blocks))


def _by_joint(t: Triangles, squares: Array, norms: Array) -> dict[str, float]:
    return {name: _ratio(a, b) for name, a, b in zip(t.joints, squares, norms, strict=True)}


def _ratio(squares: float, norm: float) -> float:
    if norm == 0:
        return 0.0 if squares == 0 else float("inf")
    return float(np.sqrt(squares / norm))
