"""Static torques: those that hold the links against gravity, and against external wrenches."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.jacobian import jacobian
from symoro.ir.linalg import Vector
from symoro.models.dynamic.composite_links import composite_moments
from symoro.models.dynamic.energies import potential
from symoro.models.dynamic.newton_euler import along_axis, link_torques
from symoro.models.recursion import six
from symoro.models.results import by_joint

# Q, the torques that hold the links against gravity: three ways.


def gravity_by_newton_euler(s: Symbols) -> list[Result]:
    """Γ when nothing moves (K97:23)."""
    return [by_joint(s, "Q", link_torques(s.at_rest))]


def gravity_by_composite_links(s: Symbols) -> list[Result]:
    """The weight of the composite link, at its centre of mass (L91:58)."""
    return [by_joint(s, "Q", gravity_torques(s))]


def gravity_torques(s: Symbols) -> dict[int, Expr]:
    """Q of every movable joint and free link."""
    whole, g = composite_moments(s), {0: s.g}
    Q: dict[int, Expr] = {}
    for j in s.outward:
        g[j] = s.name("G", j, s.R[j].T @ g[s.parent[j]])
        if j in s.free:
            (M, MS), above = whole[j], g[s.parent[j]]
            Q |= dict(zip(six(j), (*(-(M * above)), *above.cross(s.R[j] @ MS)), strict=True))
        if j in s.movable:
            M, (MX, MY, _) = whole[j]
            Q[j] = MY * g[j][0] - MX * g[j][1] if s.revolute[j] else -(M * g[j][2])  # (L91:58)
    return Q


def gravity_by_lagrange(s: Symbols) -> list[Result]:
    """∂U/∂q (K13:7.8)."""
    (row,) = jacobian(s.graph, [potential(s)], [s.q[j] for j in s.movable], "reverse")
    return [by_joint(s, "Q", dict(zip(s.movable, row, strict=True)))]


# The torques that external wrenches and gravity ask for when nothing moves.


def wrench_terms(s: Symbols) -> dict[int, list[Expr]]:
    """Joint -> the torque that holds the wrenches of the links on the environment, Jᵀ f (K13:7.30); nothing without."""
    terms: dict[int, list[Expr]] = {j: [] for j in s.movable}
    if s.wrench_links:
        for j, (f, m) in carried_wrenches(s).items():
            if j in s.movable:
                terms[j].append(along_axis(s, j, f, m))
    return terms


def carried_wrenches(s: Symbols) -> dict[int, tuple[Vector, Vector]]:
    """The sum of the wrenches on the environment of link j and of all that hangs on it, in frame j."""
    wrenches: dict[int, tuple[Vector, Vector]] = {}
    for j in s.inward:
        f, m = s.force[j], s.moment[j]
        for k in s.children[j]:
            fi = s.name("FE", k, s.R[k] @ wrenches[k][0])
            f, m = f + fi, m + s.R[k] @ wrenches[k][1] + s.P[k].cross(fi)
        wrenches[j] = s.name("EE", j, f), s.name("NN", j, m)
    return wrenches
