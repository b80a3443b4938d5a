"""Q, the torques that hold the links against gravity: three ways."""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.jacobian import jacobian
from symoro.models.dynamic.composite_body import composite_moments
from symoro.models.dynamic.energies import potential
from symoro.models.dynamic.newton_euler import Motion, along_axis, link_wrenches
from symoro.models.results import by_joint
from symoro.symbols import Symbols


def by_newton_euler(s: Symbols) -> list[Result]:
    """Γ when nothing moves (K97:23)."""
    still = dict.fromkeys((0, *s.outward), s.graph.zero)
    motion = Motion(qd=still, qdd=still, base=False, loaded=False)
    return [by_joint(s, "Q", {j: along_axis(s, j, f, m) for j, f, m in link_wrenches(s, motion)})]


def by_composite_links(s: Symbols) -> list[Result]:
    """The weight of the composite link, at its centre of mass (L91:58)."""
    return [by_joint(s, "Q", gravity_torques(s))]


def gravity_torques(s: Symbols) -> dict[int, Expr]:
    """Q of every movable joint."""
    whole, g, Q = composite_moments(s), {0: s.g}, {}
    for j in s.outward:
        g[j] = s.name("G", j, s.R[j].T @ g[s.parent[j]])
        if j in s.movable:
            M, (MX, MY, _) = whole[j]
            Q[j] = MY * g[j][0] - MX * g[j][1] if s.revolute[j] else -(M * g[j][2])  # (L91:58)
    return Q


def by_lagrange(s: Symbols) -> list[Result]:
    """∂U/∂q (K13:7.8)."""
    (row,) = jacobian(s.graph, [potential(s)], [s.q[j] for j in s.movable], "reverse")
    return [by_joint(s, "Q", dict(zip(s.movable, row, strict=True)))]
