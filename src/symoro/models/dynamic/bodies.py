"""What a link feels of all that hangs on it: a rigid body as long as no joint gives way, else a 6 × 6 matrix 𝕁*.

A rigid body has ten numbers where the matrix has 21, so that it costs far fewer operations.
"""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.linalg import Matrix, Vector, hat, identity, moved, rotated, symmetric
from symoro.models.dynamic.articulated_body import Blocks, Spatial, seen_from_parent
from symoro.models.dynamic.composite_links import CompositeLink

Body = CompositeLink | Blocks


def as_blocks(body: Body) -> Blocks:
    """The matrix of a rigid body (K10:11)."""
    if isinstance(body, Blocks):
        return body
    return Blocks(identity(body.M.graph, 3) * body.M, -hat(body.MS), body.J)


def wrench_of(body: Body, x: Spatial) -> Spatial:
    """𝕁* 𝕍̇."""
    if isinstance(body, Blocks):
        return body @ x
    return Spatial(
        body.M * x.linear + x.angular.cross(body.MS), body.MS.cross(x.linear) + body.J @ x.angular
    )  # (K10:9)


def joined(a: Body, b: Body) -> Body:
    """Two bodies of one frame as one."""
    if isinstance(a, CompositeLink) and isinstance(b, CompositeLink):
        return CompositeLink(a.M + b.M, a.MS + b.MS, a.J + b.J)
    return as_blocks(a) + as_blocks(b)


def carried_inward(s: Symbols, j: int, body: Body) -> Body:
    """Tᵀ 𝕁 T: a body of frame j seen from its antecedent (K10:40, 95)."""
    if isinstance(body, Blocks):
        return seen_from_parent(s, j, body)
    R, P = s.R[j], s.P[j]
    here = s.name("AS", j, R @ body.MS)
    there = here + P * body.M
    return CompositeLink(body.M, there, moved(rotated(R, body.J), here, there, P))


def solved(body: Body, right: Spatial) -> Spatial:
    """𝕁*⁻¹ [f; m]: of a rigid body about its centre of mass, else by elimination."""
    if isinstance(body, Blocks):
        x = Vector(body.A.graph, body.A.graph.solve([list(row) for row in rows(body)], (*right.linear, *right.angular)))
        return Spatial(x[:3], x[3:])
    graph, inverse = body.M.graph, 1 / body.M
    centre = body.MS * inverse
    J = [list(row) for row in about_centre(body, centre)]
    w = Vector(graph, graph.solve(J, tuple(right.angular - centre.cross(right.linear))))
    return Spatial(right.linear * inverse - w.cross(centre), w)


def rows(body: Blocks) -> list[Vector]:
    """The whole 6 × 6 matrix."""
    graph = body.A.graph
    upper = [Vector(graph, (*a, *b)) for a, b in zip(body.A, body.B, strict=True)]
    return upper + [Vector(graph, (*b, *d)) for b, d in zip(body.B.T, body.D, strict=True)]


def about_centre(body: CompositeLink, c: Vector) -> Matrix:
    """J − M (c·c 1 − c cᵀ)."""
    t = [c[k] * body.MS[k] for k in range(3)]
    entries = {(i, k): body.J[i, k] + c[i] * body.MS[k] for i in range(3) for k in range(i + 1, 3)}
    entries |= {(i, i): body.J[i, i] - (t[(i + 1) % 3] + t[(i + 2) % 3]) for i in range(3)}
    return symmetric(entries, body.J)
