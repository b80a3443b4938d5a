"""Pictures of workspaces: a curve or a map of condition numbers, or projections of what is reached."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import InputError
from symoro.figures import new_figure, saved

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symoro.motion.workspace import Workspace

Array = NDArray[Any]
#: What ends a workspace: the tag of its findings, what the legend says, and a colour.
ENDS = (
    ("reach", "{} does not reach", "#d9d9d9"),
    ("limits", "a joint is outside its limits", "#a8a8a8"),
    ("constraints", "the platform's constraints do not hold", "#6e6e6e"),
)
#: Condition numbers above this have one colour.
_WORST = 1e3
#: Maps with more cells are pixels, in vector formats too.
_MANY_CELLS = 400


def draw_workspace(w: Workspace, to: str | Path | None = None) -> Figure:
    """A picture of the poses that are reached; coordinates with one value are a slice, which the title names.

    With one coordinate it is the curve of the condition number, with two its map. With more, there is a
    panel for each two of them: which part of the poses is reached for all values of the others.
    """
    names = [name for name, values in w.axes.items() if len(np.unique(values)) > 1]
    if not names:
        raise InputError("workspace.no_picture", robot=w.robot.name)
    pairs = list(combinations(names, 2))
    columns = min(3, max(1, len(pairs)))
    figure = new_figure((4.6 * columns + 0.8, 4.0 * -(-max(1, len(pairs)) // columns)))
    if not pairs:
        _curve(w, names[0], figure.subplots())
    elif len(pairs) == 1:
        _map(w, pairs[0], figure, figure.subplots())
    else:
        _projections(w, pairs, figure, columns)
    figure.suptitle(_title(w), fontsize=10)
    return saved(figure, to)


def _title(w: Workspace) -> str:
    at = [f"{name} = {values[0]:g}" for name, values in w.axes.items() if len(np.unique(values)) == 1]
    counts = f"{int(w.reachable.sum())} of {w.reachable.size} poses are reached"
    return ", ".join([f"{w.robot.name}: {counts}", *at])


def _label(name: str) -> str:
    return f"{name} (m)" if len(name) == 1 else f"{name} (rad)"


def _ordered(w: Workspace, table: Array, names: Sequence[str]) -> tuple[list[Array], Array]:
    """Rising values of some coordinates, and the table with an axis for each of them; others have one value."""
    values = []
    for k, name in enumerate(w.axes):
        rising, first = np.unique(w.axes[name], return_index=True)
        table = np.take(table, first, axis=k)
        if name in names:
            values.append(rising)
    return values, table.reshape(*(len(x) for x in values), *table.shape[len(w.axes) :])


def _conditions(w: Workspace) -> Array:
    """The condition number of the platform or of an arm; NaN where a pose is not reached, `_WORST` at the most."""
    return np.where(w.reachable, np.minimum(w.conditions.platform, _WORST), np.nan)


def _curve(w: Workspace, name: str, axes: Any) -> None:
    (x,), y = _ordered(w, _conditions(w), [name])
    axes.semilogy(x, y, marker=".", color="#2471a3")
    _, ended = _ordered(w, w.ended, [name])
    for text, colour, mask in _groups(w, ended):
        axes.plot(x[mask], np.ones(mask.sum()), "s", color=colour, label=text)
    axes.set(xlabel=_label(name), ylabel=f"condition number of the {w.condition_of}")
    axes.grid(alpha=0.3)
    _legend(axes)


def _map(w: Workspace, pair: tuple[str, str], figure: Any, axes: Any) -> None:
    from matplotlib.colors import ListedColormap, LogNorm

    (x, y), C = _ordered(w, _conditions(w), pair)
    _, ended = _ordered(w, w.ended, pair)
    many = C.size > _MANY_CELLS
    for text, colour, mask in _groups(w, ended):
        cells = np.where(mask, 1.0, np.nan)
        axes.pcolormesh(x, y, cells.T, cmap=ListedColormap([colour]), shading="nearest", rasterized=many)
        axes.plot([], [], "s", color=colour, label=text)
    mesh = axes.pcolormesh(
        x, y, C.T, cmap="viridis_r", norm=LogNorm(1, _WORST), shading="nearest", rasterized=many
    )  # fmt: skip
    figure.colorbar(mesh, ax=axes, label=f"condition number of the {w.condition_of}")
    _arrange(axes, pair)
    _legend(axes)


def _projections(w: Workspace, pairs: Sequence[tuple[str, str]], figure: Any, columns: int) -> None:
    panels = figure.subplots(-(-len(pairs) // columns), columns, squeeze=False).ravel()
    for axes, pair in zip(panels, pairs, strict=False):
        others = tuple(k for k, name in enumerate(w.axes) if name not in pair)
        x, y = (np.unique(w.axes[name]) for name in pair)
        part = w.reachable.mean(axis=others)
        first = [np.unique(w.axes[name], return_index=True)[1] for name in pair]
        part = part[np.ix_(*first)]
        many = part.size > _MANY_CELLS
        mesh = axes.pcolormesh(x, y, part.T, cmap="viridis", vmin=0, vmax=1, shading="nearest", rasterized=many)
        _arrange(axes, pair)
    for axes in panels[len(pairs) :]:
        axes.remove()
    figure.colorbar(mesh, ax=list(panels[: len(pairs)]), label="part of the poses that is reached")


def _groups(w: Workspace, ended: Array) -> list[tuple[str, str, Array]]:
    """Where poses end for the first of the kinds of reasons that holds: its text, its colour, and a mask."""
    left, groups = ended.any(-1), []
    mover = "a leg" if w.conditions.legs.shape[-1] else "the arm"
    for tag, text, colour in ENDS:
        kind = np.array([end.has(tag) for end in w.ends])
        mask: Array = np.logical_and(left, ended[..., kind].any(-1))
        left = np.logical_and(left, ~mask)
        if mask.any():
            groups.append((text.format(mover), colour, mask))
    return groups


def _arrange(axes: Any, pair: tuple[str, str]) -> None:
    axes.set(xlabel=_label(pair[0]), ylabel=_label(pair[1]))
    if all(len(name) == 1 for name in pair) or all(len(name) == 2 for name in pair):
        axes.set_aspect("equal")


def _legend(axes: Any) -> None:
    if axes.get_legend_handles_labels()[0]:
        axes.legend(fontsize=7, loc="upper right")
