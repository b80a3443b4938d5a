"""The torques of the joints if one parameter is 1 and all others are 0 (K97 § 6.1).

Columns share the velocities and accelerations of the links, and columns of one link share expressions on the way to
the base.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector, total
from symoro.models.constraint import BASE, at_variables
from symoro.models.dynamic.drives import drive_terms
from symoro.models.dynamic.newton_euler import along_axis, rotational_moment
from symoro.models.identification.parameters import FRICTION, INERTIAL, OFFSET, Key
from symoro.models.recursion import LinkMotion
from symoro.models.remembered import remembered
from symoro.symbols import Symbols


def torques(s: Symbols) -> Callable[[Key], dict[int, Expr]]:
    """The column of a parameter: joint -> torque, and the wrench on a base that moves freely."""
    motion = accelerated(s)

    def column(key: Key) -> dict[int, Expr]:
        if key[0] not in INERTIAL:
            return drive_column(s, key)
        return at_variables(s, dict(at_joints(s, key[1], *unit_wrench(motion, key))))

    return column


def unit_inertia(s: Symbols, name: str) -> tuple[Expr, Vector, Matrix]:
    """Mass, first moments and inertia matrix of a link with one parameter 1 and all others 0."""
    one = {n: s.graph.lift(int(n == name)) for n in INERTIAL}
    rows = (("XX", "XY", "XZ"), ("XY", "YY", "YZ"), ("XZ", "YZ", "ZZ"))
    J = Matrix(s.graph, ((one[n] for n in row) for row in rows))
    return one["M"], Vector(s.graph, (one[n] for n in ("MX", "MY", "MZ"))), J


def unit_parameters(s: Symbols, key: Key) -> Symbols:
    """The symbols of the same robot with one parameter 1 and all others 0 (K97 § 6.1)."""
    names = (*INERTIAL, "IA", *FRICTION, *OFFSET)
    zeros = {(name, j): s.graph.zero for j in (0, *s.outward) for name in names}
    return replace(s, regrouped=zeros | {key: s.graph.one})


def accelerated(s: Symbols) -> LinkMotion:
    """Velocities and accelerations of all links; gravity is an acceleration of the base."""
    motion = LinkMotion(s).begin(s.v0, s.w0, s.vd0 - s.g, s.wd0)
    for j in s.outward:
        motion.turn(j)
        motion.accelerate(j)
    return motion


def unit_wrench(motion: LinkMotion, key: Key) -> tuple[Vector, Vector]:
    """Force and moment that move link j where one of its parameters is 1 and the others 0."""
    s, (name, j) = motion.s, key
    w, wd, U, vd = motion.w[j], motion.wd[j], motion.U[j], motion.vd[j]
    M, MS, J = unit_inertia(s, name)
    F = M * vd + U @ MS  # (K97:15)
    return F, rotational_moment(s, J, w, wd, U, j) + MS.cross(vd)  # (K97:16)


def at_joints(s: Symbols, j: int, f: Vector, m: Vector) -> Iterator[tuple[int, Expr]]:
    """The torques of a wrench on link j at the joints from it to the base, and at a free base (K97:17-20)."""
    while j:
        yield j, along_axis(s, j, f, m)
        f, m = s.R[j] @ f, s.R[j] @ m
        m = m + s.P[j].cross(f)
        j = s.parent[j]
    if s.robot.base.free:
        yield from zip(BASE, (*f, *m), strict=True)


@remembered
def drive_column(s: Symbols, key: Key) -> dict[int, Expr]:
    """The torques of a drive with one parameter 1. The column of FS contains minus that of FST (K13:7.26)."""
    unit = unit_parameters(s, key)
    column = {j: total(s.graph, drive_terms(unit, j)) for j in s.variables}
    if key[0] == "FS" and not s.drive("FST", key[1]).is_zero:
        fading = drive_column(s, ("FST", key[1]))
        column = {j: x - fading[j] for j, x in column.items()}
    return column
