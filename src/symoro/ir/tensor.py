"""Inertia tensors under a change of frame: rotation, and the parallel-axis rule linear in the inertial parameters."""

from __future__ import annotations

from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector
from symoro.ir.spatial import Rotation, Turn


def rotated(R: Rotation, J: Matrix) -> Matrix:
    """R J Rᵀ of a symmetric matrix."""
    for turn in reversed(R.turns):
        J = turned(turn, J)
    return J


def turned(turn: Turn, J: Matrix) -> Matrix:
    """R J Rᵀ for one turn; in its plane by w = S(xx − yy) + 2C xy: xx − S w, yy + S w, C w − xy."""
    x, y, z = (0, 1, 2) if turn.axis == 2 else (1, 2, 0)
    c, s, xx, yy, xy = turn.cosine, turn.sine, J[x, x], J[y, y], J[x, y]
    if c.is_zero:
        xx, yy, xy = yy, xx, -xy
    elif not s.is_zero:
        w = s * (xx - yy) + c * (2 * xy)
        xx, yy, xy = xx - s * w, yy + s * w, c * w - xy
    return symmetric({
        (x, x): xx, (y, y): yy, (z, z): J[z, z], (x, y): xy,
        (x, z): c * J[x, z] - s * J[y, z], (y, z): s * J[x, z] + c * J[y, z],
    }, J)  # fmt: skip


def symmetric(entries: dict[tuple[int, int], Expr], like: Matrix) -> Matrix:
    """The symmetric 3 × 3 matrix of six entries, given on either side of the diagonal."""
    both = entries | {(b, a): x for (a, b), x in entries.items()}
    return Matrix(like.graph, ((both[a, b] for b in range(3)) for a in range(3)))


def moved(J: Matrix, MS: Vector, MSP: Vector, P: Vector) -> Matrix:
    """The inertia about the origin of a parallel frame from which P leads to this one (K97:28).

    MS are the first moments about the old origin, MSP = MS + M P about the new one. J − P̂ M̂S − M̂S P̂ − M P̂ P̂ is,
    element by element, J_aa plus P_b (MS_b + MSP_b) of the other two axes, and J_ab − P_a MSP_b − P_b MS_a.
    """
    t = [p * (a + b) for p, a, b in zip(P, MS, MSP, strict=True)]
    diagonal = {(a, a): J[a, a] + t[(a + 1) % 3] + t[(a + 2) % 3] for a in range(3)}
    others = {(a, b): J[a, b] - P[a] * MSP[b] - P[b] * MS[a] for a, b in ((0, 1), (0, 2), (1, 2))}
    return symmetric({**diagonal, **others}, J)


def outer(a: Vector, b: Vector) -> Matrix:
    """a bᵀ."""
    return Matrix(a.graph, ((x * y for y in b) for x in a))
