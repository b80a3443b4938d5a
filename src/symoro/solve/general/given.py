"""Joints that are given: they move what is behind them inside a link of the arm.

Such a link is L(r) = W1 Z1 W1⁻¹ W2 Z2 W2⁻¹ … L(0), where Z_k is the motion of a given joint, and W_k is its frame in
the link when all given joints are at zero: a product of exponentials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.solve.general.arrangement import inverse
from symoro.solve.general.polish import motion

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class GivenJoint:
    """A joint that is given: its place in r, R or P, its motion for a unit of r, the number of its link, its frame."""

    place: int
    kind: str
    rate: float
    link: int
    frame: Array


def links_at(links: Array, given: Sequence[GivenJoint], r: Array) -> Array:
    """The links (n + 1, 4, 4) of an arm with its given joints, in the order of the chain, at r."""
    moved = np.array(links, dtype=float)
    for joint in reversed(given):
        Z = motion(joint.kind, np.array([joint.rate * r[joint.place]]))[0]
        moved[joint.link] = joint.frame @ Z @ inverse(joint.frame) @ moved[joint.link]
    return moved
