"""Inverse dynamics by Newton-Euler on second moments, each link in the frame in which it is cheapest."""

from __future__ import annotations

from collections.abc import Mapping

from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector, total
from symoro.models.dynamic.drives import drive_terms
from symoro.models.dynamic.lean.frames import Placement, place
from symoro.models.dynamic.lean.inertia import Moments, link_moments
from symoro.models.dynamic.lean.layout import Layout
from symoro.models.dynamic.lean.motion import Motion
from symoro.models.dynamic.newton_euler import rotational_moment_of
from symoro.symbols import Symbols


def torques(s: Symbols, layout: Layout, qdd: Mapping[int, Expr] | None = None) -> dict[int, Expr]:
    """Γ of every joint, for given accelerations or those of the input."""
    qdd = s.qdd if qdd is None else qdd
    at = place(s, layout)
    body = {j: m.turned(at[j].spin) for j, m in link_moments(s, set(layout.j_form)).items()}
    motion = {0: Motion.of_base(s)}
    vd = {0: s.vd0 - s.g}
    F, N = {}, {}
    for j in s.outward:
        i, E, a, qd = s.parent[j], at[j].E, at[j].a, s.qd[j]
        now = motion[j] = motion[i].next(s, at[j], qdd[j], j)
        vsp = s.name("VSP", j, vd[i] + motion[i].U @ at[j].P)
        vd[j] = s.name("VP", j, E.T @ vsp + s.prismatic[j] * (qdd[j] * a + 2 * now.w.cross(qd * a)))
        F[j] = s.name("F", j, body[j].M * vd[j] + now.U @ body[j].MS)
        if j in layout.j_form and at[j].rigid:
            rotational = rotational_moment_of(s, body[j].inertia, now.w, now.wd, now.U, j)
        else:
            rotational = moment_of_second_moments(s, body[j], now)
        N[j] = s.name("No", j, rotational) + body[j].MS.cross(vd[j])
    efforts = inward(s, at, F, N)
    return {j: total(s.graph, (efforts[j], *drive_terms(s, j, qdd))) for j in s.outward}  # (K97:20)


def inward(
    s: Symbols, at: Mapping[int, Placement], F: Mapping[int, Vector], N: Mapping[int, Vector]
) -> dict[int, Expr]:
    """The inward recursion (K97:17-19), in the frames of evaluation: what each joint carries along its axis."""
    f: dict[int, Vector] = {}
    m: dict[int, Vector] = {}
    efforts = {}
    for j in s.inward:
        fj, mj = F[j] + at[j].spin @ s.force(j), N[j] + at[j].spin @ s.moment(j)
        for k in s.children[j]:
            fi = s.name("FDI", k, at[k].E @ f[k])
            fj = fj + fi
            mj = mj + at[k].E @ m[k] + at[k].P.cross(fi)
        f[j], m[j] = s.name("E", j, fj), s.name("N", j, mj)
        efforts[j] = (s.prismatic[j] * f[j] + s.revolute[j] * m[j]).dot(at[j].a)
    return efforts


def moment_of_second_moments(s: Symbols, body: Moments, motion: Motion) -> Vector:
    """vee(UK − (UK)ᵀ) = J ω̇ + ω × Jω."""
    U, w, wd, K = motion.U, motion.w, motion.wd, body.K

    def row(x: int, y: int, z: int) -> Expr:
        """The component along x of the right-handed triple x, y, z: (UK)zy − (UK)yz."""
        still = (w[y] * w[z]).is_zero  # then Uzy = −Uyz = ω̇x
        plane = wd[x] * body.T[x] if still else U[z, y] * K[y, y] - U[y, z] * K[z, z]
        return plane + (U[z, z] - U[y, y]) * K[y, z] + U[z, x] * K[x, y] - U[y, x] * K[x, z]

    return Vector(s.graph, (row(0, 1, 2), row(1, 2, 0), row(2, 0, 1)))
