"""One closed loop: the columns of its joints, its kind, and the rows that say something (K97:11, K10:4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector, zeros
from symoro.models.geometric.walk import Place, places
from symoro.models.kinematic.sampling import rank, sample
from symoro.robot.joint import Joint
from symoro.robot.topology import Loop
from symoro.symbols import Symbols

ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")
_SAMPLES = 6


@dataclass(frozen=True, eq=False)
class LoopEquations:
    """The equality of the velocities of the two frames of a cut, in the frame of the mate and at its origin.

    Both sides are seen from the mate through the root of the loop, so that the cut joint's variable does not occur.
    """

    s: Symbols
    loop: Loop

    @property
    def cut(self) -> Joint:
        return self.s.robot.joint(self.loop.cut.joint)

    @cached_property
    def _first(self) -> dict[int, Place]:
        """The frames from the mate up to the root and down to the antecedent of the cut joint."""
        return places(self.s, self.loop.cut.mate, self.cut.parent)

    def frame(self, j: int) -> Place:
        """A frame of the loop, seen from the mate."""
        return self._first[j]

    @cached_property
    def joints(self) -> dict[int, int]:
        """The movable joints of the loop, without the cut one: 1 on the side of the cut joint, −1 on the mate's."""
        sides = ((self.loop.to_joint, 1), (self.loop.to_mate, -1))
        return {joint.index: sign for side, sign in sides for joint in side if joint.movable and joint is not self.cut}

    def column(self, p: int) -> tuple[Vector, Vector]:
        """[v; ω] that joint p gives to the frame of its side, in the frame of the mate (K97:5)."""
        at = self._first[p]
        a = at.A.column(2)
        if self.s.prismatic[p]:
            return a, zeros(self.s.graph, 3)
        return at.P.cross(a), a  # a × L with L = −P

    @cached_property
    def matrix(self) -> dict[int, list[Expr]]:
        """For each joint the six rows of J_k q̇1 − J_{k+B} q̇2 = 0 (K97:11)."""
        found = {}
        for p, sign in self.joints.items():
            v, w = self.column(p)
            found[p] = [x if sign > 0 else -x for x in (*v, *w)]
        return found

    @cached_property
    def cut_row(self) -> int:
        """The row of the cut joint's own velocity: along z of the mate, or about it."""
        return 2 if self.cut.prismatic else 5

    @cached_property
    def _span(self) -> NDArray[Any]:
        """A basis (columns) of what the joints of the loop can do over all configurations, in the frame of the mate."""
        rows = [list(row) for row in zip(*self.matrix.values(), strict=True)]
        columns = sample(self.s, rows, _SAMPLES).transpose(1, 0, 2).reshape(6, -1)
        own = np.eye(6)[:, [self.cut_row]]
        left, values, _ = np.linalg.svd(np.hstack([columns, own]))
        basis: NDArray[Any] = left[:, : int((values > 1e-9 * max(1.0, values[0])).sum())]
        return basis

    @cached_property
    def rows(self) -> tuple[int, ...]:
        """The rows that are independent for a loop of this kind, without that of the cut joint."""
        chosen = [self.cut_row]
        for row in range(6):
            if row not in chosen and rank(self._span[[*chosen, row]]) > len(chosen):
                chosen.append(row)
        return tuple(sorted(chosen[1:]))

    @cached_property
    def kind(self) -> str:
        """planar: motions of a plane; spherical: turns about a point; else spatial."""
        span = self._span
        if span.shape[1] == 3:
            turning = rank(span[3:])
            if turning == 3:
                return "spherical"
            if turning == 1:
                return "planar"
        return "spatial"

    @property
    def dimension(self) -> int:
        """How many independent velocities the links of the loop can have together."""
        return int(self._span.shape[1])
