"""Newton's method around an emitted step: what iterates, with its limits and its answer "it does not close".

The step is a function q -> Q, E, ...: the next q, the residual E at q, and numbers that must be positive there. The
driver repeats it: a step longer than `longest` is shortened; after one shorter than `last` it ends. The result is
closed where every residual is below `closed` and every number that must be positive is. Then every q with a period is
brought within half of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.ir.evaluate import evaluate
from symoro.ir.program import Program

Array = NDArray[Any]
#: Numbers of random starts, and of the cases that are kept: those that a small change of the start does not change.
_STARTS, _CASES, _CHANGE = 200, 12, 1e-9
_TOLERANCE = {"double": 1e-9, "float": 1e-3}
_SINGLE = 2e-5  # the smallest residual and the shortest step in single precision


@dataclass(frozen=True, slots=True)
class Newton:
    """The method for a step whose input is `state` and whose outputs are `next`, `residual` and `positive`.

    `starts` are candidates for the self-test, where random ones mean nothing.
    """

    state: str
    next: str
    residual: str
    positive: str
    periods: tuple[float, ...]
    closed: float
    longest: float
    last: float
    steps: int
    starts: tuple[tuple[float, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class NewtonDriver:
    """A method with the names of the code, and cases for the self-test: starts, whether they close, and where."""

    method: Newton
    starts: Array
    closes: tuple[bool, ...]
    ends: Array
    tolerance: float


def driver(method: Newton, program: Program, parameters: Mapping[str, float], precision: str) -> NewtonDriver:
    """The driver of a step in a precision, with its cases."""
    if precision == "float":
        limits = {"closed": max(method.closed, _SINGLE), "last": max(method.last, _SINGLE)}
        method = Newton(**{name: limits.get(name, getattr(method, name)) for name in Newton.__slots__})
    rng = np.random.default_rng(0)
    kept = []
    starts = np.array(method.starts) if method.starts else rng.uniform(-1.5, 1.5, (_STARTS, len(method.periods)))
    for start in starts:
        q, closed = solve(method, program, parameters, start)
        other, also = solve(method, program, parameters, start + _CHANGE * rng.uniform(-1, 1, start.shape))
        if closed == also and (not closed or np.abs(q - other).max() < 1e-6):
            kept.append((start, q, closed))
    kept = [*[c for c in kept if c[2]][: _CASES - 3], *[c for c in kept if not c[2]][:3]]
    begins, ends, closes = ([case[k] for case in kept] for k in range(3))
    return NewtonDriver(method, np.array(begins), tuple(map(bool, closes)), np.array(ends), _TOLERANCE[precision])


def solve(method: Newton, program: Program, parameters: Mapping[str, float], start: Array) -> tuple[Array, bool]:
    """The method by the reference interpreter: the last q, and whether it closes."""
    q = start.copy()
    for _ in range(method.steps):
        step = evaluate(program, {method.state: q}, parameters)[method.next] - q
        length = np.abs(step).max(initial=0.0)
        if not np.isfinite(length):
            return q, False
        q += step * min(1.0, method.longest / max(length, 1e-300))
        if length < method.last:
            break
    outputs, periods = evaluate(program, {method.state: q}, parameters), np.array(method.periods)
    closed = bool((np.abs(outputs[method.residual]) < method.closed).all() and (outputs[method.positive] > 0).all())
    turning = periods > 0
    q[turning] -= periods[turning] * np.floor(q[turning] / periods[turning] + 0.5)
    return q, closed
