"""The outward recursion of link velocities and accelerations (K97:6-10), shared by the models of several packages."""

from __future__ import annotations

from dataclasses import dataclass, field

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector


def six(j: int) -> tuple[int, ...]:
    """The coordinates vx vy vz ωx ωy ωz of a free link, or of the base, 0: numbers below those of the joints."""
    return tuple(range(-6 * (j + 1), -6 * j))


@dataclass
class LinkMotion:
    """Velocities and accelerations of links, each in the frame of its link. `begin` sets those of the base."""

    s: Symbols
    wi: dict[int, Vector] = field(default_factory=dict)
    w: dict[int, Vector] = field(default_factory=dict)
    v: dict[int, Vector] = field(default_factory=dict)
    wd: dict[int, Vector] = field(default_factory=dict)
    U: dict[int, Matrix] = field(default_factory=dict)
    vd: dict[int, Vector] = field(default_factory=dict)

    def begin(self, v0: Vector, w0: Vector, vd0: Vector, wd0: Vector, at: int = 0) -> LinkMotion:
        """Set the motion of the base, or of another link where the recursion begins."""
        self.v[at], self.w[at], self.vd[at], self.wd[at] = v0, w0, vd0, wd0
        self.U[at] = angular(self.s, w0, wd0, at)
        return self

    def turn(self, j: int) -> None:
        """Compute the angular velocity of link j."""
        s = self.s
        if j in s.free:
            self.w[j] = s.name("W", j, s.R[j].T @ (self.w[s.parent[j]] + s.state.V[j][3:]))
            return
        self.wi[j] = s.name("WI", j, s.R[j].T @ self.w[s.parent[j]])  # (K97:6a)
        self.w[j] = s.name("W", j, self.wi[j] + s.revolute[j] * s.rate[j] * s.a)  # (K97:6b)

    def move(self, j: int) -> None:
        """Compute the velocity of the origin of frame j, after `turn`."""
        s, i = self.s, self.s.parent[j]
        carried = self.v[i] + self.w[i].cross(s.P[j])
        if j in s.free:
            self.v[j] = s.name("V", j, s.R[j].T @ (carried + s.state.V[j][:3]))
            return
        self.v[j] = s.name("V", j, s.R[j].T @ carried + s.prismatic[j] * s.rate[j] * s.a)  # (K97:6c)

    def accelerate(self, j: int) -> None:
        """Compute the accelerations of link j, after `turn`."""
        if j in self.s.free:
            self._accelerate_freely(j)
            return
        s, i, a, wi = self.s, self.s.parent[j], self.s.a, self.wi[j]
        R, qd, qdd, revolute, prismatic = s.R[j], s.rate[j], s.acceleration[j], s.revolute[j], s.prismatic[j]
        wd = R.T @ self.wd[i] + revolute * (qdd * a + wi.cross(qd * a))
        self.wd[j] = s.name("WP", j, wd)  # (K97:8)
        self.U[j] = angular(s, self.w[j], self.wd[j], j)  # (K97:9)
        vsp = s.name("VSP", j, self.vd[i] + self.U[i] @ s.P[j])
        vd = R.T @ vsp + prismatic * (qdd * a + 2 * wi.cross(qd * a))
        self.vd[j] = s.name("VP", j, vd)  # (K97:10)

    def _accelerate_freely(self, j: int) -> None:
        """The same for a link that moves freely against its antecedent; V and VP are in the antecedent's frame."""
        s, i, w = self.s, self.s.parent[j], self.w[self.s.parent[j]]
        V, VP = s.state.V[j], s.state.VP[j]
        self.wd[j] = s.name("WP", j, s.R[j].T @ (self.wd[i] + w.cross(V[3:]) + VP[3:]))
        self.U[j] = angular(s, self.w[j], self.wd[j], j)
        carried = self.vd[i] + self.U[i] @ s.P[j] + 2 * w.cross(V[:3])
        self.vd[j] = s.name("VP", j, s.R[j].T @ (carried + VP[:3]))


def angular(s: Symbols, w: Vector, wd: Vector, j: int) -> Matrix:
    """U = hat(ω̇) + hat(ω) hat(ω) (K97:9), from the products DV of the angular velocities."""
    DV = products(s, w, j)
    x, y, z = wd
    U = (
        (DV[1, 1] + DV[2, 2], DV[0, 1] - z, DV[0, 2] + y),
        (DV[0, 1] + z, DV[0, 0] + DV[2, 2], DV[1, 2] - x),
        (DV[0, 2] - y, DV[1, 2] + x, DV[0, 0] + DV[1, 1]),
    )
    for row, elements in enumerate(U, 1):
        for column, x in enumerate(elements, 1):
            s.name_scalar(f"U{row}{column}{j}", j, x)
    return Matrix(s.graph, U)


def products(s: Symbols, w: Vector, j: int) -> dict[tuple[int, int], Expr]:
    """ω_a ω_b for a < b and −ω_a² (K97:9)."""
    return {
        (a, b): s.name_scalar(f"DV{a + 1}{b + 1}{j}", j, -(w[a] * w[a]) if a == b else w[a] * w[b])
        for a in range(3)
        for b in range(a, 3)
    }
