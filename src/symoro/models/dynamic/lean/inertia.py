"""Second moments K = ½tr(J)·1 − J = ∫ r rᵀ dm of a link, and how they turn and move."""

from __future__ import annotations

from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Rotation, Turn, Vector, outer, turned
from symoro.models.dynamic.lean.frames import offset, ways
from symoro.models.results import remembered


@dataclass(frozen=True)
class Moments:
    """Mass, first moments and second moments of a body about the origin of a frame.

    T is the diagonal of J, T[x] = K[y, y] + K[z, z]: kept beside K, because a turn about x leaves T[x] as it is.
    """

    M: Expr
    MS: Vector
    K: Matrix
    T: Vector

    @staticmethod
    def of(M: Expr, MS: Vector, K: Matrix) -> Moments:
        return Moments(M, MS, K, _pair_sums(K))

    @property
    def inertia(self) -> Matrix:
        """J = tr(K)·1 − K."""
        K, (xx, yy, zz) = self.K, self.T
        return Matrix(K.graph, ((xx, -K[0, 1], -K[0, 2]), (-K[1, 0], yy, -K[1, 2]), (-K[2, 0], -K[2, 1], zz)))

    def turned(self, spin: Rotation) -> Moments:
        """The same body seen from a frame in which it is turned."""
        K, T = self.K, self.T
        for turn in reversed(spin.turns):
            K, T = turned(turn, K), _turn_sums(K, T, turn)
        return Moments(self.M, spin @ self.MS, K, T)

    def __add__(self, other: Moments) -> Moments:
        return Moments(self.M + other.M, self.MS + other.MS, self.K + other.K, self.T + other.T)

    def moved(self, P: Vector) -> Moments:
        """About the origin of a parallel frame from which P leads to this one."""
        MP, mass = self.M * P, outer(P, self.M * P)
        x, y, z = (p * m for p, m in zip(P, self.MS, strict=True))
        cross = outer(P, self.MS)
        T = self.T + 2 * Vector(P.graph, (y + z, z + x, x + y)) + _pair_sums(mass)
        return Moments(self.M, self.MS + MP, self.K + (cross + cross.T) + mass, T)


def _pair_sums(K: Matrix) -> Vector:
    return Vector(K.graph, (K[1, 1] + K[2, 2], K[2, 2] + K[0, 0], K[0, 0] + K[1, 1]))


def _turn_sums(K: Matrix, T: Vector, turn: Turn) -> Vector:
    """T of the turned body: the sum across the axis stays, the others follow from K."""
    z = turn.axis
    x, y = (z + 1) % 3, (z + 2) % 3
    if turn.cosine.is_zero:
        sums = {x: T[y], y: T[x], z: T[z]}
    elif turn.sine.is_zero:
        sums = {x: T[x], y: T[y], z: T[z]}
    else:
        new = _pair_sums(turned(turn, K))
        sums = {x: new[x], y: new[y], z: T[z]}
    return Vector(K.graph, (sums[0], sums[1], sums[2]))


def second_moments(s: Symbols, J: Matrix) -> Matrix:
    """K from J."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = J
    half = s.graph.one / 2
    K = half * (yy + zz - xx), half * (xx + zz - yy), half * (xx + yy - zz)
    return Matrix(s.graph, ((K[0], -xy, -xz), (-xy, K[1], -yz), (-xz, -yz, K[2])))


@remembered
def link_moments(
    s: Symbols,
    slid: frozenset[int],
    heavy: frozenset[int],
    j_form: frozenset[int] = frozenset(),
    rounding: frozenset[int] = frozenset(),
) -> dict[int, Moments]:
    """The moments of every link in its own frame, about its origin; those of a base that moves freely, too.

    What lies on a revolute joint's axis is moved to the link before it (Kzz, MZ and M: the torques do not tell whether
    it turns with the joint), and what a prismatic joint cannot tell apart (K) likewise: work on parameters only. Links
    in the J form move so much of Kzz that YY vanishes instead, rounding ones so much that the antecedent's Kxx and Kyy
    are the same; heavy ones keep M, or get it back from base parameters.
    """
    bodies = (0, *s.jointed) if s.robot.base.free else s.jointed
    at_origins = {j: Moments.of(s.M[j], s.MS[j], second_moments(s, s.J[j])) for j in bodies}
    moments = {j: m.moved(offset(s, j, slid)) for j, m in at_origins.items()}
    way, mass = ways(s, slid), masses(s, heavy)
    for j in reversed(s.jointed):
        i, K, M = s.parent[j], moments[j].K, mass[j] if j in heavy else s.graph.zero
        Kzz = K[2, 2] + K[0, 0] if j in j_form else K[2, 2]
        if j in rounding:
            _, others = _divide(s, moments[j], j, s.graph.zero, M)
            K = (moments[i] + others.turned(s.R[j]).moved(way[j])).K
            Kzz = K[0, 0] - K[1, 1]
        moments[j], moved = _divide(s, moments[j], j, Kzz, M)
        if i in moments:
            moments[i] = moments[i] + moved.turned(s.R[j]).moved(way[j])
    return moments


def masses(s: Symbols, heavy: frozenset[int]) -> dict[int, Expr]:
    """The mass of every link and of those behind it that leave theirs to it, whatever was regrouped before."""
    mass = {j: s.bind(s.robot.inertia(j).M) for j in s.jointed}
    for j in reversed(s.jointed):
        if (i := s.parent[j]) != 0 and not s.prismatic[j] and j not in heavy:
            mass[i] = mass[i] + mass[j]
    return mass


def _divide(s: Symbols, body: Moments, j: int, Kzz: Expr, M: Expr) -> tuple[Moments, Moments]:
    """What stays on link j and what moves to its antecedent; of a revolute link, Kzz moves and M stays."""
    zero, (mx, my, mz), K = s.graph.zero, body.MS, body.K
    nothing = Matrix(s.graph, ((0,) * 3,) * 3)
    if s.revolute[j]:
        axis = Matrix(s.graph, ((0, 0, 0), (0, 0, 0), (0, 0, Kzz)))
        return (
            Moments.of(M, Vector(s.graph, (mx, my, 0)), K - axis),
            Moments.of(body.M - M, Vector(s.graph, (0, 0, mz)), axis),
        )
    if s.prismatic[j]:
        return Moments.of(body.M, body.MS, nothing), Moments.of(zero, Vector(s.graph, (0, 0, 0)), K)
    return Moments.of(zero, Vector(s.graph, (0, 0, 0)), nothing), body
