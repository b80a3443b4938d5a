"""The wrenches that the cut joints of closed loops carry (K10 § 4)."""

from __future__ import annotations

from symoro.ir.blocks import solve
from symoro.ir.extract import Result
from symoro.ir.linalg import Vector
from symoro.models.dynamic.constrained import in_found_motion
from symoro.models.dynamic.open_tree import forces
from symoro.models.families import constraint_of
from symoro.models.loops.constraint import Loops
from symoro.models.loops.equations import LoopEquations
from symoro.symbols import Symbols


def cut_wrenches(s: Symbols) -> list[Result]:
    """FC: [f; m] in each cut joint, on the side of the cut joint's frame, at and along the frame of its mate."""
    found = in_cuts(s, in_found_motion(s))
    elements = tuple(x for _, wrench in found for x in wrench)
    cuts = [loop.cut.index for loop, _ in found]
    names = tuple(f"{letters}{axis}_{k}" for k in cuts for letters in ("FC", "MC") for axis in (1, 2, 3))
    return [Result("FC", (len(cuts), 6), elements, names)]


def in_cuts(s: Symbols, moving: Symbols) -> list[tuple[LoopEquations, Vector]]:
    """[f; m] in the cut joint of each loop, in this motion of the open tree.

    The passive joints give no torque beyond their springs: C_dᵀ λ = Γ_d of the dependent coordinates, and the
    multipliers λ of the loops' rows are components of the wrenches. Of a loop that carries more than its motion needs
    (a planar one, out of its plane), the rest is taken as 0.
    """
    c, loops, needed = constraint_of(s), Loops(s), forces(moving)
    rows = c.table(c.rows, c.dependent)
    found = solve(s.graph, [list(row) for row in zip(*rows, strict=True)], [[needed[k]] for k in c.dependent])
    assert found is not None  # the rows are independent
    own = zip(loops.chosen, found, strict=False)  # the loops' rows come first
    values = {(loop.cut.index, row): x for (loop, row), (x,) in own}
    return [
        (loop, Vector(s.graph, (values.get((loop.cut.index, row), s.graph.zero) for row in range(6))))
        for loop in loops.loops
    ]


def on_links(s: Symbols, moving: Symbols) -> dict[int, Vector]:
    """The wrenches of links on their environment, those in the cut joints among them.

    A cut joint's wrench acts on the antecedent link of the cut joint, and with the opposite sign on the mate's link.
    """
    acting = dict(moving.state.wrench)
    for loop, wrench in in_cuts(s, moving):
        for link, way in ((loop.cut.parent, -wrench), (_carrier(s, loop.loop.cut.mate), wrench)):
            if link > 0:
                at = loop.frame(link)  # seen from the mate
                f = at.A.T @ way[:3]
                m = at.A.T @ (way[3:] - at.P.cross(way[:3]))
                moved = Vector(s.graph, (*f, *m))
                acting[link] = acting[link] + moved if link in acting else moved
    return acting


def _carrier(s: Symbols, frame: int) -> int:
    """The link that carries a mate, which may be fixed on another mate."""
    while frame > s.robot.link_count:
        frame = s.parent[frame]
    return frame
