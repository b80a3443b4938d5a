"""Curves over time, such as the torques of joints along a motion."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from symoro.errors import ShapeError
from symoro.report.figures import new_figure, saved

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
        raise ShapeError(f"columns must have shape {(*t.shape, len(names))}, a row for each time, not {y.shape}")
    figure = new_figure((6.4, 3.2))
    axes = figure.add_subplot()
    for name, curve in zip(names, y.T, strict=True):
        axes.plot(t, curve, label=name, linewidth=1.4)
    axes.set(xlabel="time (s)", ylabel=unit, title=title)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8, ncols=min(len(names), 6))
    return saved(figure, to)
