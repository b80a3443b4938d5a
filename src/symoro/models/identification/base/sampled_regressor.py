"""The regressor Gᵀ D of a constrained robot as numbers, at many states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from symoro.bind.interface import inputs
from symoro.ir.evaluate import evaluate
from symoro.ir.extract import Result, extract
from symoro.ir.program import Program, Variable
from symoro.lazy import lazy
from symoro.models.constraint import VX, Constraint
from symoro.models.identification.columns import Column, matrix_result, torques
from symoro.models.sampling import Rank

Array = NDArray[Any]
_STATES = 4


@dataclass(frozen=True)
class ConfigurationFamily:
    """A family of configurations that are connected by a motion, and the regressor at them."""

    start: Array
    D: Array
    rank: Rank
    moving: int
    """The number of coordinates of the tree that move."""


class Sampling(Protocol):
    """Samples the regressor, for any numbers of a robot's parameters."""

    def branch(self, start: Array, numbers: Mapping[str, float]) -> ConfigurationFamily | None:
        """The family of a configuration; None if there is none."""

    def near(self, q: Array, numbers: Mapping[str, float]) -> Array | None:
        """The configuration that replaces q for other numbers; None if there is none."""


@dataclass(frozen=True)
class SampledRegressor:
    """D of a tree in motion, and G: programs that the reference interpreter evaluates."""

    c: Constraint
    columns: Sequence[Column]

    @lazy
    def _tree(self) -> Program:
        labels, moving = {j: f"_{n}" for n, j in enumerate(self.c.G)}, self.c.moving
        D = matrix_result(moving, "D", self.columns, torques(moving), "K97:39", labels)
        known = ("quat", "V0", "VP0") if VX not in self.c.dependent else ()
        return self._extracted(D, ("q", "qd", "qdd", *known))

    @lazy
    def _projection(self) -> Program:
        G = self.c.table([*self.c.G.values()], self.c.left)
        elements = tuple(x for row in G for x in row)
        return self._extracted(Result("G", (len(G), len(self.c.left)), elements, ()), ("q",))

    @lazy
    def _joints(self) -> tuple[int, ...]:
        """The joints that are left; a floating base, which is left too, comes before them."""
        return tuple(j for j in self.c.left if j > 0)

    def _extracted(self, result: Result, arrays: tuple[str, ...]) -> Program:
        s, left = self.c.s, self._joints
        arrays_of = inputs(s, arrays, {"qd": left, "qdd": left})
        return extract(s.graph, arrays_of, map(Variable, s.parameter_names), [result])

    def rows(self, q: Array, numbers: Mapping[str, float], seed: int = 4) -> tuple[Array, Array]:
        """The regressor at random motions of these configurations, and G of all of them.

        A motion has unit speed over all coordinates together, and the rows of a configuration are orthonormal
        combinations of the rows of Gᵀ D. Near a dead point the rows themselves would be large and hide the others.
        """
        rng = np.random.default_rng(seed)
        q = np.resize(rng.permutation(q), (_STATES * len(self.columns), q.shape[1]))
        known = {name: numbers[name] for name in self.c.s.parameter_names}
        states = {a.name: rng.normal(size=(len(q), *a.shape)) for a in self._tree.inputs} | {"q": q}
        G = evaluate(self._projection, {"q": q}, known)["G"]
        Q, R = np.linalg.qr(G)
        base = len(self.c.left) - len(self._joints)
        for name in ("qd", "qdd"):
            states[name] = np.linalg.solve(R[:, base:, base:], states[name][..., None])[..., 0]
        D = np.einsum("nja,njp->nap", Q, evaluate(self._tree, states, known)["D"])
        good = np.isfinite(D).all(axis=(1, 2))
        rows = D[good].reshape(-1, D.shape[-1])
        return rows[rng.permutation(len(rows))[: _STATES * rows.shape[1]]], G[good]
