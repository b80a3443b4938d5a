"""The equations of one closed loop: of its velocities (K97:11, K10:4) and of its positions (K97:2, K10:3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector, total, zeros
from symoro.lazy import lazy
from symoro.models.geometric.walk import FramePose, outward_steps, places
from symoro.models.sampling import rank, sample
from symoro.robot.joint import Joint
from symoro.robot.topology import CutLoop

if TYPE_CHECKING:
    from symoro.models.sampling import Array

ROWS = ("vx", "vy", "vz", "wx", "wy", "wz")
_SAMPLES = 6


@dataclass(frozen=True, eq=False)
class LoopEquations:
    """What holds for one loop: the two frames of its cut coincide and have the same velocity.

    A loop is cut at a passive joint k; its frame k and the mate of that frame, on the other side of the cut, are
    aligned where the loop is closed (K97 § 2.1). All quantities are seen from the mate through the root of the loop,
    so that the cut joint's variable does not occur.
    """

    s: Symbols
    loop: CutLoop

    @property
    def cut(self) -> Joint:
        return self.s.robot.joint(self.loop.cut.joint)

    @lazy
    def _frames(self) -> dict[int, FramePose]:
        """The frames on the way from the mate to the root and on to the antecedent of the cut joint."""
        return places(self.s, self.loop.cut.mate, self.cut.parent)

    def frame(self, j: int) -> FramePose:
        """A frame of the loop, seen from the mate."""
        return self._frames[j]

    @lazy
    def joints(self) -> dict[int, int]:
        """The movable joints of the loop, without the cut one: 1 on the side of the cut joint, −1 on the mate's."""
        sides = ((self.loop.to_joint, 1), (self.loop.to_mate, -1))
        return {joint.index: sign for side, sign in sides for joint in side if joint.movable and joint is not self.cut}

    def column(self, p: int) -> tuple[Vector, Vector]:
        """[v; ω] that a unit velocity of joint p gives to the frame of its side, in the frame of the mate (K97:5)."""
        at = self._frames[p]
        a = at.A.column(2)
        if self.s.prismatic[p]:
            return a, zeros(self.s.graph, 3)
        return at.P.cross(a), a  # a × L with L = −P

    @lazy
    def matrix(self) -> dict[int, list[Expr]]:
        """For each joint its six coefficients in J_k q̇1 − J_{k+B} q̇2 = 0 (K97:11)."""
        coefficients = {}
        for p, sign in self.joints.items():
            v, w = self.column(p)
            coefficients[p] = [x if sign > 0 else -x for x in (*v, *w)]
        return coefficients

    @lazy
    def cut_row(self) -> int:
        """The row that has the cut joint's own velocity: along z of the mate, or about it."""
        return 2 if self.cut.prismatic else 5

    @lazy
    def _span(self) -> Array:
        """A basis (columns) of the velocities that all joints of the loop give over all configurations."""
        import numpy as np

        rows = [list(row) for row in zip(*self.matrix.values(), strict=True)]
        columns = sample(self.s, rows, _SAMPLES).transpose(1, 0, 2).reshape(6, -1)
        cut_column = np.eye(6)[:, [self.cut_row]]
        every = np.hstack([columns, cut_column])
        basis: Array = np.linalg.svd(every)[0][:, : rank(every)]
        return basis

    @lazy
    def rows(self) -> tuple[int, ...]:
        """The independent rows, without that of the cut joint: two of a planar or spherical loop, at most five."""
        chosen = [self.cut_row]
        for row in range(6):
            if row not in chosen and rank(self._span[[*chosen, row]]) > len(chosen):
                chosen.append(row)
        return tuple(sorted(chosen[1:]))

    @lazy
    def kind(self) -> str:
        """planar: the links move parallel to a plane; spherical: they turn about a point; spatial: neither."""
        span = self._span
        if span.shape[1] == 3:
            turning = rank(span[3:])
            if turning == 3:
                return "spherical"
            if turning == 1:
                return "planar"
        return "spatial"

    # positions

    @lazy
    def _at_rest(self) -> FramePose:
        """Frame k with the cut joint's variable zero, seen from the mate."""
        return self.frame(self.cut.parent).go(outward_steps(self.s, self.cut.index, at_rest=True))

    def gap(self, row: int) -> Expr:
        """A row of [position; small rotation] of frame k from its mate: zero where the loop is closed.

        Its derivative there is the same row of the velocity equations. The cut joint's own row is never asked for.
        """
        at = self._at_rest
        if row < 3:
            return at.P[row]
        if self.cut.revolute:  # the cut joint turns frame k about z: only the z axes are compared
            x, y, _ = at.A.column(2)
            return -y if row == 3 else x
        i, k = ((2, 1), (0, 2), (1, 0))[row - 3]
        return (at.A[i, k] - at.A[k, i]) / 2

    def cut_position(self) -> Expr:
        """The cut joint's variable where the loop is closed."""
        at = self._at_rest
        return -at.P[2] if self.cut.prismatic else self.s.graph.atan2(at.A[0, 1], at.A[0, 0])

    def alignment(self) -> Expr:
        """1 where the axes that are compared point the same way; −1 or less where they are opposite."""
        A = self._at_rest.A
        if self.cut.revolute:
            return A[2, 2]
        return (total(self.s.graph, (A[k, k] for k in range(3))) - 1) / 2


LoopRow = tuple[LoopEquations, int]
"""One of the six equations of a loop, by its number."""
