"""All poses of a platform on six distances, by parameter continuation in Study's coordinates.

A pose is a quaternion e and its dual part g with e·g = 0; the position is 2 g ē / |e|². A leg from the base point a to
the platform point b with length l is one quadric, homogeneous in x = (e, g):

    |2 g + e b − a e|² = l² |e|²                                                (1)

(M. Husty, An algorithm for solving the direct kinematics of general Stewart-Gough platforms, Mech. Mach. Theory 1996).
With K = R(b) − L(a), the 4×4 matrix of e → e b − a e, (1) is |2 g + K e|² = l² |e|². A generic platform has 40 complex
solutions. Those of one complex member are stored; along a straight line of platforms (K, l²)(t) the solutions move to
those of any other platform. As the stored member is complex, the line meets no singular platform, with probability one.
Where legs meet in pairs on the platform there are 16 solutions, and the other 24 paths would end in singular points
with e·e = 0, which are no poses. Such a platform has a stored member of its own, on which legs meet in pairs, too.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
COUNT = 40
"""The solutions of a generic platform."""
IN_PAIRS = 16
"""The solutions of a platform on which legs meet in three pairs, 1 with 2, 3 with 4 and 5 with 6."""
STORED = {False: "study_start.json", True: "study_pairs.json"}
"""The files with the stored members: a generic one, and one whose legs meet in pairs."""
_NEWTON, _GROW = 3, 1.7


@dataclass(frozen=True)
class Member:
    """A platform: K (6, 4, 4) and l² (6)."""

    K: Array
    L: Array

    @classmethod
    def of(cls, a: Array, b: Array, L: Array) -> Member:
        """The platform with base points a (6, 3), platform points b (6, 3) and squared lengths L (6)."""
        return cls(right(b) - left(a), np.asarray(L))

    def __sub__(self, other: Member) -> Member:
        return Member(self.K - other.K, self.L - other.L)

    def at(self, change: Member, t: Array) -> Member:
        """self + t change for each t: K (n, 6, 4, 4), l² (n, 6)."""
        return Member(self.K + t[:, None, None, None] * change.K, self.L + t[:, None] * change.L)


def left(a: Array) -> Array:
    """The matrices of x → a x, for pure quaternions a (..., 3); the real part is first."""
    x, y, z = np.moveaxis(np.asarray(a), -1, 0)
    o = np.zeros_like(x)
    rows = [[o, -x, -y, -z], [x, o, -z, y], [y, z, o, -x], [z, -y, x, o]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def right(b: Array) -> Array:
    """The matrices of x → x b, for pure quaternions b (..., 3)."""
    x, y, z = np.moveaxis(np.asarray(b), -1, 0)
    o = np.zeros_like(x)
    rows = [[o, -x, -y, -z], [x, o, z, -y], [y, -z, o, x], [z, y, -x, o]]
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


# the equations


def values(m: Member, x: Array, patch: Array) -> Array:
    """The six quadrics (1), Study's equation, and the patch c·x = 1: (n, 8)."""
    e, g = x[:, :4], x[:, 4:]
    u = 2 * g[:, None] + np.einsum("...kij,...j->...ki", m.K, e)
    quadrics = (u * u).sum(-1) - m.L * (e * e).sum(-1)[:, None]
    return np.concatenate([quadrics, (e * g).sum(-1)[:, None], (x @ patch - 1)[:, None]], axis=1)


def slopes(m: Member, x: Array, patch: Array) -> Array:
    """∂F/∂x: (n, 8, 8)."""
    e, g = x[:, :4], x[:, 4:]
    u = 2 * g[:, None] + np.einsum("...kij,...j->...ki", m.K, e)
    by_e = 2 * np.einsum("...ki,...kij->...kj", u, m.K) - 2 * m.L[..., None] * e[:, None]
    top = np.concatenate([by_e, 4 * u], axis=-1)
    study = np.concatenate([g, e], axis=-1)[:, None]
    return np.concatenate([top, study, np.broadcast_to(patch, (len(x), 1, 8))], axis=1)


def rates(m: Member, change: Member, x: Array) -> Array:
    """∂F/∂t: (n, 8)."""
    e, g = x[:, :4], x[:, 4:]
    u = 2 * g[:, None] + np.einsum("...kij,...j->...ki", m.K, e)
    moved = np.einsum("kij,nj->nki", change.K, e)
    quadrics = 2 * (u * moved).sum(-1) - change.L * (e * e).sum(-1)[:, None]
    return np.concatenate([quadrics, np.zeros((len(x), 2))], axis=1)


# continuation


def follow(start: Member, end: Member, x: Array, seed: int = 1, most: int = 400) -> tuple[Array, Array]:
    """The ends of the paths from the solutions x of one platform to those of another, and how far each came: 1 is all.

    Predictor: Runge-Kutta of order four on x' = −F_x⁻¹ F_t. Corrector: at most three steps of Newton's method. A step
    is halved where the corrector fails, and grows after two steps that did not.
    """
    patch = patch_of(seed)
    x = x / (x @ patch)[:, None]
    change = end - start
    n = len(x)
    t, h, good = np.zeros(n), np.full(n, 0.05), np.zeros(n, dtype=int)
    for _ in range(most):
        live = np.flatnonzero((t < 1) & (h > 1e-9))
        if not live.size:
            break
        step = np.minimum(h[live], 1 - t[live])
        new = _predicted(start, change, patch, x[live], t[live], step)
        new, fine = _corrected(start.at(change, t[live] + step), patch, new, largest_correction(seed))
        done, failed = live[fine], live[~fine]
        x[done], t[done] = new[fine], np.where(step[fine] == 1 - t[done], 1.0, t[done] + step[fine])
        good[done] += 1
        h[failed], good[failed] = h[failed] / 2, 0
        grown = done[good[done] >= 2]
        h[grown], good[grown] = h[grown] * _GROW, 0
    last, ended = start.at(change, np.ones(n)), x
    for _ in range(2):
        ended = ended - _solved(slopes(last, ended, patch), values(last, ended, patch))
    return np.where((t >= 1)[:, None], ended, x), np.where(np.isfinite(ended).all(-1), t, np.minimum(t, 1 - 1e-9))


def largest_correction(seed: int) -> float:
    """How large the first correction of a step may be, relative to x: each further attempt takes smaller steps."""
    return float(1e-2 / 4 ** max(0, seed - 1))


def patch_of(seed: int) -> Array:
    """c of the patch c·x = 1 that keeps x bounded."""
    rng = np.random.default_rng(abs(seed))
    found: Array = rng.normal(size=8) + 1j * rng.normal(size=8)
    return found


def _predicted(start: Member, change: Member, patch: Array, x: Array, t: Array, h: Array) -> Array:
    def tangent(at: Array, y: Array) -> Array:
        m = start.at(change, at)
        return -_solved(slopes(m, y, patch), rates(m, change, y))

    step = h[:, None]
    k1 = tangent(t, x)
    k2 = tangent(t + h / 2, x + step / 2 * k1)
    k3 = tangent(t + h / 2, x + step / 2 * k2)
    k4 = tangent(t + h, x + step * k3)
    found: Array = x + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return found


def _corrected(m: Member, patch: Array, x: Array, first: float) -> tuple[Array, Array]:
    """The solutions near x, and where Newton's method reached them."""
    fine = np.ones(len(x), dtype=bool)
    small = np.zeros(len(x), dtype=bool)
    for k in range(_NEWTON):
        step = _solved(slopes(m, x, patch), values(m, x, patch))
        size = np.abs(step).max(-1) / np.maximum(np.abs(x).max(-1), 1e-300)
        fine &= np.isfinite(size) & (size <= (first if k == 0 else np.inf))
        x = np.where(fine[:, None], x - step, x)
        small |= size <= 1e-6
    return x, fine & small


def _solved(A: Array, b: Array) -> Array:
    """A⁻¹ b of each matrix; NaN where a matrix is singular."""
    try:
        found: Array = np.linalg.solve(A, b[..., None])[..., 0]
        return found
    except np.linalg.LinAlgError:
        regular = np.abs(np.linalg.det(A)) > 0
        safe = np.where(regular[:, None, None], A, np.eye(8))
        return np.where(regular[:, None], np.linalg.solve(safe, b[..., None])[..., 0], np.nan)


# poses


def poses(x: Array) -> Array:
    """The real ones among the solutions (n, 8), as poses (k, 4, 4)."""
    largest = np.abs(x[:, :4]).argmax(-1)
    scaled = x / np.take_along_axis(x[:, :4], largest[:, None], 1)
    real = np.abs(scaled.imag).max(-1) <= 1e-8
    return pose(scaled[real].real)


def pose(x: Array) -> Array:
    """The poses of real coordinates (n, 8)."""
    e, g = x[:, :4], x[:, 4:]
    length = (e * e).sum(-1)
    a, b, c, d = np.moveaxis(e, -1, 0)
    R = np.array(
        [
            [a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)],
            [2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)],
            [2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d],
        ]
    )
    conjugate = e * [1, -1, -1, -1]
    p = 2 * np.einsum("nij,nj->ni", _left(g), conjugate)[:, 1:] / length[:, None]
    found = np.tile(np.eye(4), (len(x), 1, 1))
    found[:, :3, :3], found[:, :3, 3] = np.moveaxis(R, -1, 0) / length[:, None, None], p
    return found


def _left(q: Array) -> Array:
    """The matrices of x → q x, for quaternions q (n, 4)."""
    return left(q[:, 1:]) + q[:, :1, None] * np.eye(4)


@cache
def stored(pairs: bool = False) -> tuple[Member, Array]:
    """A stored member and its 40 solutions, or 16 where legs meet in pairs (`study_start.py` found them)."""
    text = (files("symoro.models.parallel") / STORED[pairs]).read_text(encoding="utf-8")
    data = {name: np.array(rows) for name, rows in json.loads(text).items()}
    a, b, L, x = (data[name][..., 0] + 1j * data[name][..., 1] for name in ("a", "b", "L", "x"))
    return Member.of(a, b, L), x
