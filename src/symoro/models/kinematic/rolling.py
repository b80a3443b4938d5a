"""A base on wheels: the non-holonomic constraints of rolling without slipping.

The base moves on a plane, so that its velocity is (vx, vy, ωz) in frame 0, z0 up. The point of a wheel that touches the
ground is at rest: v_x and v_y of that point are two rows for each wheel, linear in the velocities of the base and of
the joints. The velocities of the base and of the passive joints follow from those of the active joints.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.jacobian import jacobian
from symoro.ir.linalg import Vector, total
from symoro.models.geometric.walk import places
from symoro.models.sampling import rank, sample
from symoro.robot import topology
from symoro.robot.base import Wheel
from symoro.symbols import Symbols

Row = dict[int, Expr]
"""A linear form of velocities: coordinate -> coefficient."""
VX, VY, WZ = PLANE = (-6, -5, -1)
"""The coordinates of the base's velocity; they stand beside the indices of joints."""


@dataclass(frozen=True)
class Rolling:
    """The rows C u = 0 of all wheels, where u are the velocities of the base and of the joints."""

    s: Symbols

    @cached_property
    def dependent(self) -> tuple[int, ...]:
        """The coordinates whose velocities follow from those of the active joints."""
        return (*PLANE, *self.s.free)

    @cached_property
    def rows(self) -> list[Row]:
        """Independent rows, as many as there are dependent velocities."""
        every = [row for wheel in self.s.robot.base.wheels for row in wheel_rows(self.s, wheel)]
        chosen: list[Row] = []
        for row in every:
            if self._rank([*chosen, row]) > len(chosen):
                chosen.append(row)
        if len(chosen) != len(self.dependent):
            raise NotApplicable(
                f"{self.s.robot.name}: its wheels give {len(chosen)} independent equations, but "
                f"{len(self.dependent)} velocities of the base and of joints without motors are sought"
            )
        return chosen

    def _rank(self, rows: list[Row]) -> int:
        matrix = [[row.get(k, self.s.graph.zero) for k in self.dependent] for row in rows]
        return rank(sample(self.s, matrix, 1)[0])

    def _table(self, columns: tuple[int, ...]) -> list[list[Expr]]:
        return [[row.get(k, self.s.graph.zero) for k in columns] for row in self.rows]

    @cached_property
    def G(self) -> dict[int, Row]:
        """Every velocity as a linear form of those of the active joints: coordinate -> active joint -> coefficient."""
        s = self.s
        right = [[-x for x in row] for row in self._table(s.driven)]
        found: dict[int, Row] = {j: {j: s.graph.one} for j in s.driven}
        for k, row in zip(self.dependent, self._solve(right), strict=True):
            found[k] = {j: x for j, x in zip(s.driven, row, strict=True) if not x.is_zero}
        return found

    def _solve(self, right: list[list[Expr]]) -> list[list[Expr]]:
        found = solve(self.s.graph, self._table(self.dependent), right)
        assert found is not None  # the rows are independent
        return found

    def velocities(self) -> Row:
        """The velocities of the base and of the joints for those of the active joints."""
        return {k: dot(self.s, row, self.s.qd) for k, row in self.G.items()}

    def accelerations(self) -> Row:
        """The time derivatives of `velocities`, from C u̇ + Ċ u = 0.

        Those of the base are derivatives of its components in frame 0, which rotates.
        """
        s, u = self.s, self.velocities()
        right = [[-(dot(s, row, s.qdd, s.driven) + self._change(row, u))] for row in self.rows]
        found = dict(zip(self.dependent, (x for (x,) in self._solve(right)), strict=True))
        return {j: s.qdd[j] for j in s.driven} | found

    def _change(self, row: Row, u: Row) -> Expr:
        """Ċ u of a row; its coefficients depend on the joints that steer."""
        s = self.s
        changes = jacobian(s.graph, list(row.values()), [s.q[j] for j in s.movable], "forward")
        terms = (
            x * u[j] * u[k]
            for k, change in zip(row, changes, strict=True)
            for j, x in zip(s.movable, change, strict=True)
        )
        return total(s.graph, terms)


def wheel_rows(s: Symbols, wheel: Wheel) -> tuple[Row, Row]:
    """v_x and v_y, in frame 0, of the wheel's point of contact: it is one radius below the centre of the wheel."""
    seen = places(s, 0, wheel.joint)
    touch = seen[wheel.joint].P - Vector(s.graph, (0, 0, s.bind(wheel.radius)))
    columns = {VX: Vector(s.graph, (1, 0, 0)), VY: Vector(s.graph, (0, 1, 0))}
    columns[WZ] = Vector(s.graph, (0, 0, 1)).cross(touch)
    for joint in topology.path(s.robot, wheel.joint):
        if joint.movable:
            a, arm = seen[joint.index].A.column(2), touch - seen[joint.index].P
            columns[joint.index] = a if joint.prismatic else a.cross(arm)
    x, y = ({k: v[axis] for k, v in columns.items() if not v[axis].is_zero} for axis in (0, 1))
    return x, y


def dot(s: Symbols, row: Row, u: Mapping[int, Expr], among: Iterable[int] | None = None) -> Expr:
    """The value of a linear form at velocities u, or of its part for some coordinates."""
    wanted = row.keys() if among is None else [k for k in among if k in row]
    return total(s.graph, (row[k] * u[k] for k in wanted))
