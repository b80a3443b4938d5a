"""The pseudo-inertia of a link: a symmetric 4 × 4 matrix that is positive exactly for bodies that can exist.

P = [[½ tr(J) 1 − J, h], [hᵀ, M]] with the inertia tensor J about the link's frame and the first moments h
(Wensing, Kim and Slotine 2018).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from symoro.identification.arrays import Array
from symoro.robot.link import Inertia

NAMES = Inertia.names()


def _unit(name: str) -> Array:
    """P of a link with one parameter 1 and the others 0; XY is the element 12 of the tensor."""
    P = np.zeros((4, 4))
    if name == "M":
        P[3, 3] = 1.0
    elif name.startswith("M"):
        k = "XYZ".index(name[1])
        P[k, 3] = P[3, k] = 1.0
    else:
        J = np.zeros((3, 3))
        a, b = ("XYZ".index(letter) for letter in name)
        J[a, b] = J[b, a] = 1.0
        P[:3, :3] = np.trace(J) / 2 * np.eye(3) - J
    return P


UNITS = {name: _unit(name) for name in NAMES}


def pseudo_inertia(parameters: Mapping[str, float]) -> Array:
    """P of a link; parameters that are not given are 0."""
    return np.asarray(sum((x * UNITS[name] for name, x in parameters.items()), start=np.zeros((4, 4))))


def solid(mass: float, radius: float) -> Array:
    """P of a ball of even density about the origin of the link's frame."""
    moment = mass * radius**2 / 5  # ∫x² dm
    return np.diag([moment, moment, moment, mass])
