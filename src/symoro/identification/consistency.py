"""Standard parameters of bodies that can exist, nearest to the data: a semidefinite program (Sousa and Cortesão 2014).

min over π of ‖R (x − β)‖² + λ Σ_j ‖P̃_j − 1‖², x = K π and friction, with P̃_j = L⁻¹ P_j L⁻ᵀ ⪰ μ 1 and P⁰_j = L Lᵀ of a
prior. R is the triangular factor of the rows, so that the problem has a few rows whatever the data. Without a prior it
is unbounded in what the data does not see: such parameters stay at the prior.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from symoro.errors import DataError, OptionError
from symoro.identification.consistent import Consistent
from symoro.identification.estimators.estimate import Estimate
from symoro.identification.extras import needed
from symoro.identification.free_entries import free_entries
from symoro.identification.pseudo_inertia import NAMES, UNITS, pseudo_inertia, solid
from symoro.identification.readers.columns import Array
from symoro.identification.standard import described, keys
from symoro.identification.subject import Subject
from symoro.identification.triangles import Triangles
from symoro.identification.validation import errors
from symoro.models.identification.parameters import Key

_MARGIN = 1e-3
"""Smallest eigenvalue of P̃: bodies stay away from those that are points or plates."""
_PRIOR = 1e-2
"""λ, the weight of the prior beside rows of deviation 1."""
_MASS, _RADIUS = 3.0, 0.1
"""The ball that stands for a link without numbers, kg and m."""
_POSITIVE = ("IA", "FV", "FS", "FVP", "FVN", "FSP", "FSN", "K")
Boxes = Mapping[int, Sequence[Sequence[float]]]
"""Link: its two corners in its frame, [[x, y, z], [x, y, z]]."""


@dataclass(frozen=True)
class _Problem:
    """The unknowns: standard parameters, entries that the description has as 0, and the parameters beside them."""

    subject: Subject
    entries: tuple[Key, ...]
    others: tuple[str, ...]
    places: Array
    """x = places @ unknowns."""

    @property
    def links(self) -> list[int]:
        return sorted({j for letters, j in self.entries if letters in NAMES})

    def selector(self, key: Key) -> Array:
        row = np.zeros(len(self.entries) + len(self.others))
        row[self.entries.index(key)] = 1.0
        return row


def consistent(
    subject: Subject, t: Triangles, found: Estimate, weight: float = _PRIOR, boxes: Boxes | None = None
) -> Consistent:
    """The physically consistent parameters nearest to the data; `weight` is that of the prior, the description.

    The rows of each joint have the deviations of the estimate; equal ones give that of ordinary least squares.
    """
    if not (np.isfinite(weight) and weight > 0):
        raise OptionError(f"prior weight = {weight!r} is not allowed (allowed: more than 0)")
    cp = needed("cvxpy", "physical consistency")
    needed("clarabel", "physical consistency")
    problem = _problem(subject, t.names)
    u = cp.Variable(len(problem.entries) + len(problem.others))
    R = t.stacked(1.0 / np.maximum(found.weighting, 1e-9 * max(found.weighting.max(initial=0.0), 1e-300)))
    cost = cp.sum_squares(R[:-1, :-1] @ problem.places @ u - R[:-1, -1])
    limits: list[Any] = []
    for link in problem.links:
        G = _in_prior(problem, link)
        P = cp.reshape(G @ u, (4, 4), order="C")
        limits.append(P >> _MARGIN * np.eye(4))
        cost = cost + weight * cp.sum_squares(P - np.eye(4))
        limits += _inside(problem, link, u, (boxes or {}).get(link))
    limits += [problem.selector(key) @ u >= 0 for key in problem.entries if key[0] == "IA"]
    limits += [u[len(problem.entries) + k] >= 0 for k, n in enumerate(problem.others) if _letters(n) in _POSITIVE]
    limits += _rotors(cp, problem, u)
    program = cp.Problem(cp.Minimize(cost), limits)
    try:
        program.solve(solver=cp.CLARABEL)
    except cp.error.SolverError as error:
        raise DataError(f"physical consistency: the solver gave up ({error})") from None
    if u.value is None:
        raise DataError(f"physical consistency: the program is {program.status}; are the boxes too small?")
    return _result(problem, t, found, np.asarray(u.value), str(program.status))


def _problem(subject: Subject, names: Sequence[str]) -> _Problem:
    """The unknowns for the columns of a regression."""
    own, free = keys(subject), free_entries(subject)
    others = tuple(name for name in names if name not in subject.inertial)
    K = subject.matrix
    places = np.zeros((len(names), len(own) + len(free) + len(others)))
    for row, name in enumerate(names):
        if name in subject.inertial:
            places[row, : len(own)] = K[subject.inertial.index(name)]
        else:
            places[row, len(own) + len(free) + others.index(name)] = 1.0
    return _Problem(subject, (*own, *free), others, places)


def _in_prior(problem: _Problem, link: int) -> Array:
    """G of vec P̃ = G u for a link. The prior is that of the description where it is a body, else a ball."""
    numbers = dict(zip(keys(problem.subject), described(problem.subject), strict=True))
    P0 = pseudo_inertia({n: numbers[n, link] for n in NAMES if (n, link) in numbers})
    if np.linalg.eigvalsh(P0)[0] <= 1e-9 * max(np.abs(P0).max(), 1e-300):
        P0 = solid(_MASS, _RADIUS)
    inverse = np.linalg.inv(np.linalg.cholesky(P0))
    G = np.zeros((16, problem.places.shape[1]))
    for k, (letters, j) in enumerate(problem.entries):
        if j == link and letters in NAMES:
            G[:, k] = (inverse @ UNITS[letters] @ inverse.T).ravel()
    return G


def _inside(problem: _Problem, link: int, u: Any, box: Sequence[Sequence[float]] | None) -> list[Any]:
    """∫ (x − low)(high − x) dm ≥ 0 along each axis: the body is in its box."""
    if box is None:
        return []
    low, high = np.asarray(box, dtype=float).reshape(2, 3)
    if not (low < high).all():
        raise OptionError(f"box of link {link} is not two corners, the lower one first: {box!r}")
    found = []
    for axis in range(3):
        row = np.zeros(problem.places.shape[1])
        for k, (letters, j) in enumerate(problem.entries):
            if j == link and letters in NAMES:
                P = UNITS[letters]
                row[k] = (low[axis] + high[axis]) * P[axis, 3] - P[axis, axis] - low[axis] * high[axis] * P[3, 3]
        found.append(row @ u >= 0)
    return found


def _rotors(cp: Any, problem: _Problem, u: Any) -> list[Any]:
    """The rotor of a motor that couples two joints: [[IA_a, IAM_b], [IAM_b, IA_b]] ⪰ 0."""
    found = []
    joints = [key[1] for key in problem.entries if key[0] == "IA"]
    for k, name in enumerate(problem.others):
        j = int(name[3:]) if name.startswith("IAM") else 0
        if j in joints and j - 1 in joints:
            a, b = (problem.selector(("IA", i)) @ u for i in (j - 1, j))
            m = u[len(problem.entries) + k]
            found.append(cp.bmat([[a, m], [m, b]]) >> 0)
    return found


def _letters(name: str) -> str:
    return name.partition("@")[0].rstrip("0123456789")


def _result(problem: _Problem, t: Triangles, found: Estimate, u: Array, status: str) -> Consistent:
    entries = dict(zip(problem.entries, map(float, u), strict=False))
    beta = problem.places @ u
    others = dict(zip(problem.others, map(float, u[len(problem.entries) :]), strict=True))
    smallest = {}
    for link in problem.links:
        P = pseudo_inertia({n: x for (n, j), x in entries.items() if j == link and n in NAMES})
        smallest[link] = float(np.linalg.eigvalsh(P)[0])
    if min(smallest.values(), default=1.0) <= 0:
        worst = min(smallest, key=lambda link: smallest[link])
        raise DataError(f"physical consistency: link {worst} has the eigenvalue {smallest[worst]:.2g} ({status})")
    own = keys(problem.subject)
    error = errors(t, beta).total
    return Consistent(
        np.array([entries[key] for key in own]),
        beta,
        others,
        error,
        error - errors(t, found.beta).total,
        smallest,
        {key: entries[key] for key in problem.entries if key not in own},
        status,
    )
