"""The search for columns of a regressor that depend on others: coefficients by numbers, recognised as expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.identification.base.geometry import Geometry
from symoro.models.identification.base.rank import coefficients, dependent_columns
from symoro.models.identification.base.recognition import decimal, product, quotient, shapes
from symoro.models.identification.base.sampled_regressor import ConfigurationFamily, Sampling
from symoro.models.identification.columns import Key
from symoro.robot.robot import Robot
from symoro.robot.values import Number, Value

Array = NDArray[Any]
_MISFIT, _ZERO, _CHECKS, _ATTEMPTS, _TRIALS = 1e-8, 1e-7, 3, 3, 3
_SQUARE_METRES = ("XX", "XY", "XZ", "YY", "YZ", "ZZ")
_METRES = ("MX", "MY", "MZ")


@dataclass(frozen=True)
class Dependencies:
    """The columns that depend on others."""

    rows: dict[Key, dict[Key, Value]]
    """Eliminated parameter -> its column as a combination of others."""
    numeric: frozenset[tuple[Key, Key]]
    """The coefficients (eliminated, kept) that were not recognised as expressions and are numbers."""
    general: bool
    """Whether the relations hold for any numbers of the geometry's symbols."""


@dataclass(frozen=True)
class DependenceSearch:
    """The search on one branch of a robot."""

    robot: Robot
    sampling: Sampling
    keys: Sequence[Key]
    """The parameter of each column."""
    order: Sequence[int]
    """The columns that are searched, in the order in which they are kept."""
    branch: ConfigurationFamily
    numbers: Mapping[str, float]

    def dependencies(self) -> Dependencies:
        """The eliminated parameters; their coefficients are expressions of the geometry if they are recognised."""
        D = self.branch.D[:, list(self.order)]
        gone = dependent_columns(D, range(len(self.order)), self.branch.rank.rank)
        dependent = [self.order[n] for n in gone]
        kept = [k for k in self.order if k not in dependent]
        if not dependent:
            return Dependencies({}, frozenset(), True)
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
                    value = Number(decimal(samples.here[m, n]))
                    numeric.add((self.keys[e], self.keys[k]))
                row[self.keys[k]] = value
        return Dependencies(rows, frozenset(numeric), not samples.geometry.tied)

    def _geometry(self, kept: Sequence[int], dependent: Sequence[int]) -> Geometry:
        """The widest variation of the geometry in which the same columns depend on the same others."""
        independent = Geometry(self.robot, self.numbers, tied=False)
        if any(self.table(independent.varied(seed), kept, dependent) is not None for seed in range(_TRIALS)):
            return independent
        return Geometry(self.robot, self.numbers, tied=True)

    def table(self, numbers: Mapping[str, float], kept: Sequence[int], dependent: Sequence[int]) -> Array | None:
        """The coefficients at another geometry, on the same branch; None if other columns are dependent there."""
        start = self.sampling.near(self.branch.start, numbers)
        other = None if start is None else self.sampling.branch(start, numbers)
        if other is None or other.rank.rank != self.branch.rank.rank:
            return None
        table, misfit = coefficients(other.D, kept, dependent)
        return table if misfit < _MISFIT else None


class _Samples:
    """The coefficients at several geometries, as many as their recognition needs."""

    def __init__(
        self, search: DependenceSearch, kept: Sequence[int], dependent: Sequence[int], geometry: Geometry
    ) -> None:
        self.search, self.kept, self.dependent, self.geometry = search, kept, dependent, geometry
        self.here, _ = coefficients(search.branch.D, kept, dependent)
        self.points: list[Mapping[str, float]] = [search.numbers]
        self.tables = [self.here]
        self.seed = 0
        self._draw(len(geometry.factors) + 1 + _CHECKS)

    def _draw(self, wanted: int) -> None:
        """Add geometries until there are as many as wanted."""
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
        """The coefficient as a product or as a quotient of sums, which needs more geometries; None if it is neither."""
        degree = self._size(self.kept[m]) - self._size(self.dependent[n])
        value = product(self.geometry.factors, self.points, self.values(m, n))
        for shape in shapes(self.geometry, degree) if value is None else ():
            self._draw(shape.points)
            value = value or quotient(shape, self.points, self.values(m, n))
        return value

    def _size(self, k: int) -> int:
        """The power of length in a parameter's unit."""
        letters, j = self.search.keys[k]
        if letters == "IA":
            return 0 if self.search.robot.joint(j).prismatic else 2
        return 2 if letters in _SQUARE_METRES else 1 if letters in _METRES else 0
