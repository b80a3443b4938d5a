"""Measured quaternions: q and −q are one rotation, and recordings may change from one to the other."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from symoro.identification.arrays import Array

_WINDOW = 0.05
"""Seconds between two orientations from which an angular velocity is taken: noise of single samples matters little."""


def without_flips(x: Array) -> Array:
    """The same rotations without changes of the sign, which filters and interpolation would take for motion.

    The last four columns are the quaternion: a pose has its position before it. One that is 0 is a lost sample.
    """
    found = np.array(x, dtype=float)
    quat = found[:, -4:]
    quat[~quat.any(axis=1)] = np.nan
    known = np.flatnonzero(np.isfinite(quat).all(axis=1))
    changes = np.einsum("ti,ti->t", quat[known[1:]], quat[known[:-1]]) < 0
    quat[known[1:]] *= np.cumprod(np.where(changes, -1.0, 1.0))[:, None]
    return found


def turning(quat: Array, period: float) -> tuple[Array, Array, slice]:
    """Angular velocities of orientations (x, y, z, w), in their own frame and in that of the world; and their rows."""
    step = max(1, min(round(_WINDOW / period), len(quat) // 4))
    before, behind = Rotation.from_quat(quat[:-step]), Rotation.from_quat(quat[step:])
    own, world = before.inv() * behind, behind * before.inv()
    half = step // 2
    rows = slice(half, half + len(quat) - step)
    return own.as_rotvec() / (step * period), world.as_rotvec() / (step * period), rows
