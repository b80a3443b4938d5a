"""What a column that the model lacks would be worth, one for each joint: its factor, and the residual that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.estimators.estimate import Estimate, divisors, solved
from symoro.identification.rows.rows import Rows


@dataclass(frozen=True)
class Added:
    """The factor of the column of a joint with its standard deviation."""

    value: float
    sigma: float
    explained: float
    """The part of the squared residuals of the joint that goes with all added columns."""


def added(rows: Rows, found: Estimate, columns: Sequence[Array]) -> dict[str, Added]:
    """The factors of a column for each joint, found together with the parameters; none where it cannot be told.

    `columns` has an array for each block of rows; rows in which it is 0 are left out.
    """
    parts = _regression(rows, found, columns)
    p, joints = len(rows.names), len(rows.joints)
    at = solved(np.asarray(np.linalg.qr(np.concatenate([np.zeros((p + joints + 1,) * 2), *parts]), mode="r")))
    sigma = np.sqrt(np.diag(at.covariance(at.inverse / rows.power)))[p:]
    made = {}
    for j, name in enumerate(rows.joints):
        if np.isfinite(sigma[j]):
            mine = [part for part, block in zip(parts, rows.blocks, strict=True) if block.joint == j]
            made[name] = Added(float(at.beta[p + j]), float(sigma[j]), _explained(mine, found.beta, at.beta))
    return made


def _regression(rows: Rows, found: Estimate, columns: Sequence[Array]) -> list[Array]:
    """[W, a column for each joint, y] of each block, divided by the deviation of its joint."""
    p, sigma = len(rows.names), divisors(found.deviations)
    parts = []
    for block, column in zip(rows.blocks, columns, strict=True):
        kept = column != 0.0
        full = np.zeros((int(kept.sum()), p + len(rows.joints) + 1))
        full[:, block.columns] = block.W[kept]
        full[:, p + block.joint], full[:, -1] = column[kept], block.y[kept]
        parts.append(full / sigma[block.joint])
    return parts


def _explained(parts: Sequence[Array], before: Array, behind: Array) -> float:
    more = np.zeros(len(behind) - len(before))
    old, new = (
        sum(float(np.sum((part @ x) ** 2)) for part in parts)
        for x in (np.concatenate([before, more, [-1.0]]), np.append(behind, -1.0))
    )
    return 1 - new / old if old else 0.0
