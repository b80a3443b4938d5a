"""All branches of legs without a closed form at a pose of the platform, by a search from many starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.errors import CannotClose
from symoro.ir.graph import Graph
from symoro.models.parallel.leg_newton import assembler_at, geometry_of
from symoro.models.parallel.letters import Letters
from symoro.models.parallel.structure import branches_of
from symoro.platforms.poses import is_rigid
from symoro.robot.parallel import ParallelRobot

Array = NDArray[Any]
#: Joints that differ by less are one branch.
_SAME = 1e-6


def searched_legs(robot: ParallelRobot) -> tuple[int, ...]:
    """The legs without a closed form, from 0."""
    letters = Letters(robot, Graph())
    return tuple(i for i in range(len(robot.legs)) if not branches_of(letters, i))


def with_searched(
    robot: ParallelRobot,
    searched: Sequence[int],
    leg: Array,
    T: Array,
    q: Array,
    ok: Array,
    values: Mapping[str, float] | None,
) -> tuple[Array, Array]:
    """q (..., branches, joints) and ok (..., branches, legs) with what a search finds behind the first row.

    `leg` is the leg of each joint.
    """
    own = geometry_of(robot).with_values(values or {})
    lead, joints, legs = T.shape[:-2], q.shape[-1], ok.shape[-1]
    poses, first, valid = T.reshape(-1, 4, 4), q.reshape(-1, *q.shape[-2:]), ok.reshape(-1, *ok.shape[-2:])
    found = [
        [_others(own, i, pose, row[0, leg == i] if there[0, i] else None) for i in searched] if rigid else []
        for pose, row, there, rigid in zip(poses, first, valid, is_rigid(poses), strict=True)
    ]
    rows = max([q.shape[-2], *(1 + len(some) for one in found for some in one)])
    every = np.full((len(poses), rows, joints), np.nan)
    exists = np.zeros((len(poses), rows, legs), dtype=bool)
    every[:, : q.shape[-2]], exists[:, : q.shape[-2]] = first, valid
    for n, one in enumerate(found):
        for i, some in zip(searched, one, strict=False):
            every[n, 1 : 1 + len(some), leg == i] = some.T
            exists[n, 1 : 1 + len(some), i] = True
    return every.reshape(*lead, rows, joints), exists.reshape(*lead, rows, legs)


def _others(robot: ParallelRobot, i: int, T: Array, known: Array | None) -> Array:
    """The branches of leg i at a pose, without the one that is known."""
    assembler = assembler_at(robot, i, T)
    try:
        found = assembler.branches(())
    except CannotClose:  # a pose at which the leg can move
        return np.zeros((0, len(assembler.turning)))
    if known is None:
        return found
    away = np.abs(assembler.difference(found, known)).max(axis=-1, initial=0.0)
    others: Array = found[away > _SAME * max(1.0, assembler.reach)]
    return others
