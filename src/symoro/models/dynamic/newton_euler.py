"""Inverse dynamics of a tree by the recursive Newton-Euler algorithm, linear in the inertial parameters (K97 § 5.1)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total
from symoro.models.dynamic.drives import drive_terms
from symoro.models.recursion import LinkMotion, products, six
from symoro.models.results import by_joint


def inverse_dynamics(s: Symbols) -> list[Result]:
    """Joint torques GAM for given positions, velocities and accelerations."""
    return [by_joint(s, "GAM", joint_torques(s))]


def joint_torques(s: Symbols) -> dict[int, Expr]:
    """Γ of every joint."""
    GAM = {}
    for j, f, m in link_wrenches(s):
        terms = chain([along_axis(s, j, f, m)], drive_terms(s, j))
        GAM[j] = total(s.graph, terms)  # (K97:20)
    return GAM


def link_torques(s: Symbols, links: tuple[int, ...] | None = None) -> dict[int, Expr]:
    """Γ of every joint without what its drive needs, and the wrenches of free links; or of these links alone."""
    return {k: x for j, f, m in link_wrenches(s, links) for k, x in at_joint(s, j, f, m)}


def at_joint(s: Symbols, j: int, f: Vector, m: Vector) -> Iterator[tuple[int, Expr]]:
    """What of a wrench on link j acts along the coordinates of joint j; of a free link in its antecedent's frame."""
    if j in s.free:
        yield from zip(six(j), (*(s.R[j] @ f), *(s.R[j] @ m)), strict=True)
    else:
        yield j, along_axis(s, j, f, m)


def along_axis(s: Symbols, j: int, f: Vector, m: Vector) -> Expr:
    """The component of a wrench that the drive of joint j carries; 0 for a fixed joint."""
    return (s.prismatic[j] * f + s.revolute[j] * m).dot(s.a)


def link_wrenches(s: Symbols, links: tuple[int, ...] | None = None) -> Iterator[tuple[int, Vector, Vector]]:
    """From the tips to the base: link j, force and moment on it from its antecedent (K97 § 5.1).

    `links`: those that are asked for, from the base to the tips; no others may lie before or behind them.
    """
    outward = s.outward if links is None else links
    motion = LinkMotion(s).begin(s.v0, s.w0, s.vd0 - s.g, s.wd0)
    F, No = {}, {}
    for j in outward:
        motion.turn(j)  # (K97:6)
        motion.accelerate(j)  # (K97:8-10)
        w, wd, U, vd = motion.w[j], motion.wd[j], motion.U[j], motion.vd[j]
        F[j] = s.name("F", j, s.M[j] * vd + U @ s.MS[j])  # (K97:15)
        No[j] = s.name("No", j, rotational_moment(s, s.J[j], w, wd, U, j))  # (K97:16), less MS × V̇
    f: dict[int, Vector] = {}
    m: dict[int, Vector] = {}
    for j in reversed(outward):
        fj, mj = F[j], No[j] + s.MS[j].cross(motion.vd[j])
        for k in s.children[j]:
            fi = s.name("FDI", k, s.R[k] @ f[k])  # (K97:18)
            fj = fj + fi
            mj = mj + s.R[k] @ m[k] + s.P[k].cross(fi)
        f[j] = s.name("E", j, fj + s.force[j])  # (K97:17)
        m[j] = s.name("N", j, mj + s.moment[j])  # (K97:19)
        yield j, f[j], m[j]


def rotational_moment(s: Symbols, J: Matrix, w: Vector, wd: Vector, U: Matrix, j: int) -> Vector:
    """J ω̇ + ω × (J ω) (K97:16), written with the elements of U that the force needs too.

    A product of inertia such as XY meets ω̇₂ − ω₁ω₃ = −U₃₁ in the first row, so it costs one multiplication there.
    """
    DV = products(s, w, j)
    (XX, XY, XZ), (_, YY, YZ), (_, _, ZZ) = J
    PIS = [s.name_scalar(f"PIS{k}{j}", j, x) for k, x in ((1, ZZ - YY), (2, XX - ZZ), (3, YY - XX))]
    return Vector(
        s.graph,
        (
            XX * wd[0] + DV[1, 2] * PIS[0] - XY * U[2, 0] + XZ * U[1, 0] + YZ * (DV[2, 2] - DV[1, 1]),
            YY * wd[1] + DV[0, 2] * PIS[1] + XY * U[2, 1] - YZ * U[0, 1] + XZ * (DV[0, 0] - DV[2, 2]),
            ZZ * wd[2] + DV[0, 1] * PIS[2] - XZ * U[1, 2] + YZ * U[0, 2] + XY * (DV[1, 1] - DV[0, 0]),
        ),
    )
