"""A published platform on six legs with 40 real assemblies, and the lengths of legs."""

from __future__ import annotations

import numpy as np

from support.free_robots import Array

#: P. Dietmaier, The Stewart-Gough platform of general geometry can have 40 real postures, ARK 1998.
BASE = np.array(
    [
        (0, 0, 0),
        (1.107915, 0, 0),
        (0.549094, 0.756063, 0),
        (0.735077, -0.223935, 0.525991),
        (0.514188, -0.526063, -0.368418),
        (0.590473, 0.094733, -0.205018),
    ]
)
PLATFORM = np.array(
    [
        (0, 0, 0),
        (0.542805, 0, 0),
        (0.956919, -0.528915, 0),
        (0.665885, -0.353482, 1.402538),
        (0.478359, 1.158742, 0.107672),
        (-0.137087, -0.235121, 0.353913),
    ]
)
LENGTHS = np.array([1, 0.645275, 1.086284, 1.503439, 1.281933, 0.771071])


def lengths(T: Array, a: Array, b: Array) -> Array:
    return np.linalg.norm(T[..., None, :3, 3] + b @ np.swapaxes(T[..., :3, :3], -1, -2) - a, axis=-1)
