"""Numeric linear algebra: the rank of a matrix with its gap, dependent columns and their coefficients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_ZERO = 1e-9


@dataclass(frozen=True, slots=True)
class Rank:
    """A rank, and the singular values before and after the gap, relative to the largest."""

    rank: int
    kept: float
    dropped: float

    @property
    def clear(self) -> bool:
        """Whether the gap decides the rank."""
        return self.kept > 1e4 * self.dropped

    def __str__(self) -> str:
        return f"rank {self.rank}, singular values {self.kept:.1e} and {self.dropped:.1e} beside the gap"


def rank_of(rows: Array) -> Rank:
    """The rank of a matrix whose columns are scaled to length 1."""
    values = np.linalg.svd(_scaled(rows)[0], compute_uv=False)
    if not values.size or values[0] == 0:
        return Rank(0, 1.0, 0.0)
    values = values / values[0]
    rank = int((values > _ZERO).sum())
    return Rank(rank, float(values[rank - 1]), float(values[rank]) if rank < len(values) else 0.0)


def dependent_columns(rows: Array, order: Sequence[int], rank: int) -> list[int]:
    """The columns that depend on those before them in `order`: all except `rank` of them."""
    unit, _ = _scaled(rows)
    _, values, right = np.linalg.svd(unit, full_matrices=False)
    signal = values[:rank, None] * right[:rank]
    basis = np.zeros((0, rank))
    found = []
    for k in order:
        rest = signal[:, k]
        for _ in range(2):
            rest = rest - basis.T @ (basis @ rest)
        size = float(np.linalg.norm(rest))
        if size > 1e-7 and len(basis) < rank:
            basis = np.vstack([basis, rest / size])
        else:
            found.append(k)
    return found


def coefficients(rows: Array, kept: Sequence[int], dependent: Sequence[int]) -> tuple[Array, float]:
    """C with D_dependent = D_kept C, and the largest misfit relative to the length of the column."""
    unit, size = _scaled(rows)
    found = np.linalg.lstsq(unit[:, list(kept)], unit[:, list(dependent)], rcond=None)[0]
    misfit = np.linalg.norm(unit[:, list(kept)] @ found - unit[:, list(dependent)], axis=0).max(initial=0.0)
    found = found * size[list(dependent)] / size[list(kept)][:, None]
    return found, float(misfit)


def _scaled(rows: Array) -> tuple[Array, Array]:
    size = np.linalg.norm(rows, axis=0)
    size = np.where(size > _ZERO * max(1.0, float(size.max(initial=0.0))), size, 1.0)
    return rows / size, size
