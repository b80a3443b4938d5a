"""The torques of the motors behind transmissions that reduce or couple them (K13 § 7.3.7)."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector
from symoro.models.dynamic.constrained import inverse_dynamics
from symoro.models.dynamic.drives import coupling
from symoro.models.dynamic.newton_euler import joint_torques
from symoro.models.results import by_joint


def motor_torques(s: Symbols) -> list[Result]:
    """τm = Jqmᵀ Γ, with Γ by Newton-Euler."""
    return at_motors(s, joint_torques(s))


def of_constrained(s: Symbols) -> list[Result]:
    """τm of the active joints, with Γ of the inverse model."""
    torques = Vector(s.graph, next((x.elements for x in inverse_dynamics(s) if x.name == "GAM"), ()))
    if s.robot.coupling:
        torques = _among_active(s).T @ torques
    return [by_joint(s, "TAUM", _reduced(s, dict(zip(s.active, torques, strict=True))), s.active)]


def _reduced(s: Symbols, torques: Mapping[int, Expr]) -> dict[int, Expr]:
    """The torques divided by the reductions that are given, which are not beside a coupling: Jqm is 1/N."""
    return {j: x if s.drive("N", j).is_zero else x / s.drive("N", j) for j, x in torques.items()}


def _among_active(s: Symbols) -> Matrix:
    """Jqm of the active joints. It must not mix them with passive joints: these have no motor to be coupled."""
    Jqm, places = coupling(s), {j: n for n, j in enumerate(s.variables)}
    mixed = ((i, k) for i in s.active for k in s.passive)
    if any(not Jqm[places[a], places[b]].is_zero for i, k in mixed for a, b in ((i, k), (k, i))):
        raise NotApplicable("dynamics.motors_coupled_with_passive", robot=s.robot.name)
    return Matrix(s.graph, ((Jqm[places[i], places[k]] for k in s.active) for i in s.active))


def at_motors(s: Symbols, GAM: Mapping[int, Expr]) -> list[Result]:
    """τm = Jqmᵀ Γ (K13:7.33); Γ / N where each motor drives its own joint."""
    torques = Vector(s.graph, (GAM[j] for j in s.variables))
    if s.robot.coupling:
        torques = coupling(s).T @ torques
    return [by_joint(s, "TAUM", _reduced(s, dict(zip(s.variables, torques, strict=True))))]
