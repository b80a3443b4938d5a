"""Random motions of a platform that its legs allow, by numbers."""

from __future__ import annotations

import numpy as np

from symoro.errors import NotApplicable
from symoro.ir.graph import Graph
from symoro.models.parallel.dynamics import Motion
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.parallel.near_home import poses_near_home
from symoro.models.parallel.numbers import Array, function_of
from symoro.robot.parallel import ParallelRobot

#: How far poses are from home, in parts of the platform's radius, and how often each is tried for a motion.
_FAR, _TRIES = (0.25, 0.03), 20


def random_motions(robot: ParallelRobot, count: int, seed: int = 0) -> tuple[Array, Array, Array]:
    """T (count, 4, 4), V and VP (count, 6) near the home pose, which satisfy the constraints."""
    m = Mechanism.made(robot, Graph(), None)
    drift = function_of(m.of, Motion(m, m.of.V, m.of.VP).excess, ("T", "V", "VP"))
    rng, still = np.random.default_rng(seed), list(m.structure.still)
    found = []
    for T, now in poses_near_home(m, rng, np.repeat(_FAR, _TRIES * count).tolist()):
        free = _null_space(now)
        free[still] = 0.0
        V = free @ rng.normal(size=free.shape[1])
        some = -np.linalg.lstsq(now, drift(T, V, np.zeros(6)), rcond=1e-9)[0] if len(now) else np.zeros(6)
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
