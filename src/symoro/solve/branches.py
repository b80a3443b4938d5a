"""What every question of positions is answered with: branches and their status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


class Status(Enum):
    """What the branches of an answer are."""

    COMPLETE = "complete"
    """All real branches, no two of them alike."""
    CONTINUUM = "continuum"
    """A joint can move while the pose stays: the branches are members of a continuous set."""
    UNREACHABLE = "unreachable"
    """No branch has what is given: the pose, or the positions of the motors."""
    INVALID = "invalid"
    """What is given has a number that is not finite, or a pose is not a rotation and a translation."""
    INCOMPLETE = "incomplete"
    """There may be others: a search found them, a path of a method was lost, or from a guess at most one is found."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Branches:
    """Positions that have what is given. Leading axes are those of what is given.

    `q` is (..., branches, joints), NaN where a branch does not exist; `valid` (..., branches); `status` (...) holds
    members of `Status`. `free` (..., joints) says which joints a continuum leaves free; the positions of the other
    joints belong to the chosen one. `distance` (...) is how far the nearest pose found is, as max|ΔT|: about 0
    where the pose is reached, an upper bound where it is not, and NaN where it is not known.

    `poses` (..., branches, 4, 4) are those of the platform of a parallel robot, where they are what is wanted; `T` is
    another name of them.
    """

    q: Array
    valid: Array
    status: Any
    free: Array
    distance: Array
    poses: Any = None

    @property
    def T(self) -> Array:
        """The poses of the platform."""
        poses: Array = self.poses
        return poses


def stacked(rows: Sequence[Branches], leading: tuple[int, ...], joints: int, poses: bool = False) -> Branches:
    """One answer of the answers to single questions; where one has fewer branches than others, NaN follows."""
    most = max([1, *(len(row.valid) for row in rows)])
    status = np.empty(len(rows), dtype=object)
    status[:] = [row.status for row in rows]
    free = np.array([row.free for row in rows], bool).reshape(*leading, joints)
    return Branches(
        _filled([row.q for row in rows], most, (joints,)).reshape(*leading, most, joints),
        np.array([[*row.valid, *[False] * (most - len(row.valid))] for row in rows], bool).reshape(*leading, most),
        status.reshape(leading) if leading else status[0],
        free,
        np.array([row.distance for row in rows], float).reshape(leading),
        _filled([row.poses for row in rows], most, (4, 4)).reshape(*leading, most, 4, 4) if poses else None,
    )


def _filled(rows: Sequence[Array], most: int, shape: tuple[int, ...]) -> Array:
    """Arrays (branches, …) as one, with NaN up to the largest number of branches."""
    filled = np.full((len(rows), most, *shape), np.nan)
    for place, row in zip(filled, rows, strict=True):
        place[: len(row)] = row
    return filled
