"""Which branches are members of a self-motion.

A singular Jacobian alone does not say so: a stretched elbow is an isolated double branch. A branch is a member of a
continuum if the arm can go a small way along a singular direction and still has the pose exactly.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.geometric.inverse.general.polish import (
    CERTIFIED,
    Chain,
    forward,
    jacobian,
    least_squares,
    limited,
    newton,
    twist,
    wrapped,
)

Array = NDArray[Any]
_SINGULAR, _WAY, _STEPS, _HELD = 1e-6, 0.01, 40, 1e-11
_WALK, _ARRIVED, _NO_MORE = 60, 1e-6, 1e-8


def self_motions(chain: Chain, q: Array) -> Array:
    """The direction of the self-motion at each branch, of length 1, as (n, joints); zero where a branch is isolated."""
    free = np.zeros_like(q)
    for k, one in enumerate(q):
        null = _null_space(chain, one)
        for v in _directions(null):
            end = _followed(chain, one, v)
            if end is not None:
                along = v if len(null) == 1 else end - one
                free[k] = along / np.linalg.norm(along)
                break
    return free


def _null_space(chain: Chain, q: Array) -> Array:
    """The singular directions of the Jacobian at q, as rows."""
    J = jacobian(chain, *forward(chain, q[None]))[0]
    _, s, Vt = np.linalg.svd(J)
    null: Array = Vt[: len(s)][s < _SINGULAR * s[0]]
    return null


def _directions(null: Array) -> list[Array]:
    """The null vectors, and sums and differences of two."""
    pairs = [(null[i] + sign * null[j]) / np.sqrt(2) for i in range(len(null)) for j in range(i) for sign in (1, -1)]
    return [*null, *pairs]


def _followed(chain: Chain, start: Array, v: Array) -> Array | None:
    """The configuration that has the pose and is a small way along v; None if there is none."""
    q = (start + _WAY * v)[None]
    for _ in range(_STEPS):
        T, frames = forward(chain, q)
        error = np.abs(T - chain.pose).max()
        if error < _HELD and abs(v @ (q[0] - start) - _WAY) < _WAY / 10:
            end: Array = q[0]
            return end
        J = np.concatenate([jacobian(chain, T, frames), v[None, None]], axis=1)
        e = np.concatenate([twist(chain, T)[0], [_WAY - v @ (q[0] - start)]])
        q = q + limited(least_squares(J, e[None]))
    return None


def one_of_each(chain: Chain, q: Array, free: Array) -> Array:
    """Which branches to keep: all isolated ones, and one member of each continuum."""
    kept: list[int] = []
    for k in range(len(q)):
        others = [i for i in kept if free[i].any()]
        if not free[k].any() or not any(_connected(chain, q[i], q[k]) for i in others):
            kept.append(k)
    return np.array(kept, dtype=int)


def _connected(chain: Chain, a: Array, b: Array) -> bool:
    """Whether a self-motion leads from a to b."""
    for _ in range(_WALK):
        difference = wrapped(chain.kinds, (b - a)[None])[0]
        if np.abs(difference).max() < _ARRIVED:
            return True
        null = _null_space(chain, a)
        along = null.T @ (null @ difference)
        if np.abs(along).max(initial=0.0) < _NO_MORE:
            return False
        moved, error = newton(chain, a + limited(along[None]), 20)
        if error[0] > CERTIFIED:
            return False
        a = moved[0]
    return False
