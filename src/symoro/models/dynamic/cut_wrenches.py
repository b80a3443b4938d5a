"""The wrenches that the cut joints of closed loops carry (K10 § 4)."""

from __future__ import annotations

from symoro.ir.blocks import solve
from symoro.ir.extract import Result
from symoro.models.dynamic.constrained import in_found_motion
from symoro.models.dynamic.open_tree import forces
from symoro.models.loops.constraint import Loops
from symoro.symbols import Symbols


def cut_wrenches(s: Symbols) -> list[Result]:
    """FC: [f; m] in each cut joint, on the side of the cut joint's frame, at and along the frame of its mate.

    The passive joints give no torque beyond their springs, Γ_p = Wpᵀ F: what the loops' independent rows can carry.
    Of a loop that carries more than its motion needs (a planar one, out of its plane), the rest is taken as 0.
    """
    loops, torques = Loops(s), forces(in_found_motion(s))
    Wp = loops.table(loops.rows, loops.dependent)
    found = solve(s.graph, [list(row) for row in zip(*Wp, strict=True)], [[torques[j]] for j in loops.dependent])
    assert found is not None  # the rows are independent
    values = {(loop.cut.index, row): x for (loop, row), (x,) in zip(loops.chosen, found, strict=True)}
    cuts = [loop.cut.index for loop in loops.loops]
    elements = tuple(values.get((k, row), s.graph.zero) for k in cuts for row in range(6))
    names = tuple(f"{letters}{axis}_{k}" for k in cuts for letters in ("FC", "MC") for axis in (1, 2, 3))
    return [Result("FC", (len(cuts), 6), elements, names)]
