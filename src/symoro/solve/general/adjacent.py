"""Two prismatic joints that follow each other, in roles 1 and 2: a matrix polynomial in x4 = tan(θ4/2).

The right sides are linear in r1 and r2, so eight equations are left, and two combinations of them are free of θ3. They
are bilinear in (C4, S4, 1) and (C5, S5, 1). Sylvester's matrix in x5 is 4 × 4 and quadratic in x4: 8 roots.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.solve.general.elimination import Equations, null_rows, turned
from symoro.solve.general.pencil import Polynomial, equilibrated
from symoro.solve.general.representation import POWERS

Array = NDArray[Any]


def adjacent_polynomial(equations: Equations, turn: float) -> Polynomial:
    """The matrix polynomial in x4 of θ4 − turn; its unknowns are the powers 0 to 3 of x5."""
    turning = equations.turning
    free = null_rows(np.hstack([turning.real, turning.imag]), 2)
    E = turned(np.tensordot(free, equations.E[:, 2], 1), turn)
    powers = np.einsum("rab,ai,bj->irj", E, POWERS["R"], POWERS["R"])
    twice = np.zeros((3, 2, 2, 4))
    twice[:, :, 0, :3], twice[:, :, 1, 1:] = powers, powers
    return Polynomial(equilibrated(twice.reshape(3, 4, 4)), 4, turn)


def third_angle(E: Array, m4: Array, m5: Array) -> Array:
    """θ3 of each candidate, from all equations (E_c C3 + E_s S3 + E_0) m45 = 0 by least squares."""
    rows = np.einsum("eabc,nb,nc->nea", E, m4, m5)
    CS = (np.linalg.pinv(rows[:, :, :2]) @ -rows[:, :, 2:])[..., 0]
    angle: Array = np.arctan2(CS[:, 1], CS[:, 0])
    return angle
