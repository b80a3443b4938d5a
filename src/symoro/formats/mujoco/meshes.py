"""The meshes of an MJCF file, and the mass of what they enclose; a file of a mesh is opened only for its mass."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

import numpy as np

from symoro.findings import Finding
from symoro.formats._xml import Element, NumberReader
from symoro.formats.macros.roots import OutsideError, Roots
from symoro.formats.mesh import MeshError
from symoro.formats.mesh.solid import WAYS, hull, solid
from symoro.formats.mesh.triangles import TriangleMesh, checked, read
from symoro.formats.mujoco.settings import Defaults, Settings
from symoro.formats.tree.description import Mass
from symoro.formats.tree.poses import Array, of_quaternion, shift

_Solid = tuple[float, Array, Array]


@dataclass(slots=True)
class Meshes:
    """The <mesh> elements of a file by their names."""

    numbers: NumberReader
    settings: Settings
    roots: Roots
    assets: dict[str, Element] = field(default_factory=dict)
    solids: dict[str, _Solid | Finding] = field(default_factory=dict)

    @classmethod
    def of(cls, root: Element, defaults: Defaults, numbers: NumberReader, settings: Settings, roots: Roots) -> Meshes:
        meshes = cls(numbers, settings, roots)
        for one in (mesh for group in root.all("asset") for mesh in group.all("mesh")):
            element = defaults.apply(one, "main")
            meshes.assets[element.get("name") or PurePosixPath(element.get("file")).stem] = element
        return meshes

    def mass(self, geom: Element, still: bool) -> Mass:
        """The mass of a geom in the frame of its mesh. Where it cannot be read, this is an error if the geom moves."""
        name = geom.get("mesh")
        if name not in self.assets:
            self.numbers.report.add(Finding("mjcf.no_mesh", geom=geom.get("name"), name=name), geom.line)
            return Mass()
        if name not in self.solids:
            self.solids[name] = self._solid(name)
        solid = self.solids[name]
        if isinstance(solid, Finding):
            code = "mjcf.still_mesh" if still else "mjcf.mass_of_mesh"
            self.numbers.report.add(Finding(code, name=name, reason=solid), self.assets[name].line)
            return Mass()
        volume, centre, tensor = solid
        mass = self.numbers.number(geom, "mass", self.numbers.number(geom, "density", 1000.0) * volume)
        return Mass.at_centre(mass, tensor * (mass / volume), shift(centre))

    def _solid(self, name: str) -> _Solid | Finding:
        """Volume, centre and tensor of a mesh, or why it cannot be read."""
        element = self.assets[name]
        way = element.get("inertia", "legacy")
        try:
            if way not in WAYS:
                raise MeshError("mjcf.way", way=way, allowed=WAYS)
            mesh, most = self._triangles(element), self.numbers.number(element, "maxhullvert", -1)
            if (way == "convex" or not len(mesh.faces)) and 0 < most < len(np.unique(hull(mesh).faces)):
                raise MeshError("mjcf.hull", most=most)
            return solid(mesh, way)
        except (MeshError, OutsideError) as error:
            return error.finding

    def _triangles(self, element: Element) -> TriangleMesh:
        """The triangles in the frame of the geom: moved by refpos, turned by refquat, scaled."""
        mesh = self._file(element) if element.get("file") else self._written(element)
        w, x, y, z = self.numbers.row(element, "refquat", "1 0 0 0", 4)
        R = of_quaternion(w, x, y, z) if w or x or y or z else np.eye(3)
        scale = self.numbers.row(element, "scale", "1 1 1", 3)
        points = (mesh.points - self.numbers.row(element, "refpos", "0 0 0", 3)) @ R * scale
        return TriangleMesh(points, mesh.faces[:, ::-1] if np.prod(scale) < 0 else mesh.faces)

    def _file(self, element: Element) -> TriangleMesh:
        """The file in the folder of meshes; else, as in MuJoCo, beside the included file that names it."""
        name = element.get("file")
        if self.settings.strip_path:
            name = PurePosixPath(name.replace("\\", "/")).name
        path, near = (
            self.roots.folder / self.settings.mesh_folder / name,
            Path(element.file or "").resolve().parent / name,
        )
        return read(self.roots.allowed(near if not path.is_file() and near.is_file() else path))

    def _written(self, element: Element) -> TriangleMesh:
        """A mesh whose points are in the file itself; MuJoCo has them in single precision."""
        if "vertex" not in element.attributes:
            raise MeshError("mjcf.no_points")
        points = self.numbers.row(element, "vertex", "", None)
        faces = self.numbers.row(element, "face", "", None)
        if points.size % 3 or faces.size % 3:
            raise MeshError("mjcf.vertices")
        single = points.reshape(-1, 3).astype(np.float32).astype(float)
        return checked(single, faces.astype(np.int64).reshape(-1, 3))
