"""Poses of platforms, checked; how far a matrix is from a pose, as a program."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import InputError, ShapeError
from symoro.ir.extract import Result, extract
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, total
from symoro.ir.program import Input, Program
from symoro.models.parallel.letters import T_NAMES
from symoro.models.parallel.numbers import variables

Array = NDArray[Any]


def poses_of(T: ArrayLike) -> Array:
    """Poses as an array, with the right shape."""
    try:
        given = np.array(T, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"T is not an array of numbers: {error}") from None
    if given.shape[-2:] != (4, 4):
        raise ShapeError(f"T must have shape (4, 4) or (..., 4, 4), not {given.shape}")
    return given


def is_rigid(T: Array) -> Array:
    """Whether poses are a rotation and a translation, to 1e-6."""
    R = T[..., :3, :3]
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.abs(np.swapaxes(R, -1, -2) @ R - np.eye(3)).max((-1, -2))
        last = np.abs(T[..., 3, :] - [0, 0, 0, 1]).max(-1)
        right = np.linalg.det(np.where(np.isfinite(R), R, 0.0)) > 0
        found: Array = np.isfinite(T).all((-1, -2)) & (error <= 1e-6) & (last <= 1e-6) & right
    return found


def pose_error() -> Program:
    """AWAY: the sum of squares of Rᵀ R − 1, det R − 1 and the last row − (0, 0, 0, 1); a reflection has det R = −1.

    It is NaN where one of these numbers is.
    """
    g = Graph()
    T = Matrix(g, (Vector(g, map(g.symbol, row)) for row in T_NAMES))
    R = Matrix(g, (row[:3] for row in T.rows[:3]))
    square = R.T @ R
    shape = [square[i, k] - int(i == k) for i in range(3) for k in range(i, 3)]
    turned = R[0].cross(R[1]).dot(R[2]) - 1
    last = [x - int(k == 3) for k, x in enumerate(T.rows[3])]
    away = total(g, (x * x for x in (*shape, turned, *last)))
    return extract(g, [Input("T", (4, 4), variables(T.rows))], (), [Result("AWAY", (), (away,), ("AWAY",))])
