"""Inverse dynamics by Lagrange's equations: the energies are differentiated (K13:7.4)."""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.jacobian import jacobian, rates
from symoro.ir.linalg import total
from symoro.models.dynamic.drives import friction_of_joint
from symoro.models.dynamic.energies import kinetic, potential
from symoro.models.dynamic.statics import wrench_terms
from symoro.models.results import by_joint
from symoro.symbols import Symbols


def inverse_dynamics(s: Symbols) -> list[Result]:
    """Γ = d/dt ∂E/∂q̇ − ∂(E − U)/∂q, with friction and external wrenches added (K13:7.4, 7.28, 7.30)."""
    q, qd = [s.q[j] for j in s.movable], [s.qd[j] for j in s.movable]
    E, U = kinetic(s), potential(s)
    (momenta,) = jacobian(s.graph, [E], qd, "reverse")
    (forces,) = jacobian(s.graph, [E - U], q, "reverse")
    changes, loads = rates(s.graph, momenta, velocities(s)), wrench_terms(s)
    GAM = {}
    for j, change, force in zip(s.movable, changes, forces, strict=True):
        GAM[j] = total(s.graph, (change, -force, *loads[j], *friction_of_joint(s, j)))
    return [by_joint(s, "GAM", GAM)]


def velocities(s: Symbols) -> dict[Expr, Expr]:
    """The rates of q, of q̇ and of the base's velocity, whose components are along axes that turn with the base."""
    moving = [(s.q[j], s.qd[j]) for j in s.movable] + [(s.qd[j], s.qdd[j]) for j in s.movable]
    if not s.state.V0.is_zero:
        linear = s.vd0 - s.w0.cross(s.v0)
        moving += [*zip(s.v0, linear, strict=True), *zip(s.w0, s.wd0, strict=True)]
    return dict(moving)
