"""Constraints between the velocities of an open tree, and the projection on the coordinates that are left (K10:55-58).

The coordinates u of the open tree are the velocities of its variables and, before them, those of a base whose
motion is unknown. A constraint (closed loops, wheels) is a set of independent rows C u = 0. It determines some
coordinates, the dependent ones; u = G v, with the velocities v of the coordinates that are left. What acts on the
dependent coordinates does no work beyond that of the springs, so that the forces on those left are Gᵀ f.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector, total
from symoro.robot.base import BaseKind
from symoro.symbols import Symbols

Row = Mapping[int, Expr]
"""A linear form: coordinate -> coefficient. Coefficients that are 0 may be left out."""
Entries = dict[tuple[int, int], Expr]
"""The elements of a matrix: (row, column) -> element."""

BASE = tuple(range(-6, 0))
"""The coordinates vx vy vz ωx ωy ωz of the base in frame 0, among the indices of the joints."""
PLANE = VX, VY, WZ = (-6, -5, -1)
"""Those of a base that moves on a plane, z0 up."""


def coordinates(s: Symbols) -> tuple[int, ...]:
    """The coordinates of the open tree."""
    base = {BaseKind.FLOATING: BASE, BaseKind.MOBILE: PLANE}
    return (*base.get(s.robot.base.kind, ()), *s.variables)


def at_variables(s: Symbols, f: Row) -> dict[int, Expr]:
    """Forces at joint coordinates, or a form of their velocities, at the variables: Fᵀ f with F = ∂x/∂q.

    The base and what is not given stay as they are.
    """
    if s.plain:
        return dict(f)
    found: dict[int, Expr] = {k: x for k, x in f.items() if k not in s.slopes}
    for k, row in s.slopes.items():
        for i, slope in row.items() if k in f else ():
            found[i] = found.get(i, s.graph.zero) + slope * f[k]
    return found


class Constraint(ABC):
    """Rows C u = 0, and what follows from them. A new constraint gives `rows`, `dependent` and `changes`."""

    s: Symbols

    @property
    @abstractmethod
    def rows(self) -> Sequence[Row]:
        """Independent rows, as many as there are dependent coordinates."""

    @property
    @abstractmethod
    def dependent(self) -> tuple[int, ...]:
        """The coordinates that the rows determine."""

    @abstractmethod
    def changes(self, u: Row) -> Sequence[Expr]:
        """Ċ u of each row, for given velocities."""

    @cached_property
    def left(self) -> tuple[int, ...]:
        """The coordinates that are left."""
        return tuple(k for k in coordinates(self.s) if k not in self.dependent)

    @cached_property
    def without_motor(self) -> tuple[int, ...]:
        """The coordinates that are left and have no motor: their accelerations are unknown."""
        return tuple(k for k in self.left if k not in self.s.active)

    # velocities and accelerations

    @cached_property
    def G(self) -> dict[int, Row]:
        """∂u/∂v, a row for each coordinate of the open tree (K10:56)."""
        right = [[-x for x in row] for row in self.table(self.rows, self.left)]
        found = dict(zip(self.dependent, self.solved(right), strict=True))
        one = self.s.graph.one
        return {
            k: {i: x for i, x in zip(self.left, found[k], strict=True) if not x.is_zero} if k in found else {k: one}
            for k in coordinates(self.s)
        }

    def table(self, rows: Sequence[Row], columns: Sequence[int]) -> list[list[Expr]]:
        """The coefficients of some coordinates, as a matrix."""
        return [[row.get(k, self.s.graph.zero) for k in columns] for row in rows]

    def solved(self, right: list[list[Expr]]) -> list[list[Expr]]:
        """The dependent coordinates' part of the rows, inverted, times the right sides."""
        found = solve(self.s.graph, self.determining, right)
        assert found is not None  # else `determining` would have raised
        return found

    @cached_property
    def determining(self) -> list[list[Expr]]:
        """The dependent coordinates' part of the rows; an error where it is singular in every configuration."""
        from symoro.models.determinate import why_undetermined  # needs NumPy, which models without constraints do not

        columns = (*self.dependent, *self.left)
        if why := why_undetermined(self.s, self.table(self.rows, columns), self.dependent, self.left):
            raise NotApplicable(f"{self.s.robot.name}: {why}")
        return self.table(self.rows, self.dependent)

    @cached_property
    def velocities(self) -> dict[int, Expr]:
        """u for the velocities of the coordinates that are left, which are inputs."""
        v = {k: self.s.qd[k] if k > 0 else self.s.state.V0[k] for k in self.left}
        found = {k: dot(self.s, row, v) for k, row in self.G.items()}
        return {k: self._named("QP", k, x) for k, x in found.items()}

    def accelerations(self, qdd: Row) -> dict[int, Expr]:
        """u̇ for these accelerations of the joints that are left: C u̇ + Ċ u = 0.

        Those of a base are the derivatives of its components in frame 0, which turns; where it is left, they are 0.
        """
        given = {k: qdd[k] for k in self.left if k > 0}
        changes = self.changes(self.velocities)
        right = [[-(dot(self.s, row, given) + x)] for row, x in zip(self.rows, changes, strict=True)]
        found = {k: x for k, (x,) in zip(self.dependent, self.solved(right), strict=True)}
        return given | {k: self._named("QDP", k, x) for k, x in found.items()}

    def _named(self, letters: str, k: int, x: Expr) -> Expr:
        return self.s.name_scalar(f"{letters}{k}", k, x) if k in self.dependent and k > 0 else x

    # motion of the tree

    @cached_property
    def moving(self) -> Symbols:
        """The open tree in the motion that the inputs and the constraint give it."""
        return self.in_motion(self.s.qdd)

    @cached_property
    def with_velocities(self) -> Symbols:
        """The open tree with the velocities that the inputs and the constraint give it."""
        s, u = self.s, self.velocities
        joints = s.in_state(qd=s.qd | _joints(u))
        return joints.in_state(V0=Vector(s.graph, (u.get(k, 0) for k in BASE))) if VX in self.dependent else joints

    @cached_property
    def coasting(self) -> Symbols:
        """The same without accelerations of the coordinates that are left; the dependent ones accelerate."""
        still = self.in_motion(self.s.still)
        floats = self.s.robot.base.kind is BaseKind.FLOATING
        return still.in_state(VP0=0 * still.state.VP0) if floats else still

    def in_motion(self, qdd: Row) -> Symbols:
        """The open tree for these accelerations of its active joints."""
        s = self.s
        if not self.dependent:
            return s.in_state(qdd={**s.qdd, **qdd})
        u, a = self.velocities, self.accelerations(qdd)
        joints = {"qd": s.qd | _joints(u), "qdd": {**s.qdd, **qdd} | _joints(a)}
        if VX not in self.dependent:
            return s.in_state(**joints)
        V0, change = (Vector(s.graph, (x.get(k, 0) for k in BASE)) for x in (u, a))
        turning = V0[3:].cross(V0[:3])  # VP0 is the acceleration of the origin, not the change of the components
        return s.in_state(**joints, V0=V0, VP0=change + Vector(s.graph, (*turning, 0, 0, 0)))

    # projection

    def joint_forces(self, f: Row) -> dict[int, Expr]:
        """Gᵀ Fᵀ f: forces at the joints' coordinates, or columns of them, at the coordinates that are left."""
        return self.forces(at_variables(self.s, f))

    def forces(self, f: Row) -> dict[int, Expr]:
        """Gᵀ f of forces at the variables (K10:55)."""
        rows = [(k, row) for k, row in self.G.items() if k in f]
        return {i: total(self.s.graph, (row[i] * f[k] for k, row in rows if i in row)) for i in self.left}

    def inertia(self, A: Entries) -> Entries:
        """Gᵀ A G (K10:58); both halves are the same expressions."""
        found: Entries = {}
        zero = self.s.graph.zero
        for n, j in enumerate(self.left):
            column = {
                k: total(self.s.graph, (A.get((k, i), zero) * row[j] for i, row in self.G.items() if j in row))
                for k in self.G
            }
            for i in self.left[: n + 1]:
                terms = (row[i] * column[k] for k, row in self.G.items() if i in row)
                found[i, j] = found[j, i] = total(self.s.graph, terms)
        return found


@dataclass(frozen=True, eq=False)
class Together(Constraint):
    """Several constraints at once; none at all leaves every coordinate as it is."""

    s: Symbols
    parts: tuple[Constraint, ...] = ()

    @cached_property
    def rows(self) -> Sequence[Row]:
        return [row for part in self.parts for row in part.rows]

    @cached_property
    def dependent(self) -> tuple[int, ...]:
        return tuple(k for part in self.parts for k in part.dependent)

    def changes(self, u: Row) -> Sequence[Expr]:
        return [x for part in self.parts for x in part.changes(u)]


def dot(s: Symbols, row: Row, u: Row) -> Expr:
    """The value of a form; of its part for the coordinates that are given."""
    return total(s.graph, (x * u[k] for k, x in row.items() if k in u))


def _joints(u: Row) -> dict[int, Expr]:
    return {j: x for j, x in u.items() if j > 0}
