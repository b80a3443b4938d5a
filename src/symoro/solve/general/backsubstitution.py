"""The joint positions that belong to a root of the matrix polynomial.

A null vector at the root holds the products of powers of joints 4 and 5; ratios of neighbours are x4 and x5. Joints 1
and 2 follow from the equations that were eliminated, joint 6 from what the loop leaves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.solve.general.arrangement import Loop, inverse
from symoro.solve.general.elimination import Equations
from symoro.solve.general.pencil import Polynomial
from symoro.solve.general.polish import motion
from symoro.solve.general.representation import monomials

Array = NDArray[Any]
#: A singular value below this, relative to the largest one, belongs to one more null vector: roots that are equal.
_EQUAL = 1e-7
#: The weight of one shift in a sum with another: no ratio of small integers.
_UNEQUAL = 0.7320508


def candidates(equations: Equations, polynomial: Polynomial, x: Array) -> Array:
    """Joint positions (n, 6), in the order of the joints, for real roots x."""
    grid = (1, 4) if equations.loop.kinds.startswith("PP") else (4, polynomial.K.shape[1] // 4)
    y, root = _null_vectors(polynomial, x, grid)
    q = np.zeros((len(y), 6))
    angle = 2 * np.arctan(x[root]) + polynomial.turn
    kinds = equations.loop.kinds
    q[:, 4] = _ratio(y[:, :, :-1], y[:, :, 1:], kinds[4])
    if grid[0] == 1:
        q[:, 3] = angle
        q[:, 2] = _third_angle(equations.E, monomials(kinds[3], q[:, 3]), monomials(kinds[4], q[:, 4]))
    else:
        q[:, 3] = _ratio(y[:, :-1], y[:, 1:], kinds[3])
        q[:, 2] = angle
    _first_joints(equations, q)
    q[:, 5] = _last_joint(equations.loop, q)
    ordered = np.empty_like(q)
    ordered[:, list(equations.loop.joints)] = q
    return ordered


def _null_vectors(polynomial: Polynomial, x: Array, grid: tuple[int, int]) -> tuple[Array, Array]:
    """Null vectors (n, *grid) at the roots, and the index of the root of each."""
    _, s, Vt = np.linalg.svd(polynomial.at(x))
    vectors, index = [], []
    for k in range(len(x)):
        count = max(1, int((s[k] < _EQUAL * s[k, 0]).sum()))
        plane = Vt[k, -count:].reshape(count, *grid)
        for y in plane if count == 1 else _separated(plane):
            vectors.append(y)
            index.append(k)
    return np.array(vectors).reshape(-1, *grid), np.array(index, dtype=int)


def _separated(basis: Array) -> Array:
    """The vectors of monomials in the space that is spanned by `basis` (m, *grid), for roots that are equal.

    A shift by one power maps the space on itself, Y(higher powers) = Y(lower powers) D. Shifts along both axes of the
    grid have the same eigenvectors, which are the vectors; a sum of the shifts separates those that share x4 or x5.
    """
    D = _shift(basis[:, :, :-1], basis[:, :, 1:])
    D = D + _UNEQUAL * _shift(basis[:, :-1], basis[:, 1:]) if basis.shape[1] > 1 else D
    return np.tensordot(np.linalg.eig(D)[1].real.T, basis, 1)


def _shift(low: Array, high: Array) -> Array:
    m = len(low)
    D: Array = np.linalg.lstsq(low.reshape(m, -1).T, high.reshape(m, -1).T, rcond=None)[0]
    return D


def _ratio(low: Array, high: Array, kind: str) -> Array:
    """The joint position from neighbours y_i and y_(i+1) = x y_i: the pair that is largest has the smallest error."""
    n = len(low)
    b, a = (part.reshape(n, part[0].size if n else 1) for part in (low, high))
    best = np.arange(n), (a * a + b * b).argmax(axis=1)
    if kind == "R":
        angle: Array = 2 * np.arctan2(a[best], b[best])
        return angle
    size = np.where(b[best] == 0.0, 1.0, b[best])
    travel: Array = np.clip(a[best] / size, -1e3, 1e3)
    return travel


def _first_joints(equations: Equations, q: Array) -> None:
    """Joints 1 and 2, in place."""
    kinds = equations.loop.kinds
    m3, m4, m5 = (monomials(kinds[k], q[:, k]) for k in (2, 3, 4))
    right = equations.right(np.einsum("rabc,na,nb,nc->nr", equations.P, m3, m4, m5))
    place = {pair: right[:, k] for k, pair in enumerate(equations.columns)}
    for k, (first, second) in enumerate((((0, 2), (1, 2)), ((2, 0), (2, 1)))):
        q[:, k] = np.arctan2(place[second], place[first]) if kinds[k] == "R" else place[second]


def _last_joint(loop: Loop, q: Array) -> Array:
    """θ6 of each candidate: what the loop leaves is a rotation about z."""
    T = np.broadcast_to(np.eye(4), (len(q), 4, 4))
    for k in range(5):
        T = T @ motion(loop.kinds[k], q[:, k]) @ loop.F[k]
    Z = inverse(loop.F[5] @ T)
    angle: Array = np.arctan2(Z[:, 1, 0] - Z[:, 0, 1], Z[:, 0, 0] + Z[:, 1, 1])
    return angle


def _third_angle(E: Array, m4: Array, m5: Array) -> Array:
    """θ3 of each candidate, from all equations (E_c C3 + E_s S3 + E_0) m45 = 0 by least squares."""
    rows = np.einsum("eabc,nb,nc->nea", E, m4, m5)
    CS = (np.linalg.pinv(rows[:, :, :2]) @ -rows[:, :, 2:])[..., 0]
    angle: Array = np.arctan2(CS[:, 1], CS[:, 0])
    return angle
