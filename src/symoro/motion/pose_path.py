"""Paths of a frame: a line or a circle for its origin, a turn about one axis or by Euler's angles (K13 § 8.4).

A frame may also approach a target which moves, and then stay on it (K13:8.3).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from symoro.errors import MotionError, ShapeError
from symoro.motion.profiles import Array
from symoro.motion.trajectory import Clock
from symoro.runtime.outputs import real_array


class PathPoses(NamedTuple):
    """Poses (..., 4, 4), and their first and second derivatives by s as [v; ω] and [v̇; ω̇] (..., 6) in frame 0."""

    T: Array
    twist: Array
    rate: Array


class FrameCurve(NamedTuple):
    """A point or an orientation with its first two derivatives by s, each (..., 3) but for an orientation."""

    at: Array
    first: Array
    second: Array


@dataclass(frozen=True, slots=True)
class PosePath:
    """A path for s from 0 to 1. `length` is that of the origin's curve, `angle` that of the turn."""

    origin: Callable[[Array], FrameCurve]
    turn: Callable[[Array], FrameCurve]
    length: float
    angle: float
    radius: float = np.inf
    end: float = 1.0

    def __call__(self, s: Array) -> PathPoses:
        x = np.asarray(s, dtype=float)
        P, R = self.origin(x[..., None]), self.turn(x)
        T = np.zeros((*x.shape, 4, 4))
        T[..., :3, :3], T[..., :3, 3], T[..., 3, 3] = R.at, P.at, 1.0
        return PathPoses(T, *(np.concatenate([p, r], axis=-1) for p, r in ((P.first, R.first), (P.second, R.second))))


def line(start: Array, end: Array) -> tuple[Callable[[Array], FrameCurve], float]:
    """P = P^i + s (P^f − P^i) (K13:8.53), and its length (K13:8.48)."""
    D = end - start

    def at(s: Array) -> FrameCurve:
        none = np.zeros((*s.shape[:-1], 3))
        return FrameCurve(start + s * D, none + D, none)

    return at, float(np.linalg.norm(D))


def arc(start: Array, through: Array, end: Array) -> tuple[Callable[[Array], FrameCurve], float, float]:
    """The arc of the circle through three points, its length and its radius."""
    a, b = through - start, end - start
    n = np.cross(a, b)
    if np.linalg.norm(n) <= 1e-9 * np.linalg.norm(a) * np.linalg.norm(b) or not n.any():
        raise MotionError("trajectories.on_a_line")
    centre = start + np.cross((a @ a) * b - (b @ b) * a, n) / (2 * n @ n)
    axis, spoke = n / np.linalg.norm(n), start - centre
    side = np.cross(axis, spoke)
    angle = float(np.arctan2((end - centre) @ side, (end - centre) @ spoke)) % (2 * np.pi)

    def at(s: Array) -> FrameCurve:
        c, d = np.cos(angle * s), np.sin(angle * s)
        out, along = c * spoke + d * side, c * side - d * spoke
        return FrameCurve(centre + out, angle * along, -(angle**2) * out)

    radius = float(np.linalg.norm(spoke))
    return at, radius * angle, radius


def about_axis(start: Array, end: Array) -> tuple[Callable[[Array], FrameCurve], float]:
    """R = R^i rot(u, s α), with the angle α from 0 to π (K13:8.49, 8.54); ω = R^i u α (K13:8.57)."""
    turn = Rotation.from_matrix(start.T @ end).as_rotvec()
    omega = start @ turn

    def at(s: Array) -> FrameCurve:
        R = start @ Rotation.from_rotvec(np.multiply.outer(s, turn).reshape(-1, 3)).as_matrix().reshape(*s.shape, 3, 3)
        none = np.zeros((*s.shape, 3))
        return FrameCurve(R, none + omega, none)

    return at, float(np.linalg.norm(turn))


def by_euler(start: Array, end: Array) -> tuple[Callable[[Array], FrameCurve], float]:
    """R = rot(z, φ) rot(x, θ) rot(z, ψ), whose angles change in proportion to s.

    K13:8.55 has the factor R^i once too often. Of the two triples of each orientation the nearest ones are taken.
    """
    first = _euler(start)
    others = [_euler(end), _euler(end) * [1, -1, 1] + [np.pi, 0, np.pi]]
    changes = [x - first for x in others]
    for change in changes:
        change[[0, 2]] = (change[[0, 2]] + np.pi) % (2 * np.pi) - np.pi
    change = min(changes, key=np.linalg.norm)

    def at(s: Array) -> FrameCurve:
        angles = first + s[..., None] * change
        turns = [Rotation.from_rotvec(np.multiply.outer(angles[..., k].ravel(), e)) for k, e in enumerate(_AXES)]
        R = (turns[0] * turns[1] * turns[2]).as_matrix().reshape(*s.shape, 3, 3)
        x = turns[0].apply(_AXES[1]).reshape(*s.shape, 3)
        z = (turns[0] * turns[1]).apply(_AXES[2]).reshape(*s.shape, 3)
        rates = [change[0] * _AXES[0], change[1] * x, change[2] * z]
        before = rates[0] + rates[1]
        return FrameCurve(R, before + rates[2], np.cross(rates[0], rates[1]) + np.cross(before, rates[2]))

    return at, float(np.abs(change).sum())


_AXES = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def _euler(R: Array) -> Array:
    """φ, θ, ψ of z x z; where θ is 0 or π, ψ is 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # at θ = 0 one angle is chosen
        return np.asarray(Rotation.from_matrix(R).as_euler("ZXZ"))


# targets that move

Target = Callable[[Array], PathPoses]
"""Times (...) -> poses (..., 4, 4), velocities [v; ω] and accelerations (..., 6) in frame 0, of the frame's origin."""


@dataclass(frozen=True, slots=True)
class MovingTarget:
    """A pose that moves with a constant velocity, such as an object on a conveyor or on a turntable."""

    pose: Array
    velocity: Array

    def __call__(self, time: ArrayLike) -> PathPoses:
        """Its pose, velocity and acceleration at times (...)."""
        t = np.asarray(time, dtype=float)
        v, omega = self.velocity[:3], self.velocity[3:]
        turned = Rotation.from_rotvec(np.multiply.outer(t, omega).reshape(-1, 3)).as_matrix().reshape(*t.shape, 3, 3)
        T = np.zeros((*t.shape, 4, 4))
        T[..., :3, :3], T[..., 3, 3] = turned @ self.pose[:3, :3], 1.0
        T[..., :3, 3] = self.pose[:3, 3] + np.multiply.outer(t, v)
        return PathPoses(T, np.broadcast_to(self.velocity, (*t.shape, 6)), np.zeros((*t.shape, 6)))


def moving_target(pose: ArrayLike, velocity: ArrayLike) -> MovingTarget:
    """A target of `task_trajectory` that begins at a pose (4, 4) and moves with a velocity [v; ω] (6,) in frame 0."""
    T, V = real_array("pose", pose), real_array("velocity", velocity)
    if T.shape != (4, 4) or V.shape != (6,) or not (np.isfinite(T).all() and np.isfinite(V).all()):
        raise ShapeError("trajectories.moving_target", pose=str(T.shape), velocity=str(V.shape))
    if np.abs(T[:3, :3] @ T[:3, :3].T - np.eye(3)).max() > 1e-6 or np.linalg.det(T[:3, :3]) < 0:
        raise MotionError("trajectories.not_orthonormal")
    return MovingTarget(T, V)


class Away(NamedTuple):
    """Where a frame is from a target at the start: P^f − P^i in frame 0, and the turn from R^f to R^i in the target."""

    distance: Array
    turn: Array


def away(start: Array, target: Target) -> Away:
    first = poses_of(target, np.zeros(1)).T[0]
    turn = Rotation.from_matrix(first[:3, :3].T @ start[:3, :3]).as_rotvec()
    return Away(first[:3, 3] - start[:3, 3], turn)


@dataclass(frozen=True, slots=True)
class Approach:
    """The path of the frame, whose parameter is the time: `end` is the last one, `clock` gives r, ṙ and r̈."""

    target: Target
    away: Away
    clock: Clock
    end: float

    def __call__(self, time: Array) -> PathPoses:
        t = np.asarray(time, dtype=float)
        aim, (r, rd, rdd) = poses_of(self.target, t), (x[..., None] for x in self.clock(t))
        R, D, w = aim.T[..., :3, :3], self.away.distance, self.away.turn
        back = Rotation.from_rotvec(((1 - r) * w).reshape(-1, 3)).as_matrix().reshape(*t.shape, 3, 3)
        axis = R @ w
        T = aim.T.copy()
        T[..., :3, :3], T[..., :3, 3] = R @ back, aim.T[..., :3, 3] - (1 - r) * D  # (K13:8.3)
        twist = aim.twist + np.concatenate([rd * D, -rd * axis], axis=-1)
        turning = -rdd * axis - rd * np.cross(aim.twist[..., 3:], axis)
        return PathPoses(T, twist, aim.rate + np.concatenate([rdd * D, turning], axis=-1))


def poses_of(target: Target, time: Array) -> PathPoses:
    """What a target is at times (...), checked."""
    try:
        poses = PathPoses(*(np.asarray(x, dtype=float) for x in target(time)))
    except (TypeError, ValueError) as error:
        raise MotionError("trajectories.target_gives", reason=str(error)) from None
    shapes = ((*time.shape, 4, 4), (*time.shape, 6), (*time.shape, 6))
    if tuple(x.shape for x in poses) != shapes:
        raise ShapeError(
            "trajectories.target_shapes", wanted=list(map(str, shapes)), shapes=[str(x.shape) for x in poses]
        )
    return poses
