"""Meshes of triangles: reading their files, and the mass of the solid that they enclose.

The readers are our own, because masses must be those of MuJoCo to the last digits. It reads points in single precision,
splits polygons in its own way (quadrilaterals along their shorter diagonal), and has four ways to fill a mesh. Another
library splits polygons in another way, and its volumes of meshes that are not closed are others.
"""

from symoro.errors import SymoroError


class MeshError(SymoroError):
    """A mesh cannot be read, or encloses no solid."""
