"""Samples in the order of time: rows that are written twice are left out, rows that were shuffled are sorted."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array

_SHUFFLED = 0.1
"""Part of the samples at which time goes back, from which on rows are not in their order."""
_SMOOTH = 0.5
"""Path of the positions over that of the rows as they are, for rows that sorting puts in order."""


def in_order(t: Array, channels: Mapping[str, Array], where: str) -> tuple[Array, dict[str, Array], list[str]]:
    """Times and channels in the order of time, and warnings about what was changed."""
    said: list[str] = []
    if t.ndim != 1 or len(t) < 3:
        return t, dict(channels), said
    twice = np.concatenate([[False], np.all([_same(x) for x in (t, *channels.values())], axis=0)])
    if twice.any():
        said.append(f"{where}: {int(twice.sum())} of {len(t)} rows are written twice; they count once")
        t, channels = t[~twice], {name: x[~twice] for name, x in channels.items()}
    if np.isfinite(t).all() and np.mean(np.diff(t) < 0) > _SHUFFLED:
        if (np.diff(t) < 0).all():
            raise DataError(f"{where}: times decrease from row to row: turn the rows, or the column of time, round")
        order = np.argsort(t, kind="stable")
        if not _path(channels["q"][order]) < _SMOOTH * _path(channels["q"]):
            raise DataError(f"{where}: times are not in order, and do not belong to their rows")
        said.append(f"{where}: the rows are not in the order of time; they were sorted")
        t, channels = t[order], {name: x[order] for name, x in channels.items()}
    return t, dict(channels), said


def _same(x: Array) -> Array:
    """Whether each row is that before it."""
    return np.asarray((x[1:] == x[:-1]).reshape(len(x) - 1, -1).all(axis=1))


def _path(q: Array) -> float:
    """The way of all positions that are numbers."""
    known = q[np.isfinite(q).all(axis=1)]
    return float(np.abs(np.diff(known, axis=0)).sum())
