"""What can be wrong with the measured motion of a floating base: orientations and angular velocities that differ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import pi

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.recordings.quaternions import turning
from symoro.identification.recordings.runs import Run

_DIFFERENT = 0.5
"""Difference of two angular velocities over the larger one, from which on they are not the same motion."""
_EQUAL, _SMALL = 0.2, 0.05
"""The differences up to which another reading is named, and up to which nothing is suspected."""
_BETTER = 0.5
"""Difference over that of the data as they were given, of another reading that is named."""
_STANDS = 1e-3
"""Radians a second: a base that turns more slowly shows no difference."""


def base_suspicions(runs: Sequence[Run]) -> Iterator[str]:
    """A warning where ω of V0 is not the derivative of quat, with what would explain it."""
    quat = [run["quat"] for run in runs]
    parts = [_compared(x, run) for x, run in zip(quat, runs, strict=True)]
    own, world, V0 = (np.concatenate(part) for part in zip(*parts, strict=True))
    if (given := _apart(own, V0[:, 3:])) < _SMALL:
        return
    first = np.concatenate([_compared(np.roll(x, -1, axis=1), run)[0] for x, run in zip(quat, runs, strict=True)])
    readings = {
        "quat is w, x, y, z (allowed: x, y, z, w)": (first, V0[:, 3:]),
        "quat turns the world into frame 0 (allowed: frame 0 into the world)": (-world, V0[:, 3:]),
        "V0 is in the frame of the world (allowed: in frame 0)": (world, V0[:, 3:]),
        "V0 is [ω; v] (allowed: [v; ω])": (own, V0[:, :3]),
        "ω of V0 is in degrees a second": (own, V0[:, 3:] * pi / 180),
        "ω of V0 has the other sign": (own, -V0[:, 3:]),
    }
    found = {text: _apart(*both) for text, both in readings.items()}
    best = min(found, key=lambda text: found[text])
    if found[best] < min(_EQUAL, _BETTER * given):
        yield f"ω of V0 is not the derivative of quat: {best}"
    elif given > _DIFFERENT:
        yield "ω of V0 is not the derivative of quat: look for a wrong column, order, unit or frame"


def _compared(quat: Array, run: Run) -> tuple[Array, Array, Array]:
    """ω of the orientations in frame 0 and in the frame of the world, and V0, at the same times."""
    own, world, rows = turning(quat, run.period)
    return own, world, run["V0"][rows]


def _apart(a: Array, b: Array) -> float:
    """The difference of two angular velocities over the larger one; 0 where the base stands."""
    largest = max(float(np.linalg.norm(a)), float(np.linalg.norm(b)))
    return float(np.linalg.norm(a - b)) / largest if largest > _STANDS * np.sqrt(len(a)) else 0.0
