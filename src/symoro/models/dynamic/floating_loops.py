"""Closed loops on a base that floats: the open tree's 6 + n equations (K10:83), projected on base and motors (K10:55).

The loops say nothing of the base: what it does, both sides of a cut do. So G is that of the loops with six rows and
columns of the identity before it, and the motors' equations keep those of the base.
"""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import zeros
from symoro.models.dynamic.closed_loop import in_motion, joint_rows
from symoro.models.dynamic.moving_base_matrix import (
    BASE,
    System,
    bias_result,
    direct_of,
    free_base_matrix,
    inertia_result,
    inverse_of,
    tree_forces,
)
from symoro.models.dynamic.projection import Projection
from symoro.symbols import Symbols


def inverse_dynamics(s: Symbols) -> list[Result]:
    """VP0 of the base and GAM of the active joints."""
    return inverse_of(s, System(order(s), closed_matrix(s), bias_forces(s)))


def direct_dynamics(s: Symbols) -> list[Result]:
    """VP0 of the base and QDP of the active joints."""
    return direct_of(s, System(order(s), closed_matrix(s), bias_forces(s)))


def inertia_matrix(s: Symbols) -> list[Result]:
    """A_c, the base's six rows first, then those of the active joints."""
    return inertia_result(s, order(s), closed_matrix(s))


def bias(s: Symbols) -> list[Result]:
    """H_c, the base's six elements first."""
    return bias_result(s, bias_forces(s))


def order(s: Symbols) -> tuple[int, ...]:
    """The coordinates that are left."""
    return (*BASE, *s.driven)


def projection(s: Symbols) -> Projection:
    """∂(V0, q̇_tr)/∂(V0, q̇_a)."""
    base = {i: {i: s.graph.one} for i in BASE}
    return Projection(s, {**base, **joint_rows(s)}, order(s))


def closed_matrix(s: Symbols) -> dict[tuple[int, int], Expr]:
    """Gᵀ A G (K10:58)."""
    return projection(s).inertia(free_base_matrix(s))


def bias_forces(s: Symbols) -> dict[int, Expr]:
    """H_c: without acceleration of base and active joints; the passive ones accelerate all the same."""
    moving = in_motion(s.in_state(qdd=s.still))
    return projection(s).forces(tree_forces(s.in_state(qd=moving.qd, qdd=moving.qdd, VP0=zeros(s.graph, 6))))
