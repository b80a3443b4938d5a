"""Assemblies of platforms whose legs are quadrics in Study's coordinates.

While the motors of a leg stand still, the leg alone allows some poses of the platform. Random positions of the passive
joints and of the attachment give such poses. The linear and quadratic forms in Study's coordinates x = (e, g) of the
pose (`study`) that vanish on them are the equations of the leg (D. Walter, M. Husty, On implicitization of kinematic
constraint equations, Machine Design & Research 2010). The linear forms of all legs leave a space of few dimensions, and
`all_points` finds the points of all quadrics there:

- legs of a spherical platform leave three dimensions and a quadric each: 8 assemblies (C. Gosselin, J. Sefrioui,
  M. Richard, ASME J. Mech. Des. 1994);
- legs of hinges in a plane leave three dimensions and a quadric each, of which two points are no poses: 6 assemblies;
- a leg without passive joints and with a fixed attachment leaves a point.

A leg with equations of a higher degree is not found: its quadrics do not suffice.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.parallel.meeting import MET, closed, joints_for
from symoro.models.parallel.numbers import home, size
from symoro.models.parallel.quadrics import all_points
from symoro.models.parallel.spheres import Found, distinct
from symoro.models.parallel.still_leg import StillLeg, still_legs
from symoro.models.parallel.study import coordinates, poses
from symoro.robot.parallel import AttachmentKind, ParallelRobot

Array = NDArray[Any]
_SAMPLES = 80
#: What is zero among the singular values of forms: of one leg, and of those that legs have in common.
_ZERO, _COMMON = 1e-10, 1e-6
#: Imaginary parts of points that may be real; any where paths were lost. Newton's method decides in real numbers.
_REAL = 1e-4


def by_quadrics(robot: ParallelRobot, q: Array, numbers: Mapping[str, float]) -> Found | None:
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
    found = np.array(T)
    found[:, :3, 3] = (T[:, :3, 3] - middle) / scale
    return found


# the equations of a leg


def _reached(leg: StillLeg, rng: np.random.Generator, length: float) -> Array:
    """Poses of the platform that the leg alone allows."""
    B, _ = leg.at(leg.any(rng, _SAMPLES, length))
    found: Array = B @ _attached(leg.kind, rng, length) @ np.linalg.inv(leg.A)
    return found


def _attached(kind: AttachmentKind, rng: np.random.Generator, length: float) -> Array:
    """Random poses of the attachment's frame on the platform, seen from the end of the leg."""
    found = np.tile(np.eye(4), (_SAMPLES, 1, 1))
    match kind:
        case AttachmentKind.SPHERICAL:
            Q, R = np.linalg.qr(rng.normal(size=(_SAMPLES, 3, 3)))
            Q = Q * np.sign(np.diagonal(R, axis1=-2, axis2=-1))[:, None, :]
            found[:, :3, :3] = Q * np.linalg.det(Q)[:, None, None]
        case AttachmentKind.UNIVERSAL:
            across = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
            found[:, :3, :3] = _turned(rng) @ across @ _turned(rng)
        case AttachmentKind.REVOLUTE:
            found[:, :3, :3] = _turned(rng)
        case AttachmentKind.PRISMATIC:
            found[:, 2, 3] = length * rng.uniform(-1, 1, _SAMPLES)
    return found


def _turned(rng: np.random.Generator) -> Array:
    """Random rotations about z."""
    angle = rng.uniform(-np.pi, np.pi, _SAMPLES)
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(_SAMPLES)
    return np.moveaxis(np.array([[c, -s, o], [s, c, o], [o, o, o + 1]]), -1, 0)


_PAIRS = np.triu_indices(8)


def _quadrics(x: Array) -> Array:
    """The quadrics (m, 8, 8) that vanish at all points x (n, 8)."""
    forms = _kernel(x[:, _PAIRS[0]] * x[:, _PAIRS[1]], _ZERO).T
    found = np.zeros((len(forms), 8, 8))
    found[:, _PAIRS[0], _PAIRS[1]] = forms
    return (found + np.swapaxes(found, -1, -2)) / 2


def _restricted(every: Sequence[Array], space: Array) -> Array:
    """Independent quadrics that generate those of all legs, in coordinates of the space."""
    n = space.shape[1]
    rows = (space.T @ np.concatenate(every) @ space).reshape(-1, n * n)
    _, values, right = np.linalg.svd(rows, full_matrices=False)
    found: Array = right[values > _COMMON * max(1.0, values.max(initial=0.0))].reshape(-1, n, n)
    return found


def _kernel(rows: Array, zero: float) -> Array:
    """The vectors x with rows x = 0, as orthogonal columns."""
    _, values, right = np.linalg.svd(rows)
    found: Array = right[int((values > zero * max(1.0, values.max(initial=0.0))).sum()) :].T
    return found


# poses


def _no_pose(x: Array) -> Array:
    """Where e = 0."""
    found: Array = np.abs(x[:, :4]).max(-1) < 1e-3 * np.abs(x).max(-1)
    return found


def _met(legs: Sequence[StillLeg], T: Array, rng: np.random.Generator, length: float) -> Array:
    """The poses at which all legs meet the platform, by Newton's method in pose and joints."""
    if not len(T):
        return T
    y = [joints_for(leg, T, rng, length) for leg in legs]
    T, _, far = closed(legs, T, y)
    return distinct(T[far <= MET * max(1.0, length)])
