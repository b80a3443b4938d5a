"""The derivatives of the inverse dynamic model by one upward sweep over composite links.

docs/theory/derivatives.md derives it; (n) are its equations. A motion of joint j changes U of every link k behind it by
δU = ε^ + 2 δω^ ω_k^ with the same ε and δω, and the acceleration of the origin by α. So a composite link needs, beside
its moments, p = 2 Σ ω × MS and C = 2 ∫ v rᵀ dm, where v is relative to the origin of the frame.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from symoro.bind.symbols import Symbols
from symoro.ir.jacobian import jacobian
from symoro.ir.linalg import Matrix, Rotation, Vector, conjugated, hat, identity, outer, total
from symoro.models.constraint import BASE, Entries
from symoro.models.dynamic.composite_links import with_rotors
from symoro.models.dynamic.drives import friction_of_joint, spring
from symoro.models.dynamic.lean.frames import exact
from symoro.models.dynamic.lean.inertia import Moments
from symoro.models.dynamic.lean.inertia_matrix import way_of
from symoro.models.dynamic.lean.layout import RecursionLayout
from symoro.models.dynamic.lean.newton_euler import Recursion, recursion


@dataclass(frozen=True)
class Composite:
    """A link with all links behind it: moments, p = 2 Σ ω × MS and C = 2 ∫ v rᵀ dm."""

    moments: Moments
    p: Vector
    C: Matrix

    @staticmethod
    def of(body: Moments, w2: Vector) -> Composite:
        """One link; `w2` is 2 ω."""
        return Composite(body, w2.cross(body.MS), hat(w2) @ body.K)  # (7)

    def __add__(self, other: Composite) -> Composite:
        return Composite(self.moments + other.moments, self.p + other.p, self.C + other.C)

    def turned(self, spin: Rotation) -> Composite:
        C = self.C
        for turn in reversed(spin.turns):
            C = conjugated(turn, C)
        return Composite(self.moments.turned(spin), spin @ self.p, C)

    def moved(self, P: Vector, u: Vector) -> Composite:
        """About an origin from which P leads to this one, which moves against it by u/2."""
        p = self.p + self.moments.M * u  # (8)
        return Composite(self.moments.moved(P), p, self.C + outer(u, self.moments.MS) + outer(p, P))  # (9)

    @property
    def D(self) -> Matrix:
        """tr(C) 1 − C."""
        (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = self.C
        return Matrix(self.p.graph, ((yy + zz, -xy, -xz), (-yx, xx + zz, -yz), (-zx, -zy, xx + yy)))

    def wrench(self, change: Change) -> ForceMoment:
        """What a change of motion changes of the wrench on it (5), (6)."""
        M, MS, J = self.moments.M, self.moments.MS, self.moments.inertia
        x = change
        return ForceMoment(
            M * x.alpha + x.epsilon.cross(MS) + x.omega.cross(self.p),
            MS.cross(x.alpha) + J @ x.epsilon + self.D @ x.omega,
        )


@dataclass(frozen=True)
class Change:
    """What a motion of a joint changes of the motion behind it: δω, ε of U, α of the origin's acceleration."""

    omega: Vector
    epsilon: Vector
    alpha: Vector


@dataclass(frozen=True)
class ForceMoment:
    """Force and moment."""

    f: Vector
    n: Vector

    def turned(self, R: Rotation) -> ForceMoment:
        return ForceMoment(R @ self.f, R @ self.n)

    def moved(self, P: Vector) -> ForceMoment:
        return ForceMoment(self.f, self.n + P.cross(self.f))


@dataclass(frozen=True)
class JointWrenches:
    """What goes up for a joint: the wrenches of its q, q̇ and q̈, and d of the adjoint."""

    q: ForceMoment
    qd: ForceMoment
    qdd: ForceMoment
    d: Vector

    def turned(self, R: Rotation) -> JointWrenches:
        return JointWrenches(self.q.turned(R), self.qd.turned(R), self.qdd.turned(R), R @ self.d)

    def moved(self, P: Vector, u: Vector) -> JointWrenches:
        d = self.d + u.cross(self.qdd.f)  # (13)
        return JointWrenches(self.q.moved(P), self.qd.moved(P), self.qdd.moved(P), d)


@dataclass(frozen=True)
class Slopes:
    """∂Γ/∂q, ∂Γ/∂q̇ and half of A: (row, column) -> element. The columns of a base in the first two are of its turns."""

    q: Entries = field(default_factory=dict)
    qd: Entries = field(default_factory=dict)
    A: Entries = field(default_factory=dict)


def slopes(s: Symbols, layout: RecursionLayout) -> Slopes:
    """The derivatives of the torques of the links, from the tips to the base."""
    of, derivatives = recursion(s, layout), Slopes()
    double = {j: 2 * motion.w for j, motion in of.motion.items()}
    whole = {j: Composite.of(body, double[j]) for j, body in of.body.items()}
    columns: dict[int, dict[int, JointWrenches]] = {j: {} for j in (0, *s.jointed)}
    for j in reversed(s.jointed):
        here, i = of.at[j], s.parent[j]
        turn = here.joint_turn
        a = turn @ here.a
        behind = {k: column.turned(turn) for k, column in columns[j].items()}
        body = whole[j].turned(turn)
        if j in s.movable:
            by_q, by_qd = changes(s, of, j, a)
            for k, column in behind.items():
                read(s, derivatives, j, k, a, column, by_q, by_qd)
            behind[j] = column_of(s, of, body, j, a, by_q, by_qd)
            along_axis(s, derivatives, j, j, a, behind[j])
        after, P, rest = _way(s, of, j)
        w2 = after.T @ double[i]
        u = w2.cross(P) + s.prismatic[j] * (2 * s.rate[j]) * (rest @ a)
        if i in whole:
            whole[i] = whole[i] + body.turned(rest).moved(P, u).turned(after)
        columns[i] |= {k: column.turned(rest).moved(P, u).turned(after) for k, column in behind.items()}
    if 0 in whole:
        base_rows(s, derivatives, whole[0], columns[0], double[0])
    return derivatives


def _way(s: Symbols, of: Recursion, j: int) -> tuple[Rotation, Vector, Rotation]:
    """Where the way to the origin of link j is sparsest: turns that follow it, the way, turns of `before` before it."""
    turns, way = of.at[j].before.turns, way_of(s, j, of.at[j])
    k = len(way.after.turns)
    if k > len(turns):
        return Rotation(s.graph, ()), of.at[j].P, of.at[j].before
    return way.after, way.P, Rotation(s.graph, turns[k:])


def changes(s: Symbols, of: Recursion, j: int, a: Vector) -> tuple[Change, Change]:
    """What q and q̇ of joint j change, in the frame before its turn, where its axis is a."""
    here, i = of.at[j], s.parent[j]
    back, none = here.before.T, 0 * a
    w = back @ of.motion[i].w
    if not here.turns_with_joint:
        Ua = here.joint_turn @ (of.motion[j].U @ here.a)
    elif exact(here.before):
        Ua = back @ (of.motion[i].U @ (here.before @ a))
    else:
        Ua = w.cross(w.cross(a)) + (back @ of.motion[i].wd).cross(a)
    wa, wa2 = w.cross(a), (2 * w).cross(a)
    if s.prismatic[j]:
        return Change(none, none, Ua), Change(none, none, wa2)  # (4)
    return Change(wa, Ua, (back @ of.vsp[j]).cross(a)), Change(a, wa2, none)  # (3)


def column_of(
    s: Symbols, of: Recursion, body: Composite, j: int, a: Vector, by_q: Change, by_qd: Change
) -> JointWrenches:
    """The wrenches that go up from joint j, in the frame before its turn."""
    turn, none = of.at[j].joint_turn, 0 * a
    f, n = turn @ of.f[j], turn @ of.m[j]
    q = body.wrench(by_q)
    if s.prismatic[j]:
        q = ForceMoment(q.f, q.n + a.cross(f))
        qdd, d = body.wrench(Change(none, none, a)), body.p.cross(a)
    else:
        q = ForceMoment(q.f + a.cross(f), q.n + a.cross(n))
        qdd, d = body.wrench(Change(none, a, none)), body.D.T @ a
    return JointWrenches(q, body.wrench(by_qd), qdd, d)


def read(
    s: Symbols, derivatives: Slopes, i: int, j: int, a: Vector, column: JointWrenches, by_q: Change, by_qd: Change
) -> None:
    """The elements of joints i and j behind it: row i by the wrenches, row j by the adjoint (10)-(12)."""
    along_axis(s, derivatives, i, j, a, column)
    for slopes, change in ((derivatives.q, by_q), (derivatives.qd, by_qd)):
        f, n = column.qdd.f, column.qdd.n
        slopes[j, i] = f.dot(change.alpha) + n.dot(change.epsilon) + column.d.dot(change.omega)


def along_axis(s: Symbols, derivatives: Slopes, i: int, j: int, a: Vector, column: JointWrenches) -> None:
    """Row i of the columns of joint j (10)."""
    parts = ((derivatives.q, column.q), (derivatives.qd, column.qd), (derivatives.A, column.qdd))
    for slopes, wrench in parts:
        slopes[i, j] = (s.prismatic[i] * wrench.f + s.revolute[i] * wrench.n).dot(a)


def base_rows(
    s: Symbols, derivatives: Slopes, base: Composite, columns: Mapping[int, JointWrenches], w2: Vector
) -> None:
    """Rows and columns of a base whose motion is unknown: its turns, its angular velocity, its acceleration (14)."""
    none = 0 * s.a
    unit = identity(s.graph, 3)
    for k, e in zip(BASE[3:], unit, strict=True):
        turn, spin = Change(none, none, e.cross(s.g)), Change(e, s.w0.cross(e), none)
        for slopes, change in ((derivatives.q, turn), (derivatives.qd, spin)):
            on_base(slopes, k, base.wrench(change))
    for k, e in zip(BASE, (*unit, *unit), strict=True):
        angular = k in BASE[3:]
        on_base(derivatives.A, k, base.wrench(Change(none, e if angular else none, none if angular else e)))
    for j, column in columns.items():
        for slopes, wrench in ((derivatives.q, column.q), (derivatives.qd, column.qd), (derivatives.A, column.qdd)):
            on_base(slopes, j, wrench)
        f, n = column.qdd.f, column.qdd.n
        for slopes, row in ((derivatives.q, s.g.cross(f)), (derivatives.qd, n.cross(s.w0) + column.d)):
            slopes.update({(j, k): x for k, x in zip(BASE[3:], row, strict=True)})


def on_base(slopes: Entries, column: int, wrench: ForceMoment) -> None:
    slopes.update({(k, column): x for k, x in zip(BASE, (*wrench.f, *wrench.n), strict=True)})


def with_drives(s: Symbols, links: Slopes) -> Slopes:
    """The derivatives with what rotors, friction and springs add; of A, both halves."""
    q, qd, half = dict(links.q), dict(links.qd), with_rotors(s, links.A)
    velocities = [s.qd[k] for k in s.variables]
    for j in s.variables:
        (row,) = jacobian(s.graph, [total(s.graph, friction_of_joint(s, j))], velocities)
        for k, x in zip(s.variables, row, strict=True):
            qd[j, k] = qd.get((j, k), s.graph.zero) + x
        ((stiffness,),) = jacobian(s.graph, [spring(s, j)], [s.q[j]])
        q[j, j] = q[j, j] - stiffness
    return Slopes(q, qd, half | {(k, j): x for (j, k), x in half.items()})
