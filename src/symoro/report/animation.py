"""Simulated motions as moving pictures: GIF and MP4 by matplotlib, and a page of HTML that needs nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import SymoroError
from symoro.figures import need_matplotlib, new_figure
from symoro.motion.simulation import Simulation
from symoro.report.frames import shown
from symoro.report.picture import BASE, LINK, PRISMATIC, REVOLUTE, look
from symoro.report.skeleton import plane_normal
from symoro.saving import path_of, suffix_of, whole_file

Array = NDArray[Any]


def animate(simulation: Simulation, to: str | Path, *, rate: float = 25.0, speed: float = 1.0) -> Path:
    """Write a moving picture of one simulated run to a file .gif, .mp4 or .html; its path.

    It has `rate` pictures a second; with `speed` 0.5 it takes twice as long as the motion. A page of HTML is turned
    with the mouse and needs no other file. GIF and MP4 need matplotlib (symoro[plot]), MP4 also ffmpeg (symoro[video]).
    """
    path = path_of(to)
    write = _WRITERS.get(path.suffix.lower())
    if write is None:
        allowed = list(_WRITERS)
        raise SymoroError("pictures.not_an_animation", path=str(path), suffix=suffix_of(path), allowed=allowed)
    if write is not _html:
        need_matplotlib()
    if write is _mp4:
        _need_ffmpeg()
    film = _film(simulation, rate, speed)
    with whole_file(path) as new:
        write(film, new)
    return path


@dataclass(frozen=True, slots=True)
class Film:
    """What is drawn: a line for each joint and a piece of its axis, (pictures, points, 3), with colours."""

    title: str
    times: Array
    links: list[tuple[str, Array]]
    axes: list[tuple[str, Array]]
    rate: float
    normal: int | None = None
    """The axis of the world along which a planar mechanism is seen."""

    @property
    def points(self) -> Array:
        return np.concatenate([line.reshape(-1, 3) for _, line in (*self.links, *self.axes)])


def _film(s: Simulation, rate: float, speed: float) -> Film:
    instants = shown(s, rate, speed)
    shape, half = instants.skeleton, 0.03 * instants.size
    drawn = [joint for joint in s.robot.joints if joint.index in shape.lines]
    links = [(LINK if joint.parent else BASE, shape.lines[joint.index]) for joint in drawn]
    links += [(LINK, line) for line in (*shape.ties, *shape.ends.values())]
    axes = []
    for joint in drawn:
        if joint.movable:
            pose = shape.poses[joint.index]
            reach = half * pose[..., :3, 2]
            piece = np.stack([pose[..., :3, 3] - reach, pose[..., :3, 3] + reach], axis=-2)
            axes.append((REVOLUTE if joint.revolute else PRISMATIC, piece))
    normal = plane_normal(s.robot, shape)
    return Film(s.robot.title or s.robot.name, instants.times, links, axes, rate, normal)


def _drawn(film: Film, path: Path, writer: Callable[[], Any]) -> None:
    """The pictures by matplotlib."""
    figure = new_figure((5, 4.4))
    axes: Any = figure.add_subplot(projection="3d")
    look(axes, film.points, film.normal)
    lines = [(axes.plot([], [], [], color=colour, linewidth=3)[0], points) for colour, points in film.links]
    lines += [(axes.plot([], [], [], color=colour, linewidth=7)[0], points) for colour, points in film.axes]
    from matplotlib.animation import FuncAnimation
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    FigureCanvasAgg(figure)

    def show(k: int) -> list[Any]:
        for line, points in lines:
            line.set_data_3d(*points[k].T)
        axes.set_title(f"{film.title}, {film.times[k]:.2f} s", fontsize=10, wrap=True, parse_math=False)
        return [line for line, _ in lines]

    FuncAnimation(figure, show, frames=len(film.times)).save(path, writer=writer(), dpi=90)


def _gif(film: Film, path: Path) -> None:
    def writer() -> Any:
        from matplotlib.animation import PillowWriter

        rate: Any = film.rate
        return PillowWriter(rate)

    _drawn(film, path, writer)


def _mp4(film: Film, path: Path) -> None:
    def writer() -> Any:
        from matplotlib.animation import FFMpegWriter

        rate: Any = film.rate  # a fraction is allowed, too
        return FFMpegWriter(rate, codec="h264", extra_args=["-pix_fmt", "yuv420p"])

    _drawn(film, path, writer)


def _need_ffmpeg() -> None:
    """Find ffmpeg, on the system or in its package, before the pictures are made."""
    import matplotlib as mpl
    from matplotlib.animation import FFMpegWriter

    if FFMpegWriter.isAvailable():
        return
    try:
        from imageio_ffmpeg import get_ffmpeg_exe
    except ImportError:
        raise SymoroError("pictures.needs_ffmpeg") from None
    mpl.rcParams["animation.ffmpeg_path"] = get_ffmpeg_exe()


def _html(film: Film, path: Path) -> None:
    def lines(parts: list[tuple[str, Array]]) -> list[dict[str, Any]]:
        return [{"colour": colour, "points": np.round(points, 5).tolist()} for colour, points in parts]

    data = {
        "title": film.title,
        "rate": film.rate,
        "times": np.round(film.times, 6).tolist(),
        "links": lines(film.links),
        "axes": lines(film.axes),
    }
    page = resources.files("symoro.report").joinpath("animation.html").read_text(encoding="utf-8")
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    path.write_text(page.replace("/* DATA */ null", text), encoding="utf-8")


_WRITERS: dict[str, Callable[[Film, Path], None]] = {".gif": _gif, ".mp4": _mp4, ".html": _html}
