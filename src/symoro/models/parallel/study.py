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
from scipy.spatial.transform import Rotation

from symoro.models.continuation import followed, largest_correction, patch_of

Array = NDArray[Any]
COUNT = 40
"""The solutions of a generic platform."""
IN_PAIRS = 16
"""The solutions of a platform on which legs meet in three pairs, 1 with 2, 3 with 4 and 5 with 6."""
STORED = {False: "study_start.json", True: "study_pairs.json"}
"""The files with the stored members: a generic one, and one whose legs meet in pairs."""


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


@dataclass(frozen=True)
class _Between:
    """The equations of platforms between two, in a patch."""

    member: Member
    change: Member
    patch: Array

    def values(self, x: Array) -> Array:
        return values(self.member, x, self.patch)

    def slopes(self, x: Array) -> Array:
        return slopes(self.member, x, self.patch)

    def rates(self, x: Array) -> Array:
        return rates(self.member, self.change, x)


def follow(start: Member, end: Member, x: Array, seed: int = 1, most: int = 400) -> tuple[Array, Array]:
    """The ends of the paths from the solutions x of one platform to another, and how far each came: 1 is all."""
    patch, change = patch_of(seed), end - start
    x = x / (x @ patch)[:, None]
    return followed(lambda t: _Between(start.at(change, t), change, patch), x, largest_correction(seed), most)


# poses


def poses(x: Array, real: float = 1e-8) -> Array:
    """The real ones among the solutions (n, 8), as poses (k, 4, 4)."""
    largest = np.abs(x[:, :4]).argmax(-1)
    scaled = x / np.take_along_axis(x[:, :4], largest[:, None], 1)
    return pose(scaled[np.abs(scaled.imag).max(-1) <= real].real)


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


def coordinates(T: Array) -> Array:
    """Study's coordinates (n, 8) of poses (n, 4, 4), with a unit quaternion e and g = p e / 2."""
    e = np.roll(Rotation.from_matrix(T[:, :3, :3]).as_quat(), 1, axis=-1)
    g = np.einsum("nij,nj->ni", left(T[:, :3, 3]), e) / 2
    return np.concatenate([e, g], axis=-1)


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
