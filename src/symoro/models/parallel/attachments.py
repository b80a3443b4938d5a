"""The forces in the attachments of a parallel robot."""

from __future__ import annotations

from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector
from symoro.models.parallel.dynamics import Motion, motor_torques, wrench
from symoro.models.parallel.mechanism import Mechanism


def attachment_forces(m: Mechanism, motion: Motion) -> list[Vector]:
    """f_i of Σ J_viᵀ f_i = F_p, as a wrench at the attachment in frame 0.

    Along the chosen rows of a leg f_i = J_i⁻ᵀ (τ_i − Γ_i − …), with the forces λ along its free rows. These follow from
    Dᵀ Γ + Cᵀ λ = W where the constraints are independent.
    """
    constraints = sum(len(leg.free) for leg in m.legs)
    if constraints > len(m.structure.kept):
        raise NotApplicable(
            f"{m.of.robot.name} has {constraints} constraints of which {len(m.structure.kept)} are independent: the "
            "forces in its attachments are not determined by rigid bodies"
        )
    GAM = dict(zip(m.of.robot.motors, motor_torques(m, motion), strict=True))
    multipliers = iter(_multipliers(m, motion, list(GAM.values())))
    found = []
    for i, leg in enumerate(m.legs):
        free: dict[int, Expr] = {k: next(multipliers) for k in leg.free}
        left = {}
        for n, j in enumerate(leg.s.variables):
            rest = GAM.get((i, j), m.graph.zero) - motion.torques[i][j]
            for k, x in free.items():
                rest = rest - leg.J[k][n] * x
            left[j] = rest
        f, moment = leg.wrench(leg.forces(left) | free)
        found.append(Vector(m.graph, (*f, *moment)))
    return found


def _multipliers(m: Mechanism, motion: Motion, GAM: list[Expr]) -> list[Expr]:
    """λ of Cᵀ λ = W − Dᵀ Γ, from the components that the constraints determine."""
    if not m.reduced:
        return []
    rest = wrench(m, motion) - m.D.T @ Vector(m.graph, GAM)
    dependent = m.structure.dependent
    rows = Matrix(m.graph, ((row[k] for row in m.C) for k in dependent))
    return list(m.graph.solve([list(row) for row in rows], [rest[k] for k in dependent]))
