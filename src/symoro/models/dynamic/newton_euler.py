"""Inverse dynamics of a tree by the recursive Newton-Euler algorithm, linear in the inertial parameters (K97 § 5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total
from symoro.models.dynamic.drives import drive_terms
from symoro.models.results import by_joint
from symoro.symbols import Symbols


@dataclass(frozen=True, slots=True)
class Motion:
    """What acts: the joints' velocities and accelerations (the inputs' where None), gravity, the base, wrenches."""

    qd: Mapping[int, Expr] | None = None
    qdd: Mapping[int, Expr] | None = None
    gravity: bool = True
    base: bool = True
    loaded: bool = True


EVERYTHING = Motion()


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


def along_axis(s: Symbols, j: int, f: Vector, m: Vector) -> Expr:
    """The component of a wrench that the drive of joint j carries; 0 for a fixed joint."""
    return (s.prismatic[j] * f + s.revolute[j] * m).dot(s.a)


def link_wrenches(s: Symbols, motion: Motion = EVERYTHING) -> Iterator[tuple[int, Vector, Vector]]:
    """From the tips to the base: link j, force and moment on it from its antecedent (K97 § 5.1)."""
    none = Vector(s.graph, (0, 0, 0))
    w0, wd0, vd0 = (s.w0, s.wd0, s.vd0) if motion.base else (none, none, none)
    w, wd, U, vd = {0: w0}, {0: wd0}, {0: angular(s, w0, wd0, 0)}, {0: vd0 - s.g if motion.gravity else vd0}
    F, No = {}, {}
    for j in s.outward:
        i, R, P, a = s.parent[j], s.R[j], s.P[j], s.a
        qd, qdd = (s.qd if motion.qd is None else motion.qd)[j], (s.qdd if motion.qdd is None else motion.qdd)[j]
        revolute, prismatic = s.revolute[j], s.prismatic[j]
        wi = s.name("WI", j, R.T @ w[i])  # (K97:6a)
        w[j] = s.name("W", j, wi + revolute * qd * a)  # (K97:6b)
        wd[j] = s.name("WP", j, R.T @ wd[i] + revolute * (qdd * a + wi.cross(qd * a)))  # (K97:8)
        U[j] = angular(s, w[j], wd[j], j)  # (K97:9)
        vsp = s.name("VSP", j, vd[i] + U[i] @ P)
        vd[j] = s.name("VP", j, R.T @ vsp + prismatic * (qdd * a + 2 * wi.cross(qd * a)))  # (K97:10)
        F[j] = s.name("F", j, s.M(j) * vd[j] + U[j] @ s.MS(j))  # (K97:15)
        No[j] = s.name("No", j, rotational_moment(s, w[j], wd[j], U[j], j))  # (K97:16), less MS × V̇
    f: dict[int, Vector] = {}
    m: dict[int, Vector] = {}
    for j in s.inward:
        fj, mj = F[j], No[j] + s.MS(j).cross(vd[j])
        for k in s.children[j]:
            fi = s.name("FDI", k, s.R[k] @ f[k])  # (K97:18)
            fj = fj + fi
            mj = mj + s.R[k] @ m[k] + s.P[k].cross(fi)
        f[j] = s.name("E", j, fj + s.force(j) if motion.loaded else fj)  # (K97:17)
        m[j] = s.name("N", j, mj + s.moment(j) if motion.loaded else mj)  # (K97:19)
        yield j, f[j], m[j]


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


def rotational_moment(s: Symbols, w: Vector, wd: Vector, U: Matrix, j: int) -> Vector:
    """J ω̇ + ω × (J ω) (K97:16), written with the elements of U that the force needs too.

    A product of inertia such as XY meets ω̇₂ − ω₁ω₃ = −U₃₁ in the first row, so it costs one multiplication there.
    """
    return rotational_moment_of(s, s.J(j), w, wd, U, j)


def rotational_moment_of(s: Symbols, J: Matrix, w: Vector, wd: Vector, U: Matrix, j: int) -> Vector:
    """The same for any inertia matrix that stands for link j's."""
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
