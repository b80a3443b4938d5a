"""The error of a mesh that cannot be read."""


class MeshError(Exception):
    """A mesh cannot be read, or encloses no solid."""
