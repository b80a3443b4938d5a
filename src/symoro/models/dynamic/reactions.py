"""The wrenches that the links exchange at the joints: force and moment on link j from its antecedent, in frame j."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.bind.symbols import Symbols
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector
from symoro.models.dynamic.articulated_body import solve
from symoro.models.dynamic.constrained import (
    as_results,
    direct_accelerations,
    in_found_motion,
    with_accelerations,
)
from symoro.models.dynamic.cut_wrenches import on_links
from symoro.models.dynamic.direct import accelerations
from symoro.models.dynamic.newton_euler import link_wrenches
from symoro.models.families import constraint_of
from symoro.models.results import by_joint


def reactions(s: Symbols) -> list[Result]:
    """[f; m] of every link for given accelerations (K97:17-19)."""
    return [as_result(s, {j: (f, m) for j, f, m in link_wrenches(s)})]


def by_recursion(s: Symbols) -> list[Result]:
    """Accelerations and [f; m] of every link for given torques (K10:41-43)."""
    qdd, wrenches = solve(s)
    return [by_joint(s, "QDP", qdd), as_result(s, {j: (w.linear, w.angular) for j, w in wrenches.items()})]


def by_inertia_matrix(s: Symbols) -> list[Result]:
    """The same through A and H, then Newton-Euler with the accelerations found."""
    qdd = accelerations(s)
    moving = s.in_state(qdd=s.still | qdd)
    return [by_joint(s, "QDP", qdd), as_result(s, {j: (f, m) for j, f, m in link_wrenches(moving)})]


def of_constrained(s: Symbols) -> list[Result]:
    """[f; m] of every link, with what the cut joints of closed loops carry; passive joints and base move freely.

    Where a loop carries more than its motion needs (a planar one, out of its plane), the cut joint is taken to carry
    nothing of it.
    """
    return [as_result(s, _with_cuts(s, in_found_motion(s)))]


def direct_of_constrained(s: Symbols) -> list[Result]:
    """The accelerations of the coordinates that are left and [f; m] of every link, for the torques of the motors."""
    c, accelerations = constraint_of(s), direct_accelerations(s)
    return [*as_results(c, accelerations), as_result(s, _with_cuts(s, with_accelerations(c, accelerations)))]


def _with_cuts(s: Symbols, moving: Symbols) -> dict[int, tuple[Vector, Vector]]:
    held = moving.in_state(wrench=on_links(s, moving)) if s.robot.closures else moving
    return {j: (f, m) for j, f, m in link_wrenches(held)}


def as_result(s: Symbols, wrenches: Mapping[int, tuple[Vector, Vector]]) -> Result:
    """A row of 6 for each link, in index order."""
    links = sorted(wrenches)
    elements = tuple(x for j in links for x in (*wrenches[j][0], *wrenches[j][1]))
    names = tuple(f"{letters}{row}{s.label[j]}" for j in links for letters in ("E", "N") for row in (1, 2, 3))
    return Result("R", (len(links), 6), elements, names)
