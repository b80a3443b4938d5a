"""Random motions of a platform that its legs allow, by numbers."""

from __future__ import annotations

import numpy as np

from symoro.errors import NotApplicable
from symoro.ir.graph import Graph
from symoro.models.parallel.dynamics import Motion
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.numbers import Array, allowed, function_of, home, moved, size
from symoro.robot.parallel import ParallelRobot

#: How far poses are from home, in parts of the platform's radius, and how often each is tried for a motion.
_FAR, _TRIES = (0.25, 0.03), 20


def random_motions(robot: ParallelRobot, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """T (count, 4, 4), V and VP (count, 6) near the home pose, which satisfy the constraints."""
    m = Mechanism.made(robot, Graph(), None)
    rows = [row for leg in m.legs for row in leg.constraints]
    errors = [x for leg in m.legs if leg.free for x in leg.excess(leg.residual)]
    f, e = function_of(m.of, [x for row in rows for x in row]), function_of(m.of, errors)
    drift = function_of(m.of, Motion(m, m.of.V, m.of.VP).excess, ("T", "V", "VP"))
    joints = function_of(m.of, [leg.s.q[j] for leg in m.legs for j in leg.s.variables])
    rng, at = np.random.default_rng(seed), home(robot)
    scale = np.array([size(robot)] * 3 + [1.0] * 3)
    still = list(m.structure.still)
    scale[still] = 0.0  # legs may also close with a turned platform, which the models do not cover
    found = []

    def C(T: Array) -> Array:
        return f(T).reshape(len(rows), 6)

    for far in np.repeat(_FAR, _TRIES * count):
        T = allowed(moved(at, far * scale * rng.uniform(-1, 1, 6)), C, e)
        if T is None or not np.isfinite(joints(T)).all():
            continue
        now = C(T)
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


def _null_space(C: Array) -> Array:
    if not len(C):
        return np.eye(6)
    _, values, right = np.linalg.svd(C)
    rank = int((values > 1e-8 * max(1.0, values[0])).sum())
    found: Array = right[rank:].T
    return found
