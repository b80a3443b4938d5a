"""Whether the rows of a constraint determine the dependent coordinates, and the reason where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.bind.symbols import Symbols
from symoro.findings import Finding
from symoro.ir.expr import Expr
from symoro.models.sampling import ZERO, rank, sample

Array = NDArray[Any]
_SAMPLES = 3


def why_undetermined(
    s: Symbols, rows: Sequence[Sequence[Expr]], dependent: Sequence[int], left: Sequence[int]
) -> Finding | None:
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
    return (
        Finding("dynamics.loose_and_tied", loose=loose, tied=tied) if tied else Finding("dynamics.loose", loose=loose)
    )


def _null_space(matrix: Array) -> Array:
    """A basis (columns) of the vectors x with matrix x = 0."""
    basis: Array = np.linalg.svd(matrix)[2][rank(matrix) :].T
    return basis


def _listed(coordinates: Iterable[int]) -> Finding | None:
    """Joints by number; negative coordinates are the base's. None where there are none."""
    numbers = list(coordinates)
    of_joints = [k for k in numbers if k > 0]
    joints = Finding("dynamics.joints", joints=of_joints) if of_joints else None
    if not any(k < 0 for k in numbers):
        return joints
    return Finding("dynamics.base_and_joints", joints=joints) if joints else Finding("dynamics.the_base")
