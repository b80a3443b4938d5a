"""Curves over time in panels below each other, by matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symoro.errors import SymoroError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def curves(time: Any, panels: Mapping[str, Any], names: Sequence[str], to: str | Path | None = None) -> Figure:
    """A panel for each array (times, columns), with a curve for each column; `names` are the columns of all panels."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise SymoroError("pictures need matplotlib, which is not installed: pip install matplotlib") from None
    figure = Figure(figsize=(6.4, 1.0 + 1.8 * len(panels)), layout="constrained")
    drawn = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (label, columns) in zip(drawn, panels.items(), strict=True):
        for name, curve in zip(names, columns.T, strict=True):
            axes.plot(time, curve, label=name, linewidth=1.4)
        axes.set(ylabel=label)
        axes.grid(alpha=0.3)
    drawn[0].legend(fontsize=8, ncols=min(len(names), 6))
    drawn[-1].set(xlabel="time (s)")
    if to is not None:
        figure.savefig(to, dpi=150)
    return figure
