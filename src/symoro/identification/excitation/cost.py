"""How well a motion excites the parameters, and how far it is slowed down for the torques."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError
from symoro.findings import Argument
from symoro.identification.arrays import Array
from symoro.identification.excitation.excited import Excited, FollowerLimits
from symoro.identification.excitation.limits import Curves, each
from symoro.identification.excitation.motions import Basis, SplineBasis
from symoro.identification.subject.subject import Box

# How well a motion excites the parameters, with its gradient by the coefficients of the motion.


_STEP = 1e-6
_PENALTY = 50.0
_NOWHERE = 100.0
"""The cost of a motion that the robot cannot do: more than that of any other, but not so much that the next step of a
line search is lost."""
_INNER = 0.02
"""Part of the range of what follows, at its ends, that costs already."""
AnyBasis = Basis | SplineBasis
Value = tuple[float, Array]
"""A number and what its gradient by W is, as a matrix like W."""


def log_condition(W: Array) -> Value:
    """log s₁ − log s_n, with u₁ v₁ᵀ / s₁ − u_n v_nᵀ / s_n."""
    U, s, Vt = np.linalg.svd(W, full_matrices=False)
    return float(np.log(s[0] / s[-1])), np.outer(U[:, 0], Vt[0]) / s[0] - np.outer(U[:, -1], Vt[-1]) / s[-1]


def smooth_condition(W: Array) -> Value:
    """½ log Σ s² + ½ log Σ s⁻², which is smooth where singular values meet."""
    U, s, Vt = np.linalg.svd(W, full_matrices=False)
    a, b = np.sum(s**2), np.sum(s**-2.0)
    return float(np.log(a) + np.log(b)) / 2, (U * (s / a - s**-3.0 / b)) @ Vt


def information(W: Array) -> Value:
    """−log det WᵀW / (2 n): the volume of the uncertainty."""
    U, s, Vt = np.linalg.svd(W, full_matrices=False)
    return -float(np.mean(np.log(s))), -(U / s) @ Vt / len(s)


def cost(excited: Excited, basis: AnyBasis, box: Box, measure: Callable[[Array], Value], x: Array) -> Value:
    """The measure of a motion and a penalty beyond the limits, with the gradient by x: middles, then coefficients."""
    n = len(excited.names)
    middle, c = x[:n], x[n:].reshape(n, -1)
    B = basis.columns
    q, qd, qdd = middle + B[0] @ c.T, B[1] @ c.T, B[2] @ c.T
    at = excited.placed(q)
    if not np.isfinite(at).all():
        return _NOWHERE, np.zeros_like(x)
    W = excited.evaluate(at, qd, qdd)
    value, G = measure(W.reshape(-1, W.shape[-1]))
    by_motion = _by_motion(excited, (at, qd, qdd), W, G.reshape(W.shape))
    for gradient, (size, slope) in zip(by_motion, _beyond(q, qd, qdd, box), strict=True):
        value += _PENALTY * size
        gradient += _PENALTY * slope
    if excited.follower_limits is not None:
        size, slopes = _outside(excited, excited.follower_limits.smaller(_INNER), at, qd)
        value += _PENALTY * size
        for gradient, slope in zip(by_motion, slopes, strict=False):
            gradient += _PENALTY * slope
    by_c = sum(b.T @ g for b, g in zip(B, by_motion, strict=True))
    return value, np.concatenate([by_motion[0].sum(axis=0), np.asarray(by_c).T.ravel()])


def _outside(excited: Excited, allowed: FollowerLimits, at: Array, qd: Array) -> tuple[float, tuple[Array, Array]]:
    """Σ of squares by which what follows is outside of its limits, as parts of the range, with slopes by q and q̇."""
    f = excited.followed(at, qd)
    over = allowed.beyond(f) / allowed.size
    slopes = np.zeros_like(qd), np.zeros_like(qd)
    if len(out := np.flatnonzero(over.any(axis=1))):
        at, qd, f, weight = at[out], qd[out], f[out], 2 * over[out] / allowed.size / over.size / _STEP
        for j in np.flatnonzero(excited.steering).tolist():
            slopes[0][out, j] = np.sum(weight * (excited.followed(excited.nudged(at, j, _STEP), qd) - f), axis=1)
            slopes[1][out, j] = np.sum(weight * (excited.followed(at, _stepped(qd, j)) - f), axis=1)
    return float(np.mean(over**2)), slopes


def _stepped(x: Array, j: int) -> Array:
    """The motion with a small step of coordinate j."""
    moved = x.copy()
    moved[:, j] += _STEP
    return moved


def _by_motion(excited: Excited, motion: tuple[Array, Array, Array], W: Array, G: Array) -> list[Array]:
    """The gradient by q, q̇ and q̈ at each sample: differences of the regressor, coordinate by coordinate."""
    at, qd, qdd = motion
    gradients = np.empty((3, *qd.shape))
    for j in range(qd.shape[1]):
        moved = (excited.nudged(at, j, _STEP), qd, qdd), (at, _stepped(qd, j), qdd), (at, qd, _stepped(qdd, j))
        for k in range(3):
            gradients[k, :, j] = np.einsum("trp,trp->t", excited.evaluate(*moved[k]) - W, G) / _STEP
    return list(gradients)


def _beyond(q: Array, qd: Array, qdd: Array, box: Box) -> list[tuple[float, Array]]:
    """Σ of squares by which limits are exceeded, as parts of them, with slopes by q, q̇ and q̈."""
    half, centre = (box.high - box.low) / 2, (box.high + box.low) / 2
    penalties = []
    for x, size in ((q - centre, half), (qd, box.speed), (qdd, box.acceleration)):
        over = np.maximum(np.abs(x) / size - 1, 0.0)
        penalties.append((float(np.mean(over**2)), 2 * over * np.sign(x) / size / x.size))
    return penalties


# Limits of torques: a motion is slowed down until the torques of the robot's own parameters are within them.


_SLOWER = 1.05
_SAMPLES = 2001
_CLOSE = 1 - 1e-10
"""Part of a limit that is used."""
_NEAR = 0.97
"""Part of a limit above which a sample may have more beside it."""
_ZOOM, _LEVELS = 41, 6
"""Samples between the neighbours of a sample, and how often they are taken: friction jumps where a joint turns back."""


def slowed(excited: Excited, series: Curves, effort: ArrayLike) -> Curves:
    """The same motion in a longer time, until the torques are within their limits."""
    limits = each("effort", effort, len(excited.joints))
    at = excited.placed(series.at(_times(series))[0])  # a slower motion has the same positions
    for k in range(80):
        slow = replace(series, duration=series.duration * _SLOWER**k)
        if _largest(excited, slow, limits, at) <= _CLOSE:
            return slow
    raise MotionError("excitation.effort", option=Argument("effort"))


def _times(series: Curves) -> Array:
    return np.linspace(0.0, series.duration, _SAMPLES)


def _largest(excited: Excited, series: Curves, limits: Array, placed: Array) -> float:
    """The largest torque over its limit along a motion, whose samples are `placed`; between them where that matters."""
    t = _times(series)
    load = _loads(excited, series, limits, t, placed)
    if load.max() > 1.0:
        return float(load.max())
    high = np.vstack([load[:1], load, load[-1:]])
    peak = (load >= _NEAR) & (load >= high[:-2]) & (load >= high[2:])
    samples, joint = np.nonzero(peak)
    at, width = t[samples], t[1]
    best = load[samples, joint]
    for _ in range(_LEVELS if len(at) else 0):
        fine = at[:, None] + np.linspace(-width, width, _ZOOM)
        loads = _loads(excited, series, limits, np.clip(fine, 0.0, series.duration).ravel())
        near = loads.reshape(*fine.shape, -1)[np.arange(len(at)), :, joint]
        place = near.argmax(axis=1)
        at, best = fine[np.arange(len(at)), place], near.max(axis=1)
        width *= 2 / (_ZOOM - 1)
    return float(max(load.max(), best.max(initial=0.0)))


def _loads(excited: Excited, series: Curves, limits: Array, t: Array, placed: Array | None = None) -> Array:
    """|τ| over its limit, (samples, motors)."""
    x, xd, xdd = series.at(t)
    at = excited.placed(x) if placed is None else placed
    return np.asarray(np.abs(excited.torques(at, xd, xdd)) / limits)
