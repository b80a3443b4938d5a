"""The base parameters of closed loops: what the loops regroup beyond the tree's relations.

First what passes along the loops in any geometry, symbolically; then, where the regressor D_c = Gᵀ D_tr still has less
rank than columns (parallelograms), by numbers that are recognised as expressions of the geometry.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.models.identification.by_numbers import Dependence
from symoro.models.identification.columns import base_columns
from symoro.models.identification.constraint_regrouping import ConstraintRegrouping, keeping, regrouped_further
from symoro.models.identification.loop_sampling import LoopSampling
from symoro.models.identification.loop_transfer import transfers
from symoro.models.identification.minimal import Minimal, full_relations
from symoro.models.identification.regrouping import Key, Relation
from symoro.models.identification.span import Span
from symoro.models.identification.values import value_of
from symoro.models.sampling import numbers_of
from symoro.robot.values import evaluate
from symoro.symbols import Symbols

Array = NDArray[Any]


def loop_regrouping(s: Symbols, tree: Minimal, guess: Sequence[float] | None = None) -> ConstraintRegrouping | None:
    """The base parameters on the branch of `guess`, or on the one of lowest rank; None where no branch is found."""
    sampling, numbers = LoopSampling(s, base_columns(s, tree)), numbers_of(s)
    starts = sampling.starts(numbers) if guess is None else _closed(sampling, np.array(guess, float), numbers)
    found = sampling.branches(starts, numbers) if len(starts) else []
    if not found:
        return None
    best = min(found, key=lambda b: (not b.rank.clear, -b.moving, b.rank.rank))
    best = sampling.walked(best, numbers)
    keys, known = [*tree.base], structural(s, tree)
    kept = [k for k in keeping(keys) if keys[k] not in known]
    extra = Dependence(s.robot, sampling, keys, kept, best, numbers).found()
    result = regrouped_further(s, tree, [known, extra.rows])
    ranks = tuple(sorted({b.rank.rank for b in (*found, best) if b.rank.clear}))
    start = tuple(map(float, best.start))
    return ConstraintRegrouping(
        result, tree, tuple(known), tuple(extra.rows), extra.numeric, extra.general, best.rank, start, ranks
    )


def _closed(sampling: LoopSampling, q: Array, numbers: Mapping[str, float]) -> Array:
    near = sampling.near(q, numbers)
    return np.zeros((0, len(q))) if near is None else near[None]


def structural(s: Symbols, tree: Minimal) -> dict[Key, Relation]:
    """Eliminated parameter -> its column in terms of others', as it is in any geometry and on every branch."""
    if tree.dependent:
        return {}
    keys = [*tree.base]
    span: Span[Key] = Span([keys[k] for k in reversed(keeping(keys))])
    for row in transfers(s, full_relations(s), tree.base):
        span.include(row)
    found = {p: {k: -x for k, x in row.items() if k != p} for p, row in span.basis.items()}
    return found if _is_finite(found, numbers_of(s)) else {}


def _is_finite(rows: Mapping[Key, Relation], numbers: Mapping[str, float]) -> bool:
    """Whether the robot's numbers make no divisor 0."""
    try:
        values = (evaluate(value_of(x.expr), numbers) for row in rows.values() for x in row.values())
        return all(abs(x) < 1e9 for x in values)
    except ZeroDivisionError:
        return False
