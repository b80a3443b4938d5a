"""The angular motion of a link in its frame of evaluation.

Joints with parallel axes turn as one: with ω and ω̇ of the link before the first of them, and the sums q̇ and q̈ of
their rates along the common axis a,
    ω_j = ω + q̇ a,   ω̇_j = ω̇ + q̈ a + ω × q̇ a,   U_j = U + q̈ â + 2 q̇ ω̂ â + q̇² â â.
For a = z the change of U is sparse: of its rows and columns only xx = yy, xy = −yx, zx and zy are not zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Rotation, Vector, zeros
from symoro.lazy import lazy
from symoro.models.dynamic.lean.frames import EvaluationFrame, exact
from symoro.models.recursion import angular


@dataclass(frozen=True)
class AngularMotion:
    """ω, ω̇ and U of link j: those of the link before the group of parallel joints, plus the group's rates."""

    s: Symbols
    j: int
    before_w: Vector
    before_wd: Vector
    before_U: Matrix | None  # known only where the frame is carried along from the link before
    column: Vector | None  # U a, which the group's rates leave as it is; known where U is to come from it
    rate: Vector  # q̇ a, the sum over the group
    change: Vector  # q̈ a
    asked: frozenset[int]  # the components of ω̇ that the next links read

    @staticmethod
    def of_base(s: Symbols) -> AngularMotion:
        nothing = zeros(s.graph, 3)
        return AngularMotion(s, 0, s.w0, s.wd0, None, None, nothing, nothing, frozenset())

    def next(self, at: Mapping[int, EvaluationFrame], qdd: Expr, j: int, by_rates: frozenset[int]) -> AngularMotion:
        """The motion of link j whose antecedent moves like this."""
        s, here, asked = self.s, at[j], rates_read(self.s, at, j, by_rates)
        rate, change = s.revolute[j] * s.rate[j] * here.a, s.revolute[j] * qdd * here.a
        if not here.E.turns:  # the antecedent's own frame: the group goes on
            return replace(self, j=j, rate=self.rate + rate, change=self.change + change, asked=asked)
        before, turning = here.before.T, here.joint_turn.T
        w = before @ self.w
        wd = self._turned_acceleration(before) if self.sparse else before @ self.wd
        U = before @ (before @ self.U.T).T if exact(here.before) else None
        column = None
        if here.turns_with_joint:
            a = here.joint_turn @ here.a
            column = None if j in by_rates else turning @ (U @ a if U else w * w.dot(a) + wd.cross(a))
            U = None
        elif U:
            U = turning @ (turning @ U.T).T
        return AngularMotion(s, j, s.name("WI", j, turning @ w), turning @ wd, U, column, rate, change, asked)

    @property
    def sparse(self) -> bool:
        """Whether ω × q̇ a would fill a component of ω̇ that is zero before the joints of the group turn."""
        still = self.before_wd + self.change
        return any(x.is_zero and not y.is_zero for x, y in zip(still, self.wd, strict=True))

    def _turned_acceleration(self, before: Rotation) -> Vector:
        """ω̇ in the next frame, with the product ω × q̇ a formed there."""
        still = before @ (self.before_wd + self.change)
        return still + (before @ self.before_w).cross(before @ self.rate)

    @lazy
    def w(self) -> Vector:
        return self.s.name("W", self.j, self.before_w + self.rate)

    @lazy
    def wd(self) -> Vector:
        if self.column is None:
            return self.s.name("WP", self.j, self.before_wd + self.change + self.before_w.cross(self.rate))
        (x, y, z), (u, v, _) = self.w, self.column
        return self.s.name("WP", self.j, Vector(self.s.graph, (y * z - v, u - x * z, self._acceleration_along_axis)))

    @property
    def _acceleration_along_axis(self) -> Expr:
        return self.before_wd[2] + self.change[2]

    @lazy
    def U(self) -> Matrix:
        """From the U before the group or a column of it where that is known, else from ω and ω̇."""
        along_z = self.rate[0].is_zero and self.rate[1].is_zero
        if along_z and self.before_U is not None:
            return self._carried(self.before_U)
        if along_z and self.column is not None:
            return self._around(self.column)
        return angular(self.s, self.w, self.wd, self.j)

    def _around(self, column: Vector) -> Matrix:
        """U = ω ωᵀ − ω² 1 + ω̇̂ from its last column: ω̇ enters by what the column does not tell."""
        (x, y, z), (u, v, _), wd = self.w, column, self._acceleration_along_axis
        zx = x * z - self.wd[1] if 1 in self.asked else 2 * z * x - u
        zy = y * z + self.wd[0] if 0 in self.asked else 2 * z * y - v
        squares = [-(e * e) for e in self.w]
        rows = (
            (squares[1] + squares[2], x * y - wd, u),
            (x * y + wd, squares[0] + squares[2], v),
            (zx, zy, squares[0] + squares[1]),
        )
        return self._named(rows)

    def _carried(self, U: Matrix) -> Matrix:
        qd, qdd, w = self.rate[2], self.change[2], self.w
        squares = [-(x * x) for x in w]
        rows = (
            (squares[1] + squares[2], U[0, 1] - qdd, U[0, 2]),
            (U[1, 0] + qdd, squares[0] + squares[2], U[1, 2]),
            (U[2, 0] + 2 * w[0] * qd, U[2, 1] + 2 * w[1] * qd, U[2, 2]),
        )
        return self._named(rows)

    def _named(self, rows: tuple[tuple[Expr, ...], ...]) -> Matrix:
        for r, row in enumerate(rows, 1):
            for c, x in enumerate(row, 1):
                self.s.name_scalar(f"U{r}{c}{self.j}", self.j, x)
        return Matrix(self.s.graph, rows)


def rates_read(s: Symbols, at: Mapping[int, EvaluationFrame], j: int, by_rates: frozenset[int]) -> frozenset[int]:
    """The components of a link's ω̇ that the next links read: those along their axes, or all."""
    read: set[int] = set()
    for k in s.children[j]:
        if not exact(at[k].before) or k in by_rates:
            return frozenset(range(3))
        if at[k].turns_with_joint:
            read |= along(at[k].E @ at[k].a)
    return frozenset(read)


def columns_read(s: Symbols, at: Mapping[int, EvaluationFrame], j: int, by_rates: frozenset[int]) -> set[int]:
    """The columns of a link's U that the next links read."""
    read: set[int] = set()
    for k in s.children[j]:
        read |= along(at[k].P)
        if not exact(at[k].before) or (k in by_rates and at[k].turns_with_joint):
            continue
        read |= along(at[k].E @ at[k].a) if at[k].turns_with_joint else {0, 1, 2}
    return read


def along(v: Vector) -> set[int]:
    """The components that are not zero."""
    return {i for i, x in enumerate(v) if not x.is_zero}
