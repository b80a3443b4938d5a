"""Reads MJCF, the files of MuJoCo: defaults, orientations, inertia of shapes, bodies with several joints."""
