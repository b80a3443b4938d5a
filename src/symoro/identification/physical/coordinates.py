"""All unknowns of physical consistency by coordinates without limits, and least squares over them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import least_squares

from symoro.errors import DataError
from symoro.identification.arrays import Array
from symoro.identification.physical.log_cholesky import OFF_DIAGONAL, Body, parameters, slopes
from symoro.identification.physical.problem import MARGIN, Problem, in_prior, prior_of
from symoro.identification.physical.pseudo_inertia import NAMES, pseudo_inertia

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

    @cached_property
    def bodies(self) -> list[tuple[Body, list[int], list[int]]]:
        """For each link its body, which of its ten parameters are unknowns, and their places."""
        found = []
        for link in self.problem.links:
            names = [n for n in NAMES if (n, link) in self.problem.entries]
            if missing := [n for n in ("XX", "YY", "ZZ", "M") if n not in names]:
                raise DataError(f"physical consistency: the description has {missing[0]}{link} = 0, and no body has")
            free = tuple(place for place, n in OFF_DIAGONAL.items() if n in names)
            places = [self.problem.entries.index((n, link)) for n in names]
            body = Body(prior_of(self.problem, link), MARGIN, free)
            found.append((body, [NAMES.index(n) for n in names], places))
        return found

    @cached_property
    def _rest(self) -> list[int]:
        """The unknowns that belong to no body."""
        inside = {k for _, _, places in self.bodies for k in places}
        return [k for k in range(len(self.size)) if k not in inside]

    def values(self, theta: Array) -> Array:
        """The unknowns for coordinates (..., p)."""
        u = np.zeros((*theta.shape[:-1], len(self.size)), dtype=theta.dtype)
        at = 0
        for body, own, places in self.bodies:
            u[..., places] = parameters(body.matrix(theta[..., at : at + body.count]))[..., own]
            at += body.count
        for k, x in zip(self._rest, np.moveaxis(theta[..., at:], -1, 0), strict=True):
            u[..., k] = self.size[k] * (np.exp(x) if k in self.problem.positive else x)
        for m, a, b in self.problem.coupled:  # |IAM| < √(IA_a IA_b)
            u[..., m] = np.tanh(u[..., m] / self.size[m]) * np.sqrt(u[..., a] * u[..., b])
        return u

    def coordinates(self, u: Array) -> Array:
        """θ of unknowns; those on the border of what can exist are moved inwards."""
        parts = [
            body.coordinates(pseudo_inertia({NAMES[n]: u[k] for n, k in zip(own, places, strict=True)}))
            for body, own, places in self.bodies
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
        found = least_squares(every, zero, by_step, xtol=1e-10, ftol=1e-12, gtol=1e-12, max_nfev=most)
        return self.values(first + found.x)
