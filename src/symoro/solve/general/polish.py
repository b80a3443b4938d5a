"""Newton's method on the true arm, and the error that certifies a branch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
#: No branch with a larger error is returned: elements of the rotation, and of the position in units of the reach.
CERTIFIED = 1e-9
_GOOD, _LONGEST_STEP, _DROPPED = 2e-15, 0.5, 1e-13


@dataclass(frozen=True, slots=True)
class Chain:
    """links[0] Z1 links[1] … Zn links[n] = pose: kinds of the joints, links (n + 1, 4, 4); the reach is about 1."""

    kinds: str
    links: Array
    pose: Array


def motion(kind: str, q: Array) -> Array:
    """Z = Rz(q) or Tz(q) of positions (n,), as (n, 4, 4)."""
    Z = np.zeros((len(q), 4, 4))
    Z[:, range(4), range(4)] = 1.0
    if kind == "P":
        Z[:, 2, 3] = q
    else:
        Z[:, 0, 0] = Z[:, 1, 1] = np.cos(q)
        Z[:, 1, 0] = np.sin(q)
        Z[:, 0, 1] = -Z[:, 1, 0]
    return Z


def forward(chain: Chain, q: Array) -> tuple[Array, Array]:
    """The poses (n, 4, 4) at q (n, joints), and the frames of the joints, (joints, n, 4, 4)."""
    T = np.broadcast_to(chain.links[0], (len(q), 4, 4))
    frames = np.empty((len(chain.kinds), len(q), 4, 4))
    for k, kind in enumerate(chain.kinds):
        frames[k] = T
        T = T @ motion(kind, q[:, k]) @ chain.links[k + 1]
    return T, frames


def jacobian(chain: Chain, T: Array, frames: Array) -> Array:
    """[v; ω] of the end (n, 6, joints) for unit speeds of the joints."""
    J = np.zeros((len(T), 6, len(chain.kinds)))
    for k, kind in enumerate(chain.kinds):
        axis = frames[k, :, :3, 2]
        if kind == "P":
            J[:, :3, k] = axis
        else:
            J[:, :3, k] = _cross(axis, T[:, :3, 3] - frames[k, :, :3, 3])
            J[:, 3:, k] = axis
    return J


def twist(chain: Chain, T: Array) -> Array:
    """The displacement from T (n, 4, 4) to the pose: translation and rotation vector, (n, 6)."""
    D = chain.pose[:3, :3] @ np.swapaxes(T[:, :3, :3], 1, 2)
    v = 0.5 * np.stack([D[:, 2, 1] - D[:, 1, 2], D[:, 0, 2] - D[:, 2, 0], D[:, 1, 0] - D[:, 0, 1]], axis=1)
    sine, cosine = np.sqrt((v * v).sum(axis=1)), 0.5 * (D[:, 0, 0] + D[:, 1, 1] + D[:, 2, 2] - 1)
    factor = np.where(sine > 1e-9, np.arctan2(sine, cosine) / np.maximum(sine, 1e-9), 1.0)
    return np.hstack([chain.pose[:3, 3] - T[:, :3, 3], v * factor[:, None]])


def _cross(a: Array, b: Array) -> Array:
    x, y, z = a.T
    u, v, w = b.T
    return np.stack([y * w - z * v, z * u - x * w, x * v - y * u], axis=1)


def errors(chain: Chain, q: Array) -> Array:
    """max|T(q) − pose| of each q (n, joints)."""
    distances: Array = np.abs(forward(chain, q)[0] - chain.pose).max(axis=(1, 2), initial=0.0)
    return distances


def newton(chain: Chain, q: Array, steps: int) -> tuple[Array, Array]:
    """The best q (n, joints) of each start on its way, in at most `steps` steps, and its error.

    Singular directions are left out of a step, so that a singular pose is reached too, at a linear rate.
    """
    q, best, error = q.copy(), q.copy(), np.full(len(q), np.inf)
    active = np.arange(len(q))
    for _ in range(steps + 1):
        T, frames = forward(chain, q[active])
        now = np.abs(T - chain.pose).max(axis=(1, 2))
        better = now < error[active]
        best[active[better]], error[active[better]] = q[active[better]], now[better]
        go = (now > _GOOD) & (better | (now > 1e-12))
        active, T, frames = active[go], T[go], frames[:, go]
        if not len(active):
            break
        q[active] += limited(least_squares(jacobian(chain, T, frames), twist(chain, T)))
    return wrapped(chain.kinds, best), error


def limited(step: Array) -> Array:
    """Steps (n, joints) of which no element is longer than half a radian."""
    length = np.abs(step).max(axis=1, keepdims=True)
    shorter: Array = step * np.minimum(1.0, _LONGEST_STEP / np.maximum(length, _LONGEST_STEP))
    return shorter


def least_squares(J: Array, e: Array) -> Array:
    """The shortest dq (n, joints) that minimise |J dq − e|, without singular directions."""
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    inverse = np.where(s > _DROPPED * s[:, :1], 1 / np.where(s > 0.0, s, 1.0), 0.0)
    dq: Array = ((inverse * (e[:, None] @ U)[:, 0])[:, None] @ Vt)[:, 0]
    return dq


def wrapped(kinds: str, q: Array) -> Array:
    """q (n, joints) with angles between −π and π."""
    turning = np.array([kind == "R" for kind in kinds])
    return np.where(turning, q - 2 * np.pi * np.round(q / (2 * np.pi)), q)
