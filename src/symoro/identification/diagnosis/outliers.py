"""Rows far from the model: spikes of torques, which least squares takes as seriously as all other rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.estimators.robust import robust_scale
from symoro.identification.rows.rows import Rows

_FAR = 5.0
"""Residual over its robust deviation, of a row far from the model: one of 1.7 million with normal noise."""
_HEAVY = 1.5
"""Deviation of all residuals over the robust one, from which on such rows decide the deviation."""
_MATTERS = 1e-3
"""Residual over the torques, below which nothing is said."""


def outliers(rows: Rows, beta: Array) -> Iterator[str]:
    """A warning for each joint whose residuals have far more large values than normal noise.

    Rows of a joint without a motor have no measured torque, and so no spikes.
    """
    for k, name in enumerate(rows.joints):
        mine = [block for block in rows.blocks if block.joint == k and len(block.y)]
        if not mine:
            continue
        e = np.concatenate([block.y - block.W @ beta[block.columns] for block in mine])
        t, y = (np.concatenate([getattr(block, channel) for block in mine]) for channel in ("t", "y"))
        far = np.abs(e) > _FAR * robust_scale(e)
        deviation, size = (float(np.sqrt(np.mean(x**2))) for x in (e, y))
        if size and far.any() and deviation > max(_HEAVY * robust_scale(e), _MATTERS * size):
            what = (
                f"{far.sum()} of {len(e)} rows of joint {name} are far from the model, the first at {t[far][0]:.4g} s"
            )
            yield f"{what}: are there spikes? method='irls' gives such rows less weight"
