"""Direct dynamics without the inertia matrix: three recursions, linear in the number of joints (K10:32-44).

A 6 × 6 matrix is kept as three 3 × 3 blocks: of the force by the acceleration, of the force by the angular
acceleration, and of the moment by the angular acceleration. The first and the last are symmetric.
"""

from __future__ import annotations

from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, hat, identity, rotated, symmetric, total
from symoro.models.dynamic.drives import friction_of_joint, own_rotor
from symoro.models.dynamic.newton_euler import along_axis
from symoro.models.results import by_joint


@dataclass(frozen=True, slots=True)
class Spatial:
    """Two vectors as one of 6: [force; moment], [acceleration; angular acceleration]."""

    linear: Vector
    angular: Vector

    def __add__(self, other: Spatial) -> Spatial:
        return Spatial(self.linear + other.linear, self.angular + other.angular)

    def __sub__(self, other: Spatial) -> Spatial:
        return Spatial(self.linear - other.linear, self.angular - other.angular)

    def __mul__(self, factor: Expr) -> Spatial:
        return Spatial(self.linear * factor, self.angular * factor)

    def dot(self, other: Spatial) -> Expr:
        return self.linear.dot(other.linear) + self.angular.dot(other.angular)


@dataclass(frozen=True, slots=True)
class Blocks:
    """[[A, B], [Bᵀ, D]]."""

    A: Matrix
    B: Matrix
    D: Matrix

    def __matmul__(self, x: Spatial) -> Spatial:
        return Spatial(self.A @ x.linear + self.B @ x.angular, self.B.T @ x.linear + self.D @ x.angular)

    def __add__(self, other: Blocks) -> Blocks:
        return Blocks(self.A + other.A, self.B + other.B, self.D + other.D)


@dataclass(frozen=True, slots=True)
class EliminatedJoint:
    """What the inward recursion leaves for the outward one: K, α, J* a, 1/H and τ + aᵀβ*."""

    K: Blocks
    alpha: Spatial
    Ja: Spatial
    inverse: Expr | None
    push: Expr


def direct_dynamics(s: Symbols) -> list[Result]:
    """EliminatedJoint accelerations QDP for given torques."""
    accelerations, _ = solve(s)
    return [by_joint(s, "QDP", accelerations)]


def solve(s: Symbols) -> tuple[dict[int, Expr], dict[int, Spatial]]:
    """EliminatedJoint accelerations, and the wrench on each link from its antecedent."""
    gamma, beta = velocity_terms(s)
    joints = inward(s, gamma, beta)
    vd, qdd, wrench = {0: Spatial(s.vd0 - s.g, s.wd0)}, {}, {}
    for j in s.outward:
        known, there = joints[j], carried(s, j, vd[s.parent[j]])
        wrench[j] = known.K @ there + known.alpha  # (K10:42)
        vd[j] = there + gamma[j]
        if known.inverse is not None:
            qdd[j] = s.name_scalar(f"QDP{j}", j, known.inverse * (known.push - known.Ja.dot(vd[j])))  # (K10:41)
            vd[j] = vd[j] + unit(s, j) * qdd[j]  # (K10:43)
        s.name("VP", j, vd[j].linear)
        s.name("WP", j, vd[j].angular)
    return qdd, wrench


def velocity_terms(s: Symbols) -> tuple[dict[int, Spatial], dict[int, Spatial]]:
    """γ and β, the accelerations and the wrenches of the velocities alone (K10:34, 35)."""
    w, gamma, beta = {0: s.w0}, {}, {}
    for j in s.outward:
        i, R, P, move = s.parent[j], s.R[j], s.P[j], s.rate[j] * s.a
        wi = s.name("WI", j, R.T @ w[i])
        w[j] = s.name("W", j, wi + s.revolute[j] * move)
        swing, turn = R.T @ w[i].cross(w[i].cross(P)), wi.cross(move)
        gamma[j] = Spatial(
            s.name("LW", j, swing + 2 * s.prismatic[j] * turn), s.name("WQ", j, s.revolute[j] * turn)
        )  # (K10:34)
        whirl, spin = w[j].cross(w[j].cross(s.MS[j])), w[j].cross(s.J[j] @ w[j])
        beta[j] = Spatial(s.name("SW", j, -s.force[j] - whirl), s.name("JW", j, -s.moment[j] - spin))  # (K10:35)
    return gamma, beta


def inward(s: Symbols, gamma: dict[int, Spatial], beta: dict[int, Spatial]) -> dict[int, EliminatedJoint]:
    """From the tips to the base: each joint's acceleration in terms of that of its antecedent."""
    J = {j: Blocks(identity(s.graph, 3) * s.M[j], -hat(s.MS[j]), s.J[j]) for j in s.outward}  # (K10:11)
    beta, joints = dict(beta), {}
    for j in s.inward:
        joints[j] = known = eliminated(s, j, J[j], beta[j], gamma[j])
        if (i := s.parent[j]) != 0:
            back = Spatial(s.R[j] @ known.alpha.linear, s.R[j] @ known.alpha.angular)
            beta[i] = beta[i] - Spatial(back.linear, back.angular + s.P[j].cross(back.linear))  # (K10:39)
            J[i] = J[i] + seen_from_parent(s, j, known.K)  # (K10:40)
    return joints


def eliminated(s: Symbols, j: int, J: Blocks, beta: Spatial, gamma: Spatial) -> EliminatedJoint:
    """Take joint j's acceleration out of the equation of motion of what hangs on it."""
    none = unit(s, j) * s.graph.zero
    if j not in s.movable:
        return EliminatedJoint(J, (J @ gamma) - beta, none, None, s.graph.zero)
    Ja = Spatial(J.A.column(2), J.B.T.column(2)) if s.prismatic[j] else Spatial(J.B.column(2), J.D.column(2))
    _name(s, "JA", j, Ja)
    IA = own_rotor(s, j)
    H = s.name_scalar(f"HJ{j}", j, along_axis(s, j, Ja.linear, Ja.angular) + IA)  # (K10:36)
    inverse = s.name_scalar(f"HI{j}", j, 1 / H)
    K = reduced(s, j, J, Ja, IA, inverse)
    tau = s.tau[j] - total(s.graph, friction_of_joint(s, j))  # (K10:44)
    push = s.name_scalar(f"GS{j}", j, tau + along_axis(s, j, beta.linear, beta.angular))
    alpha = (K @ gamma) + Ja * (inverse * push) - beta  # (K10:38)
    return EliminatedJoint(K, _name(s, "AL", j, alpha), Ja, inverse, push)


def reduced(s: Symbols, j: int, J: Blocks, Ja: Spatial, IA: Expr, inverse: Expr) -> Blocks:
    """K = J* − J* a H⁻¹ aᵀ J* (K10:37); along the axis, what is left is the rotor's share IA/H of J* a."""
    axis, kept = 2 + 3 * s.revolute[j], IA * inverse
    u: tuple[Expr, ...] = (*Ja.linear, *Ja.angular)
    v = [x * inverse for x in u]

    def entry(a: int, b: int, old: Expr) -> Expr:
        """Row a ≤ column b of the 6 × 6 matrix."""
        return u[b if a == axis else a] * kept if axis in (a, b) else old - u[a] * v[b]

    upper = [(a, b) for a in range(3) for b in range(a, 3)]
    return Blocks(
        symmetric({(a, b): entry(a, b, J.A[a, b]) for a, b in upper}, J.A),
        Matrix(s.graph, ((entry(a, b + 3, J.B[a, b]) for b in range(3)) for a in range(3))),
        symmetric({(a, b): entry(a + 3, b + 3, J.D[a, b]) for a, b in upper}, J.D),
    )


def seen_from_parent(s: Symbols, j: int, K: Blocks) -> Blocks:
    """Tᵀ K T with the screw transformation T of K10:17: rotate the blocks, then move them along P."""
    R, P = s.R[j], hat(s.P[j])
    A, B, D = rotated(R, K.A), (R @ (R @ K.B).T).T, rotated(R, K.D)
    G = B - A @ P
    PB, PG = P @ B, P @ G
    return Blocks(A, G, symmetric({(a, b): D[a, b] + PG[a, b] + PB[b, a] for a in range(3) for b in range(a, 3)}, D))


def carried(s: Symbols, j: int, vd: Spatial) -> Spatial:
    """T V̇ of the antecedent, in frame j (K10:17)."""
    R, P = s.R[j].T, s.P[j]
    return Spatial(R @ (vd.linear + vd.angular.cross(P)), R @ vd.angular)


def unit(s: Symbols, j: int) -> Spatial:
    """The direction of joint j (K10:16)."""
    return Spatial(s.a * s.prismatic[j], s.a * s.revolute[j])


def _name(s: Symbols, letters: str, j: int, x: Spatial) -> Spatial:
    """JA12 … JA62."""
    for row, e in enumerate((*x.linear, *x.angular), 1):
        s.name_scalar(f"{letters}{row}{j}", j, e)
    return x
