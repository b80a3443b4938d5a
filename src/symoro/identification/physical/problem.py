"""The unknowns of physical consistency: standard parameters, and the parameters of friction and drives beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.names import letters_of
from symoro.identification.physical.consistent import Consistent
from symoro.identification.physical.free_entries import free_entries
from symoro.identification.physical.pseudo_inertia import NAMES, UNITS, pseudo_inertia, solid
from symoro.identification.subject.described import described, keys
from symoro.identification.subject.subject import Subject
from symoro.models.identification.parameters import Key

MARGIN = 1e-3
"""Smallest eigenvalue of P̃: bodies stay away from those that are points or plates."""
_MASS, _RADIUS = 3.0, 0.1
"""The ball that stands for a link without numbers, kg and m."""
_POSITIVE = ("IA", "FV", "FS", "FVP", "FVN", "FSP", "FSN", "K", "FST", "BST")


@dataclass(frozen=True)
class Problem:
    """The unknowns: standard parameters, entries that the description has as 0, and the parameters beside them."""

    subject: Subject
    entries: tuple[Key, ...]
    others: tuple[str, ...]
    places: Array
    """x = places @ unknowns."""

    @property
    def links(self) -> list[int]:
        return sorted({j for letters, j in self.entries if letters in NAMES})

    @property
    def positive(self) -> list[int]:
        """The places of unknowns that are not negative: rotors, springs and friction."""
        rotors = [k for k, (letters, _) in enumerate(self.entries) if letters == "IA"]
        return [*rotors, *(len(self.entries) + k for k, n in enumerate(self.others) if letters_of(n) in _POSITIVE)]

    @property
    def coupled(self) -> list[tuple[int, int, int]]:
        """The places of IAM of a motor that couples two joints, and of the IA of both."""
        rotors = {j: k for k, (letters, j) in enumerate(self.entries) if letters == "IA"}
        of = [(k, int(name[3:])) for k, name in enumerate(self.others) if name.startswith("IAM")]
        return [(len(self.entries) + k, rotors[j - 1], rotors[j]) for k, j in of if {j - 1, j} <= rotors.keys()]

    def entry(self, u: Array, link: int) -> dict[str, float]:
        """The inertial parameters of a link."""
        return {n: float(x) for (n, j), x in zip(self.entries, u, strict=False) if j == link and n in NAMES}


def problem_of(subject: Subject, names: Sequence[str]) -> Problem:
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
    return Problem(subject, (*own, *free), others, places)


def prior_of(problem: Problem, link: int) -> Array:
    """P⁰ of a link: that of the description where it is a body, else a ball."""
    numbers = dict(zip(keys(problem.subject), described(problem.subject), strict=True))
    P0 = pseudo_inertia({n: numbers[n, link] for n in NAMES if (n, link) in numbers})
    if np.linalg.eigvalsh(P0)[0] <= 1e-9 * max(np.abs(P0).max(), 1e-300):
        return solid(_MASS, _RADIUS)
    return P0


def in_prior(problem: Problem, link: int) -> Array:
    """G of vec P̃ = G u for a link, P̃ = L⁻¹ P L⁻ᵀ with P⁰ = L Lᵀ."""
    inverse = np.linalg.inv(np.linalg.cholesky(prior_of(problem, link)))
    G = np.zeros((16, problem.places.shape[1]))
    for k, (letters, j) in enumerate(problem.entries):
        if j == link and letters in NAMES:
            G[:, k] = (inverse @ UNITS[letters] @ inverse.T).ravel()
    return G


def result_of(problem: Problem, u: Array, status: str, error: float, before: float) -> Consistent:
    """The result for unknowns; `before` is the error without the conditions."""
    entries = dict(zip(problem.entries, map(float, u), strict=False))
    beta = problem.places @ u
    others = dict(zip(problem.others, map(float, u[len(problem.entries) :]), strict=True))
    smallest = {}
    for link in problem.links:
        smallest[link] = float(np.linalg.eigvalsh(pseudo_inertia(problem.entry(u, link)))[0])
    if min(smallest.values(), default=1.0) <= 0:
        worst = min(smallest, key=lambda link: smallest[link])
        raise DataError(f"physical consistency: link {worst} has the eigenvalue {smallest[worst]:.2g} ({status})")
    own = keys(problem.subject)
    return Consistent(
        np.array([entries[key] for key in own]),
        beta,
        others,
        error,
        error - before,
        smallest,
        {key: entries[key] for key in problem.entries if key not in own},
        status,
    )
