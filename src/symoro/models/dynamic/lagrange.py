"""Inverse dynamics by Lagrange's equations: the energies are differentiated (K13:7.4)."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.jacobian import jacobian, rates
from symoro.ir.linalg import total
from symoro.models.constraint import at_variables
from symoro.models.dynamic.drives import friction_of_joint
from symoro.models.dynamic.energies import kinetic, potential
from symoro.models.dynamic.statics import wrench_terms
from symoro.models.families import constraint_of
from symoro.models.results import by_joint


def inverse_dynamics(s: Symbols) -> list[Result]:
    """Γ = d/dt ∂E/∂q̇ − ∂(E − U)/∂q, with friction and external wrenches added (K13:7.4, 7.28, 7.30)."""
    q, qd = [s.q[j] for j in s.variables], [s.qd[j] for j in s.variables]
    E, U = kinetic(s), potential(s)
    (momenta,) = jacobian(s.graph, [E], qd, "reverse")
    (forces,) = jacobian(s.graph, [E - U], q, "reverse")
    changes = rates(s.graph, momenta, velocities(s))
    loads = at_variables(s, {j: total(s.graph, terms) for j, terms in wrench_terms(s).items()})
    GAM = {}
    for j, change, force in zip(s.variables, changes, forces, strict=True):
        GAM[j] = total(s.graph, (change, -force, loads.get(j, s.graph.zero), *friction_of_joint(s, j)))
    return [by_joint(s, "GAM", GAM)]


def with_functions(s: Symbols) -> list[Result]:
    """The same for coordinates that are functions of the variables; loops, wheels and passive joints are refused."""
    if s.robot.base.free or s.active != s.variables or constraint_of(s).left != s.variables:
        raise NotApplicable("dynamics.method_for_trees", robot=s.robot.name)
    return inverse_dynamics(s)


def velocities(s: Symbols) -> dict[Expr, Expr]:
    """The rates of q, of q̇ and of the base's velocity, whose components are along axes that turn with the base."""
    moving = [(s.q[j], s.qd[j]) for j in s.variables] + [(s.qd[j], s.qdd[j]) for j in s.variables]
    if not s.state.V0.is_zero:
        linear = s.vd0 - s.w0.cross(s.v0)
        moving += [*zip(s.v0, linear, strict=True), *zip(s.w0, s.wd0, strict=True)]
    return dict(moving)
