"""Curves over time, such as the torques of joints along a motion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import ShapeError
from symoro.figures import curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot(
    time: ArrayLike,
    columns: ArrayLike,
    names: Sequence[str],
    *,
    title: str = "",
    unit: str = "",
    to: str | Path | None = None,
) -> Figure:
    """A curve for each column (samples, names) over the time in seconds; `to` is a file to write."""
    t, y = np.asarray(time, dtype=float), np.asarray(columns, dtype=float)
    if t.ndim != 1 or y.shape != (len(t), len(names)):
        raise ShapeError("pictures.columns", wanted=str((*t.shape, len(names))), shape=str(y.shape))
    return curves(t, {unit: y}, names, title=title, to=to)
