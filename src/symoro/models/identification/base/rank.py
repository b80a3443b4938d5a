"""Numeric linear algebra: the rank of a matrix with its gap, dependent columns and their coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models import sampling
from symoro.models.sampling import ZERO, Rank

Array = NDArray[Any]
#: Rounding errors of a column that is taken apart, beside the largest singular value.
_ROUNDING = 1e-14


def rank_of(rows: Array) -> Rank:
    """The rank of a regressor at regular configurations, its columns scaled to length 1."""
    return sampling.rank_of(_scaled(rows)[0], above=ZERO)


def dependent_columns(rows: Array, order: Sequence[int], rank: int) -> list[int]:
    """The columns that depend on those before them in `order`: all except `rank` of them.

    What is left of a column is zero below the middle of the gap that decided the rank.
    """
    unit, _ = _scaled(rows)
    _, values, right = np.linalg.svd(unit, full_matrices=False)
    signal = values[:rank, None] * right[:rank]
    basis = np.zeros((0, rank))
    least, columns = _middle(values, rank), []
    for k in order:
        rest = signal[:, k]
        for _ in range(2):
            rest = rest - basis.T @ (basis @ rest)
        size = float(np.linalg.norm(rest))
        if size > least and len(basis) < rank:
            basis = np.vstack([basis, rest / size])
        else:
            columns.append(k)
    return columns


def _middle(values: Array, rank: int) -> float:
    """The middle of the gap behind the first `rank` singular values."""
    if not rank:
        return np.inf
    after = max(float(values[rank]) if rank < len(values) else 0.0, _ROUNDING * float(values[0]))
    return float(np.sqrt(after * values[rank - 1]))


def coefficients(rows: Array, kept: Sequence[int], dependent: Sequence[int]) -> tuple[Array, float]:
    """C with D_dependent = D_kept C, and the largest misfit relative to the length of the column."""
    unit, size = _scaled(rows)
    solution = np.linalg.lstsq(unit[:, list(kept)], unit[:, list(dependent)], rcond=None)[0]
    misfit = np.linalg.norm(unit[:, list(kept)] @ solution - unit[:, list(dependent)], axis=0).max(initial=0.0)
    solution = solution * size[list(dependent)] / size[list(kept)][:, None]
    return solution, float(misfit)


def _scaled(rows: Array) -> tuple[Array, Array]:
    size = np.linalg.norm(rows, axis=0)
    size = np.where(size > ZERO * max(1.0, float(size.max(initial=0.0))), size, 1.0)
    return rows / size, size
