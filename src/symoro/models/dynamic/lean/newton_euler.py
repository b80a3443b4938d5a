"""Inverse dynamics by Newton-Euler on second moments, each link in the frame in which it is cheapest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.linalg import Vector, total
from symoro.models.constraint import BASE
from symoro.models.dynamic.drives import drive_terms
from symoro.models.dynamic.lean.frames import EvaluationFrame, offset, place
from symoro.models.dynamic.lean.inertia import Moments, link_moments
from symoro.models.dynamic.lean.layout import RecursionLayout
from symoro.models.dynamic.lean.motion import AngularMotion, along, columns_read
from symoro.models.results import remembered


def torques(s: Symbols, layout: RecursionLayout) -> dict[int, Expr]:
    """Γ of every joint."""
    of_links = efforts(s, layout)
    return {j: total(s.graph, (of_links[j], *drive_terms(s, j))) for j in s.outward}  # (K97:20)


@remembered
def efforts(s: Symbols, layout: RecursionLayout) -> dict[int, Expr]:
    """The torque of the links at every joint, free ones left out, and the wrench on a base whose motion is unknown."""
    of = recursion(s, layout)
    by_coordinate = dict(zip(BASE, (*of.f[0], *of.m[0]), strict=True)) if 0 in of.f else {}
    for j in s.jointed:
        by_coordinate[j] = (s.prismatic[j] * of.f[j] + s.revolute[j] * of.m[j]).dot(of.at[j].a)
    return by_coordinate


@dataclass(frozen=True)
class Recursion:
    """All that the recursion knows of each link, in the frame in which the link is evaluated."""

    at: dict[int, EvaluationFrame]
    body: dict[int, Moments]
    motion: dict[int, AngularMotion]
    vsp: dict[int, Vector]  # the acceleration of the origin less what a prismatic joint adds, in the antecedent's frame
    vd: dict[int, Vector]
    f: dict[int, Vector]
    m: dict[int, Vector]


@remembered
def recursion(s: Symbols, layout: RecursionLayout) -> Recursion:
    """The motion of the links from the base to the tips, and the wrenches on them from the tips to the base."""
    qdd = s.acceleration
    at = place(s, layout)
    moments = link_moments(s, layout.slid, layout.heavy, layout.j_form, layout.rounding)
    body = {j: m.turned(at[j].spin) for j, m in moments.items()}
    motion = {0: AngularMotion.of_base(s)}
    vsp, vd = {}, {0: s.vd0 - s.g}
    F, N = {}, {}
    for j in s.jointed:
        i, E, a, qd = s.parent[j], at[j].E, at[j].a, s.rate[j]
        now = motion[j] = motion[i].next(at, qdd[j], j, layout.by_rates)
        vsp[j] = s.name("VSP", j, vd[i] + motion[i].U @ at[j].P)
        vd[j] = s.name("VP", j, E.T @ vsp[j] + s.prismatic[j] * (qdd[j] * a + 2 * now.w.cross(qd * a)))
    for j, now in motion.items():
        if j not in body:
            continue  # a base that does not move freely
        F[j] = s.name("F", j, body[j].M * vd[j] + now.U @ body[j].MS)
        read = columns_read(s, at, j, layout.by_rates) | along(body[j].MS)
        rotational = moment_of_second_moments(s, body[j], now, read, at[j].rigid)
        N[j] = s.name("No", j, rotational) + body[j].MS.cross(vd[j])
    f, m = inward(s, layout, at, F, N)
    return Recursion(at, body, motion, vsp, vd, f, m)


def inward(
    s: Symbols,
    layout: RecursionLayout,
    at: Mapping[int, EvaluationFrame],
    F: Mapping[int, Vector],
    N: Mapping[int, Vector],
) -> tuple[dict[int, Vector], dict[int, Vector]]:
    """The inward recursion (K97:17-19), in the frames of evaluation: force and moment on each link."""
    f: dict[int, Vector] = {}
    m: dict[int, Vector] = {}
    for j in (*s.jointed[::-1], 0) if 0 in F else s.jointed[::-1]:
        fe, me = s.force[j], s.moment[j] + offset(s, j, layout.slid).cross(s.force[j])
        fj, mj = F[j] + at[j].spin @ fe, N[j] + at[j].spin @ me
        for k in s.children[j]:
            fi = s.name("FDI", k, at[k].E @ f[k])
            fj = fj + fi
            mj = mj + at[k].E @ m[k] + at[k].P.cross(fi)
        f[j], m[j] = s.name("E", j, fj), s.name("N", j, mj)
    return f, m


def moment_of_second_moments(s: Symbols, body: Moments, now: AngularMotion, read: set[int], constant: bool) -> Vector:
    """vee(UK − (UK)ᵀ) = J ω̇ + ω × Jω, where something else reads some columns of U, and K may be constant."""
    U, K = now.U, body.K

    def row(x: int, y: int, z: int) -> Expr:
        """The component along x of the right-handed triple x, y, z: (UK)zy − (UK)yz."""
        if (now.w[y] * now.w[z]).is_zero:  # then Uzy = −Uyz = ω̇x
            plane = now.wd[x] * body.T[x]
        elif constant and now.before_U is None:
            used = {(z, y): y in read or not K[y, x].is_zero, (y, z): z in read or not K[z, x].is_zero}
            plane = _in_plane(s, body, now, (x, y, z), used)
        else:
            plane = U[z, y] * K[y, y] - U[y, z] * K[z, z]
        return plane + (U[z, z] - U[y, y]) * K[y, z] + U[z, x] * K[x, y] - U[y, x] * K[x, z]

    return Vector(s.graph, (row(0, 1, 2), row(1, 2, 0), row(2, 0, 1)))


def _in_plane(
    s: Symbols, body: Moments, now: AngularMotion, axes: tuple[int, int, int], used: Mapping[tuple[int, int], bool]
) -> Expr:
    """Uzy Kyy − Uyz Kzz, in those two of Uzy, Uyz, their half sum ωy ωz and half difference ω̇x that cost least.

    All follow from any two of them. Free are those elements of U that are used anyway, and what U is made of.
    """
    x, y, z = axes
    K, T, zy, yz = body.K, body.T[x], now.U[z, y], now.U[y, z]
    product, wd = now.w[y] * now.w[z], now.wd[x]
    made_of = wd if now.column is None else (yz, zy, wd)[x]  # the column of U has its elements xz and yz
    work = {product: 1, wd: 2, zy: 2 * (not used[z, y]), yz: 2 * (not used[y, z])} | {made_of: 0}
    difference = K[y, y] - K[z, z]
    forms = (
        ((zy, K[y, y]), (yz, -K[z, z])),
        ((zy, T), (product, -2 * K[z, z])),
        ((yz, -T), (product, 2 * K[y, y])),
        ((wd, T), (product, difference)),
        ((zy, difference), (wd, 2 * K[z, z])),
        ((yz, difference), (wd, 2 * K[y, y])),
    )
    cheapest = min(forms, key=lambda form: sum(1 + work[u] for u, k in form if not k.is_zero))
    return total(s.graph, (u * k for u, k in cheapest))
