"""Motions of a body by six coordinates: x, y, z of its origin, and the angles roll, pitch and yaw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from symoro.identification.arrays import Array

NAMES = ("x0", "y0", "z0", "roll0", "pitch0", "yaw0")


@dataclass(frozen=True)
class PoseMotion:
    """R and p of a body's frame, V = [v; ω] and V̇ = [v̇; ω̇] of its origin, all in the fixed frame."""

    R: Array
    p: Array
    V: Array
    VP: Array


def pose_motion(x: Array, xd: Array, xdd: Array) -> PoseMotion:
    """The motion for six coordinates (samples, 6) and their first two derivatives: R = Rz(yaw) Ry(pitch) Rx(roll)."""
    roll, pitch, yaw = x[:, 3:].T
    rates, second = xd[:, 3:, None], xdd[:, 3:, None]
    R = _about(2, yaw) @ _about(1, pitch) @ _about(0, roll)
    z = np.broadcast_to([0.0, 0.0, 1.0], (len(x), 3))
    a = _about(2, yaw)[:, :, 1]  # the axis of pitch
    b = R[:, :, 0]  # the axis of roll
    w_a = rates[:, 2] * z  # the angular velocity of a, then that of b
    w_b = w_a + rates[:, 1] * a
    w = w_b + rates[:, 0] * b
    wd = second[:, 2] * z + second[:, 1] * a + second[:, 0] * b
    wd = wd + rates[:, 1] * np.cross(w_a, a) + rates[:, 0] * np.cross(w_b, b)
    return PoseMotion(R, x[:, :3], np.hstack([xd[:, :3], w]), np.hstack([xdd[:, :3], wd]))


def _about(axis: int, angle: Array) -> Array:
    """Rotations about x, y or z, (samples, 3, 3)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    R = np.zeros((len(angle), 3, 3))
    c, s = np.cos(angle), np.sin(angle)
    R[:, axis, axis] = 1.0
    R[:, i, i], R[:, i, j], R[:, j, i], R[:, j, j] = c, -s, s, c
    return R
