"""One branch of those that are alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.geometric.inverse.general.polish import Chain, errors, wrapped

Array = NDArray[Any]
#: Branches that differ less are one. Near a double branch joints are not known better than the root of the error: up
#: to the second distance, branches are one if the configuration half way between them has no larger error than they.
_SAME, _NEAR, _EXACT = 1e-7, 1e-2, 1e-12


def distinct(chain: Chain, q: Array, error: Array) -> tuple[Array, Array]:
    """The branches (n, joints) of which no two are alike, the most exact first, and their errors."""
    order = np.argsort(error, kind="stable")
    kept: list[int] = []
    for k in order:
        if not any(_alike(chain, q[i], q[k], max(error[i], error[k])) for i in kept):
            kept.append(int(k))
    return q[kept], error[kept]


def _alike(chain: Chain, a: Array, b: Array, error: float) -> bool:
    difference = wrapped(chain.kinds, b - a)
    distance = np.abs(difference).max()
    if distance > _NEAR:
        return False
    return bool(distance < _SAME or errors(chain, (a + difference / 2)[None])[0] <= max(_EXACT, 2 * error))
