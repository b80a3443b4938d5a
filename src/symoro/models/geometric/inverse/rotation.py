"""The nearest rotation to the orientation of a pose."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def with_nearest_rotation(T: Array) -> Array:
    """The poses with the nearest rotations, U Vᵀ of R = U Σ Vᵀ; the orientation of a pose that is not finite is NaN."""
    finite: Array = np.asarray(np.isfinite(T).all((-2, -1)))
    U, _, Vt = np.linalg.svd(np.where(finite[..., None, None], T, np.eye(4))[..., :3, :3])
    flip = np.linalg.det(U @ Vt)
    U = U * np.stack([np.ones_like(flip), np.ones_like(flip), np.sign(flip)], -1)[..., None, :]
    projected = T.copy()
    projected[..., :3, :3] = np.where(finite[..., None, None], U @ Vt, np.nan)
    return projected
