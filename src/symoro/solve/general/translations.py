"""Arms with three revolute and three prismatic joints in any order, in closed form.

The revolute joints alone give the orientation, Rz(θa) A Rz(θb) B Rz(θc) = N. Row 3 and column 3 of it hold θb only:
X sin θb + Y cos θb = Z. Then the position is linear in the prismatic joints.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.solve.general.arrangement import Loop
from symoro.solve.general.polish import Chain, forward, jacobian, motion

Array = NDArray[Any]


def translating(chain: Chain, loop: Loop) -> Array:
    """The two candidates, (2, 6)."""
    turning = [k for k, kind in enumerate(loop.kinds) if kind == "R"]
    sliding = [k for k, kind in enumerate(loop.kinds) if kind == "P"]
    q = np.zeros((2, 6))
    q[:, turning] = _angles(*(_between(loop, k, turning) for k in turning))
    T, frames = forward(chain, q)
    J = jacobian(chain, T, frames)[:, :3, sliding]
    q[:, sliding] = (np.linalg.pinv(J) @ (chain.pose[:3, 3] - T[:, :3, 3])[:, :, None])[..., 0]
    return q


def _between(loop: Loop, k: int, turning: list[int]) -> Array:
    """The rotation from revolute joint k to the next one in the loop."""
    R = loop.F[k, :3, :3]
    while (k := (k + 1) % 6) not in turning:
        R = R @ loop.F[k, :3, :3]
    return R


def _angles(A: Array, B: Array, C: Array) -> Array:
    """Both solutions (2, 3) of Rz(θa) A Rz(θb) B Rz(θc) C = I."""
    N, a, b = C.T, A[2], B[:, 2]
    X, Y, Z = a[1] * b[0] - a[0] * b[1], a[0] * b[0] + a[1] * b[1], N[2, 2] - a[2] * b[2]
    root = np.arctan2(np.sqrt(max(X * X + Y * Y - Z * Z, 0.0)), Z)
    middle = np.arctan2(X, Y) + np.array([root, -root])
    M = A @ motion("R", middle)[:, :3, :3] @ B
    first = np.arctan2(N[1, 2], N[0, 2]) - np.arctan2(M[:, 1, 2], M[:, 0, 2])
    left = np.swapaxes(motion("R", first)[:, :3, :3] @ M, 1, 2) @ N
    last = np.arctan2(left[:, 1, 0] - left[:, 0, 1], left[:, 0, 0] + left[:, 1, 1])
    return np.stack([first, middle, last], axis=1)
