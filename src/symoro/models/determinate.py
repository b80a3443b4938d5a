"""Whether the rows of a constraint determine the dependent coordinates, and the reason where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.models.sampling import ZERO, rank, sample

Array = NDArray[Any]
_SAMPLES = 3


def why_undetermined(
    s: Symbols, rows: Sequence[Sequence[Expr]], dependent: Sequence[int], left: Sequence[int]
) -> str | None:
    """The reason why C_d u_d + C_l u_l = 0 does not give u_d, or None; the columns of the rows are those of d, then l.

    The rank is that at arbitrary configurations, open ones too: where C_d is singular there, it is so everywhere.
    """
    if not dependent:
        return None
    tables = sample(s, rows, _SAMPLES)
    best = max(tables, key=lambda table: rank(table[:, : len(dependent)]))
    C_d, C_l = best[:, : len(dependent)], best[:, len(dependent) :]
    if rank(C_d) == len(dependent):
        return None
    loose = _listed(k for k, x in zip(dependent, _null_space(C_d), strict=True) if np.abs(x).max() > ZERO)
    tied = _listed(k for k, x in zip(left, (_null_space(C_d.T).T @ C_l).T, strict=True) if np.abs(x).max() > ZERO)
    moves = f"its constraints do not determine the passive coordinates: {loose} can move while all motors stand still"
    return f"{moves}, and {tied} cannot move independently of each other" if tied else moves


def _null_space(matrix: Array) -> Array:
    """A basis (columns) of the vectors x with matrix x = 0."""
    found: Array = np.linalg.svd(matrix)[2][rank(matrix) :].T
    return found


def _listed(coordinates: Iterable[int]) -> str:
    """Joints by number; negative coordinates are the base's."""
    found = list(coordinates)
    joints = ", ".join(str(k) for k in found if k > 0)
    parts = ["the base"] * any(k < 0 for k in found) + [f"joint{'s' * (',' in joints)} {joints}"] * bool(joints)
    return " and ".join(parts)
