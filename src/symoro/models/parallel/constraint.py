"""The constraint of legs on a platform (K10 § 5), and its geometry as programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, islice
from typing import Any, Self, TypeVar

from symoro.bind.symbols import PLATFORM_POSE, State, Structure, Symbols
from symoro.errors import NotApplicable
from symoro.ir.blocks import shortest, solve
from symoro.ir.expr import Expr
from symoro.ir.extract import Result
from symoro.ir.graph import Graph
from symoro.ir.jacobian import rates
from symoro.ir.linalg import Matrix, Vector, hat, identity, total, zeros
from symoro.lazy import lazy
from symoro.models.constraint import BASE, Constraint, Entries, Row, Together, irregular
from symoro.models.geometric.inverse.branches import largest
from symoro.models.identification.base.model_parameters import regrouped
from symoro.models.parallel.carried import is_rigid_by_itself
from symoro.models.parallel.leg import Leg, LegSymbols
from symoro.models.parallel.leg_geometry import growth
from symoro.models.parallel.mechanism import (
    LegsStructure,
    Mechanism,
    bound_leg,
    branch_of,
    branches_of,
    undetermined_wrenches,
)
from symoro.models.parallel.platform import PoseSymbols
from symoro.models.recursion import angular, six
from symoro.models.results import remembered
from symoro.robot import topology
from symoro.robot.robot import Robot
from symoro.robot.topology import without_cuts


def leg_positions(letters: PoseSymbols, structure: LegsStructure) -> list[Result]:
    """Of each branch: the joints QL of all legs, OK where a leg has the branch, and ERR, how far its end is away.

    Of a leg without a closed form it is the branch of the models alone.
    """
    robot, g = letters.robot, letters.graph
    counts = [len(branches_of(letters, i)) or 1 for i in range(len(robot.legs))]
    Q: list[Expr] = []
    ok: list[Expr] = []
    error: list[Expr] = []
    for b in range(max(counts)):
        for i, count in enumerate(counts):
            number = min(b, count - 1) if branches_of(letters, i) else structure.branches[i]
            leg = bound_leg(letters, i, number, structure.chosen[i])
            exists = branch_of(letters, i, number, structure.chosen[i]).ok if b < count else g.zero
            Q += [leg.s.q[j] for j in leg.s.variables]
            ok.append(exists)
            error.append(largest(map(abs, leg.residual)))
    rows, legs = max(counts), len(counts)
    joints = [f"Q{j.index}_{i + 1}" for i, leg in enumerate(robot.legs) for j in topology.with_variables(leg)]
    return [
        Result("QL", (rows, len(joints)), tuple(Q), tuple(f"{n}_{b}" for b in range(rows) for n in joints)),
        Result("OK", (rows, legs), tuple(ok), tuple(f"OK{i + 1}_{b}" for b in range(rows) for i in range(legs))),
        Result("ERR", (rows, legs), tuple(error), tuple(f"ERR{i + 1}_{b}" for b in range(rows) for i in range(legs))),
    ]


def missing_motions(m: Mechanism) -> list[Expr]:
    """How far the motors are from their wanted positions; of an angle x, 2 tan(x/2) = 2 sin x / (1 + cos x)."""
    missing = []
    for (i, j), wanted in zip(m.of.robot.motors, m.of.target, strict=True):
        s = m.legs[i].s
        if j not in s.turned:
            missing.append(wanted - s.q[j])
            continue
        angle = s.bind(s.robot.joint(j).theta, {str(s.robot.joint(j).variable): wanted})
        (c, x), cosine, sine = s.turned[j], m.graph.cos(angle), m.graph.sin(angle)
        missing.append(2 * (sine * c - cosine * x) / (m.graph.one + cosine * c + sine * x) / growth(s, j))
    return missing


def loop_step(m: Mechanism) -> list[Result]:
    """A step of Newton's method on the motors, and how far motors and constraints were away before it."""
    R, p, errors = _moved(m)
    elements = [x for row, y in zip(R, p, strict=True) for x in (*row, y)]
    names = tuple(f"{name}N" for row in PLATFORM_POSE for name in row)
    last = (m.graph.zero, m.graph.zero, m.graph.zero, m.graph.one)
    return [
        Result("TN", (4, 4), (*elements, *last), names),
        Result("EQ", (), (largest(map(abs, errors)),), ("EQ",)),
    ]


def tracking_step(m: Mechanism) -> list[Result]:
    """The step as a function of one array X: the motors' positions, then the first three rows of the pose.

    XN is X after the step, E what motors and constraints were away, and FIT is positive where R is a rotation.
    """
    g = m.graph
    R, p, errors = _moved(m)
    elements = (*m.of.target, *(x for row, y in zip(R, p, strict=True) for x in (*row, y)))
    away = [
        x - int(i == k)
        for i, row in enumerate(m.of.orientation.T @ m.of.orientation)
        for k, x in enumerate(row)
        if k >= i
    ]
    fit = g.constant(Fraction(1, 10**5)) - largest(map(abs, away))
    return [
        Result("XN", (len(elements),), elements, tuple(f"X{k}N" for k in range(1, len(elements) + 1))),
        Result("E", (len(errors),), tuple(errors), tuple(f"E{k}" for k in range(1, len(errors) + 1))),
        Result("FIT", (1,), (fit,), ("FIT",)),
    ]


def _moved(m: Mechanism) -> tuple[Matrix, Vector, list[Expr]]:
    """R and p after the step [D; C] δ = [q − q(T); −E]; and what was missing before it.

    The rotation by δ is Cayley's: (1 − ω̂/2)⁻¹ (1 + ω̂/2), which needs no sine.
    """
    m.require_held()
    g, robot = m.graph, m.of.robot
    E = [x for leg in m.legs if leg.free for x in leg.excess(leg.residual)]
    missing = missing_motions(m)
    rows = [*m.D, *m.C]
    right = [*missing, *(-E[k] for k in m.structure.kept)]
    A = Matrix(g, rows)
    if len(rows) != 6:
        A, right = A.T @ A, list(A.T @ Vector(g, right))
    solution = solve(g, [list(row) for row in A], [[x] for x in right])
    if solution is None:
        raise NotApplicable("platforms.loose", robot=robot.name)
    step = [row[0] for row in solution]
    p, half = m.of.p + Vector(g, step[:3]), Vector(g, step[3:]) * (g.one / 2)
    K = hat(half)
    turn = identity(g, 3) + (2 / (g.one + half.dot(half))) * (K + K @ K)
    return turn @ m.of.orientation, p, [*missing, *E]


# The constraint of legs on a platform: their joints follow from its motion, leg by leg (K10 § 5).
#
# The velocities of leg i are q̇_i = J_i⁺ J_vi V, so G is applied by a solution for each leg. For every motion V = S v
# that the legs leave to the platform, virtual power gives (D S)ᵀ Γ = Sᵀ W, with D = J_p⁻¹ and the wrench W = F_p + Σ
# B_iᵀ Γ_i of all that moves, the bracket of K10:66.


@dataclass(frozen=True)
class CarriedSymbols(LegSymbols):
    """The letters of a robot whose legs carry a platform."""

    mechanism: Mechanism = field(kw_only=True)

    def with_tree(self) -> Self:
        """The same with the inputs of the base that carries the legs, and of the joints that belong to no leg."""
        state, ending = self._with_base_inputs(), self.state.suffix
        links = (j for j in self.wrench_links if j not in self.free)
        qd, qdd = (
            {j: self.graph.symbol(self._unused(f"{letters}{self.label[j]}{ending}")) for j in self.beside_legs}
            for letters in ("QP", "QDP")
        )
        wrench = {j: self._wrench(j) for j in links} | dict(state.wrench)
        return replace(self, state=replace(state, qd=state.qd | qd, qdd=state.qdd | qdd, wrench=wrench))

    @lazy
    def parameter_names(self) -> tuple[str, ...]:
        """Those of the cut joints of legs, too: they are no joints of the tree."""
        return Structure(self.mechanism.of.robot).parameter_names


Carried = TypeVar("Carried", bound=CarriedSymbols)


@dataclass(frozen=True)
class PlatformSymbols(CarriedSymbols):
    """The letters of a robot whose joints follow from the pose of its platform."""

    @property
    def constraint(self) -> Legs:
        return Legs(self)

    @lazy
    def end(self) -> PlatformSymbols:
        """The same robot in the state in which a motion ends: T_end and V_end in the place of T and V."""
        return replace(_in_inputs(self.mechanism.end), regrouped=self.regrouped)

    def configurations(self, count: int, seed: int) -> tuple[str, Any]:
        return "T", _poses(self, count, seed)

    @lazy
    def directions(self) -> Sequence[Sequence[Expr]]:
        """Ṫ for unit velocities of the components of V that the legs leave: a row for each element of T."""
        (platform,), c = self.free, Legs(self)
        R, _ = self.state.pose[platform]
        columns = []
        for k in c._left_components:
            V = Vector(self.graph, (c.G[i].get(k, self.graph.zero) for i in six(platform)))
            rows = ((*row, v) for row, v in zip(hat(V[3:]) @ R, V[:3], strict=True))
            columns.append((*chain(*rows), *zeros(self.graph, 4)))
        return list(zip(*columns, strict=True))


@dataclass(frozen=True)
class JointSymbols(CarriedSymbols):
    """The letters of a robot whose platform follows from the joints of its legs."""

    @property
    def constraint(self) -> LegsByMotors:
        return LegsByMotors(self)

    @lazy
    def end(self) -> JointSymbols:
        """The same robot in the state in which a motion ends: q_end and qd_end in the place of q and qd."""
        later = super().end
        ended = self.mechanism.at_joints(later.q, "_end")
        pose = dict.fromkeys(self.free, (ended.of.orientation, ended.of.p))
        return replace(self, state=replace(later.state, pose=pose), mechanism=ended)

    def configurations(self, count: int, seed: int) -> tuple[str, Any]:
        import numpy as np

        from symoro.models.parallel.platform import function_of

        m = self.mechanism.by_pose
        joints = function_of(m.of, [leg.s.q[j] for leg in m.legs for j in leg.s.variables])
        of_legs = [j not in self.beside_legs for j in self.variables]
        q = np.random.default_rng(seed).uniform(-1, 1, (count, len(of_legs)))
        q[:, of_legs] = [joints(T) for T in _poses(self, count, seed)]
        return "q", q


def carried_symbols(robot: Robot, graph: Graph, branch: tuple[int, ...] | None, base: bool = False) -> CarriedSymbols:
    """The tree of the legs and the platform, in the coordinates that the robot takes."""
    return (
        platform_symbols(robot, graph, branch, base)
        if robot.takes == "platform"
        else _joint_symbols(robot, graph, base)
    )


def _joint_symbols(robot: Robot, graph: Graph, base: bool) -> JointSymbols:
    tree = without_cuts(robot)
    label = Structure(tree).label
    q = {j.index: graph.symbol(j.variable, label[j.index]) for j in tree.joints if j.variable}
    s = _at_rest(Mechanism.of_joints(robot, graph, q, base), JointSymbols)
    moving = s.in_state(qd=s._by_joint("QP"), qdd=s._by_joint("QDP"))
    return replace(moving, regrouped=regrouped(moving)) if base else moving


@remembered
def _poses(s: CarriedSymbols, count: int, seed: int) -> Any:
    """Random poses (count, 4, 4) of the platform that the legs allow."""
    import numpy as np

    from symoro.models.parallel.mechanism import poses_near_home
    from symoro.models.parallel.platform import few_poses

    every = poses_near_home(s.mechanism.by_pose, np.random.default_rng(seed), 2 * count)
    poses = [T for T, _ in islice(every, count)]
    if len(poses) < count:
        raise few_poses(s.robot)
    return np.array(poses)


def platform_symbols(robot: Robot, graph: Graph, branch: tuple[int, ...] | None, base: bool = False) -> PlatformSymbols:
    """The tree of the legs and the platform, with the joints of the legs known; `base`: with base parameters."""
    s = _in_inputs(Mechanism.of_robot(robot, graph, branch, base))
    return replace(s, regrouped=regrouped(s)) if base else s


def _in_inputs(m: Mechanism) -> PlatformSymbols:
    """The letters in the state of the inputs."""
    s = _at_rest(m, PlatformSymbols)
    return s.in_state(V=dict.fromkeys(s.free, m.of.V), VP=dict.fromkeys(s.free, m.of.VP))


def _at_rest(m: Mechanism, letters: type[Carried]) -> Carried:
    """The letters where neither the legs nor the platform move."""
    graph, of, whole, none = m.graph, m.of, without_cuts(m.of.robot), zeros(m.graph, 6)
    n, still = of.robot.parts.platform, {j.index: graph.zero for j in whole.joints}
    tree = {
        j: graph.symbol(f"{whole.joint(j).variable}{of.state.suffix}", str(j)) for j in Structure(whole).beside_legs
    }
    state = State(
        q=tree | _of_tree(m, {leg.number: leg.s.q for leg in m.legs}),
        qd=still, qdd=still, V0=none, VP0=none, g=of.gravity,
        wrench={n: of._wrench(n)} if n in of.wrench_links else {},
        pose={n: (of.orientation, of.p)}, V={n: none}, VP={n: none}, suffix=of.state.suffix,
    )  # fmt: skip
    turned = _of_tree(m, {leg.number: leg.s.turned for leg in m.legs})
    return letters(whole, graph, state=state, turned=turned, mechanism=m).with_tree()


def _legs(m: Mechanism) -> Iterator[tuple[Leg, int]]:
    """Each leg with the number of joints before it."""
    return zip(m.legs, m.of.robot.first_joints, strict=True)


def _of_tree(m: Mechanism, of_legs: Mapping[int, Mapping[int, Any]]) -> dict[int, Any]:
    """What the joints of each leg have, by the joints of the tree."""
    return {first + j: x for leg, first in _legs(m) for j, x in of_legs[leg.number].items()}


@dataclass(frozen=True, eq=False)
class Legs(Constraint):
    """What legs do for a motion of the platform, and the coordinates of the platform that they leave.

    The platform moves against the base, so that the coordinates of a base whose motion is unknown, and those of joints
    that belong to no leg, stay beside those of the platform: they have a constraint of their own.
    """

    s: CarriedSymbols
    others: tuple[Any, ...] = ()
    """The constraints of the coordinates beside the legs: those of wheels."""

    def beside(self, others: tuple[Any, ...]) -> Legs:
        return replace(self, others=others)

    @property
    def m(self) -> Mechanism:
        return self.s.mechanism

    @lazy
    def _platform(self) -> int:
        return self.s.free[0]

    @lazy
    def _six(self) -> tuple[int, ...]:
        return six(self._platform)

    @lazy
    def rest(self) -> Together:
        """The constraint of the coordinates that legs do not touch: those of the base and of joints beside the legs."""
        among = tuple(k for k in self.coordinates if k in BASE or k in self.s.beside_legs)
        return Together(self.s, self.others, among)

    @lazy
    def motors(self) -> tuple[int, ...]:
        """The motors of the legs."""
        return tuple(j for j in self.s.active if j not in self.s.beside_legs)

    @lazy
    def dependent(self) -> tuple[int, ...]:
        """What other constraints determine, the joints of the legs, and the components of V that legs determine."""
        joints = (j for j in self.s.variables if j not in self.s.beside_legs)
        return (*self.rest.dependent, *joints, *(self._six[k] for k in self.m.structure.dependent))

    @lazy
    def _left_components(self) -> tuple[int, ...]:
        """The components of V that are left."""
        return tuple(self._six[k] for k in self.m.structure.independent)

    @property
    def without_motor(self) -> tuple[int, ...]:
        """Those of the base and of joints beside the legs: the motion of the platform is given."""
        return self.rest.without_motor

    @lazy
    def input_accelerations(self) -> Row:
        """The accelerations of the platform, and of the motors beside the legs."""
        VP = dict(zip(self._six, self.s.state.VP[self._platform], strict=True))
        beside = {j: self.s.qdd[j] for j in self.rest.left if j in self.s.active}
        return beside | {k: VP[k] for k in self._left_components}

    @lazy
    def G(self) -> dict[int, Row]:
        rows = {first + j: self._reduced(leg.row_of(j)) for leg, first in _legs(self.m) for j in leg.s.variables}
        rows |= dict(zip(self._six, self.m.S, strict=True))
        of_legs = {
            k: {i: x for i, x in zip(self._left_components, row, strict=True) if not x.is_zero}
            for k, row in rows.items()
        }
        return self.rest.G | of_legs

    @lazy
    def rates(self) -> dict[int, Row]:
        """Ġ by the chain rule: G is a function of the pose, whose derivatives are Ṫ = [ω̂ R, v]."""
        R, p = self.s.state.pose[self._platform]
        V = self.s.state.V[self._platform]
        turned = hat(V[3:]) @ R
        of_legs = derivatives(self, dict(zip((*chain(*R), *p), (*chain(*turned), *V[:3]), strict=True)))
        return of_legs | self.rest.rates

    def _reduced(self, W: Vector) -> Vector:
        """Sᵀ W, or a row of V as one of v."""
        return self.m.S.T @ W if self.m.reduced else W

    # motion

    def _moving(self, V: Vector) -> tuple[Leg, ...]:
        """The legs with their velocities."""
        return tuple(leg.moving(qd=leg.velocities(V[:3], V[3:])) for leg in self.m.legs)

    @lazy
    def velocities(self) -> dict[int, Expr]:
        V = self.s.state.V[self._platform]
        joints = _of_tree(self.m, {leg.number: leg.s.qd for leg in self._moving(V)})
        return joints | dict(zip(self._six, V, strict=True)) | self.rest.velocities

    def accelerations(self, vd: Row) -> dict[int, Expr]:
        """VP = S v̇ + x with C x + γ = 0, then the legs."""
        return self.accelerations_of(self._platform_acceleration(vd)) | self.rest.accelerations(vd)

    def accelerations_of(self, VP: Vector) -> dict[int, Expr]:
        """The accelerations of the joints and of the platform, for one of the platform."""
        return self._accelerations(VP) | dict(zip(self._six, VP, strict=True))

    def _platform_acceleration(self, vd: Row) -> Vector:
        v = Vector(self.s.graph, (vd[k] for k in self._left_components))
        return (self.m.S @ v if self.m.reduced else v) + self._unforced

    @lazy
    def _unforced(self) -> Vector:
        """x: what the constraints of the platform accelerate where the coordinates that are left do not."""
        return self.m.particular([self.excess(zeros(self.s.graph, 6))[k] for k in self.m.structure.kept])

    def excess(self, VP: Vector) -> list[Expr]:
        """C VP + γ of all constraints."""
        V = self.s.state.V[self._platform]
        return [x for leg in self._moving(V) if leg.free for x in leg.excess(leg.unbalanced(V, VP, self._turning(VP)))]

    def _turning(self, VP: Vector) -> Matrix:
        """U = hat(ω̇) + hat(ω) hat(ω) of the platform, in frame 0 (K97:9)."""
        V = self.s.state.V[self._platform]
        return angular(self.s.in_state(suffix="_0"), V[3:], VP[3:], self._platform)

    def _accelerations(self, VP: Vector) -> dict[int, Expr]:
        V, U = self.s.state.V[self._platform], self._turning(VP)
        return _of_tree(self.m, {leg.number: leg.accelerations(V, VP, U) for leg in self._moving(V)})

    @lazy
    def moving(self) -> Symbols:
        """The motion of the inputs: V and VP satisfy the constraints of the platform."""
        return self.in_motion({})

    @lazy
    def with_velocities(self) -> Symbols:
        return self._with_joints(self.rest.with_velocities)

    def _with_joints(self, s: Symbols) -> Symbols:
        return s.in_state(qd=s.qd | {j: x for j, x in self.velocities.items() if j > 0})

    @lazy
    def coasting(self) -> Symbols:
        return self.in_motion_of(self._unforced, self.rest.coasting)

    def in_motion(self, qdd: Row) -> Symbols:
        has_platform = any(k in qdd for k in self._left_components)
        VP = self._platform_acceleration(qdd) if has_platform else self.s.state.VP[self._platform]
        beside = {j: qdd.get(j, self.s.qdd[j]) for j in self.rest.left if j > 0}
        return self.in_motion_of(VP, self.rest.in_motion(beside))

    def in_motion_of(self, VP: Vector, beside: Symbols) -> Symbols:
        """The legs and the platform in the motion that what is beside them has already."""
        qdd = beside.qdd | self._accelerations(VP)
        return self._with_joints(beside).in_state(qdd=qdd, VP={self._platform: VP})

    # projection

    def forces(self, f: Row) -> dict[int, Expr]:
        """Sᵀ (F_p + Σ B_iᵀ Γ_i) (K10:66), by a solution for each leg; what the base needs comes first."""
        return self.rest.forces(f) | dict(zip(self._left_components, self._reduced(self._wrench(f)), strict=True))

    def _wrench(self, f: Row) -> Vector:
        """F_p + Σ B_iᵀ Γ_i at the platform's origin, in frame 0."""
        W = Vector(self.s.graph, (f.get(k, self.s.graph.zero) for k in self._six))
        for leg, first in _legs(self.m):
            torques = {j: f[first + j] for j in leg.s.variables if first + j in f}
            if any(not x.is_zero for x in torques.values()):
                W = W + leg.on_platform(leg.forces(torques))
        return W

    # closures

    def gaps(self) -> tuple[list[Expr], list[Expr]]:
        """How far legs are from the platform; their joints follow from it, in the branches that point the right way."""
        return [x for leg in self.m.legs for x in leg.residual], []

    def gains(self, motors: bool) -> list[Expr]:
        """Of the joints for a velocity of the platform, and of the platform for one of its motors."""
        graph = self.s.graph
        V = Vector(graph, irregular(graph, 6))
        gains = [x for leg in self.m.legs for x in leg.velocities(V[:3], V[3:]).values()]
        if motors and len(self.motors) >= self.m.structure.freedom:
            gains += self.moved_by_motors(Vector(graph, irregular(graph, len(self.motors))))
        return gains

    def wrenches(self, f: Row, least_norm: bool = False) -> list[Vector]:
        """[f; m] of each leg on the platform, at its attachment and in frame 0, for forces f at the open tree.

        f_i of Σ J_viᵀ f_i = F_p: along the chosen rows of a leg f_i = J_i⁻ᵀ (τ_i − Γ_i − …), with the forces λ along
        its free rows. These follow from Dᵀ Γ + Cᵀ λ = W where the constraints are independent. Where they are not,
        `least_norm` gives those with the least Σ |f|² + |m|²: the rows of a leg are orthonormal.
        """
        if not least_norm:
            self._require_determined_wrenches()
        along_rows = [along for _, _, along, _ in self._along_rows(f)]
        if least_norm and (ways := self._without_effect()):
            x = [along[k] for leg, along in zip(self.m.legs, along_rows, strict=True) for k in range(len(leg.rows))]
            values = iter(shortest(self.s.graph, x, ways))
            along_rows = [{k: next(values) for k in range(len(leg.rows))} for leg in self.m.legs]
        pairs = zip(self.m.legs, along_rows, strict=True)
        return [Vector(self.s.graph, (*f, *m)) for leg, along in pairs for f, m in (leg.wrench(along),)]

    def _without_effect(self) -> list[list[Expr]]:
        """Forces along all rows of all legs that push neither the platform nor a joint: one for each implied row."""
        zero, one = self.s.graph.zero, self.s.graph.one
        rows = [row for leg in self.m.legs for row in leg.constraints]
        ways = []
        for n in (n for n in range(len(rows)) if n not in self.m.structure.kept):
            free = (self._kept_multipliers(-rows[n]) if self.m.reduced else {}) | {n: one}
            way = []
            for leg, of_leg in zip(self.m.legs, self._along_free(free), strict=True):
                along = leg.forces(leg.beside(dict.fromkeys(leg.s.variables, zero), of_leg)) | of_leg
                way += [along[k] for k in range(len(leg.rows))]
            ways.append(way)
        return ways

    def _along_rows(self, f: Row) -> Iterator[tuple[Leg, int, dict[int, Expr], dict[int, Expr]]]:
        """For each leg: what acts along its rows on the platform, and what its joints give beside that."""
        torques, zero = self.at_motors(f), self.s.graph.zero
        multipliers = self._along_free(self._multipliers(f, torques))
        for (leg, first), free in zip(_legs(self.m), multipliers, strict=True):
            needed = {j: torques.get(first + j, zero) - f[first + j] for j in leg.s.variables}
            rest = leg.beside(needed, free)
            chosen = leg.forces(rest)
            yield leg, first, chosen | free, leg.beside(rest, chosen) if leg.loops.dependent else {}

    def _along_free(self, multipliers: Row) -> list[dict[int, Expr]]:
        """What acts along the free rows of each leg, for multipliers by the numbers of constraints; others are 0."""
        numbers = iter(range(sum(len(leg.free) for leg in self.m.legs)))
        return [{k: multipliers.get(next(numbers), self.s.graph.zero) for k in leg.free} for leg in self.m.legs]

    def _multipliers(self, f: Row, torques: Row) -> dict[int, Expr]:
        """λ of Cᵀ λ = W − Dᵀ Γ, by the numbers of the constraints that are kept."""
        if not self.m.reduced:
            return {}
        motors = Vector(self.s.graph, (torques[j] for j in self.motors))
        return self._kept_multipliers(self._wrench(f) - self.m.D.T @ motors)

    def _kept_multipliers(self, W: Vector) -> dict[int, Expr]:
        """λ of Cᵀ λ = W, from the components that the constraints determine."""
        dependent = self.m.structure.dependent
        rows = [[row[k] for row in self.m.C] for k in dependent]
        values = self.s.graph.solve(rows, [W[k] for k in dependent])
        return dict(zip(self.m.structure.kept, values, strict=True))

    def on_links(self, f: Row) -> dict[int, Vector]:
        """The wrench of each leg on the platform as one of its last link on the environment, and of the platform.

        Where legs have closed loops, the wrenches in their cut joints are among them.
        They are in the frames of the links and about their origins.
        """
        (platform,), wrenches = self.s.free, {}
        R = self.s.R[platform]
        on_platform = zeros(self.s.graph, 6)
        self._require_determined_wrenches()
        for leg, first, along, beside in self._along_rows(f):
            force, moment = leg.wrench(along)
            at_origin = R.T @ force, R.T @ (leg.P.cross(force) + moment)
            on_platform = on_platform - Vector(self.s.graph, (*at_origin[0], *at_origin[1]))
            link_force = leg.inward(force)
            wrenches[first + leg.link] = Vector(
                self.s.graph, (*link_force, *(leg.meeting.cross(link_force) + leg.inward(moment)))
            )
            for link, wrench in leg.in_loops(beside).items():
                wrenches[first + link] = wrenches[first + link] + wrench if first + link in wrenches else wrench
        return wrenches | {platform: on_platform}

    def _require_determined_wrenches(self) -> None:
        if why := undetermined_wrenches(self.s.robot, self.m.structure):
            raise NotApplicable(why)

    # motors

    def of_motors(self, torques: Row) -> dict[int, Expr]:
        """(D S)ᵀ Γ, by the rows of G that the inertia matrix has made already."""
        of_platform = {
            i: total(self.s.graph, (self.G[j][i] * torques[j] for j in self.motors if i in self.G[j]))
            for i in self._left_components
        }
        return self.rest.of_motors(torques) | of_platform

    def at_motors(self, f: Row) -> dict[int, Expr]:
        """Γ with (D S)ᵀ Γ = Sᵀ W; of more motors than degrees of freedom, the least |Γ|.

        What the motion needs at a motor itself passes unchanged where there are as many motors as degrees of freedom.
        """
        motors, base = self.motors, self.rest.at_motors(f)
        if len(motors) > self.m.structure.freedom:
            return base | self.holding(self.forces(f))
        held = self.holding(self.forces({k: x for k, x in f.items() if k not in motors}))
        return base | {j: held[j] + f[j] if j in f else held[j] for j in motors}

    def holding(self, f: Row) -> dict[int, Expr]:
        """Γ = J_pᵀ W (K10:66) by a solution, without J_p itself; least |Γ| = D S ((D S)ᵀ D S)⁻¹ Sᵀ W of more motors."""
        motors, freedom = self.motors, self.m.structure.freedom
        if len(motors) < freedom:
            raise NotApplicable("platforms.few_motors", robot=self.s.robot.name, motors=len(motors), freedom=freedom)
        DS, right = self.m.DS, Vector(self.s.graph, (f[k] for k in self._left_components))
        beside = {j: f[j] for j in self.rest.left if j in f and j in self.s.active}
        if DS.shape[0] == DS.shape[1]:
            return beside | dict(zip(motors, self._solved(DS.T, right), strict=True))
        return beside | dict(zip(motors, DS @ Vector(self.s.graph, self._solved(DS.T @ DS, right)), strict=True))

    def _solved(self, A: Matrix, b: Sequence[Expr] | Vector) -> list[Expr]:
        solution = solve(self.s.graph, [list(row) for row in A], [[x] for x in b])
        if solution is None:
            raise NotApplicable("platforms.loose", robot=self.s.robot.name)
        return [row[0] for row in solution]

    @property
    def motor_rows(self) -> Matrix:
        """J_p⁻¹: row i is the motor's row of J_i⁺ J_vi (K10:62)."""
        return self.m.D

    def require_motors(self) -> None:
        motors, freedom = len(self.motors), self.m.structure.freedom
        if motors < freedom:
            raise NotApplicable("platforms.few_motors", robot=self.s.robot.name, motors=motors, freedom=freedom)

    def residuals(self) -> tuple[list[Expr], list[Expr], list[Expr]]:
        """What the constraints of the platform leave over: of its pose, of V and of VP.

        Where the platform only translates, or moves in a plane, its other motions are left over, too: legs can be
        assembled with a turned platform, which the models do not cover.
        """
        V, VP = self.s.state.V[self._platform], self.s.state.VP[self._platform]
        E = [x for leg in self.m.legs if leg.free for x in leg.excess(leg.residual)]
        EV = [row.dot(V) for leg in self.m.legs for row in leg.constraints]
        if not E:
            raise NotApplicable("platforms.unconstrained", robot=self.s.robot.name)
        still = self.m.structure.still
        away = self.m.from_home if still else ()
        return (
            [*E, *(away[k] for k in still)],
            [*EV, *(V[k] for k in still)],
            [*self.excess(VP), *(VP[k] for k in still)],
        )

    def step(self) -> list[Result]:
        """A step of Newton's method on the motors, and how far motors and constraints were away before it."""
        return loop_step(self.m)

    def moved_by_motors(self, qd: Vector) -> Vector:
        """V for velocities of the motors; those of redundant motors agree with each other."""
        DS = self.m.DS
        square = DS.shape[0] == DS.shape[1]
        v = self._solved(DS, qd) if square else self._solved(DS.T @ DS, DS.T @ qd)
        return self.m.S @ Vector(self.s.graph, v)

    @lazy
    def drift(self) -> Vector:
        """J̇_p q̇_a: the acceleration of the platform when no motor accelerates."""
        return self.accelerated_by_motors({})

    def accelerated_by_motors(self, qdd: Row) -> Vector:
        """VP = J_p q̈_a + J̇_p q̇_a; a motor that is not named does not accelerate."""
        coasting, x, zero = self._accelerations(zeros(self.s.graph, 6)), self._unforced, self.s.graph.zero
        motors = Vector(self.s.graph, (coasting[j] - qdd.get(j, zero) for j in self.motors))
        return self.moved_by_motors(-(motors + self.m.D @ x)) + x

    @lazy
    def without_motor_accelerations(self) -> Symbols:
        """The motion of the inputs' velocities in which no motor accelerates."""
        self.require_as_many_motors()
        return self.in_motion_of(self.drift, self.rest.coasting)

    def inertia_of_motors(self, A: Entries) -> Entries:
        """J_pᵀ A J_p: the inertia matrix at the motors, where these are coordinates of the robot.

        The coordinates of a floating base stay as they are: A_0a = A_0p J_p.
        """
        self.require_as_many_motors()
        at_platform, graph, motors, base = self.inertia(A), self.s.graph, self.motors, self.rest.left
        rows = Matrix(graph, ((at_platform[i, k] for k in self._left_components) for i in self._left_components))
        J = Matrix(graph, (self.jacobian[k] for k in self.m.structure.independent))
        at_motors = J.T @ (rows @ J)
        entries = {(i, k): at_motors[a, b] for a, i in enumerate(motors) for b, k in enumerate(motors)}
        for i in base:
            coupled = J.T @ Vector(graph, (at_platform[i, k] for k in self._left_components))
            entries |= {(i, k): at_platform[i, k] for k in base}
            entries |= {place: x for k, x in zip(motors, coupled, strict=True) for place in ((i, k), (k, i))}
        return entries

    def require_as_many_motors(self) -> None:
        motors, freedom = len(self.motors), self.m.structure.freedom
        if motors != freedom:
            raise NotApplicable("platforms.redundant", robot=self.s.robot.name, motors=motors, freedom=freedom)

    @lazy
    def jacobian(self) -> Matrix:
        """J_p of V = J_p q̇_a (K10:60); with redundant motors its pseudo-inverse D⁺."""
        motors = identity(self.s.graph, len(self.motors))
        return Matrix(self.s.graph, (self.moved_by_motors(row) for row in motors)).T

    @property
    def torque_rows(self) -> dict[int, str]:
        """The motors and other joints beside the legs, by their number; what a floating base needs comes first."""
        joints = sorted((*self.motors, *(j for j in self.rest.left if j > 0)))
        base = {k: label for k, label in self.rest.torque_rows.items() if k in BASE}
        return base | {j: str(n) for n, j in enumerate(joints, 1)}

    def prepare_torques(self) -> None:
        _ = self.jacobian

    @lazy
    def onto_torques(self) -> dict[int, Row]:
        """J_pᵀ B_iᵀ; the torque at a motor itself passes unchanged where motors are not redundant."""
        motors, onto = self.motors, self.jacobian.T
        square = len(motors) == self.m.structure.freedom
        rows: dict[int, Row] = {}
        for leg, first in _legs(self.m):
            for j in leg.s.variables:
                if square and first + j in motors:
                    rows[first + j] = {first + j: self.s.graph.one}
                else:
                    rows[first + j] = dict(zip(motors, onto @ leg.row_of(j), strict=True))
        rows |= {k: dict(zip(motors, row, strict=True)) for k, row in zip(self._six, self.jacobian, strict=True)}
        return self.rest.onto_torques | rows


@dataclass(frozen=True, eq=False)
class LegsByMotors(Constraint):
    """The same legs where their joints are given: the motors are left, and the platform moves by V = J_p q̇_a (K10:60).

    `legs` has the coordinates of the platform; those of a base whose motion is unknown stay as they are.
    """

    s: JointSymbols
    others: tuple[Any, ...] = ()
    """The constraints of the coordinates beside the legs: those of wheels."""

    def beside(self, others: tuple[Any, ...]) -> LegsByMotors:
        return replace(self, others=others)

    @lazy
    def legs(self) -> Legs:
        """The legs and the platform with its velocity."""
        at_rest = Legs(self.s, self.others)
        at_rest.require_as_many_motors()
        V = at_rest.moved_by_motors(Vector(self.s.graph, (self.s.qd[j] for j in at_rest.motors)))
        return Legs(self.s.in_state(V=dict.fromkeys(self.s.free, V)), self.others)

    @property
    def motors(self) -> tuple[int, ...]:
        """Those of the legs."""
        return self.legs.motors

    @lazy
    def dependent(self) -> tuple[int, ...]:
        """What other constraints determine, the joints of legs without motors, and the platform."""
        joints = (j for j in self.s.passive if j not in self.s.beside_legs)
        return (*self.legs.rest.dependent, *joints, *(k for j in self.s.free for k in six(j)))

    @property
    def without_motor(self) -> tuple[int, ...]:
        return self.legs.without_motor

    @lazy
    def G(self) -> dict[int, Row]:
        """J_i⁺ J_vi J_p of the joints, J_p of the platform."""
        return {k: {i: x for i, x in row.items() if not x.is_zero} for k, row in self.legs.onto_torques.items()}

    @lazy
    def rates(self) -> dict[int, Row]:
        """Ġ by the chain rule: G is a function of q."""
        return derivatives(self, {self.s.q[j]: self.velocities[j] for j in self.s.variables})

    def require_determined(self) -> None:
        _ = self.legs

    def gains(self, motors: bool) -> list[Expr]:
        return self.legs.gains(motors=True)

    # motion

    @lazy
    def velocities(self) -> dict[int, Expr]:
        return self.legs.velocities | {j: self.s.qd[j] for j in self.motors}

    def accelerations(self, vd: Row) -> dict[int, Expr]:
        motors = {j: vd[j] for j in self.motors}
        VP = self.legs.accelerated_by_motors(motors)
        return self.legs.accelerations_of(VP) | self.legs.rest.accelerations(vd) | motors

    @lazy
    def with_velocities(self) -> Symbols:
        return self._with_motors(self.legs.with_velocities)

    def _with_motors(self, s: Symbols, qdd: Row | None = None) -> Symbols:
        """The motion in which the motors move as the inputs say."""
        moving = s.in_state(qd=s.qd | {j: self.s.qd[j] for j in self.motors})
        return moving if qdd is None else moving.in_state(qdd=s.qdd | dict(qdd))

    @lazy
    def coasting(self) -> Symbols:
        still = dict.fromkeys(self.motors, self.s.graph.zero)
        return self._with_motors(self.legs.without_motor_accelerations, still)

    def in_motion(self, qdd: Row) -> Symbols:
        motors = {j: qdd.get(j, self.s.qdd[j]) for j in self.motors}
        beside = self.legs.rest.in_motion({j: qdd.get(j, self.s.qdd[j]) for j in self.legs.rest.left if j > 0})
        return self._with_motors(self.legs.in_motion_of(self.legs.accelerated_by_motors(motors), beside), motors)

    # projection

    def forces(self, f: Row) -> dict[int, Expr]:
        torques = self.legs.at_motors(f)
        return {k: torques[k] for k in self.left}

    def inertia(self, A: Entries) -> Entries:
        return self.legs.inertia_of_motors(A)

    # closures

    def wrenches(self, f: Row, least_norm: bool = False) -> list[Vector]:
        return self.legs.wrenches(f, least_norm)

    def on_links(self, f: Row) -> dict[int, Vector]:
        return self.legs.on_links(f)

    def gaps(self) -> tuple[list[Expr], list[Expr]]:
        """How far the legs are from the platform and their loops from being closed; where axes point the same way.

        Where lines between attachments determine the orientation R, their lengths must be right: Rᵀ R = 1.
        """
        m, legs = self.s.mechanism, self.s.mechanism.legs
        loops = [leg.closure for leg in legs if leg.loops.dependent]
        E = [*(x for leg in legs for x in leg.residual), *(loop.gap(row) for one in loops for loop, row in one.every)]
        if not is_rigid_by_itself(legs, m.structure.still):
            E += [
                x - int(i == k)
                for i, row in enumerate(m.of.orientation.T @ m.of.orientation)
                for k, x in enumerate(row)
                if k >= i
            ]
        aligned = [x for leg in legs for x in leg.alignment]
        return E, [*aligned, *(loop.alignment() for one in loops for loop in one.loops)]

    # motors

    def require_motors(self) -> None:
        self.legs.require_as_many_motors()

    @property
    def torque_rows(self) -> dict[int, str]:
        return self.legs.torque_rows

    @property
    def jacobian(self) -> Matrix:
        return self.legs.jacobian

    @property
    def motor_rows(self) -> Matrix:
        return self.legs.motor_rows

    @property
    def drift(self) -> Vector:
        return self.legs.drift


def derivatives(c: Constraint, moving: Mapping[Expr, Expr]) -> dict[int, Row]:
    """The rows of Ġ of dependent coordinates where symbols have these rates."""
    places = [(k, i) for k in c.dependent for i in c.G[k]]
    slopes = rates(c.s.graph, [c.G[k][i] for k, i in places], moving)
    rows: dict[int, dict[int, Expr]] = {k: {} for k in c.dependent}
    for (k, i), x in zip(places, slopes, strict=True):
        rows[k][i] = x
    return dict(rows)
