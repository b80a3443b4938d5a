"""H, the torques that remain without joint accelerations, by Newton-Euler (K97 § 5.3.1)."""

from __future__ import annotations

from itertools import chain

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import total
from symoro.models.dynamic.drives import drive_terms
from symoro.models.dynamic.newton_euler import Motion, along_axis, link_wrenches
from symoro.models.results import by_joint
from symoro.symbols import Symbols


def bias(s: Symbols) -> list[Result]:
    """H of Γ = A q̈ + H: velocities, gravity, friction, the base's motion and external wrenches (K97:25)."""
    return [by_joint(s, "H", bias_torques(s))]


def bias_torques(s: Symbols) -> dict[int, Expr]:
    """Γ for q̈ = 0."""
    still = dict.fromkeys((0, *s.outward), s.graph.zero)
    H = {}
    for j, f, m in link_wrenches(s, Motion(qdd=still)):
        H[j] = total(s.graph, chain([along_axis(s, j, f, m)], drive_terms(s, j, still)))
    return H


def coriolis_torques(s: Symbols) -> list[Result]:
    """C q̇, the Coriolis and centrifugal torques on a base that stands still: Γ for q̈ = 0 and g = 0."""
    still = dict.fromkeys((0, *s.outward), s.graph.zero)
    motion = Motion(qdd=still, gravity=False, base=False, loaded=False)
    return [by_joint(s, "CQP", {j: along_axis(s, j, f, m) for j, f, m in link_wrenches(s, motion)})]
