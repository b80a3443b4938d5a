"""Kinetic and potential energy, linear in the inertial parameters (K13 § 7.3.3), and the energy of springs."""

from __future__ import annotations

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.linalg import Matrix, Vector, total, zeros
from symoro.models.dynamic.composite_links import composite_moments
from symoro.models.dynamic.drives import rotor_row, spring
from symoro.models.dynamic.open_tree import matrix
from symoro.models.families import constraint_of


def energies(s: Symbols) -> list[Result]:
    """E of links and rotors, and U, which is 0 for a mass at the origin of frame 0.

    A base whose motion is unknown counts as a link. The height of a floating base is not known: U lacks −M g·p of it.
    Of a robot with elastic joints, US is the energy of the springs; it is not in U.
    """
    by_name = {"E": kinetic(s), "U": potential(s)}
    if any(joint.elastic for joint in s.robot.joints):
        by_name["US"] = of_springs(s)
    return [Result(name, (), (energy,), (name,)) for name, energy in by_name.items()]


def of_springs(s: Symbols) -> Expr:
    """½ K (q − q₀)² of each elastic joint, whose torque is −K (q − q₀) (K10:69, 70)."""
    terms = [-spring(s, j) * (s.q[j] - s.bind(s.robot.joint(j).rest)) for j in s.variables]
    return s.graph.one / 2 * total(s.graph, terms)


def of_constrained(s: Symbols) -> list[Result]:
    """The same in the motion that the constraint gives to the open tree."""
    return energies(constraint_of(s).with_velocities)


def by_inertia_matrix(s: Symbols) -> list[Result]:
    """The same with E = ½ vᵀ A_c v of the coordinates that are left."""
    c = constraint_of(s)
    A, u = c.inertia(matrix(s)), c.velocities
    rows = Matrix(s.graph, ((A[i, k] for k in c.left) for i in c.left))
    v = Vector(s.graph, (u[k] for k in c.left))
    _, *others = energies(s)
    return [Result("E", (), (s.graph.one / 2 * v.dot(rows @ v),), ("E",)), *others]


def kinetic(s: Symbols) -> Expr:
    """The sum of the kinetic energies of the links and of the rotors (K13:7.9, 7.29)."""
    w, v, terms = {0: s.w0}, {0: s.v0}, [link_energy(s, 0, s.v0, s.w0)] if s.robot.base.free else []
    for j in s.outward:
        i, R, P, move = s.parent[j], s.R[j], s.P[j], s.rate[j] * s.a
        if j in s.free:
            w[j] = s.name("W", j, R.T @ (w[i] + s.state.V[j][3:]))
            v[j] = s.name("V", j, R.T @ (v[i] + w[i].cross(P) + s.state.V[j][:3]))
            terms.append(link_energy(s, j, v[j], w[j]))
            continue
        w[j] = s.name("W", j, R.T @ w[i] + s.revolute[j] * move)  # (K13:7.17)
        v[j] = s.name("V", j, R.T @ (v[i] + w[i].cross(P)) + s.prismatic[j] * move)  # (K13:7.18)
        terms.append(link_energy(s, j, v[j], w[j]))
    for j in s.variables:
        terms += [x * s.qd[j] * s.qd[k] for k, x in rotor_row(s, j).items()]
    return s.graph.one / 2 * total(s.graph, terms)


def link_energy(s: Symbols, j: int, v: Vector, w: Vector) -> Expr:
    """Twice the kinetic energy of link j (K13:7.16)."""
    J, MS, M = s.J[j], s.MS[j], s.M[j]
    return w.dot(J @ w) + M * v.dot(v) + 2 * MS.dot(v.cross(w))


def potential(s: Symbols) -> Expr:
    """−g · Σ (M P + R MS), gathered from the tips to the base (K13:7.25b)."""
    whole = composite_moments(s)
    MS = s.MS[0] if s.robot.base.free else zeros(s.graph, 3)
    for j in s.children[0]:
        M, moments = whole[j]
        MS = MS + s.P[j] * M + s.R[j] @ moments
    return -s.g.dot(MS)
