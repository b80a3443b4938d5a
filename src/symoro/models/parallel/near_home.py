"""Random poses near the home pose that the legs reach and allow, by numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from symoro.models.parallel.numbers import Array, allowed, constraint_functions, function_of, home, moved, twist_sizes

if TYPE_CHECKING:
    from symoro.models.parallel.mechanism import Mechanism


def poses_near_home(m: Mechanism, rng: np.random.Generator, far: Sequence[float]) -> Iterator[tuple[Array, Array]]:
    """Poses T and the rows C(T) of all constraints.

    `far` has the distance of each try from home, in parts of the platform's radius. A try that the legs do not reach
    gives no pose. Where the platform only translates it is not turned: legs may also close with a turned platform,
    which the models do not cover.
    """
    C, e = constraint_functions(m.of, m.legs)
    joints = function_of(m.of, [leg.s.q[j] for leg in m.legs for j in leg.s.variables])
    at, scale = home(m.of.robot), twist_sizes(m.of.robot)
    scale[list(m.structure.still)] = 0.0
    for distance in far:
        T = allowed(moved(at, distance * scale * rng.uniform(-1, 1, 6)), C, e)
        if T is not None and np.isfinite(joints(T)).all():
            yield T, C(T)
