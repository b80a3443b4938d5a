"""The 15-vector of a point and a direction, on which displacements act linearly.

For a point p and a direction l let

    V(p, l) = (1, p, l, p·p, p·l, p×l, (p·p) l − 2 (p·l) p).

The last 14 rows are the left sides of the 14 equations of Raghavan and Roth (1993). A displacement (R, t) changes V
linearly, V' = Γ(R, t) V, so the coefficients of all equations come from products of such matrices.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

ONE, P, L, PP, PL, PXL, W = 0, slice(1, 4), slice(4, 7), 7, 8, slice(9, 12), slice(12, 15)
#: The four vectors in V; a rotation about z turns their x and y.
VECTORS = (P, L, PXL, W)
#: V of the origin and the axis z, on which a rotation about z has no effect.
AXIS = np.eye(15)[ONE] + np.eye(15)[6]


def gamma(T: Array) -> Array:
    """Γ of displacements T (…, 4, 4), as (…, 15, 15)."""
    R, t = T[..., :3, :3], T[..., :3, 3]
    row = t[..., None, :] @ R  # tᵀR
    tt = (t * t).sum(axis=-1)[..., None, None]
    column, across = t[..., :, None], _cross_matrix(t) @ R
    G = np.zeros((*T.shape[:-2], 15, 15))
    G[..., ONE, ONE] = G[..., PP, PP] = G[..., PL, PL] = 1.0
    G[..., P, P] = G[..., L, L] = G[..., PXL, PXL] = G[..., W, W] = R
    G[..., P, ONE] = t  # p' = R p + t
    G[..., PP, P], G[..., PP, ONE] = 2 * row[..., 0, :], tt[..., 0, 0]  # p·p + 2 t·R p + t·t
    G[..., PL, L] = row[..., 0, :]  # p·l + t·R l
    G[..., PXL, L] = across  # R (p×l) + t×R l
    G[..., W, L] = tt * R - 2 * column @ row  # R w + (t·t) R l − 2 (t·R l) t …
    G[..., W, PL], G[..., W, PXL] = -2 * t, -2 * across  # … − 2 (p·l) t − 2 t×R (p×l)
    return G


def _cross_matrix(t: Array) -> Array:
    """The matrix of t×."""
    zero = np.zeros_like(t[..., 0])
    x, y, z = t[..., 0], t[..., 1], t[..., 2]
    return np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=-1).reshape(*t.shape[:-1], 3, 3)


def _revolute() -> Array:
    """Γ(Rz(θ)) = Γc cos θ + Γs sin θ + Γ1 as (3, 15, 15)."""
    c, s, one = np.zeros((15, 15)), np.zeros((15, 15)), np.zeros((15, 15))
    one[ONE, ONE] = one[PP, PP] = one[PL, PL] = 1.0
    for vector in VECTORS:
        x, y, z = range(vector.start, vector.stop)
        c[x, x] = c[y, y] = s[y, x] = one[z, z] = 1.0
        s[x, y] = -1.0
    return np.stack([c, s, one])


def _prismatic() -> Array:
    """Γ(Tz(r)) = Γ2 r² + Γ1 r + Γ0 as (3, 15, 15)."""
    T = np.stack([np.eye(4)] * 3)
    T[:, 2, 3] = (-1.0, 0.0, 1.0)
    back, none, forth = gamma(T)
    return np.stack([(forth + back) / 2 - none, (forth - back) / 2, none])


#: Γ of the motion of a joint: coefficients of (cos θ, sin θ, 1) or of (r², r, 1).
JOINT = {"R": _revolute(), "P": _prismatic()}
#: The same for the inverse motion: sin θ and r change their signs.
BACK = {kind: G * np.array([1.0, -1.0, 1.0])[:, None, None] for kind, G in JOINT.items()}
#: The coefficients of x⁰, x¹, x² in (cos θ, sin θ, 1)(1 + x²), x = tan(θ/2), and of r⁰, r¹, r² in (r², r, 1).
POWERS = {
    "R": np.array([[1.0, 0.0, -1.0], [0.0, 2.0, 0.0], [1.0, 0.0, 1.0]]),
    "P": np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]),
}


def monomials(kind: str, q: Array) -> Array:
    """(cos θ, sin θ, 1) or (r², r, 1) of joint positions, as (…, 3)."""
    pair = (np.cos(q), np.sin(q)) if kind == "R" else (q * q, q)
    return np.stack([*pair, np.ones_like(q)], axis=-1)
