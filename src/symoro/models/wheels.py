"""A base on wheels: the non-holonomic constraints of rolling without slipping.

The base moves on a plane, so that its velocity is (vx, vy, ωz) in frame 0, z0 up. The point of a wheel that touches the
ground is at rest: v_x and v_y of that point are two rows for each wheel, linear in the velocities of the base and of
the joints. The velocities of the base and of the passive joints follow from those of the active joints.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.findings import Finding
from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector, total
from symoro.lazy import lazy
from symoro.models.constraint import PLANE, VX, VY, WZ, Row, Rows, at_variables
from symoro.models.geometric.walk import places
from symoro.models.sampling import rank, sample
from symoro.robot import topology
from symoro.robot.base import Wheel


@dataclass(frozen=True, eq=False)
class Wheels(Rows):
    """The rows of all wheels."""

    s: Symbols

    @lazy
    def dependent(self) -> tuple[int, ...]:
        """The base's velocities, and the passive joints between base and wheels that no loop determines.

        A joint with a spring is one of them where the wheels determine it, too.
        """
        robot, slopes = self.s.robot, self.s.slopes
        path = {j.index for wheel in robot.base.wheels for j in topology.path(robot, wheel.joint)}
        looped = {j.index for loop in topology.loops(robot) for j in (*loop.to_joint, *loop.to_mate)}
        between = {k for j in path - looped for k in slopes.get(j, ())}
        passive = [j for j in self.s.passive if j in between - looped]
        velocities = (*PLANE, *(j for j in passive if not robot.joint(j).elastic))
        for j in passive:
            if j not in velocities and self._rank(self._every, (*velocities, j)) > len(velocities):
                velocities = (*velocities, j)
        return velocities

    @lazy
    def _every(self) -> list[Row]:
        return [row for wheel in self.s.robot.base.wheels for row in wheel_rows(self.s, wheel)]

    @lazy
    def rows(self) -> list[Row]:
        chosen: list[Row] = []
        for row in self._every:
            if self._rank([*chosen, row], self.dependent) > len(chosen):
                chosen.append(row)
        if len(chosen) != len(self.dependent):
            equations, unknowns = len(chosen), len(self.dependent)
            reason = Finding("dynamics.too_few_wheel_equations", equations=equations, unknowns=unknowns)
            raise NotApplicable("dynamics.constraints", robot=self.s.robot.name, reason=reason)
        return chosen

    def _rank(self, rows: list[Row], columns: tuple[int, ...]) -> int:
        return rank(sample(self.s, self.table(rows, columns), 1)[0])

    def changes(self, u: Row) -> list[Expr]:
        """The coefficients change with the joints that steer."""
        return [self._change(row, u) for row in self.rows]

    def _change(self, row: Row, u: Row) -> Expr:
        from symoro.ir.jacobian import jacobian

        s, among = self.s, self.s.beside_legs
        changes = jacobian(s.graph, list(row.values()), [s.q[j] for j in among], "forward")
        terms = (
            x * u[j] * u[k] for k, change in zip(row, changes, strict=True) for j, x in zip(among, change, strict=True)
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
    x, y = (at_variables(s, {k: v[axis] for k, v in columns.items() if not v[axis].is_zero}) for axis in (0, 1))
    return x, y
