"""All points that lie on quadrics, by continuation from quadrics whose points are known.

In k + 1 homogeneous coordinates x, k quadrics xᵀ Q_j x = 0 have at most 2ᵏ isolated points. The points of

    x_j² − x_0² = 0,  j = 1 … k                                                        (1)

are known: all signs. Along (1 − t) γ S_j + t Q_j, with a random complex γ, they move to all isolated points of the Q_j
with probability one (A. Sommese, C. Wampler, The Numerical Solution of Systems of Polynomials Arising in Engineering
and Science, 2005). More than k quadrics are combined to k by random factors: this adds points, which are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.continuation import apart, followed, largest_correction, patch_of

Array = NDArray[Any]
_ATTEMPTS = (1, 2, 3, 4)
#: How far points may be from quadrics; and singular values above which points are simple.
_ON, _SIMPLE = 1e-7, 1e-6


@dataclass(frozen=True)
class Pencil:
    """The quadrics Q (n, k, k + 1, k + 1) on the way, their change by t, and the patch c·x = 1."""

    Q: Array
    change: Array
    patch: Array

    def values(self, x: Array) -> Array:
        return np.concatenate([_values(self.Q, x), (x @ self.patch - 1)[:, None]], axis=1)

    def slopes(self, x: Array) -> Array:
        rows = 2 * np.einsum("nkij,nj->nki", self.Q, x)
        return np.concatenate([rows, np.broadcast_to(self.patch, (len(x), 1, x.shape[1]))], axis=1)

    def rates(self, x: Array) -> Array:
        return np.concatenate([_values(self.change[None], x), np.zeros((len(x), 1))], axis=1)


def _values(Q: Array, x: Array) -> Array:
    """xᵀ Q x: (n, k)."""
    found: Array = np.einsum("nki,ni->nk", np.einsum("nkij,nj->nki", np.broadcast_to(Q, (len(x), *Q.shape[1:])), x), x)
    return found


def all_points(Q: Array, gone: Callable[[Array], Array]) -> tuple[Array, bool]:
    """The isolated points (n, k + 1) of at least k quadrics Q (m, k + 1, k + 1), and whether no path was lost.

    `gone` says which points are not wanted: paths may end there together, and without reaching t = 1.
    """
    k = Q.shape[-1] - 1
    best: Array = np.zeros((0, k + 1), dtype=complex)
    for seed in _ATTEMPTS:
        with np.errstate(all="ignore"):
            combined = _combined(Q, k, seed)
            ends, reached = _followed(combined, seed)
            lost = (reached > 0.99) & gone(ends)
            fine = (reached >= 1) & ~lost & np.isfinite(ends).all(-1)
            kept = ends[fine & _on_all(Q, ends)]
        best = kept if len(kept) > len(best) else best
        if (fine | lost).all() and apart(ends[fine]) and _regular(combined, ends[fine]).all():
            return kept, True
    return best, False


def _regular(Q: Array, x: Array) -> Array:
    """Which points are simple: paths that end in one point together, or on a curve of points, are not."""
    scaled = x / np.linalg.norm(x, axis=-1)[:, None]
    rows = np.concatenate([np.einsum("kij,nj->nki", Q, scaled), np.conj(scaled)[:, None]], axis=1)
    values = np.linalg.svd(rows, compute_uv=False)
    found: Array = values[:, -1] > _SIMPLE * values[:, 0]
    return found


def _followed(Q: Array, seed: int) -> tuple[Array, Array]:
    """The ends of the 2ᵏ paths, and how far each came."""
    k = len(Q)
    start = np.zeros((k, k + 1, k + 1), dtype=complex)
    for j in range(k):
        start[j, j + 1, j + 1], start[j, 0, 0] = 1, -1  # (1)
    start *= np.exp(2j * np.pi * np.random.default_rng([seed, 1]).uniform())
    patch, change = patch_of(seed, k + 1), Q - start
    x = np.array([(1, *signs) for signs in product((1, -1), repeat=k)], dtype=complex)
    x = x / (x @ patch)[:, None]
    return followed(
        lambda t: Pencil(start + t[:, None, None, None] * change, change, patch), x, largest_correction(seed), 600
    )


def _combined(Q: Array, k: int, seed: int) -> Array:
    """k combinations of the quadrics with random factors."""
    if len(Q) == k:
        return Q
    rng = np.random.default_rng([seed, 2])
    factors = rng.normal(size=(k, len(Q))) + 1j * rng.normal(size=(k, len(Q)))
    found: Array = np.einsum("km,mij->kij", factors / np.linalg.norm(factors, axis=1)[:, None], Q)
    return found


def _on_all(Q: Array, x: Array) -> Array:
    """Which points lie on all quadrics."""
    scaled = x / np.linalg.norm(x, axis=-1)[:, None]
    found: Array = np.abs(_values(Q[None], scaled)).max(-1) <= _ON
    return found
