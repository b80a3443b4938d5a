"""The dynamics of a parallel robot: the platform by Newton and Euler, the legs by their own models (K10 § 5).

W = F_p + Σ B_iᵀ Γ_i is the bracket of K10:66, in the space of the platform and in frame 0; B_i = J_i⁺ J_vi. For every
motion V = S v that the legs allow, virtual power gives (D S)ᵀ Γ = Sᵀ W, with D = J_p⁻¹.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector, hat, identity, total, zeros
from symoro.models.dynamic.newton_euler import rotational_moment
from symoro.models.dynamic.open_tree import forces, matrix
from symoro.models.parallel.leg import Leg
from symoro.models.parallel.mechanism import Mechanism
from symoro.models.recursion import angular


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion of the platform and what the legs do in it."""

    m: Mechanism
    V: Vector
    VP: Vector
    loaded: bool = True
    """Whether the platform exerts its wrench on the environment."""

    @cached_property
    def U(self) -> Matrix:
        """U = hat(ω̇) + hat(ω) hat(ω) of the platform, in frame 0 (K97:9)."""
        return angular(self.m.legs[0].s.in_state(suffix="_p"), self.V[3:], self.VP[3:], 0)

    @cached_property
    def moving(self) -> tuple[Leg, ...]:
        """The legs with their velocities."""
        v, w = self.V[:3], self.V[3:]
        return tuple(leg.moving(qd=leg.velocities(v, w)) for leg in self.m.legs)

    @cached_property
    def legs(self) -> tuple[Leg, ...]:
        """The legs with their velocities and accelerations."""
        return tuple(leg.moving(qdd=leg.accelerations(self.V, self.VP, self.U)) for leg in self.moving)

    @cached_property
    def excess(self) -> list[Expr]:
        """C VP + γ of all constraints; γ where the motion has no acceleration."""
        return [x for leg in self.moving if leg.free for x in leg.excess(leg.unbalanced(self.V, self.VP, self.U))]

    @cached_property
    def torques(self) -> tuple[dict[int, Expr], ...]:
        """Γ_i of each leg, cut from the platform, as if every joint had a motor."""
        return tuple(forces(leg.s) for leg in self.legs)


def at_rest(m: Mechanism) -> Motion:
    """No motion, and no wrench on the environment: what is left is gravity."""
    none = zeros(m.graph, 6)
    return Motion(m, none, none, loaded=False)


def coasting(m: Mechanism) -> Motion:
    """The velocities of the inputs, and no acceleration of the platform."""
    return Motion(m, m.of.V, zeros(m.graph, 6))


# the platform alone


def platform_wrench(m: Mechanism, motion: Motion) -> Vector:
    """F_p at the platform's origin, in frame 0 (K97:15-16): computed in the platform's frame, where J is constant.

    What the platform exerts on the environment is added, as for links (K97:17-18).
    """
    of, R = m.of, m.of.R
    w, wd, a = R.T @ motion.V[3:], R.T @ motion.VP[3:], R.T @ (motion.VP[:3] - of.g)
    s = m.legs[0].s.in_state(suffix="_p")
    U = angular(s, w, wd, 0)
    f = of.M * a + U @ of.MS  # (K97:15)
    n = rotational_moment(s, of.J, w, wd, U, 0) + of.MS.cross(a)  # (K97:16)
    if motion.loaded and of.wrench_names:
        f, n = f + of.wrench[:3], n + of.wrench[3:]
    return Vector(m.graph, (*(R @ f), *(R @ n)))


def platform_matrix(m: Mechanism) -> Matrix:
    """A_p = [M 1, −MS^; MS^, J] at the platform's origin, in frame 0."""
    of, R = m.of, m.of.R
    MS, J = hat(R @ of.MS), R @ of.J @ R.T
    one = of.M * identity(m.graph, 3)
    top = [(*one[k], *(-MS[k])) for k in range(3)]
    return Matrix(m.graph, [*top, *((*MS[k], *J[k]) for k in range(3))])


# platform and legs


def wrench(m: Mechanism, motion: Motion, without_motors: bool = False) -> Vector:
    """W = F_p + Σ B_iᵀ Γ_i (K10:66); on request without the torques at motors, which pass unchanged."""
    W = platform_wrench(m, motion)
    for leg, torques in zip(m.legs, motion.torques, strict=True):
        active = leg.s.active if without_motors else ()
        passive = {j: x for j, x in torques.items() if j not in active}
        if any(not x.is_zero for x in passive.values()):
            W = W + leg.on_platform(leg.forces(passive))
    return W


def inertia(m: Mechanism) -> Matrix:
    """A = A_p + Σ B_iᵀ A_i B_i, in the space of the platform."""
    A = [list(row) for row in platform_matrix(m)]
    for leg in m.legs:
        joints = leg.s.variables
        B = [leg.row_of(j) for j in joints]
        own = matrix(leg.s)
        rows = Matrix(m.graph, ((own[i, k] for k in joints) for i in joints))
        product = rows @ Matrix(m.graph, B)
        for r in range(6):
            for c in range(r, 6):
                x = total(m.graph, (B[n][r] * product[n, c] for n in range(len(joints))))
                A[r][c] = A[r][c] + x
    return Matrix(m.graph, ((A[min(r, c)][max(r, c)] for c in range(6)) for r in range(6)))


# on the motors


def motor_torques(m: Mechanism, motion: Motion) -> list[Expr]:
    """Γ of the motors, with (D S)ᵀ Γ = Sᵀ W; of more motors than freedoms, the least |Γ|."""
    motors, f = m.of.robot.motors, m.structure.freedom
    if len(motors) < f:
        raise NotApplicable(f"{m.of.robot.name} has {len(motors)} motors for {f} freedoms of its platform")
    if len(motors) > f:
        return projected(m, wrench(m, motion))
    found = projected(m, wrench(m, motion, without_motors=True))
    return [x + motion.torques[i][j] for x, (i, j) in zip(found, motors, strict=True)]


def projected(m: Mechanism, W: Vector) -> list[Expr]:
    """Γ = J_pᵀ W (K10:66) by a solution, without J_p itself; least |Γ| = D S ((D S)ᵀ D S)⁻¹ Sᵀ W for more motors."""
    G, right = m.DS.T, m.S.T @ W if m.reduced else W
    if G.shape[0] == G.shape[1]:
        return _solved(m, G, right)
    x = Vector(m.graph, _solved(m, G @ m.DS, right))
    return list(m.DS @ x)


def _solved(m: Mechanism, A: Matrix, b: Iterable[Expr]) -> list[Expr]:
    found = solve(m.graph, [list(row) for row in A], [[x] for x in b])
    if found is None:
        raise NotApplicable(f"the motors of {m.of.robot.name} do not hold its platform in any pose")
    return [row[0] for row in found]


def platform_accelerations(m: Mechanism, tau: Vector) -> Vector:
    """VP for torques of the motors: (Sᵀ A S) v̇ = Sᵀ (Dᵀ τ − h − A x) with VP = S v̇ + x, C x + γ = 0."""
    motion = coasting(m)
    A, h = inertia(m), wrench(m, motion)
    x = m.particular([motion.excess[k] for k in m.structure.kept])
    right = m.D.T @ tau - h - A @ x
    if not m.reduced:
        return Vector(m.graph, _solved(m, A, right))
    v = Vector(m.graph, _solved(m, m.S.T @ A @ m.S, m.S.T @ right))
    return m.S @ v + x


def drift(m: Mechanism) -> Vector:
    """J̇_p q̇_a: the acceleration of the platform when no motor accelerates."""
    motion = coasting(m)
    x = m.particular([motion.excess[k] for k in m.structure.kept])
    own = Vector(m.graph, (motion.legs[i].s.qdd[j] for i, j in m.of.robot.motors))
    moved = -(own + m.D @ x)
    return m.S @ Vector(m.graph, _least_squares(m, moved)) + x


def _least_squares(m: Mechanism, right: Vector) -> list[Expr]:
    """v with D S v = right; the motors of a redundant robot agree with each other."""
    if m.DS.shape[0] == m.DS.shape[1]:
        return _solved(m, m.DS, right)
    return _solved(m, m.DS.T @ m.DS, m.DS.T @ right)


def platform_jacobian(m: Mechanism) -> Matrix:
    """J_p of V = J_p q̇_a (K10:60); with redundant motors its pseudo-inverse D⁺."""
    n = len(m.of.robot.motors)
    columns = [_least_squares(m, row) for row in identity(m.graph, n)]
    return m.S @ Matrix(m.graph, columns).T
