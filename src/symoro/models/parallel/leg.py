"""A leg of a parallel robot: its letters, its end on the platform, its velocities and forces (K10 § 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symoro.bind.symbols import State, Symbols
from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Pair, Vector, identity, total, zeros
from symoro.lazy import lazy
from symoro.models.constraint import Row as Form
from symoro.models.constraint import dot
from symoro.models.geometric.frames import Pose, bound_pose, carrier
from symoro.models.parallel.leg_geometry import growth
from symoro.models.parallel.leg_loops import LegConstraint, LegLoops, constant_rows, leg_loops
from symoro.models.parallel.platform import PoseSymbols
from symoro.models.recursion import LinkMotion
from symoro.robot import topology
from symoro.robot.robot import Attachment, ClosureKind, Robot

# The letters of a leg, whose joints follow from the pose of its end.


@dataclass(frozen=True)
class LegSymbols(Symbols):
    """A leg's letters."""

    @lazy
    def slopes(self) -> dict[int, dict[int, Expr]]:
        """Coordinates of legs are multiples of their variable plus constants."""
        return {j: {j: growth(self, j)} for j in self.movable}

    @lazy
    def acceleration(self) -> dict[int, Expr]:
        """Slopes are constant."""
        return self.qdd | self._along_slopes(self.qdd)


# The end of a leg and its attachment: what leg and platform have in common.
#
# All rows are in the frame n of the leg's last link. A row (l, a) says l·v + a·ω of the point where leg and platform
# meet; it is the same for both (K10:63-64).


Row = tuple[Vector, Vector]
"""The linear and the angular part of a row."""


@dataclass(frozen=True, eq=False)
class LegEnd:
    """The end of leg `number`, from 0, with its joints known."""

    of: PoseSymbols
    number: int
    s: LegSymbols

    @property
    def attachment(self) -> Attachment:
        return self.of.robot.attachments[self.number]

    @lazy
    def link(self) -> int:
        """n, the link that is attached."""
        return self._carrier[0]

    @lazy
    def _carrier(self) -> tuple[int, Pose]:
        link, pose = carrier(self.s.robot, self.of.robot.end(self.number))
        return link, bound_pose(self.s, pose)

    @property
    def B(self) -> Pose:
        """The frame of the leg that is attached, in frame n."""
        return self._carrier[1]

    @lazy
    def path(self) -> tuple[int, ...]:
        """The joints from the base to the end."""
        return tuple(joint.index for joint in topology.path(self.s.robot, self.link))

    def inward(self, x: Vector) -> Vector:
        """A vector of frame 0 in frame n."""
        for j in self.path:
            x = self.s.R[j].T @ x
        return x

    def outward(self, x: Vector) -> Vector:
        """A vector of frame n in frame 0."""
        for j in reversed(self.path):
            x = self.s.R[j] @ x
        return x

    # the attachment

    @lazy
    def A(self) -> Pose:
        """The attachment's frame on the platform, in the platform's frame."""
        return bound_pose(self.s, self.attachment.pose)

    @lazy
    def P(self) -> Vector:
        """From the platform's origin to the point where leg and platform meet, in frame 0 (K10:65)."""
        fixed = self.of.orientation @ self.A[1]
        if self.attachment.kind is ClosureKind.PRISMATIC:  # the leg's end slides along z of the attachment
            slid = -self.axis.dot(self._apart)
            fixed = fixed + slid * (self.of.orientation @ self.A[0].column(2))
        return self.s.name("P", self.number + 1, fixed)

    @lazy
    def meeting(self) -> Vector:
        """From the origin of the last link to the point where leg and platform meet, in frame n."""
        return self._carrier[1][1]

    @lazy
    def _apart(self) -> Vector:
        """From the leg's end to the attachment's origin on the platform, in frame n."""
        return self.inward(self.of.p + self.of.orientation @ self.A[1]) - self._end

    @lazy
    def axis(self) -> Vector:
        """The axis z of the attachment on the platform, in frame n."""
        return self.inward(self.of.orientation @ self.A[0].column(2))

    @lazy
    def rows(self) -> list[Row]:
        """What leg and platform have in common."""
        none, along = zeros(self.s.graph, 3), list(identity(self.s.graph, 3))
        if self.attachment.kind is ClosureKind.PRISMATIC:
            along = [self._carrier[1][0].column(k) for k in (0, 1)]
        return [*((row, none) for row in along), *((none, n) for n in self._axes)]

    @lazy
    def _axes(self) -> tuple[Vector, ...]:
        """The axes about which leg and platform turn alike."""
        x, y, z = (self._carrier[1][0].column(k) for k in range(3))
        match self.attachment.kind:
            case ClosureKind.SPHERICAL:
                return ()
            case ClosureKind.UNIVERSAL:
                return (z.cross(self.axis),)
            case ClosureKind.REVOLUTE:
                return x, y
        return x, y, z

    @lazy
    def residual(self) -> list[Expr]:
        """How far leg and platform are apart along each row: 0 where the leg reaches the platform.

        Its derivative is the row of the platform less that of the leg, where all residuals are 0.
        """
        x, y, z = (self._carrier[1][0].column(k) for k in range(3))
        point = self._apart
        match self.attachment.kind:
            case ClosureKind.UNIVERSAL:
                return [*point, -z.dot(self.axis)]
            case ClosureKind.REVOLUTE:
                return [*point, -y.dot(self.axis), x.dot(self.axis)]
            case ClosureKind.FIXED | ClosureKind.PRISMATIC as kind:
                first, second = (self.inward(self.of.orientation @ self.A[0].column(k)) for k in (0, 1))
                met = point if kind is ClosureKind.FIXED else (x.dot(point), y.dot(point))
                return [*met, z.dot(second), x.dot(self.axis), y.dot(first)]
        return list(point)

    @lazy
    def alignment(self) -> list[Expr]:
        """1 where the axes that the residual compares point the same way: it is 0 for others, too."""
        x, _, z = (self._carrier[1][0].column(k) for k in range(3))
        match self.attachment.kind:
            case ClosureKind.REVOLUTE:
                return [z.dot(self.axis)]
            case ClosureKind.FIXED | ClosureKind.PRISMATIC:
                return [z.dot(self.axis), x.dot(self.inward(self.of.orientation @ self.A[0].column(0)))]
        return []

    @lazy
    def _end(self) -> Vector:
        """The origin of the leg's end, in frame n."""
        end = zeros(self.s.graph, 3)
        for j in self.path:
            end = self.s.R[j].T @ (end + self.s.P[j])
        return end + self._carrier[1][1]

    def _drift(self, w: Vector, w_leg: Vector, sliding: Expr) -> list[Expr]:
        """The rows' own change times the difference of the velocities of platform and leg.

        The axes of revolute attachments are fixed on the leg: (ω_leg × x)·ω. That of a universal one is z_B × z_A.
        The leg's end slides on the platform with λ̇: 2 x·(ω × λ̇ z) is Coriolis' acceleration along a row.
        """
        kind, zero = self.attachment.kind, self.s.graph.zero
        if kind is ClosureKind.REVOLUTE:
            return [zero] * 3 + [w_leg.cross(a).dot(w) for a in self._axes]
        if kind is ClosureKind.UNIVERSAL:
            z = self._carrier[1][0].column(2)
            change = w_leg.cross(z).cross(self.axis) + z.cross(w.cross(self.axis))
            return [zero] * 3 + [change.dot(w - w_leg)]
        if kind is ClosureKind.PRISMATIC:
            x, y, z = (self._carrier[1][0].column(k) for k in range(3))
            return [2 * sliding * a.dot(w.cross(z)) for a in (x, y)] + [zero] * 3
        return [zero] * len(self.rows)


# A leg of a parallel robot: what its end and the platform have in common, and the joints that follow from it.
#
# All rows are in the frame n of the leg's last link. A row (l, a) says l·v + a·ω of the point where leg and platform
# meet; it is the same for both (K10:63-64): v_i = J_i q̇_i = J_vi V. Where the leg has closed loops, its joints are
# those of its open tree, and q̇_i = G v (K10:56) with the joints v that are left.


@dataclass(frozen=True, eq=False)
class Leg(LegEnd):
    """Leg `number`, from 0, with its joints known. `chosen` are the rows that determine its velocities."""

    loops: LegLoops
    chosen: tuple[int, ...] = ()

    @lazy
    def J(self) -> Matrix:
        """J_i (K10:63), with a column for each joint with a variable; 0 beside the way to the end."""
        at_end = self._columns
        columns = [[l.dot(at_end[j][0]) + a.dot(at_end[j][1]) for l, a in self.rows] for j in self.s.variables]
        return Matrix(self.s.graph, columns).T

    @lazy
    def _columns(self) -> dict[int, tuple[Vector, Vector]]:
        """[v; ω] of the leg's end for a unit velocity of each joint, in frame n."""
        motion: dict[int, tuple[Vector, Vector]] = {}
        s, none = self.s, zeros(self.s.graph, 3)
        for j in self.path:
            motion = {k: (s.R[j].T @ (v + w.cross(s.P[j])), s.R[j].T @ w) for k, (v, w) in motion.items()}
            if j in s.variables:
                along = s.slopes[j][j] * s.a
                motion[j] = (none, along) if s.revolute[j] else (along, none)
        end = self._carrier[1][1]
        beside = dict.fromkeys(s.variables, (none, none))
        return beside | {k: (v + w.cross(end), w) for k, (v, w) in motion.items()}

    @lazy
    def JG(self) -> Matrix:
        """J_i G: a column for each joint that is left."""
        if not self.loops.dependent:
            return self.J
        forms = [dict(zip(self.s.variables, row, strict=True)) for row in self.J]
        return Matrix(self.s.graph, (self._onto_left(form) for form in forms))

    # closed loops

    @lazy
    def closure(self) -> LegConstraint:
        """The loops, for symbols that have the cut joints, too."""
        s = replace(self.s, robot=self.of.robot.legs[self.number])
        return LegConstraint(s.in_state(q={**s.still, **s.q}, qd=s.still | s.qd, qdd=s.still | s.qdd), self.loops)

    @lazy
    def G(self) -> dict[int, Form]:
        """∂q̇/∂v, a row for each joint."""
        return constant_rows(self.s, self.loops) if self.loops.following is not None else self.closure.G

    def _onto_left(self, form: Form) -> list[Expr]:
        """Gᵀ f of forces at joints, or of a form of their velocities."""
        rows = [(x, self.G[j]) for j, x in form.items() if not x.is_zero]
        return [total(self.s.graph, (x * row[k] for x, row in rows if k in row)) for k in self.loops.left]

    def _expanded(self, left: Sequence[Expr]) -> dict[int, Expr]:
        """G v for every joint with a variable."""
        v = dict(zip(self.loops.left, left, strict=True))
        return {j: dot(self.s, self.G[j], v) for j in self.s.variables}

    @lazy
    def _bent(self) -> dict[int, Expr]:
        """Ġ v: the accelerations of the joints where those that are left do not accelerate."""
        if self.loops.following is not None:
            return {}
        return {j: x for j, x in self.closure.accelerations(self.s.still).items() if j in self.loops.dependent}

    # joints

    @lazy
    def free(self) -> tuple[int, ...]:
        """The rows that do not determine velocities of the leg: they constrain the platform."""
        return tuple(k for k in range(len(self.rows)) if k not in self.chosen)

    def _solved(self, right: Sequence[Expr], transposed: bool = False) -> list[Expr]:
        if not self.chosen:
            return []
        J = Matrix(self.s.graph, (self.JG[k] for k in self.chosen))
        rows = [list(row) for row in (J.T if transposed else J)]
        solution = solve(self.s.graph, rows, [[x] for x in right])
        if solution is None:
            raise NotApplicable("platforms.leg_singular", leg=self.number + 1, robot=self.of.robot.name)
        return [row[0] for row in solution]

    def velocities(self, v: Vector, w: Vector) -> dict[int, Expr]:
        """q̇_i = J_i⁺ J_vi V (K10:61) for the velocity of the platform."""
        return self._named("QP", self.following(self.seen(v, w)))

    def seen(self, v: Vector, w: Vector) -> list[Expr]:
        """J_vi V of the chosen rows."""
        seen, turning = self.inward(v + w.cross(self.P)), self._turning(w)
        return [l.dot(seen) + a.dot(turning) for l, a in (self.rows[k] for k in self.chosen)]

    def following(self, right: Sequence[Expr]) -> dict[int, Expr]:
        """The velocities of the joints where the chosen rows have these values."""
        return self._expanded(self._solved(right))

    def _turning(self, w: Vector) -> Vector:
        """The angular motion of the platform in frame n, where a row needs it."""
        return self.inward(w) if self._axes else zeros(self.s.graph, 3)

    def accelerations(self, V: Vector, VP: Vector, U: Matrix) -> dict[int, Expr]:
        """q̈_i = J_i⁺ (J_vi VP + c_i − J̇_i q̇_i); the state of the leg has its velocities."""
        right = self.unbalanced(V, VP, U)
        accelerations = self.following([right[k] for k in self.chosen])
        return self._named("QDP", {j: x + self._bent[j] if j in self._bent else x for j, x in accelerations.items()})

    def unbalanced(self, V: Vector, VP: Vector, U: Matrix) -> list[Expr]:
        """J_vi VP + c_i − J̇_i q̇_i of all rows."""
        linear, angular = self._apart_accelerating(VP, U)
        drift = self._drift(self._turning(V[3:]), self._coasting.w[self.link], self._sliding(V))
        pairs = zip(self.rows, drift, strict=True)
        return [l.dot(linear) + a.dot(angular) + c for (l, a), c in pairs]

    def _apart_accelerating(self, VP: Vector, U: Matrix) -> tuple[Vector, Vector]:
        """The acceleration of the platform at the point where it meets the leg, less that of the coasting leg."""
        motion, vd, wd = self._coasting, VP[:3], VP[3:]
        bias, turning = motion.vd[self.link] + motion.U[self.link] @ self._carrier[1][1], motion.wd[self.link]
        return self.inward(vd + U @ self.P) - bias, self._turning(wd) - turning

    def _sliding(self, V: Vector) -> Expr:
        """λ̇, the velocity of the leg's end along z of a prismatic attachment, less that of the platform there."""
        if self.attachment.kind is not ClosureKind.PRISMATIC:
            return self.s.graph.zero
        end_velocity = total(self.s.graph, (self.axis.dot(v) * self.s.qd[j] for j, (v, _) in self._columns.items()))
        return end_velocity - self.axis.dot(self.inward(V[:3] + V[3:].cross(self.P)))

    @lazy
    def _coasting(self) -> LinkMotion:
        """The motion of the links without accelerations of the joints that are left (K97 § 4.4)."""
        s, none = self.s.in_state(qdd=self.s.still | self._bent), zeros(self.s.graph, 3)
        motion = LinkMotion(s).begin(none, none, none, none)
        for j in self.path:
            motion.turn(j)
            motion.accelerate(j)
        return motion

    def _named(self, letters: str, values: Mapping[int, Expr]) -> dict[int, Expr]:
        return self.s.still | {j: self.s.name_scalar(f"{letters}{j}", j, x) for j, x in values.items()}

    # forces

    def forces(self, torques: Mapping[int, Expr]) -> dict[int, Expr]:
        """(J_i G)⁻ᵀ Gᵀ Γ_i: what acts along the chosen rows for torques of the joints."""
        forces = self._solved(self._onto_left(torques), transposed=True)
        return dict(zip(self.chosen, forces, strict=True))

    def beside(self, torques: Mapping[int, Expr], along: Mapping[int, Expr]) -> dict[int, Expr]:
        """Γ_i − J_iᵀ f: what torques of the joints leave where forces act along rows."""
        rest = dict(torques)
        for n, j in enumerate(self.s.variables):
            for k, x in along.items():
                rest[j] = rest[j] - self.J[k][n] * x
        return rest

    def in_loops(self, beside: Mapping[int, Expr]) -> dict[int, Vector]:
        """What the cut joints of the leg's loops carry, as wrenches of links on the environment."""
        if not self.loops.dependent:
            return {}
        closure = self.closure
        return closure.on_bars(closure.in_cuts(closure.multipliers({j: -x for j, x in beside.items()})))

    def wrench(self, along: Mapping[int, Expr]) -> tuple[Vector, Vector]:
        """Force and moment, in frame 0 and at the attachment, of forces along rows."""
        f = m = none = zeros(self.s.graph, 3)
        for k, x in along.items():
            f, m = f + x * self.rows[k][0], m + x * self.rows[k][1]
        return self.outward(f), none if m.is_zero else self.outward(m)

    def on_platform(self, along: Mapping[int, Expr]) -> Vector:
        """J_viᵀ f: the wrench [f; m] at the platform's origin, in frame 0."""
        f, m = self.wrench(along)
        return Vector(self.s.graph, (*f, *(self.P.cross(f) + m)))

    def row_of(self, joint: int) -> Vector:
        """The row of a joint in J_i⁺ J_vi: its velocity for that of the platform (K10:62)."""
        return self.on_platform(self.forces({joint: self.s.graph.one}))

    @lazy
    def constraints(self) -> list[Vector]:
        """C_i: a row for each free row of the leg, with C_i V = 0 for every motion of the platform."""
        rows = []
        for k in self.free:
            column = dict(zip(self.s.variables, self.J[k], strict=True))
            against = {i: -x for i, x in self.forces(column).items()}
            rows.append(self.on_platform(against | {k: self.s.graph.one}))
        return rows

    def excess(self, right: Sequence[Expr]) -> list[Expr]:
        """What the free rows have more than the chosen ones give them: of `unbalanced`, C_i VP + γ_i."""
        joints = self._solved([right[k] for k in self.chosen])
        return [
            right[k] - total(self.s.graph, (x * y for x, y in zip(self.JG[k], joints, strict=True))) for k in self.free
        ]

    # the motion that the attachment allows

    @lazy
    def allowed(self) -> Row:
        """The row of the motion q̇_p of the platform against the leg at a revolute or prismatic attachment."""
        z, none = self._carrier[1][0].column(2), zeros(self.s.graph, 3)
        return (z, none) if self.attachment.kind is ClosureKind.PRISMATIC else (none, z)

    @lazy
    def own_part(self) -> dict[int, Expr]:
        """The leg's part of q̇_p: q̇_p is the row of the platform less these coefficients times q̇_i."""
        l, a = self.allowed
        return {j: l.dot(v) + a.dot(w) for j, (v, w) in self._columns.items()}

    def allowed_velocity(self, V: Vector) -> Expr:
        """q̇_p for the velocity of the platform; the state of the leg has its velocities."""
        (l, a), v, w = self.allowed, V[:3], V[3:]
        seen = l.dot(self.inward(v + w.cross(self.P))) + a.dot(self._turning(w))
        return seen - dot(self.s, self.own_part, self.s.qd)

    def allowed_acceleration(self, VP: Vector, U: Matrix, qdd: Form) -> Expr:
        """q̈_p; the row is fixed on the leg, and neither its turning nor Coriolis' acceleration has a part along it."""
        (l, a), (linear, angular) = self.allowed, self._apart_accelerating(VP, U)
        accelerations = {j: qdd[j] - self._bent[j] if j in self._bent else qdd[j] for j in self.s.variables}
        return l.dot(linear) + a.dot(angular) - dot(self.s, self.own_part, accelerations)

    def allowed_on_platform(self, force: Expr) -> Vector:
        """The wrench [f; m] at the platform's origin, in frame 0, of a force at q̇_p."""
        l, a = self.allowed
        f, m = self.outward(force * l), self.outward(force * a)
        return Vector(self.s.graph, (*f, *(self.P.cross(f) + m)))

    def moving(self, **state: Any) -> Leg:
        """The same leg in another state."""
        return replace(self, s=replace(self.s, state=replace(self.s.state, **state)))


# The legs of a parallel robot as robots of their own.


def named_leg(robot: Robot, i: int) -> Robot:
    """Leg i with a name for messages and the numbers of the robot."""
    return replace(robot.legs[i], name=f"leg {i + 1} of {robot.name}", values=robot.values)


def loops_of(robot: Robot, i: int) -> LegLoops:
    """The loops of leg i; an error where a joint does not follow from the motion of its end."""
    leg = robot.legs[i]
    link, _ = carrier(leg, robot.end(i))
    loops = leg_loops(named_leg(robot, i), link)
    way = [joint.index for joint in topology.path(leg, link)]
    beside = [f"{j} ({leg.joint(j).name})" for j in loops.left if j not in way]
    if beside:
        raise NotApplicable("platforms.joint_beside", leg=i + 1, robot=robot.name, joints=beside)
    return loops


def leg_at(
    letters: PoseSymbols,
    i: int,
    q: Mapping[int, Expr],
    turned: Mapping[int, Pair],
    chosen: tuple[int, ...] = (),
    suffix: str = "",
) -> Leg:
    """Leg i at rest with these positions of its joints; `suffix` stands behind the names of its variables."""
    leg, graph = topology.without_cuts(letters.robot.legs[i]), letters.graph
    still = {j.index: graph.zero for j in leg.joints}
    none = zeros(graph, 6)
    state = State(q, still, still, none, none, letters.gravity, {}, suffix=f"_{i + 1}{suffix}")
    return Leg(letters, i, LegSymbols(leg, graph, state=state, turned=turned), loops_of(letters.robot, i), chosen)
