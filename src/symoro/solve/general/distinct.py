"""One branch of those that are alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.solve.general.polish import Chain, errors, wrapped

Array = NDArray[Any]
#: Branches that differ less are one. Near a double branch joints are not known better than the root of the error: up
#: to the second distance, branches are one if the configuration half way between them has no larger error than they.
_SAME, _NEAR, _EXACT = 1e-7, 1e-2, 1e-12


def distinct(chain: Chain, q: Array, error: Array) -> tuple[Array, Array]:
    """The branches (n, joints) of which no two are alike, the most exact first, and their errors."""
    kept: list[int] = []
    for k in np.argsort(error, kind="stable"):
        if not alike(chain, q[kept], q[k], error[k]):
            kept.append(int(k))
    return q[kept], error[kept]


def alike(chain: Chain, known: Array, q: Array, error: float) -> bool:
    """Whether q, of this error, is like one of the known branches (n, joints), which are more exact."""
    difference = wrapped(chain.kinds, q - known)
    distance = np.abs(difference).max(axis=1)
    if (distance < _SAME).any():
        return True
    near = distance < _NEAR
    half_way = known[near] + difference[near] / 2
    return bool(near.any() and (errors(chain, half_way) <= max(_EXACT, 2 * error)).any())
