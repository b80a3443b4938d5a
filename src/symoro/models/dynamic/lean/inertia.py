"""Second moments K = ½tr(J)·1 − J = ∫ r rᵀ dm of a link, and how they turn and move."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector
from symoro.ir.spatial import Rotation, Turn
from symoro.symbols import Symbols


@dataclass(frozen=True)
class Moments:
    """Mass, first moments and second moments of a body about the origin of a frame."""

    M: Expr
    MS: Vector
    K: Matrix

    def turned(self, spin: Rotation) -> Moments:
        """The same body seen from a frame in which it is turned."""
        K = self.K
        for turn in reversed(spin.turns):
            K = turn_symmetric(K, turn)
        return Moments(self.M, spin @ self.MS, K)

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.M + other.M, self.MS + other.MS, self.K + other.K)

    def moved(self, P: Vector) -> Moments:
        """About the origin of a parallel frame from which P leads to this one."""
        MP = self.M * P
        cross = outer(P, self.MS)
        return Moments(self.M, self.MS + MP, self.K + cross + cross.T + outer(MP, P))


def outer(a: Vector, b: Vector) -> Matrix:
    return Matrix(a.graph, ((x * y for y in b) for x in a))


def turn_symmetric(K: Matrix, turn: Turn) -> Matrix:
    """R K Rᵀ for a turn about x or z: w = S(kxx − kyy) + 2C kxy, kxx − S w, kyy + S w, C w − kxy."""
    x, y, z = (0, 1, 2) if turn.axis == 2 else (1, 2, 0)
    c, s = turn.cosine, turn.sine
    kxx, kyy, kxy, kxz, kyz = K[x, x], K[y, y], K[x, y], K[x, z], K[y, z]
    if c.is_zero:
        plane = kyy, kxx, -kxy
    elif s.is_zero:
        plane = kxx, kyy, kxy
    else:
        w = s * (kxx - kyy) + c * (2 * kxy)
        plane = kxx - s * w, kyy + s * w, c * w - kxy
    out = [[K[i, j] for j in range(3)] for i in range(3)]
    out[x][x], out[y][y] = plane[:2]
    out[x][y] = out[y][x] = plane[2]
    out[x][z] = out[z][x] = c * kxz - s * kyz
    out[y][z] = out[z][y] = s * kxz + c * kyz
    return Matrix(K.graph, out)


def second_moments(s: Symbols, J: Matrix) -> Matrix:
    """K from J."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = J
    half = s.graph.one / 2
    K = half * (yy + zz - xx), half * (xx + zz - yy), half * (xx + yy - zz)
    return Matrix(s.graph, ((K[0], -xy, -xz), (-xy, K[1], -yz), (-xz, -yz, K[2])))


def link_moments(s: Symbols, j_form: set[int]) -> dict[int, Moments]:
    """The moments of every link in its own frame.

    With base parameters, what lies on a revolute joint's axis is moved to the link before it (Kzz, MZ and M: it does
    not know whether the joint turns), and what a prismatic joint cannot tell apart (K) likewise. Links in the J form
    move so much of Kzz that YY vanishes instead.
    """
    moments = {j: Moments(s.M(j), s.MS(j), second_moments(s, s.J(j))) for j in s.outward}
    if not s.regrouped:
        return moments
    for j in s.inward:
        kept, moved = _divide(s, moments[j], j, j in j_form)
        moments[j] = kept
        if (i := s.parent[j]) != 0:
            moments[i] = moments[i] + moved.turned(s.R[j]).moved(s.P[j])
    return moments


def _divide(s: Symbols, body: Moments, j: int, j_form: bool) -> tuple[Moments, Moments]:
    """What stays on link j, and what moves to its antecedent."""
    zero, (mx, my, mz), K = s.graph.zero, body.MS, body.K
    nothing = Matrix(s.graph, ((0,) * 3,) * 3)
    if s.revolute[j]:
        moving = K[2, 2] + K[0, 0] if j_form else K[2, 2]
        axis = Matrix(s.graph, ((0, 0, 0), (0, 0, 0), (0, 0, moving)))
        return (
            Moments(zero, Vector(s.graph, (mx, my, 0)), K - axis),
            Moments(body.M, Vector(s.graph, (0, 0, mz)), axis),
        )
    if s.prismatic[j]:
        return Moments(body.M, body.MS, nothing), Moments(zero, Vector(s.graph, (0, 0, 0)), K)
    return Moments(zero, Vector(s.graph, (0, 0, 0)), nothing), body
