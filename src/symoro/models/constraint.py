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
from fractions import Fraction
from typing import Any

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Vector, total
from symoro.lazy import lazy
from symoro.models.recursion import six
from symoro.robot.base import BaseKind

Row = Mapping[int, Expr]
"""A linear form: coordinate -> coefficient. Coefficients that are 0 may be left out."""
Entries = dict[tuple[int, int], Expr]
"""The elements of a matrix: (row, column) -> element."""

BASE = six(0)
"""The coordinates vx vy vz ωx ωy ωz of the base in frame 0, among the indices of the joints."""
PLANE = VX, VY, WZ = (-6, -5, -1)
"""Those of a base that moves on a plane, z0 up."""


def coordinates(s: Symbols) -> tuple[int, ...]:
    """The coordinates of the open tree."""
    base = {BaseKind.FLOATING: BASE, BaseKind.MOBILE: PLANE}
    return (*base.get(s.robot.base.kind, ()), *s.variables, *(k for j in s.free for k in six(j)))


def at_variables(s: Symbols, f: Row) -> dict[int, Expr]:
    """Forces at joint coordinates, or a form of their velocities, at the variables: Fᵀ f with F = ∂x/∂q.

    The base and what is not given stay as they are.
    """
    if s.plain:
        return dict(f)
    form: dict[int, Expr] = {k: x for k, x in f.items() if k not in s.slopes}
    for k, row in s.slopes.items():
        for i, slope in row.items() if k in f else ():
            form[i] = form.get(i, s.graph.zero) + slope * f[k]
    return form


class Constraint(ABC):
    """Which coordinates of an open tree are left, and what follows for the others: velocities, forces and inertia.

    G with u = G v is an operator: each kind of constraint applies it in the way that needs the fewest operations.
    """

    s: Symbols

    @property
    @abstractmethod
    def dependent(self) -> tuple[int, ...]:
        """The coordinates that the constraint determines."""

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The coordinates u that it is about: those of the open tree."""
        return coordinates(self.s)

    @lazy
    def left(self) -> tuple[int, ...]:
        """The coordinates that are left."""
        return tuple(k for k in self.coordinates if k not in self.dependent)

    @lazy
    def without_motor(self) -> tuple[int, ...]:
        """The coordinates that are left and have no motor: their accelerations are unknown."""
        return tuple(k for k in self.left if k not in self.s.active)

    @lazy
    def input_accelerations(self) -> Row:
        """The accelerations that the inverse model takes: those of the coordinates that are left and have a motor."""
        return {j: self.s.qdd[j] for j in self.s.active}

    @lazy
    @abstractmethod
    def G(self) -> dict[int, Row]:
        """∂u/∂v, a row for each coordinate of the open tree (K10:56)."""

    def table(self, rows: Sequence[Row], columns: Sequence[int]) -> list[list[Expr]]:
        """The coefficients of some coordinates, as a matrix."""
        return [[row.get(k, self.s.graph.zero) for k in columns] for row in rows]

    @lazy
    @abstractmethod
    def velocities(self) -> dict[int, Expr]:
        """u for the velocities of the coordinates that are left, which are inputs."""

    @abstractmethod
    def accelerations(self, vd: Row) -> dict[int, Expr]:
        """u̇ for these accelerations of the coordinates that are left."""

    @lazy
    @abstractmethod
    def rates(self) -> dict[int, Row]:
        """The rows of Ġ of dependent coordinates, in the motion of the inputs."""

    def require_determined(self) -> None:
        """An error where the dependent coordinates do not follow from those that are left in any configuration."""
        _ = self.G

    def beside(self, others: tuple[Any, ...]) -> Constraint:
        """This constraint and others at once."""
        return Together(self.s, (self, *others)) if others else self

    # motion of the tree

    @lazy
    def moving(self) -> Symbols:
        """The open tree in the motion that the inputs and the constraint give it."""
        return self.in_motion(self.s.qdd)

    @lazy
    @abstractmethod
    def with_velocities(self) -> Symbols:
        """The open tree with the velocities that the inputs and the constraint give it."""

    @lazy
    @abstractmethod
    def coasting(self) -> Symbols:
        """The same without accelerations of the coordinates that are left; the dependent ones accelerate."""

    @abstractmethod
    def in_motion(self, qdd: Row) -> Symbols:
        """The open tree for these accelerations of the coordinates that are left; others are those of the inputs."""

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
        entries: Entries = {}
        zero = self.s.graph.zero
        for n, j in enumerate(self.left):
            column = {
                k: total(self.s.graph, (A.get((k, i), zero) * row[j] for i, row in self.G.items() if j in row))
                for k in self.G
            }
            for i in self.left[: n + 1]:
                terms = (row[i] * column[k] for k, row in self.G.items() if i in row)
                entries[i, j] = entries[j, i] = total(self.s.graph, terms)
        return entries

    # closures

    def wrenches(self, f: Row, least_norm: bool = False) -> list[Vector]:
        """[f; m] in each closure that ties a free link, for forces f at the open tree.

        `least_norm`: of those that rigid bodies do not determine, the least.
        """
        raise NotApplicable("platforms.not_held", robot=self.s.robot.name)

    def on_links(self, f: Row) -> dict[int, Vector]:
        """What closures exert: as wrenches of links on the environment, for forces f at the open tree."""
        raise NotApplicable("platforms.not_held", robot=self.s.robot.name)

    def gaps(self) -> tuple[list[Expr], list[Expr]]:
        """How far closures are from being closed; and what is positive where their axes point the same way."""
        return [], []

    @abstractmethod
    def gains(self, motors: bool) -> list[Expr]:
        """Velocities of what follows, for irregular ones of what is left; `motors`: of what the motors move, too.

        One solution finds them; they grow without bound near a singularity.
        """

    # motors

    def of_motors(self, torques: Row) -> dict[int, Expr]:
        """B Γ: the forces of the motors at the coordinates that are left."""
        return {k: torques[k] for k in self.left if k in self.s.active}

    def at_motors(self, f: Row) -> dict[int, Expr]:
        """Γ of the motors for forces f at the open tree: B Γ = Gᵀ f; what a floating base needs comes first."""
        return self.forces(f)

    def holding(self, f: Row) -> dict[int, Expr]:
        """Γ of B Γ = f, for forces f at the coordinates whose accelerations are given."""
        return dict(f)

    @lazy
    def without_motor_accelerations(self) -> Symbols:
        """The open tree in a motion in which no motor accelerates."""
        return self.coasting

    def inertia_of_motors(self, A: Entries) -> Entries:
        """The inertia matrix at the motors."""
        return self.inertia(A)

    @property
    def torque_rows(self) -> dict[int, str]:
        """The coordinates at which torques are needed, those of a floating base first, with their labels in names."""
        labels = dict(zip(BASE, ("F10", "F20", "F30", "N10", "N20", "N30"), strict=True))
        return {k: labels.get(k) or self.s.label[k] for k in self.left}

    @lazy
    def onto_torques(self) -> dict[int, Row]:
        """For each coordinate of the open tree, what a unit force there needs at `torque_rows`."""
        return self.G

    def prepare_torques(self) -> None:
        """Make what `torques` of many f share before the motion: operands keep that order, which passes share best."""
        return

    def torques(self, f: Row) -> dict[int, Expr]:
        """What forces at the open tree need at `torque_rows`; for many f the matrix is made once."""
        rows = [(k, row) for k, row in self.onto_torques.items() if k in f]
        return {i: total(self.s.graph, (row[i] * f[k] for k, row in rows if i in row)) for i in self.torque_rows}


class Rows(Constraint):
    """Independent rows C u = 0, solved for the dependent coordinates: G is a matrix.

    A new constraint gives `rows`, `dependent` and `changes`.
    """

    @property
    @abstractmethod
    def rows(self) -> Sequence[Row]:
        """Independent rows, as many as there are dependent coordinates."""

    @abstractmethod
    def changes(self, u: Row) -> Sequence[Expr]:
        """Ċ u of each row, for given velocities."""

    def require_determined(self) -> None:
        _ = self.determining

    @lazy
    def G(self) -> dict[int, Row]:
        right = [[-x for x in row] for row in self.table(self.rows, self.left)]
        rows = dict(zip(self.dependent, self.solved(right), strict=True))
        one = self.s.graph.one
        return {
            k: {i: x for i, x in zip(self.left, rows[k], strict=True) if not x.is_zero} if k in rows else {k: one}
            for k in self.coordinates
        }

    def solved(self, right: list[list[Expr]]) -> list[list[Expr]]:
        """The dependent coordinates' part of the rows, inverted, times the right sides."""
        solution = solve(self.s.graph, self.determining, right)
        assert solution is not None  # else `determining` would have raised
        return solution

    def gains(self, motors: bool) -> list[Expr]:
        v = dict(zip(self.left, irregular(self.s.graph, len(self.left)), strict=True))
        return [x for (x,) in self.solved([[-dot(self.s, row, v)] for row in self.rows])]

    def multipliers(self, f: Row) -> list[Expr]:
        """λ of C_dᵀ λ = f_d: what the rows carry for forces at the dependent coordinates."""
        transposed = [list(row) for row in zip(*self.table(self.rows, self.dependent), strict=True)]
        multipliers = solve(self.s.graph, transposed, [[f.get(k, self.s.graph.zero)] for k in self.dependent])
        assert multipliers is not None  # the rows are independent
        return [x for (x,) in multipliers]

    @lazy
    def determining(self) -> list[list[Expr]]:
        """The dependent coordinates' part of the rows; an error where it is singular in every configuration."""
        from symoro.models.determinate import why_undetermined  # needs NumPy, which models without constraints do not

        columns = (*self.dependent, *self.left)
        if why := why_undetermined(self.s, self.table(self.rows, columns), self.dependent, self.left):
            raise NotApplicable("dynamics.constraints", robot=self.s.robot.name, reason=why)
        return self.table(self.rows, self.dependent)

    @lazy
    def velocities(self) -> dict[int, Expr]:
        v = {k: self.s.qd[k] if k > 0 else self.s.state.V0[k] for k in self.left}
        return {k: self._named("QP", k, x) for k, x in self._moved(v).items()}

    def _moved(self, v: Row) -> dict[int, Expr]:
        """G v."""
        return {k: dot(self.s, row, v) for k, row in self.G.items()}

    def accelerations(self, vd: Row) -> dict[int, Expr]:
        """u̇ for these accelerations of the joints that are left: C u̇ + Ċ u = 0.

        Those of a base are the derivatives of its components in frame 0, which turns; where it is left, they are 0.
        """
        left_accelerations = {k: vd[k] for k in self.left if k > 0}
        changes = self.changes(self.velocities)
        right = [[-(dot(self.s, row, left_accelerations) + x)] for row, x in zip(self.rows, changes, strict=True)]
        dependent_accelerations = {k: x for k, (x,) in zip(self.dependent, self.solved(right), strict=True)}
        return left_accelerations | {k: self._named("QDP", k, x) for k, x in dependent_accelerations.items()}

    @lazy
    def rates(self) -> dict[int, Row]:
        """Ċ G + C Ġ = 0, with Ċ from the derivatives of the rows by q."""
        from symoro.ir.jacobian import jacobian

        s = self.s
        places = [(n, k) for n, row in enumerate(self.rows) for k in row]
        among = s.beside_legs  # the joints of legs follow a platform: no row depends on them
        slopes = jacobian(s.graph, [self.rows[n][k] for n, k in places], [s.q[j] for j in among], "forward")
        changes: list[dict[int, Expr]] = [{} for _ in self.rows]
        for (n, k), slope in zip(places, slopes, strict=True):
            changes[n][k] = dot(s, dict(zip(among, slope, strict=True)), self.velocities)
        columns = [{k: row[i] for k, row in self.G.items() if i in row} for i in self.left]
        rows = self.solved([[-dot(s, change, column) for column in columns] for change in changes])
        return {k: dict(zip(self.left, row, strict=True)) for k, row in zip(self.dependent, rows, strict=True)}

    def _named(self, letters: str, k: int, x: Expr) -> Expr:
        return self.s.name_scalar(f"{letters}{k}", k, x) if k in self.dependent and k > 0 else x

    @lazy
    def with_velocities(self) -> Symbols:
        if not self.dependent:
            return self.s
        s, u = self.s, self.velocities
        joints = s.in_state(qd=s.qd | _joints(u))
        return joints.in_state(V0=Vector(s.graph, (u.get(k, 0) for k in BASE))) if VX in self.dependent else joints

    @lazy
    def coasting(self) -> Symbols:
        still = self.in_motion(self.s.still)
        floats = self.s.robot.base.kind is BaseKind.FLOATING
        return still.in_state(VP0=0 * still.state.VP0) if floats else still

    def in_motion(self, qdd: Row) -> Symbols:
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


@dataclass(frozen=True, eq=False)
class Together(Rows):
    """Several constraints at once; none at all leaves every coordinate as it is."""

    s: Symbols
    parts: tuple[Any, ...] = ()
    among: tuple[int, ...] | None = None
    """The coordinates that it is about, where these are not all of the open tree."""

    @property
    def coordinates(self) -> tuple[int, ...]:
        return super().coordinates if self.among is None else self.among

    @lazy
    def rows(self) -> Sequence[Row]:
        return [row for part in self.parts for row in part.rows]

    @lazy
    def dependent(self) -> tuple[int, ...]:
        return tuple(k for part in self.parts for k in part.dependent)

    def changes(self, u: Row) -> Sequence[Expr]:
        return [x for part in self.parts for x in part.changes(u)]


@dataclass(frozen=True, eq=False)
class BySolution(Rows):
    """Rows that are solved for each right side, without G: u_d = −C_d⁻¹ C_l v, and Gᵀ f = f_l − C_lᵀ λ (K10 § 4).

    It needs fewer operations where dependent coordinates are many and right sides are few.
    """

    s: Symbols
    of: Rows

    @staticmethod
    def form(c: Constraint) -> BySolution:
        """This form of a constraint; an error where it has no rows."""
        if not isinstance(c, Rows) or not c.dependent:
            raise NotApplicable("loops.no_rows", robot=c.s.robot.name)
        return BySolution(c.s, c)

    @property
    def rows(self) -> Sequence[Row]:
        return self.of.rows

    @property
    def dependent(self) -> tuple[int, ...]:
        return self.of.dependent

    @property
    def determining(self) -> list[list[Expr]]:
        return self.of.determining

    def changes(self, u: Row) -> Sequence[Expr]:
        return self.of.changes(u)

    def _moved(self, v: Row) -> dict[int, Expr]:
        solved = self.solved([[-dot(self.s, row, v)] for row in self.rows])
        dependent = {k: x for k, (x,) in zip(self.dependent, solved, strict=True)}
        return {k: dependent[k] if k in dependent else v[k] for k in coordinates(self.s)}

    def forces(self, f: Row) -> dict[int, Expr]:
        acting = {i: [f[i]] if i in f else [] for i in self.left}
        for row, x in zip(self.rows, self.multipliers(f), strict=True):
            for i in self.left:
                if i in row:
                    acting[i].append(-(row[i] * x))
        return {i: total(self.s.graph, terms) for i, terms in acting.items()}


def irregular(graph: Graph, count: int) -> list[Expr]:
    """Numbers near 1 that no figure of a robot has, so that nothing cancels by chance."""
    return [graph.constant(Fraction(29 + (5 * k * k + 3 * k) % 11, 31)) for k in range(1, count + 1)]


def dot(s: Symbols, row: Row, u: Row) -> Expr:
    """The value of a form; of its part for the coordinates that are given."""
    return total(s.graph, (x * u[k] for k, x in row.items() if k in u))


def _joints(u: Row) -> dict[int, Expr]:
    return {j: x for j, x in u.items() if j > 0}
