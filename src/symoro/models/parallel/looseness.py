"""Whether the motors of a parallel robot hold its platform, in some pose at least.

The home pose alone may be singular. So the platform is said to be loose in every pose only if it is loose, to rounding,
at the home pose and at random poses near it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from symoro.models.parallel.near_home import poses_near_home
from symoro.models.parallel.numbers import Array, function_of, has_numbers, home, twist_sizes

if TYPE_CHECKING:
    from symoro.models.parallel.mechanism import Mechanism

#: Singular values below this part of the largest one are zero.
_ZERO = 1e-10
#: How far random poses are from home, in parts of the platform's radius, and how many are looked at.
_FAR, _POSES = (0.2,) * 10 + (0.02,) * 10, 5


def looseness(m: Mechanism) -> str:
    """A message if the platform is loose in every pose; empty where motors and constraints hold it.

    Of a robot without numbers nothing can be said.
    """
    found = _singular_rows(m) if has_numbers(m.of.robot) else []
    if not found:
        return ""
    held = max(map(_rank, found)) - len(m.structure.kept)
    said = f"the motors do not hold the platform in any pose: they hold {held} of its {m.structure.freedom} freedoms"
    alike = _dependent_legs(m, found)
    return f"{said}; the motors of legs {', '.join(map(str, alike))} depend on each other" if alike else said


def _singular_rows(m: Mechanism) -> list[Array]:
    """[D; C], with lengths in units of the platform's radius, at some poses; none where the rank of one is 6."""
    f, found = function_of(m.of, [x for row in (*m.D, *m.C) for x in row]), []
    for T in _looked_at(m):
        A = f(T).reshape(-1, 6) * twist_sizes(m.of.robot)
        if not np.isfinite(A).all():
            continue
        if _rank(A) == 6:
            return []
        found.append(A)
    return found


def _looked_at(m: Mechanism) -> Iterator[Array]:
    """The home pose, then random ones."""
    yield home(m.of.robot)
    poses = poses_near_home(m, np.random.default_rng(2), _FAR)
    yield from (T for (T, _), _ in zip(poses, range(_POSES), strict=False))


def _rank(A: Array) -> int:
    values = np.linalg.svd(A, compute_uv=False)
    return int((values > _ZERO * values[0]).sum())


def _dependent_legs(m: Mechanism, found: list[Array]) -> list[int]:
    """The legs whose motors are in a combination of rows that is zero in every pose; none of redundant motors."""
    motors = m.of.robot.motors
    if len(motors) != m.structure.freedom:
        return []
    used = np.ones(len(motors), dtype=bool)
    for A in found:
        left = np.linalg.svd(A / np.linalg.norm(A, axis=1, keepdims=True))[0]
        used &= np.abs(left[: len(motors), _rank(A) :]).max(axis=1, initial=0.0) > 1e-6
    return sorted({i + 1 for (i, _), one in zip(motors, used, strict=True) if one})
