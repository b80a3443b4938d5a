"""The torques of the motors where transmissions couple them (K13 § 7.3.7)."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector
from symoro.models.dynamic.drives import coupling
from symoro.models.dynamic.newton_euler import joint_torques
from symoro.models.results import by_joint
from symoro.symbols import Symbols


def motor_torques(s: Symbols) -> list[Result]:
    """τm = Jqmᵀ Γ, with Γ by Newton-Euler."""
    return at_motors(s, joint_torques(s))


def at_motors(s: Symbols, GAM: Mapping[int, Expr]) -> list[Result]:
    """τm = Jqmᵀ Γ (K13:7.33); Γ itself where each motor drives its own joint."""
    torques = Vector(s.graph, (GAM[j] for j in s.movable))
    if s.robot.coupling:
        torques = coupling(s).T @ torques
    return [by_joint(s, "TAUM", dict(zip(s.movable, torques, strict=True)))]
