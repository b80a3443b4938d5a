"""Derivatives of the inverse and the direct dynamic model, by differentiation of the papers' own forms.

Both models have the equations A v̇ + H = Γ in the coordinates v that constraints leave, those of a floating base
included. Positions are differentiated along v: by a turn of the base about its own axes, along closed loops, along
the motions that legs leave to a platform. The linear velocity of a floating base has no effect and no column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.jacobian import jacobian
from symoro.ir.linalg import Matrix, Vector, total
from symoro.models.constraint import BASE, Constraint, Row, dot
from symoro.models.directions import Rows, along, turns
from symoro.models.dynamic.constrained import by_coordinate, by_motor, direct_accelerations, equations
from symoro.models.dynamic.lean.layout import RecursionLayout
from symoro.models.dynamic.open_tree import forces
from symoro.models.families import constraint_of, constraints
from symoro.models.recursion import six
from symoro.models.results import matrix as numbered
from symoro.robot.base import BaseKind

Tangent = Mapping[Expr, Expr]
"""A direction: symbols of inputs with their rates."""
Elements = Sequence[Sequence[Expr]]
"""The rows of a matrix."""


def inverse_dynamics_derivatives(s: Symbols, layout: RecursionLayout | None = None) -> list[Result]:
    """Γ for given accelerations of all coordinates v, ∂Γ/∂q, ∂Γ/∂q̇, and A = ∂Γ/∂v̇."""
    s = in_coordinates(s)
    c, vd = constraint_of(s), accelerations(s)
    GAM = by_motor(c, "GAM", c.at_motors(forces(c.in_motion({**s.qdd, **vd}), layout)))
    dq, dqd, A = differentiated(s, GAM.elements, (positions(s), velocities(s), units(s, vd.values())))
    return as_results(s, GAM, dq, dqd, "A", A)


def direct_dynamics_derivatives(s: Symbols) -> list[Result]:
    """v̇ for given torques of the motors, ∂v̇/∂q, ∂v̇/∂q̇, and AI = ∂v̇/∂Γ."""
    s = in_coordinates(s)
    c = constraint_of(s)
    QDP = by_coordinate(c, "QDP", direct_accelerations(s))
    dq, dqd = differentiated(s, QDP.elements, (positions(s), velocities(s)))
    return as_results(s, QDP, dq, dqd, "AI", inverse(c))


def as_results(s: Symbols, values: Result, dq: Elements, dqd: Elements, name: str, matrix: Elements) -> list[Result]:
    """A model's values, their derivatives by positions and velocities, and the matrix by accelerations or torques."""
    return [
        values,
        as_matrix(f"d{values.name}_dq", values.names, list(positions(s)), dq),
        as_matrix(f"d{values.name}_dqd", values.names, list(velocities(s)), dqd),
        numbered(s, name, Matrix(s.graph, matrix)),
    ]


def inverse(c: Constraint) -> list[list[Expr]]:
    """∂v̇/∂Γ = A⁻¹ B: a column for each torque that the inverse model gives."""
    s, E = c.s, equations(c.s)
    A = [[E.A[i, k] for k in c.left] for i in c.left]
    pushed = (_unit(c, k) for k in c.torque_rows)
    columns = [s.graph.solve(A, [push.get(i, s.graph.zero) for i in c.left]) for push in pushed]
    return [list(row) for row in zip(*columns, strict=True)]


def _unit(c: Constraint, k: int) -> Row:
    """What a unit torque of the inverse model is at the coordinates."""
    if k in c.left:
        return {k: c.s.graph.one}
    return c.of_motors({j: c.s.graph.constant(int(j == k)) for j in c.s.active})


# coordinates


def in_coordinates(s: Symbols) -> Symbols:
    """The symbols with the velocity of a platform as a function of the components that its legs leave."""
    c = constraint_of(s)
    components = _left_by_legs(c)
    if not components:
        return s
    (platform,) = s.free
    v = {k: _inputs(s, s.state.V0, s.qd, s.state.V)[k] for k in components}
    return s.in_state(V={platform: Vector(s.graph, (dot(s, c.G[k], v) for k in six(platform)))})


def accelerations(s: Symbols) -> dict[int, Expr]:
    """The input v̇ of each coordinate that is left."""
    motion = _inputs(s, s.state.VP0, s.qdd, s.state.VP)
    return {k: motion[k] for k in constraint_of(s).left}


def velocities(s: Symbols) -> dict[str, Tangent]:
    """A unit rate of the input v of each coordinate that is left, but for the linear ones of a floating base."""
    motion = _inputs(s, s.state.V0, s.qd, s.state.V)
    ineffective = BASE[:3] if s.robot.base.kind is BaseKind.FLOATING else ()
    return units(s, (motion[k] for k in constraint_of(s).left if k not in ineffective))


def positions(s: Symbols) -> dict[str, Tangent]:
    """The rates of the symbols of positions, for each direction in which the robot can move."""
    rates: dict[str, Tangent] = {}
    if s.robot.base.kind is BaseKind.FLOATING:
        rates |= _columns("turn", s.quat, turns(s))
    if _left_by_legs(constraint_of(s)):
        (platform,) = s.free
        R, p = s.state.pose[platform]
        T = [x for row, y in zip(R, p, strict=True) for x in (*row, y)]
        return rates | _columns("T", T, s.directions) | units(s, (s.q[j] for j in s.beside_legs))
    holonomic = tuple(row.name for row in constraints(s.robot) if row.holonomic)
    left = [j for j in constraint_of(s, holonomic).left if j > 0]
    table = zip(*along(s, holonomic), strict=True)
    q = [s.q[j] for j in s.variables]
    return rates | {name_of(s.q[j]): dict(zip(q, column, strict=True)) for j, column in zip(left, table, strict=True)}


def _left_by_legs(c: Constraint) -> list[int]:
    """The components of a platform's velocity that its legs leave; none where the platform follows from joints."""
    return [k for j in c.s.free for k in six(j) if k in c.left]


def _inputs(s: Symbols, base: Vector, joints: Row, free: Mapping[int, Vector]) -> dict[int, Expr]:
    """A motion by the coordinates of the open tree."""
    motion = dict(zip(BASE, base, strict=True)) | dict(joints)
    for j in s.free:
        motion |= dict(zip(six(j), free[j], strict=True))
    return motion


def _columns(name: str, variables: Sequence[Expr] | Vector, rows: Rows) -> dict[str, Tangent]:
    """The directions of an array, which are numbered. Elements that cannot move have no symbol."""
    columns = zip(*rows, strict=True)
    return {f"{name}{n}": dict(zip(variables, column, strict=False)) for n, column in enumerate(columns, 1)}


def units(s: Symbols, variables: Iterable[Expr]) -> dict[str, Tangent]:
    """A unit rate of each symbol."""
    return {name_of(x): {x: s.graph.one} for x in variables}


def name_of(x: Expr) -> str:
    return str(x.node.value)


# differentiation


def differentiated(
    s: Symbols, values: Sequence[Expr], tangents: Sequence[Mapping[str, Tangent]]
) -> list[list[list[Expr]]]:
    """The derivatives of the values along some sets of directions: for each set the rows of a matrix."""
    variables = list(dict.fromkeys(x for directions in tangents for t in directions.values() for x in t))
    rows = [dict(zip(variables, row, strict=True)) for row in jacobian(s.graph, values, variables)]
    return [
        [[total(s.graph, (row[x] * rate for x, rate in t.items())) for t in directions.values()] for row in rows]
        for directions in tangents
    ]


def as_matrix(name: str, rows: Sequence[str], columns: Sequence[str], elements: Sequence[Sequence[Expr]]) -> Result:
    """The derivatives of named values by named variables: dGAM1_dq2 …"""
    names = tuple(f"d{row}_d{column}" for row in rows for column in columns)
    return Result(name, (len(rows), len(columns)), tuple(x for row in elements for x in row), names)
