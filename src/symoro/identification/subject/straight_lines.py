"""States at the ends of straight lines of the motors, reached in steps that are halved where they fail."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symoro.identification.arrays import Array

Stepped = Callable[[Array, Array], Array]
"""States and positions of the motors after a step -> states there; NaN where the step fails."""


def ends_of_lines(
    stepped: Stepped, start: Array, begin: Array, x: Array, steps: Array, smallest: float = 1e-3
) -> Array:
    """The states at the positions x (samples, motors), from one state `start`, whose motors are at `begin`.

    `steps` is how many steps each line has at least, which need not be whole. A way has ended where steps fail that are
    smaller than the part `smallest` of those; its state is NaN.
    """
    at = np.array(np.broadcast_to(start, (len(x), *start.shape)))
    done, longest = np.zeros(len(x)), 1 / np.maximum(steps, 1.0)
    part = longest.copy()
    while len(rows := np.flatnonzero(done < 1.0)):
        ends = np.minimum(done[rows] + part[rows], 1.0)
        to = np.where(ends[:, None] < 1.0, begin + ends[:, None] * (x[rows] - begin), x[rows])
        ahead = stepped(at[rows], to)
        good = exists(ahead)
        at[rows[good]], done[rows[good]] = ahead[good], ends[good]
        part[rows] = np.where(good, np.minimum(2 * part[rows], longest[rows]), part[rows] / 2)
        lost = rows[part[rows] < smallest * longest[rows]]
        at[lost], done[lost] = np.nan, 1.0
    return at


def exists(states: Array) -> Array:
    """Which states (samples, ...) have no NaN."""
    return np.asarray(np.isfinite(states).reshape(len(states), -1).all(axis=1))


def same_side(a: Array, b: Array) -> Array:
    """Whether no singularity lies between matrices (samples, n, m): the determinants of aᵀ b are positive."""
    return np.asarray(np.linalg.det(a.swapaxes(1, 2) @ b) > 0)
