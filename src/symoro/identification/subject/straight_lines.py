"""States at the ends of straight lines of the motors, reached in steps that are halved where they fail."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symoro.identification.arrays import Array

Stepped = Callable[[Array, Array], Array]
"""States and positions of the motors after a step -> states there; NaN where the step fails."""

Line = Callable[[Array, Array, Array], Array]
"""A state, positions of the motors there, and positions that are wanted -> the state at the end of the line."""


def ends_of_lines(
    stepped: Stepped, start: Array, begin: Array, x: Array, steps: Array, smallest: float = 1e-3
) -> Array:
    """The states at the positions x (samples, motors), from one state `start`, whose motors are at `begin`.

    Each sample may have a state of its own to begin with: then `begin` has a row for each sample.

    `steps` is how many steps each line has at least, which need not be whole. A way has ended where steps fail that are
    smaller than the part `smallest` of those; its state is NaN.
    """
    at = np.array(start if begin.ndim == x.ndim else np.broadcast_to(start, (len(x), *start.shape)))
    begin = np.broadcast_to(begin, x.shape)
    done, longest = np.zeros(len(x)), 1 / np.maximum(steps, 1.0)
    part = longest.copy()
    while len(rows := np.flatnonzero(done < 1.0)):
        ends = np.minimum(done[rows] + part[rows], 1.0)
        to = np.where(ends[:, None] < 1.0, begin[rows] + ends[:, None] * (x[rows] - begin[rows]), x[rows])
        ahead = stepped(at[rows], to)
        good = exists(ahead)
        at[rows[good]], done[rows[good]] = ahead[good], ends[good]
        part[rows] = np.where(good, np.minimum(2 * part[rows], longest[rows]), part[rows] / 2)
        lost = rows[part[rows] < smallest * longest[rows]]
        at[lost], done[lost] = np.nan, 1.0
    return at


def states_along(stepped: Stepped, line: Line, start: Array, x: Array, steps: Array) -> Array:
    """The states along a path x (samples, motors), each on the branch of the one before; NaN behind its end.

    `start` is a state near the first position; `steps` are those between neighbours, which need not be whole. Samples
    between those that are a step apart are found from the one before them, all at once.
    """
    found = np.full((len(x), *start.shape), np.nan)
    block = np.concatenate([[0], np.floor(steps.cumsum()).astype(int)])
    first = np.concatenate([[0], 1 + np.flatnonzero(np.diff(block))])
    here, before = start, 0
    for k in first.tolist():
        here = found[k] = line(here, x[before], x[k])
        if not np.isfinite(here).all():
            return found
        before = k
    begins = first[np.searchsorted(first, np.arange(len(x)), side="right") - 1]
    others = np.setdiff1d(np.arange(len(x)), first)
    found[others] = stepped(found[begins[others]], x[others])
    for k in np.flatnonzero(~exists(found)).tolist():
        found[k] = line(found[k - 1], x[k - 1], x[k])
    return found


def exists(states: Array) -> Array:
    """Which states (samples, ...) have no NaN."""
    return np.asarray(np.isfinite(states).all(axis=tuple(range(1, states.ndim))))


def same_side(a: Array, b: Array) -> Array:
    """Whether no singularity lies between matrices (samples, n, m): the determinants of aᵀ b are positive."""
    return np.asarray(np.linalg.det(a.swapaxes(1, 2) @ b) > 0)
