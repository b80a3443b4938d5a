"""Random motions of a platform that its legs allow, by numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from symoro.errors import NotApplicable
from symoro.ir.graph import Graph
from symoro.models.parallel.dynamics import Motion
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.numbers import Array, function_of, home, moved, size
from symoro.robot.parallel import ParallelRobot

#: How far poses are from home, in parts of the platform's radius, and how often each is tried for a motion.
_FAR, _TRIES = (0.25, 0.03), 20


def random_motions(robot: ParallelRobot, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """T (count, 4, 4), V and VP (count, 6) near the home pose, which satisfy the constraints."""
    m = Mechanism.made(robot, Graph(), None)
    rows = [row for leg in m.legs for row in leg.constraints]
    errors = [x for leg in m.legs if leg.free for x in leg.excess(leg.residual)]
    C, e = function_of(m.of, [x for row in rows for x in row]), function_of(m.of, errors)
    drift = function_of(m.of, Motion(m, m.of.V, m.of.VP).excess, ("T", "V", "VP"))
    rng, at = np.random.default_rng(seed), home(robot)
    scale = np.array([size(robot)] * 3 + [1.0] * 3)
    still = list(m.structure.still)
    scale[still] = 0.0  # legs may also close with a turned platform, which the models do not cover
    found = []
    for far in np.repeat(_FAR, _TRIES * count):
        T = _closed(moved(at, far * scale * rng.uniform(-1, 1, 6)), C, e, len(rows))
        if T is None:
            continue
        now = C(T).reshape(len(rows), 6)
        if not np.isfinite(drift(T, np.zeros(6), np.zeros(6))).all():
            continue  # a leg that does not constrain the platform does not reach
        free = _null_space(now)
        free[still] = 0.0
        V = free @ rng.normal(size=free.shape[1])
        some = -np.linalg.lstsq(now, drift(T, V, np.zeros(6)), rcond=1e-9)[0] if rows else np.zeros(6)
        some[still] = 0.0
        found.append((T, V, some + free @ rng.normal(size=free.shape[1])))
        if len(found) == count:
            T_, V_, VP_ = (np.array(part) for part in zip(*found, strict=True))
            return T_, V_, VP_
    raise NotApplicable(f"{robot.name}: too few poses near its home pose can be reached")


def _closed(T: Array, C: Callable[..., Array], e: Callable[..., Array], rows: int) -> Array | None:
    """The nearest pose that satisfies the constraints."""
    for _ in range(20 if rows else 0):
        now = C(T).reshape(rows, 6)
        if not np.isfinite(now).all():
            return None
        T = moved(T, -np.linalg.lstsq(now, e(T), rcond=1e-9)[0])
    return T if not rows or np.abs(e(T)).max() < 1e-11 else None


def _null_space(C: Array) -> Array:
    if not len(C):
        return np.eye(6)
    _, values, right = np.linalg.svd(C)
    rank = int((values > 1e-8 * max(1.0, values[0])).sum())
    found: Array = right[rank:].T
    return found
