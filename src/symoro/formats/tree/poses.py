"""Poses and directions as arrays of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, hypot, sin
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
"""A point or a direction (3), a rotation (3, 3) or a pose (4, 4)."""

X, Y, Z = np.eye(3)


def pose(rotation: Array, point: Sequence[float] | Array = (0.0, 0.0, 0.0)) -> Array:
    """The pose with this rotation and this origin."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = rotation, point
    return T


def shift(point: Sequence[float] | Array) -> Array:
    """A translation."""
    return pose(np.eye(3), point)


def inverse(T: Array) -> Array:
    """The inverse of a pose."""
    R = T[:3, :3].T
    return pose(R, -R @ T[:3, 3])


def turn(axis: Array, angle: float) -> Array:
    """The rotation about a unit vector (Rodrigues' formula)."""
    K = skew(axis)
    return np.asarray(np.eye(3) + sin(angle) * K + (1 - cos(angle)) * K @ K)


def skew(a: Array) -> Array:
    """The matrix of the cross product with a."""
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def of_rpy(angles: Sequence[float]) -> Array:
    """The rotation Rz(yaw) Ry(pitch) Rx(roll) of URDF and SDF."""
    roll, pitch, yaw = angles
    return turn(Z, yaw) @ turn(Y, pitch) @ turn(X, roll)


def to_rpy(R: Array) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation; pitch by atan2, because asin loses half of the digits near π/2."""
    pitch = atan2(-R[2, 0], hypot(R[0, 0], R[1, 0]))
    yaw = atan2(R[1, 0], R[0, 0])
    rest = turn(Y, -pitch) @ turn(Z, -yaw) @ R
    return atan2(rest[2, 1], rest[1, 1]), pitch, yaw


def of_quaternion(w: float, x: float, y: float, z: float) -> Array:
    """The rotation of a quaternion, which need not have unit length."""
    n = np.sqrt(w * w + x * x + y * y + z * z)
    w, x, y, z = w / n, x / n, y / n, z / n
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def to_quaternion(R: Array) -> Array:
    """w, x, y, z of a rotation, from its largest component, so that no digits are lost."""
    squares = 1 + np.array([np.trace(R), *(2 * R[i, i] - np.trace(R) for i in range(3))])
    k = int(squares.argmax())
    if k == 0:
        quaternion = np.array([squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, h = k - 1, k % 3, (k + 1) % 3
        quaternion = np.zeros(4)
        quaternion[[0, 1 + i, 1 + j, 1 + h]] = R[h, j] - R[j, h], squares[k], R[i, j] + R[j, i], R[h, i] + R[i, h]
    return np.asarray(quaternion / np.linalg.norm(quaternion))


def cross(a: Array, b: Array) -> Array:
    """a × b; much faster for one pair of vectors than the function of NumPy, which takes arrays of any shape."""
    (a1, a2, a3), (b1, b2, b3) = a, b
    return np.array([a2 * b3 - a3 * b2, a3 * b1 - a1 * b3, a1 * b2 - a2 * b1])


def perpendicular(z: Array) -> Array:
    """A unit vector perpendicular to z: x for the z axis."""
    least = X if abs(z[0]) < 0.9 else Y
    across = least - (least @ z) * z
    return np.asarray(across / np.linalg.norm(across))


def angle(a: Array, b: Array, axis: Array) -> float:
    """The angle from a to b about an axis."""
    return atan2(cross(a, b) @ axis, a @ b)
