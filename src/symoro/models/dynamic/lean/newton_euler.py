"""Inverse dynamics by Newton-Euler on second moments, each link in the frame in which it is cheapest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector
from symoro.models.dynamic.lean.frames import Choice, Placement, place
from symoro.models.dynamic.lean.inertia import link_moments
from symoro.models.dynamic.lean.motion import Motion
from symoro.models.dynamic.newton_euler import rotational_moment_of
from symoro.models.results import by_joint
from symoro.symbols import Symbols


@dataclass(frozen=True)
class Layout:
    """The formulation: the frame of evaluation of each link, and which links use J instead of K."""

    frames: Mapping[int, Choice] = field(default_factory=dict)
    j_form: frozenset[int] = frozenset()


def inverse_dynamics(s: Symbols, layout: Layout) -> list[Result]:
    """Joint torques GAM."""
    at = place(s, layout.frames)
    body = {j: m.turned(at[j].spin) for j, m in link_moments(s, set(layout.j_form)).items()}
    motion = {0: Motion.of_base(s)}
    vd = {0: s.vd0 - s.g}
    F, N = {}, {}
    for j in s.outward:
        i, E, a, qd, qdd = s.parent[j], at[j].E, at[j].a, s.qd[j], s.qdd[j]
        now = motion[j] = motion[i].next(s, at[j], j)
        vsp = s.name("VSP", j, vd[i] + motion[i].U @ at[j].P)
        vd[j] = s.name("VP", j, E.T @ vsp + s.prismatic[j] * (qdd * a + 2 * now.w.cross(qd * a)))
        F[j] = s.name("F", j, body[j].M * vd[j] + now.U @ body[j].MS)
        if j in layout.j_form and at[j].rigid:
            rotational = rotational_moment_of(s, tensor(body[j].K), now.w, now.wd, now.U, j)
        else:
            rotational = moment_of_second_moments(s, body[j].K, now)
        N[j] = s.name("No", j, rotational) + body[j].MS.cross(vd[j])
    return [by_joint(s, "GAM", torques(s, at, F, N))]


def torques(s: Symbols, at: Mapping[int, Placement], F: Mapping[int, Vector], N: Mapping[int, Vector]) -> dict[int, Expr]:
    """The inward recursion (K97:17-20), in the frames of evaluation."""
    f: dict[int, Vector] = {}
    m: dict[int, Vector] = {}
    GAM = {}
    for j in s.inward:
        fj, mj = F[j] + at[j].spin @ s.force(j), N[j] + at[j].spin @ s.moment(j)
        for k in s.children[j]:
            fi = s.name("FDI", k, at[k].E @ f[k])
            fj = fj + fi
            mj = mj + at[k].E @ m[k] + at[k].P.cross(fi)
        f[j], m[j] = s.name("E", j, fj), s.name("N", j, mj)
        effort = (s.prismatic[j] * f[j] + s.revolute[j] * m[j]).dot(at[j].a)
        qd, qdd, (IA, FV, FS) = s.qd[j], s.qdd[j], (s.drive(name, j) for name in ("IA", "FV", "FS"))
        GAM[j] = effort + IA * qdd + FV * qd + FS * s.graph.sign(qd)
    return GAM


def tensor(K: Matrix) -> Matrix:
    """J = tr(K)·1 − K."""
    xx, yy, zz = K[0, 0], K[1, 1], K[2, 2]
    return Matrix(
        K.graph,
        ((yy + zz, -K[0, 1], -K[0, 2]), (-K[1, 0], xx + zz, -K[1, 2]), (-K[2, 0], -K[2, 1], xx + yy)),
    )


def moment_of_second_moments(s: Symbols, K: Matrix, motion: Motion) -> Vector:
    """vee(UK − (UK)ᵀ) = J ω̇ + ω × Jω."""
    U, w, wd = motion.U, motion.w, motion.wd

    def row(x: int, y: int, z: int) -> Expr:
        """The component along x of the right-handed triple x, y, z: (UK)zy − (UK)yz."""
        if (w[y] * w[z]).is_zero:  # then Uzy = −Uyz = ω̇x
            plane = wd[x] * (K[y, y] + K[z, z])
        else:
            plane = U[z, y] * K[y, y] - U[y, z] * K[z, z]
        return plane + (U[z, z] - U[y, y]) * K[y, z] + U[z, x] * K[x, y] - U[y, x] * K[x, z]

    return Vector(s.graph, (row(0, 1, 2), row(1, 2, 0), row(2, 0, 1)))
