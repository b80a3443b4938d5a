"""Pictures of a result: torques and residuals of each joint over time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from symoro.figures import new_figure, saved

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def torques(residuals: Mapping[str, Any], title: str = "", to: str | Path | None = None) -> Figure:
    """A panel for each joint: measured torque, that of the model, and their difference."""
    figure = new_figure((7.2, 0.8 + 1.5 * len(residuals)))
    drawn = figure.subplots(len(residuals), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, rows) in zip(drawn, residuals.items(), strict=True):
        order = np.argsort(rows.t, kind="stable")
        t, measured, e = (x[order] for x in (rows.t, rows.measured, rows.residual))
        axes.plot(t, measured, ".", markersize=2, color="0.6", label="measured", rasterized=True)
        axes.plot(t, measured - e, ".", markersize=1.5, color="C0", label="model", rasterized=True)
        axes.plot(t, e, ".", markersize=1.5, color="C3", label="difference", rasterized=True)
        axes.set(ylabel=name)
        axes.grid(alpha=0.3)
    drawn[0].set_title(title, fontsize=8)
    drawn[0].legend(fontsize=7, ncols=3, loc="upper right")
    drawn[-1].set(xlabel="time (s)")
    return saved(figure, to)
