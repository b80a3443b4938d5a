"""The dynamic identification model Γ = D(q, q̇, q̈) K (K97:39).

A column is the inverse dynamic model with one parameter 1 and the others 0. Velocities and accelerations are common to
all columns, and so is what columns of one link share on their way to the base.
"""

from __future__ import annotations

from collections.abc import Iterator

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector, total
from symoro.models.dynamic.drives import drive_terms
from symoro.models.dynamic.newton_euler import along_axis, rotational_moment
from symoro.models.identification.columns import columns, matrix_result, unit_parameters
from symoro.models.identification.regrouping import Key
from symoro.models.identification.structure import INERTIAL
from symoro.models.kinematic.recursion import Motion
from symoro.symbols import Symbols


def dynamic_regressor(s: Symbols, rotors: bool | None, friction: bool | None, offset: bool | None) -> list[Result]:
    """D, with a row for each movable joint and a column for each parameter. Wrenches of links are no part of it."""
    motion = accelerated(s)

    def entry(key: Key) -> dict[int, Expr]:
        if key[0] not in INERTIAL:
            return drive_column(s, key)
        return dict(at_joints(s, key[1], *unit_wrench(motion, key)))

    return [matrix_result(s, "D", columns(s, rotors, friction, offset), entry, "K97:39")]


def accelerated(s: Symbols) -> Motion:
    """Velocities and accelerations of all links; gravity is an acceleration of the base."""
    motion = Motion(s, s.qd, s.qdd).begin(s.v0, s.w0, s.vd0 - s.g, s.wd0)
    for j in s.outward:
        motion.turn(j)
        motion.accelerate(j)
    return motion


def unit_wrench(motion: Motion, key: Key) -> tuple[Vector, Vector]:
    """Force and moment that move link j where one of its parameters is 1 and the others 0."""
    s, j = unit_parameters(motion.s, key), key[1]
    w, wd, U, vd = motion.w[j], motion.wd[j], motion.U[j], motion.vd[j]
    F = s.M(j) * vd + U @ s.MS(j)  # (K97:15)
    return F, rotational_moment(s, w, wd, U, j) + s.MS(j).cross(vd)  # (K97:16)


def at_joints(s: Symbols, j: int, f: Vector, m: Vector) -> Iterator[tuple[int, Expr]]:
    """What the joints from link j to the base carry of a wrench on link j (K97:17-20)."""
    while j:
        yield j, along_axis(s, j, f, m)
        f, m = s.R[j] @ f, s.R[j] @ m
        m = m + s.P[j].cross(f)
        j = s.parent[j]


def drive_column(s: Symbols, key: Key) -> dict[int, Expr]:
    """The torques of a drive with one parameter 1. FS loses what static friction adds near standstill (K13:7.26)."""
    unit = unit_parameters(s, key)
    column = {j: total(s.graph, drive_terms(unit, j)) for j in s.movable}
    if key[0] == "FS" and not s.drive("FST", key[1]).is_zero:
        fading = drive_column(s, ("FST", key[1]))
        column = {j: x - fading[j] for j, x in column.items()}
    return column
