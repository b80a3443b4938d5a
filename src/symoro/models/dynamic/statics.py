"""The torques that external wrenches and gravity ask for when nothing moves."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector
from symoro.models.dynamic.newton_euler import along_axis


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
