"""Reads the triangles of a COLLADA file (.dae): its geometries where the nodes of its scene place them.

The unit of the file is applied; the direction that the file calls up is not, as in the tools of ROS.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from symoro.errors import FormatError
from symoro.formats._report import Report
from symoro.formats._xml import Element, parse
from symoro.formats.mesh import MeshError
from symoro.formats.tree.poses import Array, pose, shift, turn

_MAX_NODES = 100_000


def triangles(data: bytes) -> tuple[Array, NDArray[np.int64]]:
    """Points in metres, and triangles."""
    try:
        root = parse(data.decode("utf-8", errors="replace"), Report(None))
    except FormatError as error:
        raise MeshError(error.finding) from error
    return _Scene(root).triangles()


class _Scene:
    def __init__(self, root: Element) -> None:
        self.named = {f"#{one.get('id')}": one for one in root.walk() if one.get("id")}
        unit = next((one for asset in root.all("asset") for one in asset.all("unit")), None)
        self.metre = float(unit.get("meter", "1")) if unit is not None else 1.0
        self.scenes = [scene for library in root.all("library_visual_scenes") for scene in library.all("visual_scene")]
        self.meshes: dict[str, list[tuple[Array, NDArray[np.int64]]]] = {}
        self.count = 0

    def triangles(self) -> tuple[Array, NDArray[np.int64]]:
        points: list[Array] = []
        faces: list[NDArray[np.int64]] = []
        for T, url in (mesh for scene in self.scenes for mesh in self.placed(scene, np.eye(4), ())):
            for vertices, corners in self.mesh(url):
                faces.append(corners + sum(map(len, points)))
                points.append((vertices @ T[:3, :3].T + T[:3, 3]) * self.metre)
        if not points:
            raise MeshError("meshes.no_triangles")
        return np.vstack(points), np.vstack(faces)

    def placed(self, element: Element, T: Array, inside: tuple[str, ...]) -> Iterator[tuple[Array, str]]:
        """The geometries of a scene or a node, each with its transformation."""
        self.count += 1
        if self.count > _MAX_NODES:
            raise MeshError("meshes.nodes", most=_MAX_NODES)
        for child in element.children:
            T = T @ _transformation(child)
            url = child.get("url")
            if child.tag == "instance_geometry":
                yield T, url
            elif child.tag == "node":
                yield from self.placed(child, T, inside)
            elif child.tag == "instance_node" and url in self.named and url not in inside:
                yield from self.placed(self.named[url], T, (*inside, url))

    def mesh(self, url: str) -> list[tuple[Array, NDArray[np.int64]]]:
        if url not in self.meshes:
            mesh = self.named[url].first("mesh") if url in self.named else None
            groups = () if mesh is None else mesh.all("triangles", "polylist", "polygons")
            self.meshes[url] = [self.group(group) for group in groups]
        return self.meshes[url]

    def group(self, element: Element) -> tuple[Array, NDArray[np.int64]]:
        """Points and triangles of one <triangles>, <polylist> or <polygons>."""
        inputs = list(element.all("input"))
        stride = 1 + max((int(one.get("offset", "0")) for one in inputs), default=0)
        vertex = next((one for one in inputs if one.get("semantic") == "VERTEX"), None)
        if vertex is None:
            raise MeshError("meshes.no_vertices", tag=element.tag)
        rows = [_integers(p)[int(vertex.get("offset", "0")) :: stride] for p in element.all("p")]
        corners = np.concatenate([*rows, np.zeros(0, dtype=np.int64)])
        sizes = _integers(element.first("vcount"))
        if element.tag == "polygons":
            sizes = np.array([len(row) for row in rows], dtype=np.int64)
        elif element.tag == "triangles":
            sizes = np.full(len(corners) // 3, 3, dtype=np.int64)
        return self.points(vertex), _fans(corners, sizes)

    def points(self, vertex: Element) -> Array:
        """The positions that <vertices> names."""
        vertices = self.named.get(vertex.get("source"))
        inputs = () if vertices is None else vertices.all("input")
        source = next((self.named.get(one.get("source")) for one in inputs if one.get("semantic") == "POSITION"), None)
        numbers = None if source is None else source.first("float_array")
        if numbers is None:
            raise MeshError("meshes.no_positions")
        return np.array(numbers.text.split(), dtype=float).reshape(-1, 3)


def _integers(element: Element | None) -> NDArray[np.int64]:
    return np.array([] if element is None else element.text.split(), dtype=np.int64)


def _fans(corners: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The triangles of polygons with these numbers of corners, each a fan about its first corner."""
    if (sizes < 3).any() or sizes.sum() != len(corners):
        raise MeshError("meshes.polygon")
    first = np.repeat(np.cumsum(sizes) - sizes, sizes - 2)
    start = np.repeat(np.cumsum(sizes - 2) - (sizes - 2), sizes - 2)
    second = first + 1 + np.arange(len(first)) - start
    return np.asarray(corners[np.column_stack([first, second, second + 1])])


def _transformation(element: Element) -> Array:
    """What a <matrix>, <translate>, <rotate> or <scale> of a node does; any other element does nothing."""
    if element.tag not in ("matrix", "translate", "rotate", "scale"):
        return np.eye(4)
    numbers = np.array(element.text.split(), dtype=float)
    if element.tag == "matrix":
        return numbers.reshape(4, 4)
    if element.tag == "translate":
        return shift(numbers.reshape(3))
    if element.tag == "scale":
        return np.diag([*numbers.reshape(3), 1.0])
    *axis, degrees = numbers.reshape(4)
    size = float(np.linalg.norm(axis))
    return pose(turn(np.array(axis) / size, float(np.radians(degrees)))) if size else np.eye(4)
