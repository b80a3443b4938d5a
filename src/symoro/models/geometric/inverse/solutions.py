"""What an inverse geometric model answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


class Status(Enum):
    """What the branches of a pose are."""

    COMPLETE = "complete"
    """All real branches, no two of them alike."""
    CONTINUUM = "continuum"
    """A joint can move while the pose stays: the branches are members of a continuous set."""
    UNREACHABLE = "unreachable"
    """No branch reaches the pose."""
    INVALID = "invalid"
    """The pose has a number that is not finite, or is not a rotation and a translation."""
    INCOMPLETE = "incomplete"
    """What a search found: there may be other branches. Legs of a platform that have no closed form are searched."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Solutions:
    """The joint positions that give poses. Leading axes are those of the poses.

    `q` is (..., branches, joints), NaN where a branch does not exist; `valid` (..., branches); `status` (...) holds
    members of `Status`. `free` (..., joints) says which joints a continuum leaves free; the positions of the other
    joints belong to the chosen one. `distance` (...) is how far the nearest pose found is, as max|ΔT|: about 0
    where the pose is reached, and an upper bound where it is not.
    """

    q: Array
    valid: Array
    status: Any
    free: Array
    distance: Array
