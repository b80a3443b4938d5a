"""The equations A u̇ + H = f of an open tree in all its coordinates, base and joints; a layout says in which form.

Without a layout it is the papers' own form: Newton-Euler and composite links (K97 § 5), on a base whose motion is
unknown the recursions of K10 § 7. With a layout it is the lean form.
"""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector, total
from symoro.models.constraint import BASE, Entries, coordinates
from symoro.models.dynamic.articulated_body import Spatial
from symoro.models.dynamic.bodies import as_blocks, rows, wrench_of
from symoro.models.dynamic.composite_links import composite_entries, composite_links, unit_wrench, with_rotors
from symoro.models.dynamic.drives import drive_terms, spring
from symoro.models.dynamic.hybrid import HybridRecursion
from symoro.models.dynamic.lean.inertia_matrix import entries
from symoro.models.dynamic.lean.layout import Layout, Weighing
from symoro.models.dynamic.lean.newton_euler import torques
from symoro.models.dynamic.newton_euler import along_axis, joint_torques
from symoro.symbols import Symbols


def matrix(s: Symbols, layout: Weighing | None = None) -> Entries:
    """A with both halves, rotors included."""
    half = entries(s, layout) if layout else composite_entries(s) | _base_rows(s)
    A = with_rotors(s, half)
    every = coordinates(s)
    return {(i, k): A.get((i, k)) or A.get((k, i)) or s.graph.zero for i in every for k in every}


def forces(s: Symbols, layout: Layout | None = None, springs: bool = True) -> dict[int, Expr]:
    """f: what the motion of the symbols' state needs at every coordinate, less what springs give where asked."""
    found = torques(s, layout) if layout else _forces_on_base(s) if s.robot.base.free else joint_torques(s)
    return {i: found[i] - spring(s, i) if springs and i > 0 else found[i] for i in coordinates(s)}


def _forces_on_base(s: Symbols) -> dict[int, Expr]:
    """The wrench on a base whose motion is unknown, and Γ of every joint (K10 § 7)."""
    motion = _recursions(s)
    motion.VP[0] = Spatial(s.vd0 - s.g, s.wd0)
    motion.accelerate()
    base = wrench_of(motion.J[0], motion.VP[0]) - motion.beta[0]
    found = dict(zip(BASE, (*base.linear, *base.angular), strict=True))
    for j in s.movable:
        wrench = motion.wrench[j]
        found[j] = total(s.graph, (along_axis(s, j, wrench.linear, wrench.angular), *drive_terms(s, j)))
    return found


def _recursions(s: Symbols) -> HybridRecursion:
    """Outward and inward with given accelerations of all joints: 𝕁_0 of the composite link 0, and its β."""
    motion = HybridRecursion(s, {}, dict(s.qdd), free_base=True)
    motion.outward()
    motion.inward()
    return motion


def _base_rows(s: Symbols) -> dict[tuple[int, int], Expr]:
    """A11 is the composite link 0, A12 the wrenches of A22's columns on the base (K10:84); 0 rows on a known base."""
    if not s.robot.base.free:
        return {}
    blocks = rows(as_blocks(_recursions(s.in_state(qdd=s.still)).J[0]))
    A = {(i, k): x for i, row in zip(BASE, blocks, strict=True) for k, x in zip(BASE, row, strict=True)}
    return A | {(i, j): x for j, wrench in _on_base(s).items() for i, x in zip(BASE, wrench, strict=True)}


def _on_base(s: Symbols) -> dict[int, Vector]:
    """[f; m] at the origin of frame 0 when joint j alone accelerates, by 1."""
    whole, found = composite_links(s), {}
    for j in s.movable:
        (f, m), k = unit_wrench(s, j, whole[j]), j
        while k != 0:
            f = s.R[k] @ f
            m = s.R[k] @ m + s.P[k].cross(f)
            k = s.parent[k]
        found[j] = Vector(s.graph, (*f, *m))
    return found
