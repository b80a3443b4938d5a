"""The triangles of what the links of a robot look like, at their places in the world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symoro.findings import Finding
from symoro.formats.macros.roots import OutsideError, Roots
from symoro.formats.mesh import MeshError
from symoro.formats.mesh.triangles import read
from symoro.formats.shapes import Visual, mesh_path, visuals
from symoro.robot.robot import Robot

Array = NDArray[np.float64]
GREY = (0.75, 0.76, 0.78, 1.0)
_AROUND = 24
_CELLS = 120
"""Points of a mesh that are in one of this many cells along its size are one point: a picture shows no more."""


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """Triangles (m, 3, 3) in the world, and their colour."""

    corners: Array
    colour: tuple[float, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Solids:
    """What is drawn, and why the rest is not."""

    drawn: tuple[Solid, ...]
    missing: tuple[str, ...]


def solids(
    robot: Robot,
    named: Mapping[str, Array],
    packages: Mapping[str, str | Path] | None = None,
    folders: Iterable[str | Path] = (),
) -> Solids:
    """The visuals of a robot whose named frames are at these poses.

    Meshes are looked for in the folder of the file, in `packages` (folders by names), in `folders` with packages in
    them and in ROS_PACKAGE_PATH; no other file is opened.
    """
    drawn: list[Solid] = []
    missing: dict[str, None] = {}
    known: dict[Path, Array] = {}
    for visual in visuals(robot.shapes):
        roots = Roots.of(visual.file or None, packages or {}, folders)
        try:
            corners = _mesh(visual, roots, known) if visual.kind == "mesh" else _primitive(visual)
        except (MeshError, OutsideError, OSError) as error:
            missing[str(error)] = None
            continue
        T = named[visual.frame] @ visual.pose if visual.frame in named else None
        if T is not None and len(corners):
            drawn.append(Solid(corners @ T[:3, :3].T + T[:3, 3], visual.colour or GREY))
    return Solids(tuple(drawn), tuple(missing))


def missing_meshes(robot: Robot, packages: Mapping[str, str | Path] | None = None) -> list[str]:
    """Why visuals of a robot cannot be drawn, without reading those that can."""
    reasons: dict[str, None] = {}
    for visual in visuals(robot.shapes):
        try:
            if visual.kind == "mesh":
                mesh_path(visual, Roots.of(visual.file or None, packages or {}, ()))
        except OutsideError as error:
            reasons[str(error)] = None
    return list(reasons)


def _mesh(visual: Visual, roots: Roots, known: dict[Path, Array]) -> Array:
    path = mesh_path(visual, roots)
    if path not in known:
        known[path] = _coarse(read(path).corners)
    return np.asarray(known[path] * np.array(visual.sizes))


def _coarse(corners: Array) -> Array:
    """The triangles with their points on a grid; those that shrink to a line, or to another one, are left out."""
    if len(corners) < _CELLS:
        return corners
    low, size = corners.min(axis=(0, 1)), float(np.ptp(corners, axis=(0, 1)).max()) or 1.0
    cells = np.rint((corners - low) * (_CELLS / size)).astype(np.int64)
    lines = (cells == np.roll(cells, 1, axis=1)).all(axis=2).any(axis=1)
    triangles = np.unique(cells[~lines].reshape(-1, 9), axis=0).reshape(-1, 3, 3)
    return np.asarray(triangles * (size / _CELLS) + low)


def _primitive(visual: Visual) -> Array:
    """A box, a cylinder along z, a sphere or a capsule about the origin."""
    if visual.kind == "box":
        return _swept(np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]]) / 2, ((-0.5, 1.0), (0.5, 1.0))) * visual.sizes
    radius, length = visual.sizes
    angles = np.linspace(0, 2 * np.pi, _AROUND, endpoint=False)
    circle = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    if visual.kind == "cylinder":
        return _swept(circle, ((-length / 2, 1.0), (length / 2, 1.0)))
    if visual.kind not in ("sphere", "capsule"):
        raise MeshError(Finding("pictures.visual", kind=visual.kind))
    half = length / 2 if visual.kind == "capsule" else 0.0
    rise = [(side, a) for side in (-1, 1) for a in np.linspace(0, np.pi / 2, _AROUND // 4)[::side]]
    return _swept(circle, [(side * (radius * np.sin(a) + half), float(np.cos(a))) for side, a in rise])


def _swept(outline: Array, levels: Iterable[tuple[float, float]]) -> Array:
    """The closed surface of an outline in the plane at several heights, each with a scale."""
    rings = [np.column_stack([outline * scale, np.full(len(outline), z)]) for z, scale in levels]
    triangles = []
    for low, high in pairwise(rings):
        after, above = np.roll(low, -1, axis=0), np.roll(high, -1, axis=0)
        triangles += [np.stack([low, after, above], axis=1), np.stack([low, above, high], axis=1)]
    for ring in (rings[0], rings[-1]):
        middle = np.broadcast_to(ring.mean(axis=0), ring.shape)
        triangles.append(np.stack([middle, ring, np.roll(ring, -1, axis=0)], axis=1))
    return np.concatenate(triangles)
