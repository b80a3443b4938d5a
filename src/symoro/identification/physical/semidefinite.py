"""Standard parameters of bodies that can exist, nearest to the data: a semidefinite program (Sousa and Cortesão 2014).

min over π of ‖R (x − β)‖² + λ Σ_j ‖P̃_j − 1‖², x = K π and friction, with P̃_j = L⁻¹ P_j L⁻ᵀ ⪰ μ 1 and P⁰_j = L Lᵀ of a
prior. R is the triangular factor of the rows, so that the problem has a few rows whatever the data. Without a prior it
is unbounded in what the data does not see: such parameters stay at the prior.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from symoro.errors import DataError, OptionError
from symoro.identification.arrays import Array
from symoro.identification.extras import needed
from symoro.identification.physical.problem import MARGIN, Problem, in_prior
from symoro.identification.physical.pseudo_inertia import NAMES, UNITS

Boxes = Mapping[int, Sequence[Sequence[float]]]
"""Link: its two corners in its frame, [[x, y, z], [x, y, z]]."""


def semidefinite(problem: Problem, R: Array, weight: float, boxes: Boxes | None = None) -> tuple[Array, str]:
    """The unknowns with the least cost for the triangular factor R of [W y], and how the solver ended."""
    cp = needed("cvxpy", "physical consistency")
    needed("clarabel", "physical consistency")
    u = cp.Variable(problem.places.shape[1])
    cost = cp.sum_squares(R[:, :-1] @ problem.places @ u - R[:, -1])
    limits: list[Any] = []
    for link in problem.links:
        P = cp.reshape(in_prior(problem, link) @ u, (4, 4), order="C")
        limits.append(P >> MARGIN * np.eye(4))
        cost = cost + weight * cp.sum_squares(P - np.eye(4))
        limits += _inside(problem, link, u, (boxes or {}).get(link))
    limits += [u[k] >= 0 for k in problem.positive]
    limits += [cp.bmat([[u[a], u[m]], [u[m], u[b]]]) >> 0 for m, a, b in problem.coupled]
    program = cp.Problem(cp.Minimize(cost), limits)
    try:
        program.solve(solver=cp.CLARABEL)
    except cp.error.SolverError as error:
        raise DataError(f"physical consistency: the solver gave up ({error})") from None
    if u.value is None:
        raise DataError(f"physical consistency: the program is {program.status}; are the boxes too small?")
    return np.asarray(u.value), str(program.status)


def _inside(problem: Problem, link: int, u: Any, box: Sequence[Sequence[float]] | None) -> list[Any]:
    """∫ (x − low)(high − x) dm ≥ 0 along each axis: the body is in its box."""
    if box is None:
        return []
    low, high = np.asarray(box, dtype=float).reshape(2, 3)
    if not (low < high).all():
        raise OptionError(f"boxes: link {link}: {box!r} is not allowed (allowed: the lower corner, then the upper one)")
    found = []
    for axis in range(3):
        row = np.zeros(problem.places.shape[1])
        for k, (letters, j) in enumerate(problem.entries):
            if j == link and letters in NAMES:
                P = UNITS[letters]
                row[k] = (low[axis] + high[axis]) * P[axis, 3] - P[axis, axis] - low[axis] * high[axis] * P[3, 3]
        found.append(row @ u >= 0)
    return found
