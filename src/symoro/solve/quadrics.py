"""All points that lie on quadrics, by continuation from quadrics whose points are known.

In k + 1 homogeneous coordinates x, k quadrics xᵀ Q_j x = 0 have at most 2ᵏ isolated points. The points of

    x_j² − x_0² = 0,  j = 1 … k                                                        (1)

are known: all signs. Along (1 − t) γ S_j + t Q_j, with a random complex γ, they move to all isolated points of the Q_j
with probability one (A. Sommese, C. Wampler, The Numerical Solution of Systems of Polynomials Arising in Engineering
and Science, 2005). More than k quadrics are combined to k by random factors: this adds points, which are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.parallel.platform import home, size
from symoro.robot.robot import ClosureKind, Robot
from symoro.solve.continuation import apart, followed, largest_correction, patch_of
from symoro.solve.legs import MET, StillLeg, closed, joints_for, still_legs
from symoro.solve.spheres import PoseSet, distinct
from symoro.solve.study import coordinates, poses

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
    values: Array = np.einsum("nki,ni->nk", np.einsum("nkij,nj->nki", np.broadcast_to(Q, (len(x), *Q.shape[1:])), x), x)
    return values


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
    simple: Array = values[:, -1] > _SIMPLE * values[:, 0]
    return simple


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
    combinations: Array = np.einsum("km,mij->kij", factors / np.linalg.norm(factors, axis=1)[:, None], Q)
    return combinations


def _on_all(Q: Array, x: Array) -> Array:
    """Which points lie on all quadrics."""
    scaled = x / np.linalg.norm(x, axis=-1)[:, None]
    on_all: Array = np.abs(_values(Q[None], scaled)).max(-1) <= _ON
    return on_all


# Assemblies of platforms whose legs are quadrics in Study's coordinates.
#
# While the motors of a leg stand still, the leg alone allows some poses of the platform. Random positions of the
# passive joints and of the attachment give such poses. The linear and quadratic forms in Study's coordinates x = (e, g)
# of the pose (`study`) that vanish on them are the equations of the leg (D. Walter, M. Husty, On implicitization of
# kinematic constraint equations, Machine Design & Research 2010). The linear forms of all legs leave a space of few
# dimensions, and `all_points` finds the points of all quadrics there:
#
# - legs of a spherical platform leave three dimensions and a quadric each: 8 assemblies (C. Gosselin, J. Sefrioui,
#   M. Richard, ASME J. Mech. Des. 1994);
# - legs of hinges in a plane leave three dimensions and a quadric each, of which two points are no poses: 6 assemblies;
# - a leg without passive joints and with a fixed attachment leaves a point.
#
# A leg with equations of a higher degree is not found: its quadrics do not suffice.


_SAMPLES = 80
#: What is zero among the singular values of forms: of one leg, and of those that legs have in common.
_ZERO, _COMMON = 1e-10, 1e-6
#: Imaginary parts of points that may be real; any where paths were lost. Newton's method decides in real numbers.
_REAL = 1e-4


def by_quadrics(robot: Robot, q: Array, numbers: Mapping[str, float]) -> PoseSet | None:
    """All assemblies; None for robots whose legs do not have enough quadrics."""
    legs = still_legs(robot, q, numbers)
    if legs is None:
        return None
    rng, middle = np.random.default_rng(5), home(robot, numbers)[:3, 3]
    samples = [_reached(leg, rng, size(robot)) for leg in legs]
    scale = max(1e-6, *(float(np.median(np.linalg.norm(T[:, :3, 3] - middle, axis=-1))) for T in samples))
    points = [coordinates(_seen(T, middle, scale)) for T in samples]
    space = _kernel(np.vstack([_kernel(x, _ZERO).T for x in points]), _COMMON)
    if not space.shape[1]:
        return np.zeros((0, 4, 4)), True
    Q = _restricted([_quadrics(x) for x in points], space)
    if len(Q) < space.shape[1] - 1:
        return None
    x, complete = all_points(Q, lambda x: _no_pose(x @ space.T)) if space.shape[1] > 1 else (np.ones((1, 1)), True)
    T = poses(x @ space.T, _REAL if complete else np.inf)
    T[:, :3, 3] = T[:, :3, 3] * scale + middle
    return _met(legs, T, rng, scale), complete


def _seen(T: Array, middle: Array, scale: float) -> Array:
    """Poses with lengths near 1 about the middle."""
    poses = np.array(T)
    poses[:, :3, 3] = (T[:, :3, 3] - middle) / scale
    return poses


# the equations of a leg


def _reached(leg: StillLeg, rng: np.random.Generator, length: float) -> Array:
    """Poses of the platform that the leg alone allows."""
    B, _ = leg.at(leg.any(rng, _SAMPLES, length))
    poses: Array = B @ _attached(leg.kind, rng, length) @ np.linalg.inv(leg.A)
    return poses


def _attached(kind: ClosureKind, rng: np.random.Generator, length: float) -> Array:
    """Random poses of the attachment's frame on the platform, seen from the end of the leg."""
    poses = np.tile(np.eye(4), (_SAMPLES, 1, 1))
    match kind:
        case ClosureKind.SPHERICAL:
            Q, R = np.linalg.qr(rng.normal(size=(_SAMPLES, 3, 3)))
            Q = Q * np.sign(np.diagonal(R, axis1=-2, axis2=-1))[:, None, :]
            poses[:, :3, :3] = Q * np.linalg.det(Q)[:, None, None]
        case ClosureKind.UNIVERSAL:
            across = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
            poses[:, :3, :3] = _turned(rng) @ across @ _turned(rng)
        case ClosureKind.REVOLUTE:
            poses[:, :3, :3] = _turned(rng)
        case ClosureKind.PRISMATIC:
            poses[:, 2, 3] = length * rng.uniform(-1, 1, _SAMPLES)
    return poses


def _turned(rng: np.random.Generator) -> Array:
    """Random rotations about z."""
    angle = rng.uniform(-np.pi, np.pi, _SAMPLES)
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(_SAMPLES)
    return np.moveaxis(np.array([[c, -s, o], [s, c, o], [o, o, o + 1]]), -1, 0)


_PAIRS = np.triu_indices(8)


def _quadrics(x: Array) -> Array:
    """The quadrics (m, 8, 8) that vanish at all points x (n, 8)."""
    forms = _kernel(x[:, _PAIRS[0]] * x[:, _PAIRS[1]], _ZERO).T
    quadrics = np.zeros((len(forms), 8, 8))
    quadrics[:, _PAIRS[0], _PAIRS[1]] = forms
    return (quadrics + np.swapaxes(quadrics, -1, -2)) / 2


def _restricted(every: Sequence[Array], space: Array) -> Array:
    """Independent quadrics that generate those of all legs, in coordinates of the space."""
    n = space.shape[1]
    rows = (space.T @ np.concatenate(every) @ space).reshape(-1, n * n)
    _, values, right = np.linalg.svd(rows, full_matrices=False)
    quadrics: Array = right[values > _COMMON * max(1.0, values.max(initial=0.0))].reshape(-1, n, n)
    return quadrics


def _kernel(rows: Array, zero: float) -> Array:
    """The vectors x with rows x = 0, as orthogonal columns."""
    _, values, right = np.linalg.svd(rows)
    kernel: Array = right[int((values > zero * max(1.0, values.max(initial=0.0))).sum()) :].T
    return kernel


# poses


def _no_pose(x: Array) -> Array:
    """Where e = 0."""
    no_pose: Array = np.abs(x[:, :4]).max(-1) < 1e-3 * np.abs(x).max(-1)
    return no_pose


def _met(legs: Sequence[StillLeg], T: Array, rng: np.random.Generator, length: float) -> Array:
    """The poses at which all legs meet the platform, by Newton's method in pose and joints."""
    if not len(T):
        return T
    y = [joints_for(leg, T, rng, length) for leg in legs]
    T, _, far = closed(legs, T, y)
    return distinct(T[far <= MET * max(1.0, length)])
