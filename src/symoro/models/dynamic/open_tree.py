"""The equations A u̇ + H = f of an open tree in all its coordinates, base and joints; a layout says in which form.

Without a layout it is the papers' own form: Newton-Euler and composite links (K97 § 5), on a base whose motion is
unknown the recursions of K10 § 7. With a layout it is the lean form.
"""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector, total
from symoro.models.constraint import BASE, Entries, at_variables, coordinates
from symoro.models.dynamic.articulated_body import Spatial
from symoro.models.dynamic.bodies import as_blocks, rows, wrench_of
from symoro.models.dynamic.composite_links import (
    composite_entries,
    composite_links,
    free_entries,
    free_wrenches,
    unit_wrench,
    with_rotors,
)
from symoro.models.dynamic.drives import drive_terms, spring
from symoro.models.dynamic.hybrid import HybridRecursion
from symoro.models.dynamic.lean.inertia_matrix import entries
from symoro.models.dynamic.lean.layout import InertiaLayout, RecursionLayout
from symoro.models.dynamic.lean.newton_euler import efforts
from symoro.models.dynamic.newton_euler import at_joint, link_torques


def matrix(s: Symbols, layout: InertiaLayout | None = None) -> Entries:
    """A with both halves, rotors included."""
    half = _lean_entries(s, layout) if layout else composite_entries(s) | _base_rows(s)
    A = with_rotors(s, half if s.plain else _matrix_at_variables(s, half))
    every = coordinates(s)
    return {(i, k): A.get((i, k)) or A.get((k, i)) or s.graph.zero for i in every for k in every}


def _lean_entries(s: Symbols, layout: InertiaLayout) -> Entries:
    _require_lean(s)
    return entries(s, layout) | free_entries(s, composite_links(s, s.free))


def _matrix_at_variables(s: Symbols, half: Entries) -> Entries:
    """Fᵀ A F with F = ∂x/∂q; one half of it."""
    every = coordinates(s)
    joints = [*(k for k in every if k < 0), *s.movable]
    row = {k: s.slopes.get(k, {k: s.graph.one}) for k in joints}
    A = {(k, m): half.get((k, m)) or half.get((m, k)) or s.graph.zero for k in joints for m in joints}
    elements: Entries = {}
    for n, i in enumerate(every):
        for j in every[n:]:
            terms = (row[k][i] * A[k, m] * row[m][j] for k in joints for m in joints if i in row[k] and j in row[m])
            elements[i, j] = total(s.graph, terms)
    return elements


def forces(s: Symbols, layout: RecursionLayout | None = None, springs: bool = True) -> dict[int, Expr]:
    """f: what the motion of the symbols' state needs at every coordinate, less what springs give where asked."""
    return _with_drives(s, _efforts(s, layout), springs)


def forces_on_free_base(s: Symbols) -> tuple[Vector, dict[int, Expr]]:
    """VP0 of a base that nothing pushes, and f in the motion that it has then (K10:89-100)."""
    motion = HybridRecursion(s, {}, dict(s.acceleration), free_base=True).run()
    VP0 = Vector(s.graph, (*(motion.VP[0].linear + s.g), *motion.VP[0].angular))
    return VP0, _with_drives(s, dict.fromkeys(BASE, s.graph.zero) | _at_joints(motion))


def _with_drives(s: Symbols, links: dict[int, Expr], springs: bool = True) -> dict[int, Expr]:
    """What links need at every coordinate with what drives need, less what springs give where asked."""
    torques = at_variables(s, links)
    for i in s.variables:
        torques[i] = total(s.graph, (torques[i], *drive_terms(s, i)))  # (K97:20)
        torques[i] = torques[i] - spring(s, i) if springs else torques[i]
    return {i: torques[i] for i in coordinates(s)}


def _efforts(s: Symbols, layout: RecursionLayout | None) -> dict[int, Expr]:
    """What the links need, before drives and springs. A free link has no choices: it is in its own frame always."""
    if layout:
        _require_lean(s)
        return efforts(s, layout) | link_torques(s, s.free)
    return _efforts_with_base(s) if s.robot.base.free else link_torques(s)


def _require_lean(s: Symbols) -> None:
    """The lean form of the legs has neither a base whose motion is unknown below a free link, nor joints on it."""
    if any(s.children[j] for j in s.free):
        raise NotApplicable("dynamics.no_lean_form_with_joints", robot=s.robot.name)
    if s.free and s.robot.base.free:
        raise NotApplicable("dynamics.no_lean_form_on_free_base", robot=s.robot.name)


def _efforts_with_base(s: Symbols) -> dict[int, Expr]:
    """The wrench on a base whose motion is unknown, and the torque of the links at every joint (K10 § 7)."""
    motion = _recursions(s)
    motion.VP[0] = Spatial(s.vd0 - s.g, s.wd0)
    motion.accelerate()
    base = wrench_of(motion.J[0], motion.VP[0]) - motion.beta[0]
    return dict(zip(BASE, (*base.linear, *base.angular), strict=True)) | _at_joints(motion)


def _at_joints(motion: HybridRecursion) -> dict[int, Expr]:
    """The torques of the links at the joints, and the wrenches of free links."""
    s, wrench = motion.s, motion.wrench
    return {k: x for j in (*s.movable, *s.free) for k, x in at_joint(s, j, wrench[j].linear, wrench[j].angular)}


def _recursions(s: Symbols) -> HybridRecursion:
    """Outward and inward with given accelerations of all joints: 𝕁_0 of the composite link 0, and its β."""
    motion = HybridRecursion(s, {}, dict(s.acceleration), free_base=True)
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
    """[f; m] at the origin of frame 0 when a coordinate of a joint alone accelerates, by 1."""
    whole = composite_links(s)
    wrenches = {j: _carried(s, j, *unit_wrench(s, j, whole[j])) for j in s.movable}
    for j in s.free:
        for k, f, m in free_wrenches(s, j, whole[j]):
            wrenches[k] = _carried(s, s.parent[j], f, m + s.P[j].cross(f))
    return wrenches


def _carried(s: Symbols, j: int, f: Vector, m: Vector) -> Vector:
    """A wrench on link j at the origin of frame 0."""
    while j != 0:
        f = s.R[j] @ f
        m = s.R[j] @ m + s.P[j].cross(f)
        j = s.parent[j]
    return Vector(s.graph, (*f, *m))
