"""The inertia matrix by composite links on second moments: a column is read off the composite that is turned anyway.

The wrench of a unit acceleration about the axis a of composite link j is f = a × MS, m = K-moment of â; for a = z it is
f = (−MY, MX, 0), m = (−Kxz, −Kyz, Kxx + Kyy). While the composite is turned into the frame before it, its axis stays
constant, so that the wrench is read there instead of being turned.
"""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector
from symoro.ir.spatial import Rotation
from symoro.models.dynamic.lean.frames import Placement, place
from symoro.models.dynamic.lean.inertia import Moments, link_moments
from symoro.models.dynamic.lean.layout import Layout
from symoro.models.search import remembered
from symoro.symbols import Symbols

Entries = dict[tuple[int, int], Expr]
Wrench = tuple[Vector, Vector]


@remembered
def entries(s: Symbols, layout: Layout) -> Entries:
    """The elements A[k, j] with k on the way from the base to j, rotors not included."""
    at = place(s, layout)
    whole = {j: m.turned(at[j].spin) for j, m in link_moments(s, set()).items()}
    A: Entries = {}
    columns: dict[int, dict[int, Wrench]] = {j: {} for j in (0, *s.outward)}  # link -> column -> wrench on it
    for j in s.inward:
        if j in s.movable:
            A[j, j] = torque(s, j, at[j], *unit_wrench(s, j, at[j].a, whole[j]))
        for k, wrench in columns[j].items():
            if j in s.movable:
                A[j, k] = torque(s, j, at[j], *wrench)
        i = s.parent[j]
        if i == 0:
            continue
        turned, own = read_off(s, j, at[j], whole[j])
        whole[i] = whole[i] + turned.moved(at[j].P)
        arriving = {k: (at[j].E @ f, at[j].E @ m) for k, (f, m) in columns[j].items()}
        if j in s.movable:
            arriving[j] = own
        columns[i] |= {k: (f, m + at[j].P.cross(f)) for k, (f, m) in arriving.items()}
    return A


def unit_wrench(s: Symbols, j: int, a: Vector, body: Moments) -> Wrench:
    """Force and moment on a composite when its joint accelerates by 1 about or along a."""
    if s.prismatic[j]:
        return body.M * a, body.MS.cross(a)
    return a.cross(body.MS), body.inertia @ a


def torque(s: Symbols, j: int, at: Placement, f: Vector, m: Vector) -> Expr:
    return (s.prismatic[j] * f + s.revolute[j] * m).dot(at.a)


def read_off(s: Symbols, j: int, at: Placement, body: Moments) -> tuple[Moments, Wrench]:
    """The composite turned into the frame before it, and the wrench of its own joint there."""
    wrench: Wrench | None = None
    a = at.a
    for turn in reversed(at.E.turns):
        one = Rotation(s.graph, (turn,))
        after = one @ a
        if wrench is None and any(x.constant is None for x in after):
            wrench = unit_wrench(s, j, a, body)
        body, a = body.turned(one), after
        if wrench is not None:
            wrench = one @ wrench[0], one @ wrench[1]
    return body, wrench or unit_wrench(s, j, a, body)
