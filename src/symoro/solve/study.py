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

import ctypes
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from symoro.errors import TargetError
from symoro.runtime.shared_library import shared_library
from symoro.solve.continuation import followed, largest_correction, patch_of

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
    poses = np.tile(np.eye(4), (len(x), 1, 1))
    poses[:, :3, :3], poses[:, :3, 3] = np.moveaxis(R, -1, 0) / length[:, None, None], p
    return poses


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
    """A stored member and its 40 solutions, or 16 where legs meet in pairs (`solutions_by_monodromy` found them)."""
    text = (files("symoro.solve") / STORED[pairs]).read_text(encoding="utf-8")
    data = {name: np.array(rows) for name, rows in json.loads(text).items()}
    a, b, L, x = (data[name][..., 0] + 1j * data[name][..., 1] for name in ("a", "b", "L", "x"))
    return Member.of(a, b, L), x


# The continuation of assemblies in C, by the compiler of the machine.


_FAST = ("-O3", "-ffp-contract=fast")


def follow_in_c(start: Member, end: Member, x: Array, seed: int = 1, most: int = 400) -> tuple[Array, Array]:
    """What `follow` does, path by path in C."""
    run = _library().study_follow
    patch = patch_of(seed)
    ends = np.ascontiguousarray(x / (x @ patch)[:, None], dtype=np.complex128)
    reached = np.zeros(len(ends))
    first, change = _packed(start), _packed(end - start)
    first_step = ctypes.c_double(largest_correction(seed))
    run(_at(first), _at(change), _at(patch), first_step, len(ends), most, _at(ends), _at(reached))
    return ends, reached


@cache
def _library() -> ctypes.CDLL:
    """The code for this very processor, where the compiler can write for it."""
    text = (files("symoro.solve") / "study.c").read_text(encoding="utf-8")
    try:
        return shared_library((("study.c", text),), _FAST)
    except TargetError:
        return shared_library((("study.c", text),))


def _packed(m: Member) -> Array:
    """b − a, b + a and l², eight numbers each, of which the last two are zero: real parts, then imaginary ones."""
    K = np.moveaxis(m.K, 0, -1)  # K = R(b) − L(a) is skew; its entries are those of b − a and b + a
    rows = np.array([K[1, 0], K[2, 0], K[3, 0], K[2, 3], K[3, 1], K[1, 2], m.L], dtype=np.complex128)
    eight = np.pad(rows, ((0, 0), (0, 2)))
    return np.ascontiguousarray(np.stack([eight.real, eight.imag], axis=1))


def _at(array: Array) -> Any:
    return array.ctypes.data_as(ctypes.c_void_p)


# Finds all solutions of random complex platforms by monodromy: python -m symoro.solve.study.
#
# A solution is chosen and the platform follows from it. Following solutions around triangles of platforms gives others,
# until there are 40; or 16 of a platform on which legs meet in pairs, where all platforms of the triangles are such
# ones. The results are the files study_start.json and study_pairs.json beside this one.


_SAME = 1e-6


def solutions_by_monodromy(pairs: bool = False, seed: int = 7, most: int = 60) -> tuple[Array, Array, Array, Array]:
    """Base points, platform points, squared lengths, and the solutions (40, 8) or (16, 8)."""
    rng = np.random.default_rng(seed)

    def random(*shape: int) -> Array:
        numbers: Array = (rng.normal(size=shape) + 1j * rng.normal(size=shape)) / np.sqrt(2)
        return numbers

    def points() -> Array:
        return np.repeat(random(3, 3), 2, axis=0) if pairs else random(6, 3)

    a, b, e = random(6, 3), points(), random(4)
    g = random(4)
    g = g - e * (e @ g) / (e @ e)  # Study's equation
    here = Member.of(a, b, np.zeros(6))
    u = 2 * g + here.K @ e
    L = (u * u).sum(-1) / (e @ e)  # (1)
    here = Member.of(a, b, L)
    known = _scaled(np.concatenate([e, g])[None])
    for turn in range(most):
        corners = [Member.of(random(6, 3), points(), random(6)) for _ in range(2)]
        x, ok = known, np.ones(len(known), dtype=bool)
        for first, second in zip((here, *corners), (*corners, here), strict=True):
            x, reached = follow(first, second, x, seed=-turn)
            ok &= reached >= 1
        known = _united(known, _scaled(x[ok]))
        if len(known) >= (IN_PAIRS if pairs else COUNT):
            break
    return a, b, L, known


def _scaled(x: Array) -> Array:
    scaled: Array = x / np.take_along_axis(x, np.abs(x).argmax(-1)[:, None], 1)
    return scaled


def _united(known: Array, new: Array) -> Array:
    for x in new:
        if np.abs(known - x).max(-1).min() > _SAME:
            known = np.vstack([known, x])
    return known


def main() -> None:
    for pairs, name in STORED.items():
        parts = zip(("a", "b", "L", "x"), solutions_by_monodromy(pairs), strict=True)
        data = {n: np.stack([x.real, x.imag], axis=-1).tolist() for n, x in parts}
        Path(__file__).with_name(name).write_text(json.dumps(data) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
