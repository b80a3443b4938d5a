"""Reads the triangles of mesh files: STL, OBJ, and MSH of MuJoCo; COLLADA has a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symoro.formats.mesh import MeshError, collada
from symoro.formats.tree.poses import Array

MAX_BYTES = 100_000_000
"""The largest file of a mesh."""


@dataclass(frozen=True, slots=True, eq=False)
class TriangleMesh:
    """Points (n, 3), and the three points of each triangle by their numbers (m, 3), counterclockwise from outside."""

    points: Array
    faces: NDArray[np.int64]

    @property
    def corners(self) -> Array:
        """The corners of each triangle, (m, 3, 3)."""
        return self.points[self.faces]


def read(path: Path) -> TriangleMesh:
    """The triangles of a file; its suffix gives the format."""
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise MeshError("meshes.format", file=path.name, allowed=READERS)
    if path.stat().st_size > MAX_BYTES:
        raise MeshError("meshes.large", file=path.name, most=MAX_BYTES)
    try:
        return checked(*reader(path.read_bytes()))
    except MeshError as error:
        raise MeshError("files.key", key=path.name, reason=error.finding) from error
    except (ValueError, IndexError, OverflowError) as error:
        raise MeshError("meshes.no_mesh", file=path.name, reason=str(error)) from error


def checked(points: Array, faces: NDArray[np.int64]) -> TriangleMesh:
    """Triangles whose numbers are finite and whose points exist."""
    if not len(points) or points.ndim != 2 or points.shape[1] != 3 or not np.isfinite(points).all():
        raise MeshError("meshes.no_points")
    if faces.size and (faces.min() < 0 or faces.max() >= len(points)):
        raise MeshError("meshes.point", most=len(points) - 1)
    return TriangleMesh(points, faces.reshape(-1, 3))


_Parts = tuple[Array, NDArray[np.int64]]
_Single = NDArray[np.float32]
_FACET = np.dtype([("numbers", "<f4", (4, 3)), ("colour", "<u2")])
"""A facet of a binary STL file: its normal, its three corners, two bytes."""


def _stl(data: bytes) -> _Parts:
    count = int.from_bytes(data[80:84], "little") if len(data) >= 84 else -1
    if len(data) != 84 + 50 * count:
        return _stl_text(data)
    corners = np.frombuffer(data, _FACET, count, 84)["numbers"][:, 1:].astype(float)
    return corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


def _stl_text(data: bytes) -> _Parts:
    words = [line.split() for line in data.decode("utf-8", errors="replace").splitlines()]
    if not words or words[0][:1] != ["solid"]:
        raise MeshError("meshes.stl")
    points = np.array([[float(x) for x in row[1:4]] for row in words if row[:1] == ["vertex"]]).reshape(-1, 3)
    return points, np.arange(len(points) // 3 * 3).reshape(-1, 3)


def _obj(data: bytes) -> _Parts:
    """Points are single precision, as in MuJoCo, and polygons are split as there."""
    points: list[list[float]] = []
    polygons: list[list[int]] = []
    for line in data.decode("utf-8", errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            polygons.append([_number(word, len(points)) for word in words[1:]])
    with np.errstate(all="ignore"):  # the check of all points refuses what is not finite
        single = np.array(points, dtype=np.float32)
        faces = [triangle for polygon in polygons for triangle in _split(polygon, single)]
    return single.astype(float), np.array(faces, dtype=np.int64).reshape(-1, 3)


def _number(word: str, count: int) -> int:
    """The point of a word such as 3, 3/1/2 or -1, which is the last one so far."""
    number = int(word.partition("/")[0])
    return number - 1 if number > 0 else count + number


def _split(corners: list[int], points: _Single) -> list[tuple[int, int, int]]:
    """The triangles of a polygon, as tinyobjloader cuts it, which MuJoCo uses: it matters where it is not plane."""
    if len(corners) < 4 or not all(0 <= k < len(points) for k in corners):
        return list(fan(corners))  # the check of all triangles names a point that does not exist
    at = points[corners]
    if len(corners) > 4:
        return [(corners[i], corners[j], corners[k]) for i, j, k in _ears(at)]
    a, b, c, d = at
    shorter = ((c - a) ** 2).sum() < ((d - b) ** 2).sum()  # of equal diagonals the second one
    return list(fan(corners if shorter else [*corners[1:], corners[0]]))


def fan(corners: list[int]) -> Iterator[tuple[int, int, int]]:
    """The triangles of a polygon."""
    return ((corners[0], b, c) for b, c in pairwise(corners[1:]))


def _ears(at: _Single) -> Iterator[tuple[int, int, int]]:
    """The triangles of a polygon with more than four corners: three in a row are cut off where no other is inside.

    All is decided in the two axes in which the first real corner has its largest area, in single precision. The sign of
    the whole area is that of one edge and the origin, as in tinyobjloader; what it leaves out is left out here, too.
    """
    u, v = _axes(at)
    flat, left, first, tries = at[:, [u, v]], list(range(len(at))), 0, len(at)
    while len(left) > 3 and tries:
        first %= len(left)
        around = left[first:] + left[:first]
        (ax, ay), (bx, by), (cx, cy) = corner = flat[around[:3]]
        turned = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
        inward = turned * (ax * by - ay * bx) < 0
        if inward or _inside(corner, flat[around[3:]]).any():
            first, tries = first + 1, tries - 1
            continue
        yield around[0], around[1], around[2]
        left.remove(around[1])
        tries = len(left)
    if len(left) == 3:
        yield left[0], left[1], left[2]


def _axes(at: _Single) -> tuple[int, int]:
    """The axes in which the first three corners that are not in a line have their largest area."""
    edges = np.roll(at, -1, axis=0) - at
    areas = np.abs(np.cross(edges, np.roll(edges, -1, axis=0)))
    real = np.flatnonzero((areas > np.finfo(np.float32).eps).any(axis=1))
    x, y, z = areas[real[0]] if real.size else (1.0, 0.0, 0.0)
    if x > y and x > z:
        return 1, 2
    return (0, 1) if z > x and z > y else (0, 2)


def _inside(corner: _Single, points: _Single) -> NDArray[np.bool_]:
    """Which points are in a triangle: a line from such a point crosses its edges an odd number of times."""
    x, y = points.T
    odd = np.zeros(len(points), dtype=bool)
    for (ax, ay), (bx, by) in zip(corner, np.roll(corner, 1, axis=0), strict=True):
        odd ^= ((ay > y) != (by > y)) & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    return odd


def _msh(data: bytes) -> _Parts:
    """Numbers of points, normals, texture coordinates and triangles; then they themselves (MuJoCo's documentation)."""
    points, normals, textures, faces = (int(n) for n in np.frombuffer(data, "<i4", 4))
    if min(points, normals, textures, faces) < 0 or len(data) != 16 + 12 * (points + normals + faces) + 8 * textures:
        raise MeshError("meshes.msh")
    vertices = np.frombuffer(data, "<f4", 3 * points, 16).reshape(-1, 3).astype(float)
    return vertices, np.frombuffer(data, "<i4", 3 * faces, len(data) - 12 * faces).reshape(-1, 3).astype(np.int64)


READERS: dict[str, Callable[[bytes], _Parts]] = {".stl": _stl, ".obj": _obj, ".msh": _msh, ".dae": collada.triangles}
