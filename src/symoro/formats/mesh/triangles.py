"""Reads the triangles of mesh files: STL, OBJ, and MSH of MuJoCo; COLLADA has a file of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from symoro.formats.mesh import collada
from symoro.formats.mesh.error import MeshError
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
    faces: list[tuple[int, int, int]] = []
    for line in data.decode("utf-8", errors="replace").splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            points.append([float(x) for x in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [_number(word, len(points)) for word in words[1:]]
            faces += fan(_from_shorter_diagonal(corners, points) if len(corners) == 4 else corners)
    return np.array(points, dtype=np.float32).astype(float), np.array(faces, dtype=np.int64).reshape(-1, 3)


def _number(word: str, count: int) -> int:
    """The point of a word such as 3, 3/1/2 or -1, which is the last one so far."""
    number = int(word.partition("/")[0])
    return number - 1 if number > 0 else count + number


def _from_shorter_diagonal(corners: list[int], points: list[list[float]]) -> list[int]:
    """The corners of a quadrilateral in the order in which a fan splits it along its shorter diagonal.

    It matters where the four are not in a plane. Of equal diagonals it is the second one, as in tinyobjloader.
    """
    if not all(0 <= k < len(points) for k in corners):
        return corners  # the check of all triangles names the point that does not exist
    a, b, c, d = np.array([points[k] for k in corners], dtype=np.float32)
    return corners if ((c - a) ** 2).sum() < ((d - b) ** 2).sum() else [*corners[1:], corners[0]]


def fan(corners: list[int]) -> Iterator[tuple[int, int, int]]:
    """The triangles of a polygon."""
    return ((corners[0], b, c) for b, c in pairwise(corners[1:]))


def _msh(data: bytes) -> _Parts:
    """Numbers of points, normals, texture coordinates and triangles; then they themselves (MuJoCo's documentation)."""
    points, normals, textures, faces = (int(n) for n in np.frombuffer(data, "<i4", 4))
    if min(points, normals, textures, faces) < 0 or len(data) != 16 + 12 * (points + normals + faces) + 8 * textures:
        raise MeshError("meshes.msh")
    vertices = np.frombuffer(data, "<f4", 3 * points, 16).reshape(-1, 3).astype(float)
    return vertices, np.frombuffer(data, "<i4", 3 * faces, len(data) - 12 * faces).reshape(-1, 3).astype(np.int64)


READERS: dict[str, Callable[[bytes], _Parts]] = {".stl": _stl, ".obj": _obj, ".msh": _msh, ".dae": collada.triangles}
