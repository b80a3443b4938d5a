"""Dynamics of closed loops: the equivalent tree's torques, projected on the active joints (K10 § 4, K97 § 5.2)."""

from __future__ import annotations

from itertools import chain

from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import total
from symoro.models.dynamic.drives import drive_terms
from symoro.models.dynamic.elastic import spring
from symoro.models.dynamic.inertia_matrix import composite_entries, with_rotors
from symoro.models.dynamic.newton_euler import along_axis, link_wrenches
from symoro.models.dynamic.projection import Projection, accelerations, driven, inertia_result
from symoro.models.loops.constraint import Constraints
from symoro.symbols import Symbols


def inverse_dynamics(s: Symbols) -> list[Result]:
    """GAM of the active joints for their velocities and accelerations."""
    return [driven(s, "GAM", projection(s).forces(tree_torques(in_motion(s))))]  # (K10:55)


def direct_dynamics(s: Symbols) -> list[Result]:
    """QDP of the active joints for their torques."""
    return [driven(s, "QDP", accelerations(s, closed_matrix(s), bias_torques(s)))]


def inertia_matrix(s: Symbols) -> list[Result]:
    """A_c of the active joints (K10:58)."""
    return [inertia_result(s, closed_matrix(s))]


def bias(s: Symbols) -> list[Result]:
    """H_c of the active joints (K10:58)."""
    return [driven(s, "H", bias_torques(s))]


def cut_wrenches(s: Symbols) -> list[Result]:
    """FC: [f; m] in each cut joint, on the side of the cut joint's frame, at and along the frame of its mate.

    The passive joints give no torque beyond their springs, Γ_p = Wpᵀ F: what the loops' independent rows can carry.
    Of a loop that carries more than its motion needs (a planar one, out of its plane), the rest is taken as 0.
    """
    loops, torques = Constraints(s), tree_torques(in_motion(s))
    across = [list(row) for row in zip(*loops.Wp, strict=True)]
    found = solve(s.graph, across, [[torques[j]] for j in s.free])
    assert found is not None  # the rows are independent
    values = {(loop.cut.index, row): x for (loop, row), (x,) in zip(loops.rows, found, strict=True)}
    cuts = [loop.cut.index for loop in loops.loops]
    elements = tuple(values.get((k, row), s.graph.zero) for k in cuts for row in range(6))
    names = tuple(f"{letters}{axis}_{k}" for k in cuts for letters in ("FC", "MC") for axis in (1, 2, 3))
    return [Result("FC", (len(cuts), 6), elements, names)]


def projection(s: Symbols) -> Projection:
    """G = ∂q_tr/∂q_a (K10:56)."""
    return Projection(s, joint_rows(s), s.driven)


def joint_rows(s: Symbols) -> dict[int, dict[int, Expr]]:
    """The rows of G, joint of the tree -> active joint -> element."""
    rows = zip(s.movable, Constraints(s).G, strict=True)
    return {j: {a: x for a, x in zip(s.driven, row, strict=True) if not x.is_zero} for j, row in rows}


def closed_matrix(s: Symbols) -> dict[tuple[int, int], Expr]:
    """A_c = Gᵀ A G."""
    A = with_rotors(s, composite_entries(s))
    return projection(s).inertia({**{(k, j): x for (j, k), x in A.items()}, **A})


def bias_torques(s: Symbols) -> dict[int, Expr]:
    """H_c: the torques without acceleration of the active joints; the passive ones accelerate all the same."""
    return projection(s).forces(tree_torques(in_motion(s.in_state(qdd=s.still))))


def in_motion(s: Symbols) -> Symbols:
    """The letters with the velocities and accelerations that the loops give to all joints (K97:12-14)."""
    loops = Constraints(s)
    return s.in_state(qd=s.qd | loops.velocities, qdd=s.qdd | loops.joint_accelerations())


def tree_torques(s: Symbols) -> dict[int, Expr]:
    """Γ_tr of all joints of the tree, less what springs give."""
    found = {}
    for j, f, m in link_wrenches(s):
        found[j] = total(s.graph, chain([along_axis(s, j, f, m)], drive_terms(s, j)))
    return {j: found[j] - spring(s, j) for j in s.movable}
