"""H, the torques that remain without joint accelerations, by Newton-Euler (K97 § 5.3.1)."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import zeros
from symoro.models.dynamic.newton_euler import joint_torques, link_torques
from symoro.models.results import by_joint


def bias(s: Symbols) -> list[Result]:
    """H of Γ = A q̈ + H: velocities, gravity, friction, the base's motion and external wrenches (K97:25)."""
    return [by_joint(s, "H", bias_torques(s))]


def bias_torques(s: Symbols) -> dict[int, Expr]:
    """Γ for q̈ = 0."""
    return joint_torques(s.in_state(qdd=s.still))


def coriolis_torques(s: Symbols) -> list[Result]:
    """C q̇, the Coriolis and centrifugal torques on a base that stands still: Γ for q̈ = 0 and g = 0."""
    none = zeros(s.graph, 6)
    alone = s.in_state(qdd=s.still, V0=none, VP0=none, g=none[:3], wrench={})
    return [by_joint(s, "CQP", link_torques(alone))]
