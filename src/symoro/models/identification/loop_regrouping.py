"""The base parameters of closed loops: what the loops regroup beyond the tree's relations.

First what passes through the cut joints of any geometry, symbolically; then, where the regressor D_c = Gᵀ D_tr still
has less rank than columns (parallelograms), by numbers that are recognised as expressions of the geometry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.identification.coefficients import Coefficient
from symoro.models.identification.columns import base_columns
from symoro.models.identification.inertia import accumulate
from symoro.models.identification.loop_null import Rank, coefficients, dependent_columns, rank_of
from symoro.models.identification.loop_sampling import LoopSampling
from symoro.models.identification.loop_transfer import transfers
from symoro.models.identification.minimal import Minimal, base_name, full_relations
from symoro.models.identification.recognise import Geometry, recognised
from symoro.models.identification.regrouping import Key, Relation
from symoro.models.identification.span import Span
from symoro.models.identification.values import value_of
from symoro.models.kinematic.sampling import numbers_of
from symoro.robot.values import Number, Value, evaluate
from symoro.symbols import Symbols

Array = NDArray[Any]
_MISFIT, _ZERO, _CHECKS, _ATTEMPTS = 1e-8, 1e-7, 2, 3
_FEWEST, _FIRST, _FURTHER, _WIDE = 20, 24, (48, 96), 1e-4


@dataclass(frozen=True)
class LoopRegrouping:
    """The base parameters of a robot with loops, and how its loops were found to regroup the tree's."""

    minimal: Minimal
    tree: Minimal
    """The base parameters of the open tree."""
    structural: tuple[Key, ...]
    """Parameters of the tree that the cut joints regroup in any geometry: symbolic coefficients."""
    special: tuple[Key, ...]
    """Parameters that regroup in this geometry and branch: coefficients found by numbers."""
    numeric: frozenset[tuple[Key, Key]]
    """The coefficients (eliminated, kept) that were not recognised and are numbers."""
    rank: Rank
    branch: tuple[float, ...]
    """A closed configuration q of the branch."""
    branches: tuple[int, ...] = ()
    """The ranks that other closed configurations have."""


@dataclass(frozen=True)
class _Branch:
    """A family of closed configurations and its regressor."""

    start: Array
    D: Array
    rank: Rank
    moving: int


def loop_regrouping(s: Symbols, tree: Minimal, guess: Sequence[float] | None = None) -> LoopRegrouping | None:
    """The base parameters on the branch of `guess`, or on the one of lowest rank; None where no branch is found."""
    sampling, numbers = LoopSampling(s, base_columns(s, tree)), numbers_of(s)
    starts = sampling.starts(numbers) if guess is None else _closed(sampling, np.array(guess, float), numbers)
    found = [b for b in (_branch(sampling, q, numbers) for q in starts) if b is not None]
    if not found:
        return None
    best = min(found, key=lambda b: (not b.rank.clear, -b.moving, b.rank.rank))
    best = _walked(sampling, best, numbers)
    keys = [*tree.base]
    order = _keeping(keys)
    known = _structural(s, tree, order, best, keys, numbers)
    kept = [k for k in order if keys[k] not in known]
    special = dependent_columns(best.D[:, kept], range(len(kept)), best.rank.rank)
    extra = _Special(s, sampling, keys, [k for n, k in enumerate(kept) if n not in special], [kept[n] for n in special])
    rows, numeric = extra.rows(best, numbers)
    result = _regrouped(s, tree, [known, rows])
    ranks = tuple(sorted({b.rank.rank for b in (*found, best) if b.rank.clear}))
    return LoopRegrouping(
        result, tree, tuple(known), tuple(rows), numeric, best.rank, tuple(map(float, best.start)), ranks
    )


def _closed(sampling: LoopSampling, q: Array, numbers: Mapping[str, float]) -> Iterable[Array]:
    near = sampling.closed_near(q, numbers)
    return () if near is None else (near,)


def _branch(sampling: LoopSampling, start: Array, numbers: Mapping[str, float], steps: int = _FIRST) -> _Branch | None:
    """The branch of a configuration as far as some steps go."""
    q = sampling.family(start, numbers, steps)
    if len(q) < _FEWEST:
        return None
    D, G = sampling.regressor(q, numbers)
    return _Branch(start, D, rank_of(D), int((np.abs(G).max(axis=(0, 2)) > 1e-9).sum()))


def _walked(sampling: LoopSampling, branch: _Branch, numbers: Mapping[str, float]) -> _Branch:
    """The branch, walked further while its smallest singular values can still grow."""
    for steps in _FURTHER:
        if branch.rank.clear and branch.rank.kept > _WIDE:
            break
        branch = _branch(sampling, branch.start, numbers, steps) or branch
    return branch


def _keeping(keys: Sequence[Key]) -> list[int]:
    """The order in which parameters are kept: from the base to the tips, rotor inertias last (GK88)."""
    return sorted(range(len(keys)), key=lambda k: (keys[k][0] == "IA", k))


def _structural(
    s: Symbols, tree: Minimal, order: Sequence[int], best: _Branch, keys: Sequence[Key], numbers: Mapping[str, float]
) -> dict[Key, Relation]:
    """Eliminated parameter -> its column in terms of others', where the cut joints give it; confirmed by numbers."""
    if tree.dependent:
        return {}
    span: Span[Key] = Span([keys[k] for k in reversed(order)])
    for row in transfers(s, full_relations(s), tree.base):
        vector = np.array([_number(row[p], numbers) if p in row else 0.0 for p in keys])
        if np.abs(best.D @ vector).max(initial=0.0) < 1e-9 * np.abs(best.D).max() * np.abs(vector).max():
            span.include(row)
    found = {p: {k: -x for k, x in row.items() if k != p} for p, row in span.basis.items()}
    return found if _is_finite(found, numbers) else {}


def _is_finite(rows: Mapping[Key, Relation], numbers: Mapping[str, float]) -> bool:
    """Whether the robot's numbers make no divisor 0."""
    try:
        return all(abs(_number(x, numbers)) < 1e9 for row in rows.values() for x in row.values())
    except ZeroDivisionError:
        return False


def _number(x: Coefficient, numbers: Mapping[str, float]) -> float:
    return evaluate(value_of(x.expr), numbers)


@dataclass(frozen=True)
class _Special:
    """Columns that depend on others in this geometry: their coefficients at several geometries of the same kind."""

    s: Symbols
    sampling: LoopSampling
    keys: Sequence[Key]
    kept: Sequence[int]
    dependent: Sequence[int]

    def rows(
        self, best: _Branch, numbers: Mapping[str, float]
    ) -> tuple[dict[Key, dict[Key, Value]], frozenset[tuple[Key, Key]]]:
        """Eliminated parameter -> coefficients of its column, and the coefficients that are mere numbers."""
        if not self.dependent:
            return {}, frozenset()
        here, _ = coefficients(best.D, self.kept, self.dependent)
        geometry = Geometry(self.s.robot, numbers)
        points, others = self._varied(geometry, best)
        tables = np.array([here, *others])
        found: dict[Key, dict[Key, Value]] = {}
        numeric = set()
        for n, e in enumerate(self.dependent):
            row = found.setdefault(self.keys[e], {})
            for m, k in enumerate(self.kept):
                values = tables[:, m, n]
                if np.abs(values).max() < _ZERO:
                    continue
                value = recognised(geometry.factors, [numbers, *points], values)
                if value is None:
                    value = Number(Fraction(f"{values[0]:.15g}"))
                    numeric.add((self.keys[e], self.keys[k]))
                row[self.keys[k]] = value
        return found, frozenset(numeric)

    def _varied(self, geometry: Geometry, best: _Branch) -> tuple[list[dict[str, float]], list[Array]]:
        """Coefficients at other geometries on the same branch, where the same columns depend on the same others."""
        points: list[dict[str, float]] = []
        tables: list[Array] = []
        wanted = len(geometry.factors) + 1 + _CHECKS
        for seed in range(_ATTEMPTS * wanted if geometry.factors else 0):
            numbers = geometry.varied(seed)
            start = self.sampling.closed_near(best.start, numbers)
            branch = None if start is None else _branch(self.sampling, start, numbers)
            if branch is not None and branch.rank.rank == best.rank.rank:
                table, misfit = coefficients(branch.D, self.kept, self.dependent)
                if misfit < _MISFIT:
                    points.append(numbers)
                    tables.append(table)
            if len(points) == wanted:
                break
        return points, tables


def _regrouped(s: Symbols, tree: Minimal, stages: Sequence[Mapping[Key, Mapping[Key, Any]]]) -> Minimal:
    """The tree's base parameters with those eliminated added to the others, in the order of the stages."""
    field = next(iter(next(iter(tree.base.values())).values())).field
    base = {p: dict(relation) for p, relation in tree.base.items()}
    for stage in stages:
        for eliminated, row in stage.items():
            gone = base.pop(eliminated)
            for p, x in row.items():
                factor = x if isinstance(x, Coefficient) else field.value(x, s.bind(x))
                accumulate(base[p], factor, gone)
    taken = set(tree.standard.values()) | set(s.parameter_names)
    names = tree.names | {p: base_name(p, relation, tree.standard, taken) for p, relation in base.items()}
    dependent = {d: {p: x for p, x in row.items() if p in base} for d, row in tree.dependent.items()}
    return Minimal(tree.standard, names, base, dependent)
