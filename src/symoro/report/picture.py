"""Draws the skeleton of a robot with matplotlib: links as lines, joints as pieces of their axes, frames as triads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from symoro.errors import InputError, LoopWarning, ShapeError
from symoro.figures import need_matplotlib, new_figure, saved
from symoro.findings import Finding
from symoro.formats import valid_robot
from symoro.model import straight_model
from symoro.report.skeleton import Skeleton, plane_normal, skeleton
from symoro.report.solids import Solids, solids
from symoro.robot.joint import Joint
from symoro.robot.robot import ClosureKind, Robot
from symoro.runtime.checked import OPEN

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LINK, BASE, REVOLUTE, PRISMATIC, FIXED = "#4c6a92", "#b0b0b0", "#d9822b", "#2b8a5b", "#888888"
PLATFORM = "#7a4a8c"
AXES = ("#c0392b", "#27ae60", "#2471a3")
"""Colours of x, y, z of a frame."""
_LONGEST = 24
"""The letters of a frame's name that are shown."""
_LIGHT = np.array([0.3, 0.4, 0.85])


def draw(
    robot: Robot | str | Path,
    q: ArrayLike | None = None,
    *,
    values: Mapping[str, float] | None = None,
    to: str | Path | None = None,
    shapes: bool = True,
    packages: Mapping[str, str | Path] | None = None,
    folders: Iterable[str | Path] = (),
) -> Figure:
    """A picture of a robot at a configuration q of all movable joints, as a matplotlib figure.

    Without q the joints are at 0, and closed loops at some closed configuration. Of a parallel robot q is the pose T of
    its platform, or the positions of its motors; without it the platform is at home. `values` replaces parameters of
    the geometry. `to` is a file to write, such as arm.svg or arm.png. Revolute joints are orange, prismatic ones green,
    links blue, the base grey; the frames of the base and of the tips are drawn in red (x), green (y) and blue (z).

    A robot from a URDF or xacro file is drawn with the file's visuals, unless `shapes` is False. Their meshes are
    looked for in the folder of the file, in `packages` (folders by the names of packages), in `folders` with packages
    in them and in ROS_PACKAGE_PATH; the picture says how many were not found.
    """
    need_matplotlib()
    described = valid_robot(robot)
    shape = skeleton(described, q, values)
    _require_one(described, shape)
    if q is not None and described.cuts and not described.platforms:
        _warn_of_open_loops(described, q, values)
    figure = new_figure((5, 4.4))
    seen = solids(described, shape.named, packages, folders) if shapes else Solids((), ())
    axes: Any = figure.add_subplot(projection="3d", computed_zorder=not seen.drawn)
    _draw_solids(axes, seen)
    scale = 0.4 if seen.drawn else 1.0
    for line in shape.ties:
        axes.plot(*line[:2].T, color=LINK, linewidth=3 * scale, solid_capstyle="round", zorder=1)
        axes.plot(*line[2:].T, color=PLATFORM, linewidth=3 * scale, solid_capstyle="round", zorder=2)
        axes.plot(*line[2:3].T, marker="o", markersize=5 * scale, color="white", markeredgecolor=PLATFORM, zorder=3)
    for joint in (joint for joint in described.joints if joint.index in shape.lines):
        colour = LINK if joint.parent else BASE
        axes.plot(*shape.lines[joint.index].T, color=colour, linewidth=3 * scale, solid_capstyle="round", zorder=1)
        _draw_joint(axes, joint, shape, scale)
    for line in shape.ends.values():
        axes.plot(*line.T, color=LINK, linewidth=3 * scale, solid_capstyle="round", zorder=1)
    for name, pose in [("0", shape.poses[0]), *_ends(described, shape, bool(seen.drawn))]:
        _triad(axes, pose, 0.12 * shape.size, name)
    points = np.vstack([shape.points, *(solid.corners.reshape(-1, 3) for solid in seen.drawn)])
    look(axes, points, plane_normal(described, shape))
    axes.set_title(described.title or described.name, fontsize=10, wrap=True, parse_math=False)
    return saved(figure, to)


def _require_one(robot: Robot, shape: Skeleton) -> None:
    """An error where there are many configurations or frames without a place."""
    if any(pose.ndim > 2 for pose in shape.poses.values()):
        raise ShapeError("pictures.many", robot=robot.name)
    held = [line for line, a in zip(shape.ties, robot.attachments, strict=True) if a.kind is not ClosureKind.PRISMATIC]
    apart = max((float(np.abs(line[1] - line[2]).max()) for line in held), default=0.0)
    if not np.isfinite(shape.points).all() or apart > OPEN:
        raise InputError("pictures.out_of_reach" if robot.platforms else "pictures.no_place", robot=robot.name)


def _warn_of_open_loops(robot: Robot, q: ArrayLike, values: Mapping[str, float] | None) -> None:
    """A warning where q does not close the loops: a joint where a loop is cut is drawn at its mate, as if it were."""
    closure = straight_model("loop_closure", robot.taking(None)).compile("numpy", check=False)
    residual = float(np.abs(closure(q, values=values).E).max())
    if residual > OPEN:
        warn(LoopWarning(Finding("pictures.open", robot=robot.name, residual=residual)), stacklevel=3)


def _draw_joint(axes: Any, joint: Joint, shape: Skeleton, scale: float) -> None:
    """A piece of the axis z of the joint, through the origin of its frame."""
    pose, half = shape.poses[joint.index], 0.04 * shape.size
    colour = REVOLUTE if joint.revolute else PRISMATIC if joint.prismatic else FIXED
    piece = np.array([pose[:3, 3] - half * pose[:3, 2], pose[:3, 3] + half * pose[:3, 2]])
    if joint.movable:
        axes.plot(*piece.T, color=colour, linewidth=7 * scale, solid_capstyle="butt", zorder=2)
    axes.plot(*pose[:3, 3:], marker="o", markersize=4 * scale, color="white", markeredgecolor=colour, zorder=3)


def _ends(robot: Robot, shape: Skeleton, solid: bool) -> list[tuple[str, NDArray[Any]]]:
    """The named frames; without any, and where solids are drawn, the frames of links that carry no joint.

    Ends of legs lie close together, and have no name in the picture.
    """
    if shape.named and not solid:
        return list(shape.named.items())
    parents = {joint.parent for joint in robot.joints}
    tips = [robot.joint(j) for j in range(1, robot.link_count + 1) if j not in parents]
    return [("" if robot.platforms else joint.name, shape.poses[joint.index]) for joint in tips]


def _triad(axes: Any, pose: NDArray[Any], length: float, name: str) -> None:
    """The axes of a frame, and its name beside them."""
    for column, colour in enumerate(AXES):
        end = pose[:3, 3] + length * pose[:3, column]
        axes.plot(*np.array([pose[:3, 3], end]).T, color=colour, linewidth=1.5, zorder=4)
    place = pose[:3, 3] - 0.35 * length * pose[:3, :3].sum(axis=1)
    shown = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
    axes.text(*place, shown, fontsize=7, color="#333333", ha="center", va="top", zorder=5, parse_math=False)


def _draw_solids(axes: Any, seen: Solids) -> None:
    """The visuals behind the skeleton, darker where they look away from the light; in vector files they are pixels."""
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection

    if seen.drawn:
        faces = np.concatenate([solid.corners for solid in seen.drawn])
        normals = np.cross(faces[:, 1] - faces[:, 0], faces[:, 2] - faces[:, 0])
        size = np.linalg.norm(normals, axis=1, keepdims=True)
        light = 0.65 + 0.35 * np.abs(normals / np.where(size > 0, size, 1)) @ _LIGHT
        colours = np.concatenate([np.tile(solid.colour, (len(solid.corners), 1)) for solid in seen.drawn])
        colours[:, :3] *= np.minimum(light, 1)[:, None]
        axes.add_collection3d(Poly3DCollection(faces, facecolors=colours, linewidths=0, rasterized=True, zorder=0))
    if seen.missing:
        text = f"{len(seen.missing)} meshes are not drawn: {seen.missing[0][:70]} …"
        axes.figure.text(0.01, 0.01, text, fontsize=5, color=FIXED)


def look(axes: Any, points: NDArray[Any], normal: int | None = None) -> None:
    """The same scale along all axes; a planar robot is seen along the normal of its plane, as is a flat picture."""
    low, high = points.min(axis=0), points.max(axis=0)
    size = float((high - low).max()) or 1.0
    middle, half = (low + high) / 2, 0.6 * size
    axes.set(xlim=_around(middle[0], half), ylim=_around(middle[1], half), zlim=_around(middle[2], half))
    axes.set(xlabel="x0 (m)", ylabel="y0 (m)", zlabel="z0 (m)")
    axes.tick_params(labelsize=7)
    flat = np.flatnonzero(high - low < 1e-9 * size)
    across = normal if normal is not None else int(flat[0]) if len(flat) == 1 else None
    zoom = 0.94 if across is None else 1.2  # beyond it the labels of the axes are cut off
    axes.set_box_aspect((1, 1, 1), zoom=zoom)
    if across is not None:
        elevation, azimuth = ((0, 0), (0, -90), (90, -90))[across]
        axes.view_init(elevation, azimuth)
        axes.set_proj_type("ortho")
        (axes.xaxis, axes.yaxis, axes.zaxis)[across].set_ticks([])
        axes.set(**{f"{'xyz'[across]}label": ""})
    else:
        axes.view_init(22, -55)


def _around(middle: float, half: float) -> tuple[float, float]:
    return middle - half, middle + half
