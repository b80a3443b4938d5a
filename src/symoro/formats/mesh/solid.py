"""Volume, centre and inertia of what a mesh encloses, by the four ways of MuJoCo (its documentation, mesh/inertia).

A triangle and a point form a tetrahedron. For a tetrahedron with a corner at the origin and the others at D, E, F, and
with S = D + E + F, the integral of x xᵀ is V (D Dᵀ + E Eᵀ + F Fᵀ + S Sᵀ) / 20; for the triangle itself the factor is
A / 12 (A. M. Messner and G. Q. Taylor, Algorithm 550: Solid Polyhedron Measures, ACM TOMS 6, 1980).
"""

from __future__ import annotations

import numpy as np

from symoro.formats.mesh import MeshError
from symoro.formats.mesh.triangles import TriangleMesh
from symoro.formats.tree.poses import Array

WAYS = ("legacy", "convex", "exact", "shell")
"""`legacy` counts all volumes as positive; `convex` is the hull, `exact` the solid, `shell` the surface."""


def solid(mesh: TriangleMesh, way: str) -> tuple[float, Array, Array]:
    """The volume (the area of a shell), its centre, and the inertia about the centre for a density of 1."""
    if way == "convex" or not len(mesh.faces):
        mesh = hull(mesh)
    D, E, F = np.moveaxis(mesh.corners, 1, 0)
    middle, normal = (D + E + F) / 3, np.cross(E - D, F - D)
    area = np.linalg.norm(normal, axis=1) / 2
    if not area.sum() > 0:
        raise MeshError("meshes.no_surface")
    centre = area @ middle / area.sum()

    def volumes(top: Array) -> Array:
        signed = np.einsum("ij,ij->i", normal, middle - top) / 6
        return np.asarray(np.abs(signed) if way == "legacy" else signed)

    if way != "shell":
        V = volumes(centre)
        if not V.sum() > 0:
            raise MeshError("meshes.no_volume")
        centre = V @ (3 * middle + centre) / 4 / V.sum()
    weights = area if way == "shell" else volumes(centre)
    D, E, F = D - centre, E - centre, F - centre
    squares = sum(np.einsum("i,ij,ik->jk", weights, x, x) for x in (D, E, F, D + E + F))
    squares = squares / (12 if way == "shell" else 20)
    return float(weights.sum()), centre, np.trace(squares) * np.eye(3) - squares


def hull(mesh: TriangleMesh) -> TriangleMesh:
    """The convex hull, its triangles counterclockwise seen from outside."""
    from scipy.spatial import ConvexHull, QhullError  # most files need no hull

    try:
        convex = ConvexHull(mesh.points)
    except (QhullError, ValueError) as error:
        raise MeshError("meshes.no_hull") from error
    faces = convex.simplices.astype(np.int64)
    D, E, F = np.moveaxis(mesh.points[faces], 1, 0)
    inward = np.einsum("ij,ij->i", np.cross(E - D, F - D), convex.equations[:, :3]) < 0
    faces[inward] = faces[inward][:, [0, 2, 1]]
    return TriangleMesh(mesh.points, faces)
