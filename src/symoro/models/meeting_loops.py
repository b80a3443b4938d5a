"""Closed loops as legs: a link at which several loops meet is a platform, and chains from the base to it are its legs.

The tree of the robot stays as it is, and so do its inputs and results. Only what loops do to velocities and forces is
found leg by leg (K10 § 5), which needs fewer operations than the rows of all loops together. Where q is given, the
platform is where its legs see it, in closed configurations, which models of loops ask for in any form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.blocks import solve
from symoro.ir.expr import Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Vector, total, zeros
from symoro.lazy import lazy
from symoro.models.constraint import BySolution, Row, dot
from symoro.models.loops.closing import numeric_assembler, padded, sample_closed, sampled_rows
from symoro.models.loops.constraint import Loops
from symoro.models.parallel.constraint import derivatives
from symoro.models.parallel.leg import Leg
from symoro.models.parallel.leg_loops import Following, LegLoops
from symoro.models.parallel.mechanism import LegsStructure, Mechanism
from symoro.models.parallel.platform import Array, PoseSymbols, twist_sizes
from symoro.models.recursion import angular
from symoro.models.sampling import NOT_ZERO, numbers_of, rank_of, sample
from symoro.robot import topology
from symoro.robot.arithmetic import product
from symoro.robot.base import IDENTITY, Frame, Pose
from symoro.robot.joint import GEOMETRY, Joint
from symoro.robot.link import Inertia
from symoro.robot.parallel import ParallelRobot, placed_frame
from symoro.robot.robot import JOINTS, Attachment, ClosureKind, Cut, Robot
from symoro.robot.springs import has_plain_coordinates
from symoro.robot.symbolic import substituted
from symoro.robot.values import ZERO, Symbol

# The platform of loops and its legs.


class End(NamedTuple):
    """Where a link of a leg meets the platform: frame A on the platform, frame B on the link."""

    link: int
    kind: ClosureKind
    A: Pose
    B: Pose


#: How many loops meet at a platform at least. One loop alone needs fewer operations by its rows.
_LOOPS = 2


@lru_cache(maxsize=32)
def platform_of(robot: Robot) -> tuple[int, dict[End, tuple[int, ...]]]:
    """The link that is a platform, and the links of the leg at each of its ends; the leg before its own joint first."""
    if robot.base.wheels or not has_plain_coordinates(robot):
        raise NotApplicable("loops.beside_others", robot=robot.name)
    tied = Counter(link for cut in robot.cuts for link in _tied(robot, cut))
    for joint in topology.tree_joints(robot):
        if tied[joint.index] >= _LOOPS and not joint.actuated and not topology.children(robot, joint.index):
            ends = list(_ends(robot, joint))
            if legs := _legs(robot, joint.index, [end.link for end in ends]):
                return joint.index, dict(zip(ends, legs, strict=True))
    raise NotApplicable("loops.do_not_meet", robot=robot.name)


def _tied(robot: Robot, cut: Cut) -> tuple[int, int]:
    """The links that a cut joint ties, that of its mate last."""
    return _on_link(robot, cut.joint)[0], _on_link(robot, cut.mate)[0]


def _on_link(robot: Robot, frame: int) -> tuple[int, Pose]:
    """The link that carries a cut joint or its mate, and the frame there."""
    pose = IDENTITY
    while frame > robot.link_count:
        pose = product(_at_zero(robot.joint(frame)), pose)
        frame = robot.joint(frame).parent
    return frame, pose


def _at_zero(joint: Joint) -> Pose:
    """The frame of a joint whose coordinate is 0, in that of its antecedent."""
    return placed_frame({name: getattr(joint, name) for name in GEOMETRY if not joint.movable or name != joint.moving})


def _ends(robot: Robot, joint: Joint) -> Iterator[End]:
    """The joint before the platform, and the cut joints on it."""
    yield End(joint.parent, ClosureKind(joint.kind.value), IDENTITY, _at_zero(joint))
    for cut in robot.cuts:
        kind = ClosureKind(robot.joint(cut.joint).kind.value)
        (a, A), (b, B) = _on_link(robot, cut.joint), _on_link(robot, cut.mate)
        if b == joint.index:
            yield End(a, kind, B, A)
        elif a == joint.index:
            yield End(b, kind, A, B)


def _legs(robot: Robot, platform: int, ends: Sequence[int]) -> list[tuple[int, ...]]:
    """The links that hang together without base and platform, those of each end; none where they are no legs."""
    part = {j.index: j.index for j in topology.tree_joints(robot) if j.index != platform}
    for a, b in [*((j.index, j.parent) for j in topology.tree_joints(robot)), *(_tied(robot, c) for c in robot.cuts)]:
        if a in part and b in part:
            part = {j: part[a] if n == part[b] else n for j, n in part.items()}
    legs = [tuple(j for j in part if part[j] == part.get(end)) for end in ends]
    return legs if all(legs) and sorted(j for leg in legs for j in leg) == sorted(part) else []


def on_legs(robot: Robot) -> Robot:
    """The platform on its legs, without masses. Joint j of a leg is the j-th of its links."""
    _, legs = platform_of(robot)
    return ParallelRobot(
        Inertia(),
        [_leg(robot, i, end, links) for i, (end, links) in enumerate(legs.items(), 1)],
        [Attachment(end.kind, end.A, "end") for end in legs],
        robot.name,
        given=JOINTS,
        values=numbers_of(Symbols(robot, Graph())),
    )


def _leg(robot: Robot, i: int, end: End, links: Sequence[int]) -> Robot:
    """Leg i. Its variables end in _i, so that symbols of the geometry keep their names."""
    if any({*_tied(robot, cut)} <= {0, *links} for cut in robot.cuts):
        raise NotApplicable("loops.in_legs", robot=robot.name)
    numbers, joints = {0: 0} | {j: n for n, j in enumerate(links, 1)}, []
    for joint in map(robot.joint, links):
        new = f"{joint.variable}__{i}" if joint.variable else None
        named = substituted(joint, {joint.variable: Symbol(new)}) if joint.variable and new else joint
        joints.append(replace(named, index=numbers[joint.index], parent=numbers[joint.parent], variable=new))
    return Robot(f"leg {i}", tuple(joints), frames=(Frame("end", numbers[end.link], end.B),))


@dataclass(frozen=True, eq=False)
class LegAtPoint(Leg):
    """A leg whose rows of velocities are in the frame of the first link on which the point is fixed that it holds.

    A wrist turns about this point: in a frame behind the wrist, rows would be singular where the wrist has some angles,
    and not the leg.
    """

    @lazy
    def _holder(self) -> tuple[int, Vector]:
        """The link, and the point in its frame."""
        link, point = self.link, self.meeting
        while self.s.revolute[link] and self.s.parent[link] and point[0].is_zero and point[1].is_zero:
            point = self.s.P[link] + self.s.R[link] @ point
            link = self.s.parent[link]
        return link, point

    @lazy
    def _way(self) -> tuple[int, ...]:
        return self.path[: self.path.index(self._holder[0]) + 1]

    def _point_inward(self, x: Vector) -> Vector:
        for j in self._way:
            x = self.s.R[j].T @ x
        return x

    @lazy
    def _columns(self) -> dict[int, tuple[Vector, Vector]]:
        """[v; ω] for a unit velocity of each joint: v of the point in the frame of its holder, ω in that of the end."""
        motion: dict[int, tuple[Vector, Vector]] = {}
        s, none, (holder, point) = self.s, zeros(self.s.graph, 3), self._holder
        columns = dict.fromkeys(s.variables, none)
        for j in self.path:
            motion = {k: (s.R[j].T @ (v + w.cross(s.P[j])), s.R[j].T @ w) for k, (v, w) in motion.items()}
            if j in s.variables:
                motion[j] = (none, s.a) if s.revolute[j] else (s.a, none)
            if j == holder:
                columns |= {k: v + w.cross(point) for k, (v, w) in motion.items()}
        return {k: (v, motion[k][1] if k in motion else none) for k, v in columns.items()}

    def seen(self, v: Vector, w: Vector) -> list[Expr]:
        seen, turning = self._point_inward(v + w.cross(self.P)), self._turning(w)
        return [l.dot(seen) + a.dot(turning) for l, a in (self.rows[k] for k in self.chosen)]

    def _apart_accelerating(self, VP: Vector, U: Matrix) -> tuple[Vector, Vector]:
        motion, (holder, point) = self._coasting, self._holder
        linear = self._point_inward(VP[:3] + U @ self.P) - (motion.vd[holder] + motion.U[holder] @ point)
        return linear, self._turning(VP[3:]) - motion.wd[self.link]

    def wrench(self, along: Row) -> tuple[Vector, Vector]:
        f = m = none = zeros(self.s.graph, 3)
        for k, x in along.items():
            f, m = f + x * self.rows[k][0], m + x * self.rows[k][1]
        for j in reversed(self._way):
            f = self.s.R[j] @ f
        return f, none if m.is_zero else self.outward(m)


# What is chosen once, by numbers at closed configurations of all families that are found.


class ChosenRows(NamedTuple):
    """The rows of each leg that determine its passive joints, and those of all others that determine the platform."""

    robot: Robot
    chosen: tuple[tuple[int, ...], ...]
    kept: tuple[int, ...] = ()

    def legs(self, s: Symbols) -> list[Leg]:
        """The legs at the variables of these symbols, with their motors locked: these follow no joint."""
        joints = [j for links in platform_of(s.robot)[1].values() for j in links]
        q = {n: s.q[j] for n, j in enumerate(joints, 1) if j in s.q}
        structure = LegsStructure((0,) * len(self.chosen), self.chosen)
        m = Mechanism(PoseSymbols(self.robot, s.graph), (), structure).at_joints(q, s.state.suffix)
        return [_seen(leg)(leg.of, leg.number, leg.s, _locked(leg.s), leg.chosen) for leg in m.legs]


def _seen(leg: Leg) -> type[Leg]:
    """A leg that slides on the platform holds no point of it."""
    return Leg if leg.attachment.kind is ClosureKind.PRISMATIC else LegAtPoint


def _locked(s: Symbols) -> LegLoops:
    return LegLoops(s.passive, s.active, following=tuple(Following(j, (), ZERO) for j in s.active))


@lru_cache(maxsize=32)
def chosen_rows(robot: Robot, at: tuple[float, ...] | None = None) -> ChosenRows:
    """Rows that are independent in all closed configurations that are tried."""
    with_legs, s = on_legs(robot), Symbols(robot, Graph(), at=at)
    if {j for j in Loops(s).left if j > 0} != set(s.active):
        raise NotApplicable("loops.without_motors", robot=robot.name)
    q, every = _configurations(s), tuple(tuple(range(6 - one.kind.freedoms)) for one in with_legs.attachments)
    chosen = tuple(
        _determining(leg, sample(s, [list(row) for row in leg.JG], 0, q))
        for leg in ChosenRows(with_legs, every).legs(s)
    )
    leg_rows = ChosenRows(with_legs, chosen)
    rows = [list(row) for leg in leg_rows.legs(s) for row in leg.constraints]
    return leg_rows._replace(kept=_spread(with_legs, sample(s, rows, 0, q) * twist_sizes(with_legs), 6))


#: How many closed configurations are tried near q = 0, how near they are, and how many others.
_NEAR, _SMALL, _FAR = 6, 0.1, 4


def _configurations(s: Symbols) -> Array:
    """Closed configurations: near q = 0, where robots often are in a family of their own, and anywhere."""
    every = Loops(s).every
    starts = np.random.default_rng(6).normal(scale=_SMALL, size=(_NEAR, len(s.variables)))
    near, closed = numeric_assembler(s, every, every_joint=True).newton(starts, damped=True)
    far = sample_closed(s, every, s.at)
    q = near[closed] if far is None else np.vstack([near[closed], far.q[:_FAR]])
    regular = [rank_of(rows).rank == len(Loops(s).dependent) for rows in sampled_rows(s, every, q)] if len(q) else []
    if not any(regular):
        raise NotApplicable("loops.no_regular", robot=s.robot.name)
    return padded(s, q[regular])


#: Rows are good whose least singular value is above this part of that of the best ones.
_GOOD = 0.3


def _determining(leg: Leg, J: Array) -> tuple[int, ...]:
    """As many rows as passive joints: well conditioned everywhere, and with the most zeros among those."""
    if not leg.loops.left:
        return ()
    choices = list(combinations(range(J.shape[1]), J.shape[2]))
    least = [_least(J, rows) for rows in choices]
    _require_independent(leg.of.robot, max(least, default=0.0))
    good = [rows for rows, x in zip(choices, least, strict=True) if x > _GOOD * max(least)]
    return max(good, key=lambda rows: sum(x.is_zero for k in rows for x in leg.JG[k]))


def _spread(robot: Robot, tables: Array, count: int) -> tuple[int, ...]:
    """So many rows that are independent in all configurations, each good beside those before it.

    Of equally good ones, such as those of legs that are alike, the first: rounding does not decide.
    """
    _require_independent(robot, float(tables.shape[1] >= count and np.isfinite(tables).all()))
    chosen: list[int] = []
    for _ in range(count):
        others = {row: _least(tables, [*chosen, row]) for row in range(tables.shape[1]) if row not in chosen}
        chosen.append(next(row for row, x in others.items() if x >= _GOOD * max(others.values())))
    _require_independent(robot, _least(tables, chosen))
    return tuple(sorted(chosen))


def _least(tables: Array, rows: Sequence[int]) -> float:
    """The least singular value of these rows in all configurations, beside the size of the table."""
    values = (np.linalg.svd(table[list(rows)], compute_uv=False)[-1] / np.linalg.norm(table) for table in tables)
    return float(min(values))


def _require_independent(robot: Robot, least: float) -> None:
    if not least > NOT_ZERO:
        raise NotApplicable("loops.singular_family", robot=robot.name)


# The constraint.


@dataclass(frozen=True, eq=False)
class LegInTree:
    """A leg among the joints of the tree. `leg` has its motors locked; what they do is added here."""

    leg: Leg
    links: tuple[int, ...]

    def by_leg_joint(self, of_tree: Row) -> dict[int, Expr]:
        """What the joints of the tree have, by the joints of the leg."""
        return {j: of_tree[k] for j, k in enumerate(self.links, 1) if k in of_tree}

    def passive(self, of_leg: Row) -> dict[int, Expr]:
        """What the passive joints of the leg have, by the joints of the tree."""
        return {self.links[j - 1]: of_leg[j] for j in self.leg.s.passive}

    @lazy
    def columns(self) -> dict[int, list[Expr]]:
        """J_a: for each motor its coefficients in all rows."""
        columns = dict(zip(self.leg.s.variables, self.leg.J.T, strict=True))
        return {self.links[j - 1]: list(columns[j]) for j in self.leg.s.active}

    def driven(self, motors: Row) -> list[Expr]:
        """J_a q̇_a of all rows."""
        every = range(len(self.leg.rows))
        return [total(self.leg.s.graph, (x[k] * motors[j] for j, x in self.columns.items())) for k in every]

    def at_motors(self, along: Row) -> dict[int, Expr]:
        """J_aᵀ f of forces along rows."""
        return {j: total(self.leg.s.graph, (f * x[k] for k, f in along.items())) for j, x in self.columns.items()}

    @lazy
    def holding(self) -> list[dict[int, Expr]]:
        """For each row beside the chosen ones: what acts along all rows where a unit force does along it, and nothing
        at the passive joints."""
        forces = []
        for k in self.leg.free:
            column = dict(zip(self.leg.s.variables, self.leg.J[k], strict=True))
            forces.append({i: -x for i, x in self.leg.forces(column).items()} | {k: self.leg.s.graph.one})
        return forces


@dataclass(frozen=True, eq=False)
class ByLegs(BySolution):
    """The constraint of loops by the legs of a platform.

    The rows of a leg are J_p q̇_p = J_v V − J_a q̇_a. As many as it has passive joints determine these. What the others
    say then about V and the motors holds the platform: A V = B q̇_a. Legs are stretched without harm: A does not have
    their motors. The joint before the platform is where the first leg meets it; it moves as these two move apart.
    """

    choice: ChosenRows

    @lazy
    def _platform(self) -> int:
        return platform_of(self.s.robot)[0]

    @lazy
    def _has_joint(self) -> bool:
        """Whether the joint before the platform has a coordinate."""
        return self._platform in self.s.variables

    @lazy
    def chains(self) -> list[LegInTree]:
        return [
            LegInTree(*pair)
            for pair in zip(self.choice.legs(self.s), platform_of(self.s.robot)[1].values(), strict=True)
        ]

    @lazy
    def held(self) -> list[tuple[LegInTree, Row]]:
        """The forces along rows of chains that hold the platform."""
        every = [(chain, along) for chain in self.chains for along in chain.holding]
        return [every[n] for n in self.choice.kept]

    @lazy
    def A(self) -> list[list[Expr]]:
        return [list(chain.leg.on_platform(along)) for chain, along in self.held]

    @lazy
    def B(self) -> list[dict[int, Expr]]:
        return [chain.at_motors(along) for chain, along in self.held]

    def _solved_for_platform(self, rows: Sequence[Sequence[Expr]], right: Sequence[Sequence[Expr]]) -> Matrix:
        solution = solve(self.s.graph, rows, right)
        if solution is None:
            raise NotApplicable("platforms.loose", robot=self.s.robot.name)
        return Matrix(self.s.graph, solution)

    # motion

    @lazy
    def V(self) -> Vector:
        """The velocity of the platform."""
        return self._solved_for_platform(self.A, [[dot(self.s, b, self.s.qd)] for b in self.B]).column(0)

    @lazy
    def moving_chains(self) -> list[LegInTree]:
        """The chains with their velocities."""
        chains = []
        for chain in self.chains:
            leg, driven = chain.leg, chain.driven(self.s.qd)
            right = [x - driven[k] for k, x in zip(leg.chosen, leg.seen(self.V[:3], self.V[3:]), strict=True)]
            u = {**self.s.qd, **chain.passive(leg.following(right))}
            chains.append(LegInTree(leg.moving(qd=leg.s.still | chain.by_leg_joint(u)), chain.links))
        return chains

    @lazy
    def velocities(self) -> dict[int, Expr]:
        u = {k: self.s.qd[k] if k > 0 else self.s.state.V0[k] for k in self.left}
        for chain in self.moving_chains:
            u |= chain.passive(chain.leg.s.qd)
        u |= {self._platform: self.moving_chains[0].leg.allowed_velocity(self.V)} if self._has_joint else {}
        return {k: self._named("QP", k, x) for k, x in u.items()}

    def accelerations(self, vd: Row) -> dict[int, Expr]:
        """A V̇ = B q̈_a less what the rows have without accelerations, then the legs."""
        a, none = {k: vd[k] for k in self.left if k > 0}, zeros(self.s.graph, 6)
        rest = {
            chain.links: [
                x - y
                for x, y in zip(chain.leg.unbalanced(self.V, none, self._turning(none)), chain.driven(a), strict=True)
            ]
            for chain in self.moving_chains
        }
        right = [[-dot(self.s, along, dict(enumerate(rest[chain.links])))] for chain, along in self.held]
        VP = self._solved_for_platform(self.A, right).column(0)
        for chain in self.moving_chains:
            leg = chain.leg
            rows = zip(leg.chosen, leg.seen(VP[:3], VP[3:]), strict=True)
            a |= chain.passive(leg.following([x + rest[chain.links][k] for k, x in rows]))
        if self._has_joint:
            first = self.moving_chains[0]
            a[self._platform] = first.leg.allowed_acceleration(VP, self._turning(VP), first.by_leg_joint(a))
        return {k: self._named("QDP", k, x) for k, x in a.items()}

    def _turning(self, VP: Vector) -> Matrix:
        """U of the platform, in frame 0 (K97:9)."""
        return angular(self.s.in_state(suffix="_0"), self.V[3:], VP[3:], self._platform)

    @lazy
    def G(self) -> dict[int, Row]:
        one, zero = self.s.graph.one, self.s.graph.zero
        motors = [k for k in self.left if k > 0]
        J = self._solved_for_platform(self.A, [[b.get(k, zero) for k in motors] for b in self.B]).T
        rows: dict[int, dict[int, Expr]] = {k: {k: one} for k in self.left}
        for chain in self.chains:
            for j in chain.leg.s.passive:
                along = chain.leg.forces({j: one})
                row = dict(zip(motors, J @ chain.leg.on_platform(along), strict=True))
                rows[chain.links[j - 1]] = row | {k: row[k] - x for k, x in chain.at_motors(along).items()}
        if self._has_joint:
            first = self.chains[0]
            row = dict(zip(motors, J @ first.leg.allowed_on_platform(one), strict=True))
            for j, x in first.leg.own_part.items():
                row |= {k: row[k] - x * y for k, y in rows[first.links[j - 1]].items()}
            rows[self._platform] = row
        return {k: {i: x for i, x in rows[k].items() if not x.is_zero} for k in self.coordinates}

    @lazy
    def rates(self) -> dict[int, Row]:
        """Ġ by the chain rule: G is a function of q."""
        return derivatives(self, {self.s.q[j]: self.velocities[j] for j in self.s.variables})

    # projection

    def forces(self, f: Row) -> dict[int, Expr]:
        """Gᵀ f: the legs give what passive joints need to the platform and to their motors, then A⁻ᵀ to all motors."""
        f, W, zero = dict(f), zeros(self.s.graph, 6), self.s.graph.zero
        if self._has_joint and not f.get(self._platform, zero).is_zero:
            first = self.chains[0]
            W = first.leg.allowed_on_platform(f[self._platform])
            for j, x in first.leg.own_part.items():  # the leg before feels the opposite
                k = first.links[j - 1]
                f[k] = f.get(k, zero) - x * f[self._platform]
        forces = {k: f.get(k, zero) for k in self.left}
        for chain in self.chains:
            needed = {j: x for j, x in chain.by_leg_joint(f).items() if j in chain.leg.s.passive and not x.is_zero}
            if needed:
                along = chain.leg.forces(needed)
                W = W + chain.leg.on_platform(along)
                forces |= {k: forces[k] - x for k, x in chain.at_motors(along).items()}
        if not W.is_zero:
            columns = [list(column) for column in zip(*self.A, strict=True)]
            for b, x in zip(self.B, self._solved_for_platform(columns, [[w] for w in W]).column(0), strict=True):
                forces |= {k: forces[k] + y * x for k, y in b.items()}
        return forces


@dataclass(frozen=True)
class LoopSymbols(Symbols):
    """The letters of a robot whose closed loops are seen as legs."""

    @property
    def constraint(self) -> ByLegs:
        return ByLegs(self, Loops(self), chosen_rows(self.robot, self.at))


def loop_symbols(robot: Robot, graph: Graph, at: tuple[float, ...] | None, form: str) -> LoopSymbols:
    """The letters of a robot with closed loops; an error where these are no legs of a platform."""
    chosen_rows(robot, at)
    return LoopSymbols(robot, graph, at=at, form=form)
