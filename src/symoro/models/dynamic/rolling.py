"""Dynamics of a robot on wheels that roll without slipping: the motors of wheels and arms move the base too.

V0 and VP0 are the base's velocity and acceleration. The equations are those of the tree on a free base (K10:83),
projected on the joints with motors; the ground holds the base on its plane.
"""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector
from symoro.models.dynamic.moving_base import BASE_ACCELERATION
from symoro.models.dynamic.moving_base_matrix import free_base_matrix, tree_forces
from symoro.models.dynamic.projection import Projection, accelerations, driven, inertia_result
from symoro.models.kinematic.rolling import VX, VY, WZ, Rolling
from symoro.symbols import Symbols

BASE_VELOCITY = ("V10", "V20", "V30", "W10", "W20", "W30")


def inverse_dynamics(s: Symbols) -> list[Result]:
    """V0 and VP0 of the base, GAM of the driven joints."""
    rolling = Rolling(s)
    moving = in_motion(s, rolling)
    GAM = projection(s, rolling).forces(tree_forces(moving))
    return [*base_results(moving), driven(s, "GAM", GAM)]


def direct_dynamics(s: Symbols) -> list[Result]:
    """V0 and VP0 of the base, QDP of the driven joints."""
    rolling = Rolling(s)
    qdd = accelerations(s, closed_matrix(s, rolling), bias_forces(s, rolling))
    moving = in_motion(s.in_state(qdd=s.qdd | qdd), rolling)
    return [*base_results(moving), driven(s, "QDP", qdd)]


def inertia_matrix(s: Symbols) -> list[Result]:
    """A of the driven joints."""
    return [inertia_result(s, closed_matrix(s, Rolling(s)))]


def bias(s: Symbols) -> list[Result]:
    """H of the driven joints."""
    return [driven(s, "H", bias_forces(s, Rolling(s)))]


def projection(s: Symbols, rolling: Rolling) -> Projection:
    """On the joints with motors."""
    return Projection(s, rolling.G, s.driven)


def closed_matrix(s: Symbols, rolling: Rolling) -> dict[tuple[int, int], Expr]:
    """Gᵀ A G of the tree on a free base."""
    return projection(s, rolling).inertia(free_base_matrix(s))


def bias_forces(s: Symbols, rolling: Rolling) -> dict[int, Expr]:
    """Γ for q̈ = 0."""
    still = in_motion(s.in_state(qdd=s.still), rolling)
    return projection(s, rolling).forces(tree_forces(still))


def in_motion(s: Symbols, rolling: Rolling) -> Symbols:
    """The letters with the velocities and accelerations that rolling gives to base and joints."""
    rolling = Rolling(s) if rolling.s is not s else rolling
    u, a = rolling.velocities(), rolling.accelerations()
    V0 = Vector(s.graph, (u[VX], u[VY], 0, 0, 0, u[WZ]))
    turning = Vector(s.graph, (-(u[WZ] * u[VY]), u[WZ] * u[VX], 0, 0, 0, 0))  # ω × v: VP0 is no change of components
    VP0 = Vector(s.graph, (a[VX], a[VY], 0, 0, 0, a[WZ])) + turning
    joints = {"qd": s.qd | _joints(s, u), "qdd": s.qdd | _joints(s, a)}
    return s.in_state(**joints, V0=V0, VP0=VP0)


def _joints(s: Symbols, u: dict[int, Expr]) -> dict[int, Expr]:
    return {j: u[j] for j in s.movable}


def base_results(s: Symbols) -> list[Result]:
    """V0 and VP0."""
    V0, VP0 = s.state.V0, s.state.VP0
    return [Result("V0", (6,), tuple(V0), BASE_VELOCITY), Result("VP0", (6,), tuple(VP0), BASE_ACCELERATION)]
