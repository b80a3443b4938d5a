"""How well a motion excites the parameters, with its gradient by the coefficients of the motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from symoro.identification.fourier_motion import Basis
from symoro.identification.readers.columns import Array
from symoro.identification.subject import Subject

_STEP = 1e-6
_PENALTY = 50.0
Value = tuple[float, Array]
"""A number and what its gradient by W is, as a matrix like W."""


@dataclass(frozen=True)
class Box:
    """Limits of each joint: positions from `low` to `high`, speeds and accelerations."""

    low: Array
    high: Array
    speed: Array
    acceleration: Array


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


def cost(subject: Subject, basis: Basis, box: Box, measure: Callable[[Array], Value], x: Array) -> Value:
    """The measure of a motion and a penalty beyond the limits, with the gradient by x: middles, then coefficients."""
    n = len(subject.variables)
    middle, c = x[:n], x[n:].reshape(n, -1)
    B = basis.columns
    q, qd, qdd = middle + B[0] @ c.T, B[1] @ c.T, B[2] @ c.T
    W = subject.evaluate(q, qd, qdd)
    value, G = measure(W.reshape(-1, W.shape[-1]))
    by_motion = _by_motion(subject, (q, qd, qdd), W, G.reshape(W.shape))
    beyond = _beyond(q, qd, qdd, box)
    for gradient, (size, slope) in zip(by_motion, beyond, strict=True):
        value += _PENALTY * size
        gradient += _PENALTY * slope
    by_c = sum(b.T @ g for b, g in zip(B, by_motion, strict=True))
    return value, np.concatenate([by_motion[0].sum(axis=0), np.asarray(by_c).T.ravel()])


def _by_motion(subject: Subject, motion: tuple[Array, Array, Array], W: Array, G: Array) -> list[Array]:
    """The gradient by q, q̇ and q̈ at each sample: differences of the regressor, joint by joint."""
    found = []
    for k in range(3):
        g = np.empty_like(motion[k])
        for j in range(g.shape[1]):
            moved = [x.copy() if i == k else x for i, x in enumerate(motion)]
            moved[k][:, j] += _STEP
            g[:, j] = np.einsum("trp,trp->t", subject.evaluate(moved[0], moved[1], moved[2]) - W, G) / _STEP
        found.append(g)
    return found


def _beyond(q: Array, qd: Array, qdd: Array, box: Box) -> list[tuple[float, Array]]:
    """Σ of squares by which limits are exceeded, as parts of them, with slopes by q, q̇ and q̈."""
    half, centre = (box.high - box.low) / 2, (box.high + box.low) / 2
    found = []
    for x, size in ((q - centre, half), (qd, box.speed), (qdd, box.acceleration)):
        over = np.maximum(np.abs(x) / size - 1, 0.0)
        found.append((float(np.mean(over**2)), 2 * over * np.sign(x) / size / x.size))
    return found
