"""Figures of matplotlib: made without a screen, and written to files that are the same on every run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from io import StringIO
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symoro.errors import SymoroError
from symoro.saving import path_of, suffix_of, whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def need_matplotlib() -> None:
    """An error where matplotlib is missing: what draws at its end asks before its work."""
    try:
        import matplotlib.figure  # noqa: F401
    except ImportError:
        raise SymoroError("pictures.needs_matplotlib") from None


def new_figure(size: tuple[float, float]) -> Figure:
    """An empty figure that no window belongs to."""
    need_matplotlib()
    from matplotlib.figure import Figure

    class Picture(Figure):
        """A figure that a notebook shows; one of matplotlib is shown only where pyplot made it."""

        def _repr_svg_(self) -> str:
            return svg_of(self)

    return Picture(figsize=size, layout="constrained")


def _same_always() -> AbstractContextManager[None]:
    """Settings with which a file is the same on every run, and text stays text."""
    import matplotlib as mpl

    return mpl.rc_context({"svg.hashsalt": "symoro", "svg.fonttype": "none"})


def svg_of(figure: Figure) -> str:
    """The figure as the text of an SVG."""
    drawn = StringIO()
    with _same_always():
        figure.savefig(drawn, format="svg", metadata={"Date": None})
    return drawn.getvalue()


def saved(figure: Figure, to: str | Path | None) -> Figure:
    """The figure, written to a file where one is given; its ending says the format."""
    if to is None:
        return figure
    path = path_of(to)
    known = figure.canvas.get_supported_filetypes()
    if path.suffix.lstrip(".").lower() not in known:
        raise SymoroError("pictures.not_a_picture", path=str(path), suffix=suffix_of(path), allowed=list(known))
    options: dict[str, Any] = {"metadata": {"Date": None}} if path.suffix.lower() == ".svg" else {}
    with whole_file(path) as new, _same_always():
        figure.savefig(new, dpi=150, **options)
    return figure


def curves(
    time: Any, panels: Mapping[str, Any], names: Sequence[str], *, title: str = "", to: str | Path | None = None
) -> Figure:
    """Panels below each other, each with a curve for each column of its array (times, names); `to` is a file to write.

    The keys of `panels` are the labels of their axes.
    """
    height, longest = 1.4 + 1.8 * len(panels), max(map(len, names), default=0)
    legend_columns = max(1, ceil(len(names) / ((height - 0.3) / 0.18)))  # an entry is 0.18 inches high
    figure = new_figure((5.2 + legend_columns * (0.7 + 0.07 * longest), height))
    drawn = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (label, columns) in zip(drawn, panels.items(), strict=True):
        lines = axes.plot(time, columns, linewidth=1.4)
        axes.set(ylabel=label)
        axes.grid(alpha=0.3)
    drawn[0].set_title(title, wrap=True, parse_math=False)
    legend = figure.legend(lines, names, loc="outside right upper", fontsize=8, ncols=legend_columns)
    for text in legend.get_texts():
        text.set_parse_math(False)
    drawn[-1].set(xlabel="time (s)")
    return saved(figure, to)
