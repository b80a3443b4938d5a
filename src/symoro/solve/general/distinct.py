"""Branches that are close to each other: one of those that are alike, and the partner of a branch near a singularity.

Two branches that meet in a singularity are close to each other before it. Where one of them is known, with the singular
value σ, the singular directions u of the twist and v of the joints, the pose error along v is −u·e = σ t + κ t²/2. It
vanishes at the branch, t = 0, and near the partner, t = −2σ/κ.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.solve.general.polish import Chain, errors, forward, jacobian, twist, wrapped

Array = NDArray[Any]
#: Branches that differ less are one. Near a double branch joints are not known better than the root of the error: up
#: to the second distance, branches are one if the configuration half way between them has no larger error than they.
_SAME, _NEAR, _EXACT = 1e-7, 1e-2, 1e-12
_NEAR_SINGULAR, _SINGULAR, _STEP, _FARTHEST = 0.05, 1e-2, 1e-3, 0.5


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


def any_singular(chain: Chain, q: Array) -> bool:
    """Whether one of the branches q (n, joints) is so close to a singularity that it can be a double one."""
    s = np.linalg.svd(jacobian(chain, *forward(chain, q)), compute_uv=False)
    return bool((s[:, -1] < _SINGULAR * s[:, 0]).any())


def partners(chain: Chain, q: Array) -> Array:
    """Starts (m, joints) for the partners of those branches q (n, joints) that are near a singularity."""
    U, s, Vt = np.linalg.svd(jacobian(chain, *forward(chain, q)), full_matrices=False)
    near = s[:, -1] < _NEAR_SINGULAR * s[:, 0]
    u, v, q = U[near, :, -1], Vt[near, -1], q[near]
    ahead, behind = (-(u * twist(chain, forward(chain, q + h * v)[0])).sum(axis=1) for h in (_STEP, -_STEP))
    slope, curvature = (ahead - behind) / (2 * _STEP), (ahead + behind) / _STEP**2
    close = 2 * np.abs(slope) < _FARTHEST * np.abs(curvature)
    t = -2 * slope[close] / curvature[close]
    starts: Array = q[close] + t[:, None] * v[close]
    return starts
