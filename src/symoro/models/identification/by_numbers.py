"""Columns that depend on others where motion is constrained: coefficients by numbers, recognised as expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.identification.rank import coefficients, dependent_columns
from symoro.models.identification.rational import quotient, shapes
from symoro.models.identification.recognise import Geometry, recognised
from symoro.models.identification.regrouping import Key
from symoro.models.identification.sampled_regressor import Branch, Sampling
from symoro.robot.robot import Robot
from symoro.robot.values import Number, Value

Array = NDArray[Any]
_MISFIT, _ZERO, _CHECKS, _ATTEMPTS, _TRIALS = 1e-8, 1e-7, 3, 3, 3
_SQUARE_METRES = ("XX", "XY", "XZ", "YY", "YZ", "ZZ")
_METRES = ("MX", "MY", "MZ")


@dataclass(frozen=True)
class Found:
    """What depends on what: each eliminated parameter with the coefficients of its column."""

    rows: dict[Key, dict[Key, Value]]
    numeric: frozenset[tuple[Key, Key]]
    """The coefficients (eliminated, kept) that were not recognised and are numbers."""
    general: bool
    """Whether the relations hold for any numbers of the geometry's symbols."""


@dataclass(frozen=True)
class Dependence:
    """The search on one branch of a robot; `order` is in which columns are kept, `keys` what they are."""

    robot: Robot
    sampling: Sampling
    keys: Sequence[Key]
    order: Sequence[int]
    branch: Branch
    numbers: Mapping[str, float]

    def found(self) -> Found:
        """Eliminated parameters with their coefficients: expressions of the geometry where they are recognised."""
        D = self.branch.D[:, list(self.order)]
        gone = dependent_columns(D, range(len(self.order)), self.branch.rank.rank)
        dependent = [self.order[n] for n in gone]
        kept = [k for k in self.order if k not in dependent]
        if not dependent:
            return Found({}, frozenset(), True)
        samples = _Samples(self, kept, dependent, self._geometry(kept, dependent))
        rows: dict[Key, dict[Key, Value]] = {}
        numeric = set()
        for n, e in enumerate(dependent):
            row = rows.setdefault(self.keys[e], {})
            for m, k in enumerate(kept):
                if samples.is_zero(m, n):
                    continue
                value = samples.recognised(m, n)
                if value is None:
                    value = Number(Fraction(f"{samples.here[m, n]:.15g}"))
                    numeric.add((self.keys[e], self.keys[k]))
                row[self.keys[k]] = value
        return Found(rows, frozenset(numeric), not samples.geometry.tied)

    def _geometry(self, kept: Sequence[int], dependent: Sequence[int]) -> Geometry:
        """In which the same columns depend on the same others: all symbols free, or equal numbers kept equal."""
        free = Geometry(self.robot, self.numbers, tied=False)
        if any(self.table(free.varied(seed), kept, dependent) is not None for seed in range(_TRIALS)):
            return free
        return Geometry(self.robot, self.numbers, tied=True)

    def table(self, numbers: Mapping[str, float], kept: Sequence[int], dependent: Sequence[int]) -> Array | None:
        """The coefficients at another geometry, on the same branch; None where other columns depend on others."""
        start = self.sampling.near(self.branch.start, numbers)
        other = None if start is None else self.sampling.branch(start, numbers)
        if other is None or other.rank.rank != self.branch.rank.rank:
            return None
        found, misfit = coefficients(other.D, kept, dependent)
        return found if misfit < _MISFIT else None


class _Samples:
    """Coefficients at as many geometries as their recognition asks for."""

    def __init__(self, search: Dependence, kept: Sequence[int], dependent: Sequence[int], geometry: Geometry) -> None:
        self.search, self.kept, self.dependent, self.geometry = search, kept, dependent, geometry
        self.here, _ = coefficients(search.branch.D, kept, dependent)
        self.points: list[Mapping[str, float]] = [search.numbers]
        self.tables = [self.here]
        self.seed = 0
        self._draw(len(geometry.factors) + 1 + _CHECKS)

    def _draw(self, wanted: int) -> None:
        """Further geometries, up to a number of them."""
        last = _ATTEMPTS * wanted if self.geometry.factors else 0
        while len(self.points) < wanted and self.seed < last:
            numbers = self.geometry.varied(self.seed)
            table = self.search.table(numbers, self.kept, self.dependent)
            self.seed += 1
            if table is not None:
                self.points.append(numbers)
                self.tables.append(table)

    def values(self, m: int, n: int) -> Array:
        return np.array([table[m, n] for table in self.tables])

    def is_zero(self, m: int, n: int) -> bool:
        return bool(np.abs(self.values(m, n)).max() < _ZERO)

    def recognised(self, m: int, n: int) -> Value | None:
        """The expression of a coefficient: a product, or a quotient of sums for which more geometries are drawn."""
        degree = self._size(self.kept[m]) - self._size(self.dependent[n])
        found = recognised(self.geometry.factors, self.points, self.values(m, n))
        for shape in shapes(self.geometry, degree) if found is None else ():
            self._draw(shape.points)
            found = found or quotient(shape, self.points, self.values(m, n))
        return found

    def _size(self, k: int) -> int:
        """The power of length in a parameter's unit."""
        letters, j = self.search.keys[k]
        if letters == "IA":
            return 0 if self.search.robot.joint(j).prismatic else 2
        return 2 if letters in _SQUARE_METRES else 1 if letters in _METRES else 0
