"""Bodies that can exist: pseudo-inertias, log-Cholesky coordinates, and the unknowns of physical consistency."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.optimize import least_squares

from symoro.errors import DataError
from symoro.identification.arrays import Array, letters_of
from symoro.identification.subject.subject import Subject, described, keys
from symoro.lazy import lazy
from symoro.models.identification.base_parameters import NO_EFFECT, base_parameters
from symoro.models.identification.columns import Key
from symoro.robot.link import Inertia
from symoro.robot.values import is_zero

# The pseudo-inertia of a link: a symmetric 4 × 4 matrix that is positive exactly for bodies that can exist.
#
# P = [[½ tr(J) 1 − J, h], [hᵀ, M]] with the inertia tensor J about the link's frame and the first moments h
# (Wensing, Kim and Slotine 2018).


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


# Log-Cholesky coordinates of bodies and drives: every value of them is a robot that can exist.
#
# The pseudo-inertia of a link is P = μ P⁰ + D U Uᵀ D, with an upper triangular U whose diagonal is exp θ_ii and whose
# other elements are θ_ij (Rucker and Wensing 2022). P⁰ is a prior and D² its diagonal, so that coordinates have the
# size 1. Where the description has 0 for a product of inertia or a first moment, the element of U follows from it.


_STEP = 1e-30
"""Imaginary step of derivatives: functions here are analytic, and nothing is subtracted."""
_INWARDS = 1e-3
"""Part by which a body on the border of what can exist is moved towards its prior."""
_PAIRS = tuple((i, j) for j in (3, 2, 1) for i in range(j))
"""Elements of U above the diagonal, the last column first."""
OFF_DIAGONAL = {(0, 1): "XY", (0, 2): "XZ", (1, 2): "YZ", (0, 3): "MX", (1, 3): "MY", (2, 3): "MZ"}
_OF_P = np.linalg.pinv(np.array([UNITS[name].ravel() for name in NAMES]).T)
"""Inertial parameters from the elements of P."""


@dataclass(frozen=True)
class LogCholeskyBody:
    """A link: its prior P⁰, the margin μ, and which elements of P are not 0 (their places, i < j)."""

    prior: Array
    margin: float
    free: tuple[tuple[int, int], ...]

    @property
    def count(self) -> int:
        return 4 + len(self.free)

    @lazy
    def _size(self) -> Array:
        return np.asarray(np.sqrt(np.diag(self.prior)))

    def matrix(self, theta: Array) -> Array:
        """P for coordinates (..., count); they may be complex."""
        U = np.zeros((*theta.shape[:-1], 4, 4), dtype=theta.dtype)
        for i in range(4):
            U[..., i, i] = np.exp(theta[..., i])
        for i, j in _PAIRS:
            if (i, j) in self.free:
                U[..., i, j] = theta[..., 4 + self.free.index((i, j))]
            else:  # 0 = Σ_k U_ik U_jk
                U[..., i, j] = -np.sum(U[..., i, j + 1 :] * U[..., j, j + 1 :], axis=-1) / U[..., j, j]
        scaled = self._size[:, None] * U
        return np.asarray(self.margin * self.prior + scaled @ np.swapaxes(scaled, -1, -2))

    def coordinates(self, P: Array) -> Array:
        """θ of a pseudo-inertia; of one that is not inside, θ of one that is moved towards the prior."""
        scale = np.outer(self._size, self._size)
        for part in (0.0, _INWARDS, 0.03, 0.3, 1.0):
            A = ((1 - part) * P + part * self.prior - self.margin * self.prior) / scale
            if np.linalg.eigvalsh(A)[0] > 1e-9:
                break
        U = np.linalg.cholesky(A[::-1, ::-1])[::-1, ::-1]
        return np.array([*np.log(np.diag(U)), *(U[i, j] for i, j in self.free)])


def parameters(P: Array) -> Array:
    """XX … M of pseudo-inertias (..., 4, 4), in the order of `NAMES`."""
    return np.asarray(P.reshape(*P.shape[:-2], 16) @ _OF_P.T)


def slopes(values: Callable[[Array], Array], theta: Array) -> Array:
    """∂u/∂θ of an analytic function that takes coordinates (..., p): by imaginary steps, to all digits."""
    return np.asarray(np.imag(values(theta + 1j * _STEP * np.eye(len(theta)))).T / _STEP)


# Entries of inertias that a description has as 0 and that have no effect on the torques: a body may need them.


def free_entries(subject: Subject) -> tuple[Key, ...]:
    """Such entries of links that have others; of a planar arm XX and YY of each link."""
    robot = subject.robot
    absent = {
        (name, j)
        for j in range(1, robot.link_count + 1)
        if not robot.inertia(j).is_zero
        for name, value in robot.inertia(j).items()
        if is_zero(value)
    }
    if not absent:
        return ()
    tables = tuple(table if table.is_zero else Inertia.symbolic(j) for j, table in enumerate(robot.inertias, 1))
    every = base_parameters(replace(robot, inertias=tables), every_branch=True)
    without = {
        key
        for key, name in every.minimal.standard.items()
        if name in every.eliminated and every.eliminated[name].finding.code == NO_EFFECT
    }
    return tuple(key for key in every.minimal.standard if key in absent and key in without)


# Physically consistent parameters, and what they cost.


@dataclass(frozen=True)
class Consistent:
    """Standard parameters of bodies that can exist, as near to the data as they can be."""

    standard: Array = field(repr=False)
    beta: Array = field(repr=False)
    """The parameters of the regression that follow from them."""
    others: dict[str, float]
    """Parameters of friction and drives."""
    error: float
    """Relative error of the torques."""
    loss: float
    """How much larger the relative error is than without the conditions."""
    smallest: dict[int, float]
    """The smallest eigenvalue of the pseudo-inertia of each link; all are positive."""
    added: dict[tuple[str, int], float] = field(default_factory=dict)
    """Parameters without effect on the torques that the description has as 0, and that a body needs."""
    status: str = "optimal"
    what: str = "error"
    """Words for the error: that of the measured rows, or that of simulated torques."""

    def __str__(self) -> str:
        least = min(self.smallest.values(), default=float("nan"))
        return (
            f"physically consistent: {self.what} {100 * self.error:.4g} %, {100 * self.loss:.2g} points more; "
            f"smallest eigenvalue of a pseudo-inertia {least:.2g}"
        )


# The unknowns of physical consistency: standard parameters, and the parameters of friction and drives beside them.


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
    standard, free = keys(subject), free_entries(subject)
    others = tuple(name for name in names if name not in subject.inertial)
    K = subject.matrix
    places = np.zeros((len(names), len(standard) + len(free) + len(others)))
    for row, name in enumerate(names):
        if name in subject.inertial:
            places[row, : len(standard)] = K[subject.inertial.index(name)]
        else:
            places[row, len(standard) + len(free) + others.index(name)] = 1.0
    return Problem(subject, (*standard, *free), others, places)


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
        raise DataError("estimates.eigenvalue", link=worst, value=smallest[worst], status=status)
    standard = keys(problem.subject)
    return Consistent(
        np.array([entries[key] for key in standard]),
        beta,
        others,
        error,
        error - before,
        smallest,
        {key: entries[key] for key in problem.entries if key not in standard},
        status,
    )


# All unknowns of physical consistency by coordinates without limits, and least squares over them.


Residual = Callable[[Array], Array]
"""Residuals for parameters β, or their slopes by β."""
_LEAST = 1e-6
"""The least part of its size at which a parameter that is not negative begins."""


@dataclass(frozen=True)
class PhysicalCoordinates:
    """θ of links (log-Cholesky), of rotors and friction (logarithms), and of what has no sign (itself).

    `size` are the sizes of the unknowns, by which those that are no bodies are divided.
    """

    problem: Problem
    size: Array

    @lazy
    def bodies(self) -> list[tuple[LogCholeskyBody, list[int], list[int]]]:
        """For each link its body, which of its ten parameters are unknowns, and their places."""
        bodies = []
        for link in self.problem.links:
            names = [n for n in NAMES if (n, link) in self.problem.entries]
            if missing := [n for n in ("XX", "YY", "ZZ", "M") if n not in names]:
                raise DataError("estimates.no_body", name=f"{missing[0]}{link}")
            free = tuple(place for place, n in OFF_DIAGONAL.items() if n in names)
            places = [self.problem.entries.index((n, link)) for n in names]
            body = LogCholeskyBody(prior_of(self.problem, link), MARGIN, free)
            bodies.append((body, [NAMES.index(n) for n in names], places))
        return bodies

    @lazy
    def _rest(self) -> list[int]:
        """The unknowns that belong to no body."""
        inside = {k for _, _, places in self.bodies for k in places}
        return [k for k in range(len(self.size)) if k not in inside]

    def values(self, theta: Array) -> Array:
        """The unknowns for coordinates (..., p)."""
        u = np.zeros((*theta.shape[:-1], len(self.size)), dtype=theta.dtype)
        at = 0
        for body, parameters_of, places in self.bodies:
            u[..., places] = parameters(body.matrix(theta[..., at : at + body.count]))[..., parameters_of]
            at += body.count
        for k, x in zip(self._rest, np.moveaxis(theta[..., at:], -1, 0), strict=True):
            u[..., k] = self.size[k] * (np.exp(x) if k in self.problem.positive else x)
        for m, a, b in self.problem.coupled:  # |IAM| < √(IA_a IA_b)
            u[..., m] = np.tanh(u[..., m] / self.size[m]) * np.sqrt(u[..., a] * u[..., b])
        return u

    def coordinates(self, u: Array) -> Array:
        """θ of unknowns; those on the border of what can exist are moved inwards."""
        parts = [
            body.coordinates(pseudo_inertia({NAMES[n]: u[k] for n, k in zip(parameters_of, places, strict=True)}))
            for body, parameters_of, places in self.bodies
        ]
        x = u / self.size
        for m, a, b in self.problem.coupled:
            x[m] = np.arctanh(np.clip(u[m] / np.sqrt(max(u[a] * u[b], 1e-300)), -0.999, 0.999))
        rest = [np.log(max(x[k], _LEAST)) if k in self.problem.positive else x[k] for k in self._rest]
        return np.concatenate([*parts, rest])

    def fitted(self, u: Array, residual: Residual, by_beta: Residual, weight: float, most: int = 200) -> Array:
        """The unknowns with the least ‖residual(β)‖² + λ Σ ‖P̃ − 1‖², from u on; every step is a robot that exists."""
        K = self.problem.places
        G = np.sqrt(weight) * np.concatenate([in_prior(self.problem, link) for link in self.problem.links])
        one = np.sqrt(weight) * np.tile(np.eye(4).ravel(), len(self.problem.links))

        first = self.coordinates(u)  # steps are counted from it: the first one may be as long as 1

        def every(step: Array) -> Array:
            u = self.values(first + step)
            return np.concatenate([residual(K @ u), G @ u - one])

        def by_step(step: Array) -> Array:
            J = slopes(self.values, first + step)
            return np.concatenate([by_beta(K @ self.values(first + step)) @ (K @ J), G @ J])

        zero = np.zeros_like(first)
        optimum = least_squares(every, zero, by_step, xtol=1e-10, ftol=1e-12, gtol=1e-12, max_nfev=most)
        return self.values(first + optimum.x)
