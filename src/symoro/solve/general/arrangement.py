"""The loop of an arm and its arrangements: which joint plays which of the six roles.

With the wanted pose inside the last displacement, an arm is a loop Z1 F1 Z2 F2 … Z6 F6 = I, and no joint of it is the
first one. It can be read from any joint on, and in both directions: Z⁻¹ = X Z X⁻¹ with X = Rx(π), so that the reversed
loop has the same variables and the displacements X⁻¹ F⁻¹ X. These are 12 ways to write one problem. They have the same
solutions and different condition numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
_X = np.diag([1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True, slots=True)
class Loop:
    """Z1 F1 … Z6 F6 = I: the kinds of the joints, and F (6, 4, 4); `joints` has the joint of each role."""

    kinds: str
    F: Array
    joints: tuple[int, ...] = tuple(range(6))


def inverse(T: Array) -> Array:
    """The inverses of displacements (…, 4, 4)."""
    R = np.swapaxes(T[..., :3, :3], -1, -2)
    I = np.zeros_like(T)
    I[..., :3, :3], I[..., 3, 3] = R, 1.0
    I[..., :3, 3] = -(R @ T[..., :3, 3, None])[..., 0]
    return I


def arrangements(loop: Loop) -> Iterator[Loop]:
    """The loop from each joint on, in both directions, where the roles fit the kinds of the joints."""
    for loop_ in (loop, _reversed(loop)):
        for k in range(6):
            shifted = _shifted(loop_, k)
            if _suits(shifted.kinds):
                yield shifted


def _shifted(loop: Loop, k: int) -> Loop:
    order = [(k + i) % 6 for i in range(6)]
    return Loop("".join(loop.kinds[i] for i in order), loop.F[order], tuple(loop.joints[i] for i in order))


def _reversed(loop: Loop) -> Loop:
    """Joints 6, 5, …, 1; the displacement behind joint j is that before it, reversed."""
    F = _X @ inverse(loop.F) @ _X
    return Loop(loop.kinds[::-1], F[[4, 3, 2, 1, 0, 5]], loop.joints[::-1])


def _suits(kinds: str) -> bool:
    """Whether joints of these kinds can play roles 1 to 6.

    Roles 3 and 6 are revolute. Two prismatic joints play 1 and 2 where they are adjacent, and otherwise 1 or 2 and 5.
    """
    prismatic = tuple(k for k, kind in enumerate(kinds, 1) if kind == "P")
    if len(prismatic) == 2:
        return prismatic in ((1, 2), (1, 5), (2, 5))
    return not {3, 6} & set(prismatic)


def adjacent(loop: Loop) -> bool:
    """Whether two prismatic joints play roles 1 and 2."""
    return loop.kinds.startswith("PP")


def moved(loop: Loop, size: float) -> Loop:
    """A loop near this one: every displacement is followed by a small one, of `size` radians and units of length.

    The numbers are fixed, spread evenly between ±1.
    """
    u = size * (2 * np.modf(np.arange(1, 37) * 0.6180339887498949)[0] - 1).reshape(6, 6)
    T = np.stack([_turn(row[0], 0) @ _turn(row[1], 1) @ _turn(row[2], 2) for row in u])
    T[:, :3, 3] = u[:, 3:]
    return Loop(loop.kinds, loop.F @ T, loop.joints)


def _turn(angle: float, axis: int) -> Array:
    """The rotation about axis 0, 1 or 2, as (4, 4)."""
    T, i, j = np.eye(4), (axis + 1) % 3, (axis + 2) % 3
    T[i, i] = T[j, j] = np.cos(angle)
    T[j, i] = np.sin(angle)
    T[i, j] = -T[j, i]
    return T
