"""A step of Newton's method on the pose itself: it restores the digits that the elimination of an unknown can lose.

Where two roots are one to rounding, the branch is taken in the middle, at a singular configuration. There J dq = e has
no solution, or a far one, because of rounding in the singular direction; in all other directions the step is right.
Damped least squares leave the singular direction alone (Y. Nakamura and H. Hanafusa, J. Dynamic Systems, Measurement,
and Control 108, 1986).
"""

from __future__ import annotations

from collections.abc import Mapping

from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector, total
from symoro.ir.spatial import Turn
from symoro.models.geometric.frames import Pose
from symoro.models.geometric.inverse.chain import Chain, pose
from symoro.models.geometric.inverse.types import unit
from symoro.models.geometric.walk import Z

Values = Mapping[int, tuple[Expr, ...]]
#: λ², in parts of the trace of JᵀJ: rounding of JᵀJ is smaller, and what J can mend is larger.
_DAMPING = 1e-14


def polished(chain: Chain, goal: Pose, values: Values) -> Values:
    """The values after one step; it is exact up to the square of the error, where the Jacobian is regular.

    With the axes a_j at the points p_j, the pose (R, p) and the wanted one (R*, p*): the step solves
    Σ (a_j × (p − p_j)) dq_j = p* − p and Σ a_j dq_j = ½ Σ r_k × r*_k over the columns r_k of R and r*_k of R*. They
    are J dq = e, of which (JᵀJ + λ²) dq = Jᵀe is solved.
    """
    axes, (R, p) = _axes(chain, values)
    wanted, at = goal
    turn = _half_sum([R.column(k).cross(wanted.column(k)) for k in range(3)])
    columns = []
    for axis, (a, origin) in zip(chain.axes, axes, strict=True):
        columns.append((*a, 0, 0, 0) if axis.prismatic else (*a.cross(p - origin), *a))
    steps = _damped(Matrix(p.graph, columns), Vector(p.graph, (*(at - p), *turn)))
    return {axis.joint: _moved(values[axis.joint], dq) for axis, dq in zip(chain.axes, steps, strict=True)}


def _damped(columns: Matrix, e: Vector) -> list[Expr]:
    """dq of (JᵀJ + λ²) dq = Jᵀe, where λ² is a small part of the trace of JᵀJ."""
    graph, n = e.graph, len(columns.rows)
    square = [[columns.rows[min(i, k)].dot(columns.rows[max(i, k)]) for k in range(n)] for i in range(n)]
    small = _DAMPING * total(graph, [square[k][k] for k in range(n)])
    for k in range(n):
        square[k][k] = square[k][k] + small
    return list(graph.solve(square, [column.dot(e) for column in columns.rows]))


def _half_sum(vectors: list[Vector]) -> Vector:
    graph = vectors[0].graph
    return Vector(graph, (total(graph, parts) / 2 for parts in zip(*vectors, strict=True)))


def _moved(value: tuple[Expr, ...], dq: Expr) -> tuple[Expr, ...]:
    if len(value) == 1:
        return (value[0] + dq,)
    c, s = value
    cosine, sine, _ = unit(c - dq * s, s + dq * c)
    return cosine, sine


def _axes(chain: Chain, values: Values) -> tuple[list[tuple[Vector, Vector]], Pose]:
    """The axis of each joint, a direction and a point, and the pose of the end, all in the frame of U."""
    s = chain.symbols
    A, P = pose(s, ())
    axes = []
    for n, axis in enumerate(chain.axes):
        axes.append((A.column(2), P))
        turn, shift = (axis.constant, values[axis.joint][0]) if axis.prismatic else (None, axis.constant)
        c, sn = (s.graph.cos(turn), s.graph.sin(turn)) if turn is not None else values[axis.joint]
        P = P + A.column(2) * shift
        A = A @ Matrix(s.graph, (Turn(Z, c, sn) @ column for column in pose(s, ())[0].T)).T
        for screw in chain.links[n] if n < len(chain.links) else ():
            link, along = pose(s, (screw,))
            A, P = A @ link, A @ along + P
    return axes, (A, P)
