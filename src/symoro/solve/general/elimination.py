"""The equations of a loop without joints 6, 1 and 2: a matrix polynomial in x3 = tan(θ3/2).

The loop says (joints are named by their roles)

    Z3 F3 Z4 F4 Z5 F5 {e} = F2⁻¹ Z2⁻¹ F1⁻¹ Z1⁻¹ F6⁻¹ {e}                                (1)

for the point and axis e = (origin, z), on which Z6 has no effect. In the representation of R¹⁵ both sides are linear in
products of (C, S, 1) of their joints: P (m3 ⊗ m4 ⊗ m5) = Q m12 (Raghavan and Roth, 1993). The left null space N of Q
eliminates joints 1 and 2:

    (E_c C3 + E_s S3 + E_0) m45 = 0,  E = N P                                           (2)

The coefficient of exp(iθ3) turns only the four vectors of the representation, so it has rank 4, and the two complex
rows n with n (E_c − i E_s) = 0 make n E = n E_0 + n E_c exp(−iθ3) linear in x3:

    (1 + i x3) n E_0 + (1 − i x3) n E_c = 0                                             (3)

Two real rows g, orthogonal to n, stay quadratic. Half-angles turn m45 into powers of x4 and x5, and the rows times x4
make the matrix square: 12 × 12, of which 8 rows are linear, with 16 roots. With a prismatic joint r takes the place of
x, and with two of them the 10 equations that are linear in each r give an 8 × 8 matrix of linear rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.lazy import lazy
from symoro.solve.general.arrangement import Loop, inverse
from symoro.solve.general.pencil import Polynomial, equilibrated
from symoro.solve.general.representation import AXIS, BACK, JOINT, POWERS, VECTORS, gamma

Array = NDArray[Any]
_ALL, _LINEAR = np.arange(1, 15), np.array([1, 2, 3, 4, 5, 6, 8, 9, 10, 11])


@dataclass(frozen=True)
class Equations:
    """P (rows, 3, 3, 3) and Q (rows, columns) of a loop; the constant of the right side is inside P.

    `columns` has the two indices of the monomials of joints 1 and 2 for each column of Q.
    """

    loop: Loop
    P: Array
    Q: Array
    columns: tuple[tuple[int, int], ...]
    rows: Array

    @lazy
    def _factors(self) -> tuple[Array, Array, Array]:
        U, s, Vt = np.linalg.svd(self.Q)
        return U, s, Vt

    @property
    def rank_margin(self) -> float:
        """The smallest singular value of Q, relative to the largest one."""
        s = self._factors[1]
        return float(s[-1] / s[0]) if s[0] > 0.0 else 0.0

    @property
    def N(self) -> Array:
        """The left null space of Q."""
        return self._factors[0][:, self.Q.shape[1] :].T

    @lazy
    def E(self) -> Array:
        """The equations (2) as (rows of N, 3, 3, 3)."""
        return np.tensordot(self.N, self.P, 1)

    @property
    def turning(self) -> Array:
        """N times the columns x − i y of the vectors that a rotation about z3 turns."""
        N = np.zeros((len(self.N), 15))
        N[:, self.rows] = self.N
        vectors = [v for v in VECTORS if v.start in self.rows]
        return np.stack([N[:, v.start] - 1j * N[:, v.start + 1] for v in vectors], axis=1)

    def right(self, left: Array) -> Array:
        """The monomials of joints 1 and 2 (n, columns) for left sides (n, rows), by least squares."""
        return left @ np.linalg.pinv(self.Q).T


def equations(loop: Loop) -> Equations:
    """The equations (1)."""
    kinds, G, back = loop.kinds, gamma(loop.F), gamma(inverse(loop.F))
    rows = _ALL if kinds.count("P") < 2 else _LINEAR
    left = G[4] @ AXIS
    for k in (5, 4, 3):
        left = np.einsum("aij,j...->ia...", JOINT[kinds[k - 1]], left)
        left = np.tensordot(G[k - 2], left, 1) if k > 3 else left
    right = back[5] @ AXIS
    for k in (1, 2):
        right = np.einsum("aij,j...->i...a", BACK[kinds[k - 1]], right)
        right = np.tensordot(back[k - 1], right, 1)
    P, columns = left[rows], _columns(kinds)
    P[:, 2, 2, 2] -= right[rows, 2, 2]
    return Equations(loop, P, np.stack([right[rows, i, j] for i, j in columns], axis=1), columns, rows)


def _columns(kinds: str) -> tuple[tuple[int, int], ...]:
    """The monomials of joints 1 and 2 that occur, but for the constant."""
    if kinds.count("P") < 2:
        return tuple((i, j) for i in range(3) for j in range(3) if (i, j) != (2, 2))
    if kinds.startswith("PP"):
        return (1, 2), (2, 1)
    first, second = ((1, 2) if kind == "P" else (0, 1, 2) for kind in kinds[:2])
    return tuple((i, j) for i in first for j in second if (i, j) != (2, 2))


def turned(E: Array, turn: float) -> Array:
    """E for the angle θ − turn in place of θ, along axis 1."""
    c, s = np.cos(turn), np.sin(turn)
    return np.stack([c * E[:, 0] + s * E[:, 1], c * E[:, 1] - s * E[:, 0], E[:, 2]], axis=1)


def null_rows(A: Array, count: int) -> Array:
    """`count` rows n with n A = 0, orthonormal."""
    rows: Array = np.linalg.svd(A)[0][:, A.shape[0] - count :].conj().T
    return rows


def polynomial(equations: Equations, turn: float) -> Polynomial:
    """The matrix polynomial in x3 of θ3 − turn; its unknowns are the products of powers of joints 4 and 5."""
    linear = equations.loop.kinds.count("P") == 2
    E = turned(equations.E, turn)
    n = null_rows(equations.turning, 2)
    nE = np.tensordot(n, E, 1)
    constant, slope = nE[:, 2] + nE[:, 0], 1j * (nE[:, 2] - nE[:, 0])  # (3)
    K = np.stack([_real(constant), _real(slope), np.zeros((4, 3, 3))])
    if not linear:
        gE = np.tensordot(null_rows(np.vstack([n.real, n.imag]).T, 2), E, 1)
        squares = np.stack([gE[:, 2] + gE[:, 0], 2 * gE[:, 1], gE[:, 2] - gE[:, 0]])
        K = np.concatenate([K, squares], axis=1)
    return Polynomial(equilibrated(_doubled(K, equations.loop.kinds, 2 if linear else 3)), 0 if linear else 4, turn)


def _real(rows: Array) -> Array:
    return np.concatenate([rows.real, rows.imag])


def _doubled(K: Array, kinds: str, width: int) -> Array:
    """K (3, rows, 3, 3) on powers of joints 4 and 5, and again times joint 4, as (3, 2 rows, 4 · width).

    The linear rows stay before the quadratic ones.
    """
    powers = np.einsum("krab,ai,bj->krij", K, POWERS[kinds[3]], POWERS[kinds[4]])[..., :width]
    rows = powers.shape[1]
    twice = np.zeros((3, rows, 2, 4, width))
    twice[:, :, 0, :3], twice[:, :, 1, 1:] = powers, powers
    return twice.reshape(3, 2 * rows, 4 * width)


def adjacent_polynomial(equations: Equations, turn: float) -> Polynomial:
    """The matrix polynomial in x4 = tan((θ4 − turn)/2) where joints 1 and 2 slide; its unknowns are powers of x5.

    The right sides are linear in r1 and r2, so eight equations are left, and two combinations of them are free of θ3.
    They are bilinear in (C4, S4, 1) and (C5, S5, 1). Sylvester's matrix in x5 is 4 × 4 and quadratic in x4: 8 roots.
    """
    turning = equations.turning
    free = null_rows(np.hstack([turning.real, turning.imag]), 2)
    E = turned(np.tensordot(free, equations.E[:, 2], 1), turn)
    powers = np.einsum("rab,ai,bj->irj", E, POWERS["R"], POWERS["R"])
    twice = np.zeros((3, 2, 2, 4))
    twice[:, :, 0, :3], twice[:, :, 1, 1:] = powers, powers
    return Polynomial(equilibrated(twice.reshape(3, 4, 4)), 4, turn)
