"""The wrenches that links exchange at the joints, and those that cut joints of closed loops carry."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.bind.symbols import Symbols
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector
from symoro.models.constraint import Rows
from symoro.models.dynamic.articulated_body import solve
from symoro.models.dynamic.constrained import (
    as_results,
    direct_accelerations,
    in_found_motion,
    with_accelerations,
)
from symoro.models.dynamic.direct import accelerations
from symoro.models.dynamic.newton_euler import link_wrenches
from symoro.models.dynamic.open_tree import forces
from symoro.models.families import constraint_of
from symoro.models.loops.constraint import Loops
from symoro.models.loops.equations import LoopEquations
from symoro.models.results import by_joint

# The wrenches that the cut joints of closed loops carry (K10 § 4).


def cut_wrenches(s: Symbols, least_norm: bool) -> list[Result]:
    """FC: [f; m] in each cut joint, on the side of the cut joint's frame, at and along the frame of its mate.

    FK: [f; m] of each leg on a platform, at its attachment and in frame 0.
    `least_norm`: of those that rigid bodies do not determine, the least Σ |f|² + |m|² over cut joints or attachments.
    """
    if s.free:
        c = constraint_of(s)
        rows = c.wrenches(forces(in_found_motion(s)), least_norm)
        names = tuple(f"{letter}{k}_{i + 1}" for i in range(len(rows)) for letter in ("FK", "NK") for k in (1, 2, 3))
        return [Result("FK", (len(rows), 6), tuple(x for row in rows for x in row), names)]
    wrenches = in_cuts(s, in_found_motion(s), least_norm)
    elements = tuple(x for _, wrench in wrenches for x in wrench)
    cuts = [loop.cut.index for loop, _ in wrenches]
    names = tuple(f"{letters}{axis}_{k}" for k in cuts for letters in ("FC", "MC") for axis in (1, 2, 3))
    return [Result("FC", (len(cuts), 6), elements, names)]


def in_cuts(s: Symbols, moving: Symbols, least_norm: bool = False) -> list[tuple[LoopEquations, Vector]]:
    """[f; m] in the cut joint of each loop, in this motion of the open tree.

    The passive joints give no torque beyond their springs: C_dᵀ λ = Γ_d of the dependent coordinates, and the
    multipliers λ of the loops' rows are components of the wrenches. Of a loop that carries more than its motion needs
    (a planar one, out of its plane), the rest is taken as 0; with `least_norm`, as what makes the wrenches least.
    """
    c = constraint_of(s)
    assert isinstance(c, Rows)  # that of loops
    multipliers, loops = c.multipliers(forces(moving)), Loops(s)
    return loops.least(multipliers, c) if least_norm else loops.in_cuts(multipliers)  # the loops' rows come first


def on_links(s: Symbols, moving: Symbols) -> dict[int, Vector]:
    """The wrenches of links on their environment, those in the cut joints among them.

    A cut joint's wrench acts on the antecedent link of the cut joint, and with the opposite sign on the mate's link.
    """
    acting = dict(moving.state.wrench)
    if s.free:
        return _together(acting, constraint_of(s).on_links(forces(moving)))
    return _together(acting, Loops(s).on_bars(in_cuts(s, moving)))


def _together(acting: dict[int, Vector], more: Mapping[int, Vector]) -> dict[int, Vector]:
    return acting | {link: acting[link] + x if link in acting else x for link, x in more.items()}


# The wrenches that the links exchange at the joints: force and moment on link j from its antecedent, in frame j.


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
