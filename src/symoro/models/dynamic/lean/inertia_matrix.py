"""The inertia matrix by composite links on second moments: a column is read off the composite that is turned anyway.

The wrench of a unit acceleration about the axis a of composite link j is f = a × MS, m = K-moment of â; for a = z it is
f = (−MY, MX, 0), m = (−Kxz, −Kyz, Kxx + Kyy). While the composite is turned into the frame before it, its axis stays
constant, so that the wrench is read there instead of being turned.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.linalg import Rotation, Vector
from symoro.models.constraint import BASE, Entries
from symoro.models.dynamic.lean.frames import EvaluationFrame, place
from symoro.models.dynamic.lean.inertia import Moments, link_moments
from symoro.models.dynamic.lean.layout import InertiaLayout
from symoro.models.results import remembered

Wrench = tuple[Vector, Vector]


@remembered
def entries(s: Symbols, layout: InertiaLayout) -> Entries:
    """The elements A[k, j] with k on the way from the base to j, without rotors; a free base has six rows, too.

    Those of free links are left out.
    """
    at = place(s, layout)
    whole = {j: m.turned(at[j].spin) for j, m in link_moments(s, layout.slid, layout.heavy).items()}
    A: Entries = {}
    columns: dict[int, dict[int, Wrench]] = {j: {} for j in (0, *s.jointed)}  # link -> column -> wrench on it
    for j in reversed(s.jointed):
        if j in s.movable:
            A[j, j] = torque(s, j, at[j], *unit_wrench(s, j, at[j].a, whole[j]))
        for k, wrench in columns[j].items():
            if j in s.movable:
                A[j, k] = torque(s, j, at[j], *wrench)
        i = s.parent[j]
        if i not in whole:
            continue
        way = way_of(s, j, at[j])
        turned, remaining = read_off(s, j, way.before, at[j].a, whole[j])
        whole[i] = whole[i] + turned.moved(way.P).turned(way.after)
        arriving = {k: (way.before @ f, way.before @ m) for k, (f, m) in columns[j].items()}
        if j in s.movable:
            arriving[j] = remaining
        columns[i] |= {k: (way.after @ f, way.after @ (m + way.P.cross(f))) for k, (f, m) in arriving.items()}
    if 0 in whole:
        A |= _base_rows(s, whole[0], columns[0])
    return A


def _base_rows(s: Symbols, base: Moments, columns: Mapping[int, Wrench]) -> Entries:
    """The rows of v̇ and ω̇ of the base: its composite, and the wrenches of the joints' columns (K10:84)."""
    linear, angular = BASE[:3], BASE[3:]
    (x, y, z), zero = base.MS, s.graph.zero
    hat = ((zero, -z, y), (z, zero, -x), (-y, x, zero))
    A: Entries = {}
    for r in range(3):
        for c in range(3):
            A[linear[r], linear[c]] = base.M if r == c else zero
            A[linear[r], angular[c]] = -hat[r][c]
            A[angular[r], linear[c]] = hat[r][c]
            A[angular[r], angular[c]] = base.inertia[r, c]
    return A | {(i, k): x for k, (f, m) in columns.items() for i, x in zip(BASE, (*f, *m), strict=True)}


@dataclass(frozen=True)
class FrameChange:
    """From the evaluation frame of a link to its antecedent's: turns, then along P, then turns."""

    before: Rotation
    P: Vector
    after: Rotation


def way_of(s: Symbols, j: int, at: EvaluationFrame) -> FrameChange:
    """Where P is sparsest: between the turns by an arbitrary α and by θ it is (d, 0, r), if b is zero."""
    joint, turns = s.robot.joint(j), at.E.turns
    between = Vector(s.graph, (s.bind(joint.d), 0, s.bind(joint.r)))
    for k in range(1, len(turns) + 1):
        after = Rotation(s.graph, turns[:k])
        if _nonzeros(between) < _nonzeros(at.P) and tuple(after @ between) == tuple(at.P):
            return FrameChange(Rotation(s.graph, turns[k:]), between, after)
    return FrameChange(at.E, at.P, Rotation(s.graph, ()))


def _nonzeros(v: Vector) -> int:
    return sum(not x.is_zero for x in v)


def unit_wrench(s: Symbols, j: int, a: Vector, body: Moments) -> Wrench:
    """Force and moment on a composite when its joint accelerates by 1 about or along a."""
    if s.prismatic[j]:
        return body.M * a, body.MS.cross(a)
    return a.cross(body.MS), body.inertia @ a


def torque(s: Symbols, j: int, at: EvaluationFrame, f: Vector, m: Vector) -> Expr:
    return (s.prismatic[j] * f + s.revolute[j] * m).dot(at.a)


def read_off(s: Symbols, j: int, E: Rotation, a: Vector, body: Moments) -> tuple[Moments, Wrench]:
    """The composite turned into another frame, and the wrench of its own joint there."""
    wrench: Wrench | None = None
    for turn in reversed(E.turns):
        one = Rotation(s.graph, (turn,))
        after = one @ a
        if wrench is None and any(x.constant is None for x in after):
            wrench = unit_wrench(s, j, a, body)
        body, a = body.turned(one), after
        if wrench is not None:
            wrench = one @ wrench[0], one @ wrench[1]
    return body, wrench or unit_wrench(s, j, a, body)
