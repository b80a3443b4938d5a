"""Limits of torques: a motion is slowed down until the torques of the robot's own parameters are within them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import MotionError
from symoro.identification.arrays import Array
from symoro.identification.excitation.excited import Excited
from symoro.identification.excitation.limits import Curves, each

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
    raise MotionError("effort: no slower motion keeps these limits: gravity alone, or friction, needs more")


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
        found = _loads(excited, series, limits, np.clip(fine, 0.0, series.duration).ravel())
        near = found.reshape(*fine.shape, -1)[np.arange(len(at)), :, joint]
        place = near.argmax(axis=1)
        at, best = fine[np.arange(len(at)), place], near.max(axis=1)
        width *= 2 / (_ZOOM - 1)
    return float(max(load.max(), best.max(initial=0.0)))


def _loads(excited: Excited, series: Curves, limits: Array, t: Array, placed: Array | None = None) -> Array:
    """|τ| over its limit, (samples, motors)."""
    x, xd, xdd = series.at(t)
    at = excited.placed(x) if placed is None else placed
    return np.asarray(np.abs(excited.torques(at, xd, xdd)) / limits)
