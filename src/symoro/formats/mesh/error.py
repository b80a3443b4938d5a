"""The error of a mesh that cannot be read."""

from symoro.errors import SymoroError


class MeshError(SymoroError):
    """A mesh cannot be read, or encloses no solid."""
