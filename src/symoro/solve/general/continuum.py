"""Which branches are members of a self-motion.

A singular Jacobian alone does not say so: a stretched elbow is an isolated double branch. A branch is a member of a
continuum if the arm can go a small way along a singular direction and still has the pose exactly.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.solve.general.polish import (
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
_STRIDE, _LONGEST_CURVE, _TURNED, _WALK, _ARRIVED = 0.15, 300, 0.5, 12, 1e-4


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
    members = [k for k in range(len(q)) if free[k].any()]
    dropped: set[int] = set()
    for i, k in enumerate(members[:-1]):
        others = [other for other in members[i + 1 :] if other not in dropped]
        if k not in dropped and others:
            walked = curve(chain, q[k], free[k])
            dropped |= {other for other in others if _on(chain, walked, q[other])}
    return np.array([k for k in range(len(q)) if k not in dropped], dtype=int)


def curve(chain: Chain, start: Array, along: Array, most: int = _LONGEST_CURVE) -> Array:
    """Configurations (n, joints) along the self-motion from `start` on, until it returns there, or after `most`."""
    walked = [start]
    while len(walked) <= most:
        moved, error = newton(chain, (walked[-1] + _STRIDE * along)[None], _STEPS)
        if error[0] > CERTIFIED:
            break
        walked.append(moved[0])
        if len(walked) > 3 and _distances(chain, moved, start)[0] < _STRIDE:
            break
        null = _null_space(chain, moved[0])
        ahead = null.T @ (null @ along)
        if np.linalg.norm(ahead) < _TURNED:
            break
        along = ahead / np.linalg.norm(ahead)
    return np.array(walked)


def _on(chain: Chain, walked: Array, q: Array) -> bool:
    """Whether q is on the curve: a walk from the nearest of its configurations, along the self-motion, arrives at q."""
    distances = _distances(chain, walked, q)
    a = walked[distances.argmin()]
    if distances.min() > 2 * _STRIDE:
        return False
    for _ in range(_WALK):
        difference = wrapped(chain.kinds, (q - a)[None])[0]
        if np.abs(difference).max() < _ARRIVED:
            return True
        null = _null_space(chain, a)
        moved, error = newton(chain, a + limited((null.T @ (null @ difference))[None]), _STEPS)
        if error[0] > CERTIFIED:
            break
        a = moved[0]
    return False


def _distances(chain: Chain, walked: Array, q: Array) -> Array:
    distances: Array = np.abs(wrapped(chain.kinds, q - walked)).max(axis=1)
    return distances


# Other members of the continuum to which a branch belongs: a walk along its self-motion.


#: Refined twice, members are less than 1e-4 apart: a member inside limits that are wider than that is always found.
_BETWEEN, _TURNS = 40, 8
#: Slides without an end are not followed further than so many steps.
_MOST = 100


def members(chain: Chain, q: Array) -> Array:
    """Configurations (n, joints) along the self-motion at q, on both sides; q alone where it is isolated."""
    along = self_motions(chain, q[None])[0]
    if not along.any():
        return q[None]
    return np.vstack([curve(chain, q, -along, _MOST)[:0:-1], curve(chain, q, along, _MOST)])


def finer(chain: Chain, walked: Array, place: int) -> Array:
    """Members between one of those that were walked and its neighbours."""
    configurations = [walked[place : place + 1]]
    for a, b in pairwise(walked[max(place - 1, 0) : place + 2]):
        starts = a + np.linspace(0, 1, _BETWEEN)[:, None] * wrapped(chain.kinds, (b - a)[None])
        q, error = newton(chain, starts, _STEPS)
        configurations.append(q[error <= CERTIFIED])
    return np.vstack(configurations)


def with_last_turn(chain: Chain, q: Array) -> Array:
    """The configuration of a chain whose first joints are at q; its last joint, which turns, is where the pose is."""
    turns = np.linspace(-np.pi, np.pi, _TURNS, endpoint=False)
    configurations, error = newton(chain, np.column_stack([np.tile(q, (_TURNS, 1)), turns]), _STEPS)
    away = np.abs(wrapped(chain.kinds, configurations - np.append(q, 0.0))[:, :-1]).max(axis=1)
    nearest: Array = configurations[np.where(error <= CERTIFIED, away, np.inf).argmin()]
    return nearest
