"""The regression as triangular factors: one of [W y] for each joint and each block of time.

W = Q R, so that ‖W β − y‖ follows from R alone. All that is asked of least squares (weights, errors of joints,
cross-validation over blocks of time, smaller sets of columns) comes from these factors; the rows are not needed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.regress.rows import RegressionRows

FOLDS = 6
"""Blocks of time for cross-validation."""
Key = tuple[int, int]
"""Block of time and joint."""


@dataclass(frozen=True)
class Triangle:
    """R of [W y] for some rows, over the columns that are not zero; the last column is y."""

    columns: Array
    R: Array = field(repr=False)
    count: int
    measured: float | None = None
    """‖y‖² of the measured torques, where those of parameters that are known were taken off."""

    def squares(self, beta: Array) -> float:
        """‖W β − y‖²."""
        e = self.R[:, :-1] @ beta[self.columns] - self.R[:, -1]
        return float(e @ e)

    @property
    def norm(self) -> float:
        """‖y‖² of the measured torques, to which errors are related."""
        return self.left if self.measured is None else self.measured

    @property
    def left(self) -> float:
        """‖y‖² of what is to be explained."""
        return float(self.R[:, -1] @ self.R[:, -1])


def triangle(W: Array, y: Array, columns: Array) -> Triangle:
    """The factor of some rows."""
    return Triangle(columns, np.asarray(np.linalg.qr(np.column_stack([W, y]), mode="r")), len(y))


@dataclass(frozen=True)
class TriangularFactors:
    """The factors of a regression."""

    names: tuple[str, ...]
    joints: tuple[str, ...]
    parts: Mapping[Key, Triangle] = field(repr=False)
    power: float = 1.0
    """n rows count as `power` times n."""
    prior: Array | None = field(default=None, repr=False)
    """Rows of [W y] with deviation 1 that say what is known beforehand; weighted least squares takes them."""

    @property
    def folds(self) -> tuple[int, ...]:
        return tuple(sorted({fold for fold, _ in self.parts}))

    def chosen(self, folds: Iterable[int] | None = None) -> dict[Key, Triangle]:
        """The factors of some blocks of time, of all without a choice."""
        wanted = set(self.folds if folds is None else folds)
        return {key: part for key, part in self.parts.items() if key[0] in wanted}

    def count(self, folds: Iterable[int] | None = None) -> Array:
        """The number of rows of each joint."""
        return self._by_joint(lambda part: part.count, folds)

    def norm(self, folds: Iterable[int] | None = None) -> Array:
        """‖y‖² of each joint."""
        return self._by_joint(lambda part: part.norm, folds)

    def squares(self, beta: Array, folds: Iterable[int] | None = None) -> Array:
        """‖W β − y‖² of each joint."""
        return self._by_joint(lambda part: part.squares(beta), folds)

    def _by_joint(self, number: Callable[[Triangle], float], folds: Iterable[int] | None) -> Array:
        """The sum of a number of the factors of each joint."""
        sums = np.zeros(len(self.joints))
        for (_, joint), part in self.chosen(folds).items():
            sums[joint] += number(part)
        return sums

    def stacked(self, weights: Array | None = None, folds: Iterable[int] | None = None) -> Array:
        """R of [W y] of all rows, each joint's divided by its deviation; its last row has the smallest residual."""
        p = len(self.names)
        lines = [np.zeros((p + 1, p + 1))]
        if self.prior is not None and weights is not None:
            lines.append(self.prior / np.sqrt(self.power))
        for (_, joint), part in self.chosen(folds).items():
            scale = 1.0 if weights is None else weights[joint]
            full = np.zeros((len(part.R), p + 1))
            full[:, [*part.columns, p]] = part.R * scale
            lines.append(full)
        return np.asarray(np.linalg.qr(np.concatenate(lines), mode="r"))

    def only(self, names: Sequence[str]) -> TriangularFactors:
        """The regression with some of its columns."""
        places = [self.names.index(name) for name in names]
        at = {place: k for k, place in enumerate(places)}
        parts = {}
        for key, part in self.parts.items():
            kept = [k for k, place in enumerate(part.columns) if place in at]
            columns = np.array([at[part.columns[k]] for k in kept], dtype=int)
            parts[key] = Triangle(columns, part.R[:, [*kept, -1]], part.count, part.measured)
        prior = None if self.prior is None else self.prior[:, [*places, -1]]
        return replace(self, names=tuple(names), parts=parts, prior=prior)

    def less(self, values: Mapping[str, float]) -> TriangularFactors:
        """The regression without columns whose parameters are known: y − W_known β_known."""
        known = {self.names.index(name): x for name, x in values.items()}
        parts = {}
        for key, part in self.parts.items():
            y = part.R[:, -1] - sum(
                (part.R[:, k] * known[c] for k, c in enumerate(part.columns) if c in known), start=np.zeros(len(part.R))
            )
            parts[key] = Triangle(part.columns, np.column_stack([part.R[:, :-1], y]), part.count, part.norm)
        rest = [name for k, name in enumerate(self.names) if k not in known]
        return replace(self, parts=parts).only(rest)


def triangles_of(rows: RegressionRows, folds: int = FOLDS) -> TriangularFactors:
    """The factors of rows, with blocks of time of equal length between the first and the last row that is kept."""
    parts: dict[Key, list[tuple[Array, Array, Array]]] = {}
    for block, fold in zip(rows.blocks, fold_of(rows, folds), strict=True):
        for f in range(folds):
            mine = fold == f
            if mine.any():
                parts.setdefault((f, block.joint), []).append((block.W[mine], block.y[mine], block.columns))
    factors = {
        key: triangle(np.concatenate([W for W, _, _ in some]), np.concatenate([y for _, y, _ in some]), some[0][2])
        for key, some in parts.items()
    }
    return TriangularFactors(rows.names, rows.joints, factors, rows.power)


def fold_of(rows: RegressionRows, folds: int = FOLDS) -> list[Array]:
    """The block of time of each row, an array for each block of rows; runs follow each other."""
    starts = _starts(rows)
    times = [starts[block.run] + block.t for block in rows.blocks]
    first = min(t.min() for t in times if len(t))
    last = max(t.max() for t in times if len(t))
    edges = np.linspace(first, last, folds + 1)[1:-1]
    return [np.searchsorted(edges, t, side="right") for t in times]


def _starts(rows: RegressionRows) -> dict[int, float]:
    """What is added to the times of each run, so that runs follow each other."""
    starts: dict[int, float] = {}
    end = 0.0
    for run in sorted({block.run for block in rows.blocks}):
        t = np.concatenate([block.t for block in rows.blocks if block.run == run])
        starts[run] = end - float(t.min()) if len(t) else end
        end += float(np.ptp(t)) if len(t) else 0.0
    return starts
