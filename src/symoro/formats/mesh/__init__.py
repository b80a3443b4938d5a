"""Meshes of triangles: reading their files, and the mass of the solid that they enclose."""
