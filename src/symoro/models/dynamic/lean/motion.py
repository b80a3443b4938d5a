"""The angular motion of a link in its frame of evaluation.

Joints with parallel axes turn as one: with ω and ω̇ of the link before the first of them, and the sums q̇ and q̈ of
their rates along the common axis a,
    ω_j = ω + q̇ a,   ω̇_j = ω̇ + q̈ a + ω × q̇ a,   U_j = U + q̈ â + 2 q̇ ω̂ â + q̇² â â.
For a = z the change of U is sparse: of its rows and columns only xx = yy, xy = −yx, zx and zy are not zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector, zeros
from symoro.models.dynamic.lean.frames import Placement
from symoro.models.kinematic.recursion import angular
from symoro.symbols import Symbols


@dataclass(frozen=True)
class Motion:
    """ω, ω̇ and U of link j: those of the link before the group of parallel joints, plus the group's rates."""

    s: Symbols
    j: int
    before_w: Vector
    before_wd: Vector
    before_U: Matrix | None  # known only where the frame is carried along from the link before
    rate: Vector  # q̇ a, the sum over the group
    change: Vector  # q̈ a

    @staticmethod
    def of_base(s: Symbols) -> Motion:
        nothing = zeros(s.graph, 3)
        return Motion(s, 0, s.w0, s.wd0, None, nothing, nothing)

    def next(self, s: Symbols, at: Placement, qdd: Expr, j: int) -> Motion:
        """The motion of link j whose antecedent moves like this."""
        rate, change = s.revolute[j] * s.qd[j] * at.a, s.revolute[j] * qdd * at.a
        if not at.E.turns:  # the antecedent's own frame: the group goes on
            return Motion(s, j, self.before_w, self.before_wd, self.before_U, self.rate + rate, self.change + change)
        w = s.name("WI", j, at.E.T @ self.w)
        wd = at.E.T @ self.wd if not self.sparse else self._turned_acceleration(at)
        U = at.E.T @ (at.E.T @ self.U.T).T if at.carried else None  # exact quarter turns cost nothing
        return Motion(s, j, w, wd, U, rate, change)

    @property
    def sparse(self) -> bool:
        """Whether ω × q̇ a would fill a component of ω̇ that is zero before the joints of the group turn."""
        still = self.before_wd + self.change
        return any(x.is_zero and not y.is_zero for x, y in zip(still, self.wd, strict=True))

    def _turned_acceleration(self, at: Placement) -> Vector:
        """ω̇ in the next frame, with the product ω × q̇ a formed there."""
        still = at.E.T @ (self.before_wd + self.change)
        return still + (at.E.T @ self.before_w).cross(at.E.T @ self.rate)

    @cached_property
    def w(self) -> Vector:
        return self.s.name("W", self.j, self.before_w + self.rate)

    @cached_property
    def wd(self) -> Vector:
        return self.s.name("WP", self.j, self.before_wd + self.change + self.before_w.cross(self.rate))

    @cached_property
    def U(self) -> Matrix:
        """From the U before the group where that is known, else from ω and ω̇."""
        along_z = self.rate[0].is_zero and self.rate[1].is_zero
        if self.before_U is None or not along_z:
            return angular(self.s, self.w, self.wd, self.j)
        return self._carried(self.before_U)

    def _carried(self, U: Matrix) -> Matrix:
        qd, qdd, w = self.rate[2], self.change[2], self.w
        squares = [-(x * x) for x in w]
        out = (
            (squares[1] + squares[2], U[0, 1] - qdd, U[0, 2]),
            (U[1, 0] + qdd, squares[0] + squares[2], U[1, 2]),
            (U[2, 0] + 2 * w[0] * qd, U[2, 1] + 2 * w[1] * qd, U[2, 2]),
        )
        for r, row in enumerate(out, 1):
            for c, x in enumerate(row, 1):
                self.s.name_scalar(f"U{r}{c}{self.j}", self.j, x)
        return Matrix(self.s.graph, out)
