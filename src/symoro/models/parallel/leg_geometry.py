"""The joints of a leg for a pose of the platform, in closed form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import atan2, hypot
from typing import Any

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Pair, Vector, sum_of_angles
from symoro.models.geometric.frames import FrameRef, Pose, bound_pose, carrier
from symoro.models.geometric.inverse.branches import branches
from symoro.models.geometric.inverse.chain import ScrewChain, chain
from symoro.models.geometric.inverse.closed import ClosedFormSteps, make_place, solve, wanted_goal
from symoro.models.geometric.inverse.tasks import aim
from symoro.models.loops.analytic import Mode, assembled, loops_in_order
from symoro.models.parallel.leg_loops import Following, LegLoops, part_of_turn
from symoro.robot import topology
from symoro.robot.arithmetic import negative, plus, product, total
from symoro.robot.base import Frame, translation
from symoro.robot.base import Pose as PoseValues
from symoro.robot.joint import Joint, JointKind
from symoro.robot.parallel import placed_frame
from symoro.robot.robot import ClosureKind, Robot
from symoro.robot.springs import is_plain, slope, variables
from symoro.robot.symbolic import substituted
from symoro.robot.values import ONE, PI, ZERO, Symbol, Value, as_value, evaluate, is_zero, symbols

# One branch of a leg: its joints as sines, cosines and lengths, those that follow by closed loops among them.


@dataclass(frozen=True, slots=True)
class LegBranch:
    """The joints of a leg in one branch: cosine and sine of θ of revolute ones, the variable of prismatic ones.

    `ok` is 0 where the branch does not exist.
    """

    turned: Mapping[int, Pair]
    slid: Mapping[int, Expr]
    ok: Expr

    def positions(self, s: Symbols) -> dict[int, Expr]:
        """The variables of the joints."""
        angles = {j: s.graph.atan2(pair[1], pair[0]) - constant_part(s, j) for j, pair in self.turned.items()}
        return {**{j: x / growth(s, j) for j, x in angles.items()}, **self.slid}


def growth(s: Symbols, j: int) -> Expr:
    """By what θ of a revolute joint, r of a prismatic one, grows with its variable."""
    return s.bind(slope(s.robot.joint(j), variables(s.robot)) or ONE)


def constant_part(s: Symbols, j: int) -> Expr:
    """θ of a revolute joint, r of a prismatic one, where its variable is 0."""
    joint = s.robot.joint(j)
    return s.bind(joint.position, {str(joint.variable): s.graph.zero})


def followed(s: Symbols, branch: LegBranch, following: tuple[Following, ...]) -> LegBranch:
    """The branch with the joints that are sums of others."""
    turned, slid, q = dict(branch.turned), dict(branch.slid), branch.positions(s)
    for row in following:
        rest = s.bind(row.rest)
        if not s.revolute[row.joint]:
            slid[row.joint] = rest + sum((x * q[k] for k, x in row.slopes), s.graph.zero)
            continue
        offset = rest + constant_part(s, row.joint)
        slides = [(k, x) for k, x in row.slopes if k not in branch.turned]
        offset = offset + sum((x * q[k] for k, x in slides), s.graph.zero)
        offset = offset - sum((x * constant_part(s, k) for k, x in row.slopes if k in branch.turned), s.graph.zero)
        pair = s.graph.cos(offset), s.graph.sin(offset)
        for k, x in row.slopes:
            if k in branch.turned:
                cosine, sine = branch.turned[k]
                pair = sum_of_angles(pair, (cosine, sine if x > 0 else -sine))
        turned[row.joint] = pair
    return LegBranch(turned, slid, branch.ok)


def with_loops(s: Symbols, branch: LegBranch) -> Iterator[LegBranch]:
    """The branch with every way to close the loops of the leg, in closed form (K97 § 3.4)."""
    modes = [Mode(branch.positions(s), branch.ok, {}, s.graph.zero)]
    for closed in loops_in_order(s, tuple(modes[0].q)):
        modes = [after for mode in modes for after in assembled(closed, mode, {})]
    for mode in modes:
        new = {j: mode.q[j] for j in s.variables if j not in branch.turned and j not in branch.slid}
        angles = {j: x + constant_part(s, j) for j, x in new.items() if s.revolute[j]}
        pairs = {j: (s.graph.cos(x), s.graph.sin(x)) for j, x in angles.items()}
        slides = {j: x for j, x in new.items() if j not in pairs}
        yield LegBranch({**branch.turned, **pairs}, {**branch.slid, **slides}, mode.ok)


# A leg that ends with a parallelogram as a leg with one rod: the end moves alike, from another point.
#
# The link across a parallelogram keeps its orientation: joint k, which carries it, turns back by what the rod's joint i
# turns. In the frame before joint i the end is at Rz(θ_i) x + e, with the rod x and a constant e. So it is the end of a
# rod whose joint is moved by e (the offsets of a Delta robot's parallelograms: R. Clavel, ISIR 1988).


END = "end of the rod"
_QUARTER = as_value("pi/2")


def one_rod(leg: Robot, frame: FrameRef, loops: LegLoops) -> Robot | None:
    """A serial leg whose frame `END` has the same position as the frame; None where it ends with no parallelogram.

    Variables have their names.
    """
    link, pose = carrier(leg, frame)
    way = topology.path(leg, link)
    rest = _turned_back(leg, loops, way[-2], way[-1]) if len(way) > 1 else None
    if rest is None:
        return None
    *before, rod, last = way
    turn = total((_constant(rod), last.gamma, _constant(last), rest))
    e = _origin(product(placed_frame({"gamma": turn}), pose))
    x = _origin(placed_frame({"gamma": last.gamma, "b": last.b, "d": last.d, "r": last.r}))
    fixed: tuple[dict[str, Any], ...] = (
        {"gamma": rod.gamma, "b": rod.b, "alpha": rod.alpha, "d": rod.d},
        {"b": e[2], "d": e[0]},
        {"gamma": _QUARTER, "d": e[1], "theta": negative(_QUARTER)},
    )
    places = [Joint(0, f"place {n}", 0, JointKind.FIXED, **row) for n, row in enumerate(fixed, 1)]
    rod_joint = replace(rod, gamma=ZERO, b=ZERO, alpha=ZERO, d=ZERO)
    chain = [replace(joint, index=n, parent=n - 1) for n, joint in enumerate((*before, *places, rod_joint), 1)]
    end = Frame(END, len(chain), translation(x))
    return Robot(leg.name, tuple(chain), gravity=leg.gravity, values=leg.values, frames=(end,))


def _turned_back(leg: Robot, loops: LegLoops, rod: Joint, last: Joint) -> Value | None:
    """The constant part of q_last = −q_rod + rest; None where the last joint does not turn back the rod."""
    followers = {row.joint: row for row in loops.following or ()}
    row = followers.get(last.index)
    others = any(j.index in loops.dependent for j in topology.path(leg, last.parent)[:-1])
    turns_back = row and not others and row.slopes == ((rod.index, -1),) and is_zero(last.alpha) and rod.revolute
    return row.rest if row and turns_back else None


def _constant(joint: Joint) -> Value:
    return substituted(joint.position, {str(joint.variable): ZERO})


def _origin(pose: PoseValues) -> tuple[Value, ...]:
    return tuple(row[3] for row in pose[:3])


# A leg with a sliding attachment as a leg with one more joint, whose end is fixed on the platform.
#
# The joints of the leg for a pose follow from this leg. The slider itself has no mass, so that other models leave it
# out.


SLIDER = "q_slider"
_SAME = 1e-12


def with_slider(leg: Robot, frame: FrameRef) -> Robot:
    """The leg with a slider along z of the frame; its last link is fixed on the platform."""
    link, pose = carrier(leg, frame)
    x, y, z = (row[3] for row in pose[:3])
    gamma, alpha, theta = _angles(leg, pose)
    tree, n = leg.joints[: leg.link_count], leg.link_count
    new = (
        Joint(n + 1, "place 1", link, JointKind.FIXED, b=z, d=x),
        Joint(n + 2, "place 2", n + 1, JointKind.FIXED, gamma=_QUARTER, d=y, theta=negative(_QUARTER)),
        Joint(n + 3, "axis", n + 2, JointKind.FIXED, gamma=gamma, alpha=alpha, theta=theta),
        Joint(n + 4, "slider", n + 3, JointKind.PRISMATIC, False, variable=SLIDER),
    )
    return replace(leg, joints=(*tree, *new), closures=(), inertias=(), drives=(), wrenches=())


def _angles(leg: Robot, pose: PoseValues) -> tuple[Value, Value, Value]:
    """γ, α and θ of the orientation Rz(γ) Rx(α) Rz(θ); whole parts of a turn are exact."""
    known = leg.values.numbers()
    if any(not symbols(x) <= known.keys() for row in pose[:3] for x in row[:3]):
        raise NotApplicable("platforms.sliding_end", leg=leg.name)
    R = [[evaluate(x, known) for x in row[:3]] for row in pose[:3]]
    tilt = hypot(R[0][2], R[1][2])
    if tilt < _SAME:  # z is kept, or turned around
        up = R[2][2] > 0
        return ZERO, ZERO if up else PI, part_of_turn(atan2(R[1][0], R[0][0]) * (1 if up else -1), _SAME)
    angles = atan2(R[0][2], -R[1][2]), atan2(tilt, R[2][2]), atan2(R[2][0], R[2][1])
    gamma, alpha, theta = (part_of_turn(x, _SAME) for x in angles)
    return gamma, alpha, theta


# The inverse geometry of a leg: its joints for a pose of its end, as sines, cosines and lengths.
#
# A leg of universal joint and slider has a closed form of two square roots. The steps of other legs are those of the
# inverse geometric model of arms. Where there is no closed form, Newton's method finds the joints (`leg_newton`).


#: What of the pose of a leg's end is tried, by the kind of attachment and in this order.
TASKS = {
    ClosureKind.SPHERICAL: ("position",),
    ClosureKind.UNIVERSAL: ("position",),
    ClosureKind.REVOLUTE: ("position", "axis-z"),
    ClosureKind.PRISMATIC: ("pose",),
    ClosureKind.FIXED: ("pose", "position"),
}


def leg_branches(s: Symbols, frame: FrameRef, kind: ClosureKind, wanted: Pose, loops: LegLoops) -> list[LegBranch]:
    """All branches of a leg for a wanted pose of its frame; none where there is no closed form.

    They are those of the same leg with plain coordinates, whose lengths are then divided by the slopes.
    """
    plain = _with_plain_coordinates(s.robot)
    branches = _plain_branches(Symbols(plain, s.graph), frame, kind, wanted, loops)
    return [replace(b, slid={j: x / growth(s, j) for j, x in b.slid.items()}) for b in branches]


def _with_plain_coordinates(leg: Robot) -> Robot:
    """The leg with each coordinate s q + c replaced by q + c."""
    names = variables(leg)
    joints = tuple(
        j if not j.movable or is_plain(j, names) or slope(j, names) is None else _plain(j) for j in leg.joints
    )
    return replace(leg, joints=joints)


def _plain(joint: Joint) -> Joint:
    position: dict[str, Any] = {joint.moving: plus(Symbol(str(joint.variable)), _constant(joint))}
    return replace(joint, **position)


def _plain_branches(s: Symbols, frame: FrameRef, kind: ClosureKind, wanted: Pose, loops: LegLoops) -> list[LegBranch]:
    slides = kind is ClosureKind.PRISMATIC
    if not slides and (special := _universal_slider(s, frame, wanted)):
        return special
    link, _ = carrier(s.robot, frame)
    if any(joint.index in loops.dependent for joint in topology.path(s.robot, link)):
        return [] if slides else _through_parallelogram(s, frame, wanted, loops)
    arm, end = s, frame
    if slides:
        arm = Symbols(with_slider(s.robot, frame), s.graph)
        end = arm.robot.joints[-1].index
    for closed in _closed(arm, end, TASKS[kind]):
        branches = [_of_joints(branch, s) for branch in _from_steps(closed, wanted)]
        return _with_followers(s, branches, loops)
    return []


def _of_joints(branch: LegBranch, s: Symbols) -> LegBranch:
    """The branch without a slider that the leg itself does not have."""
    slid = {j: x for j, x in branch.slid.items() if j in s.variables}
    return LegBranch(branch.turned, slid, branch.ok)


def _with_followers(s: Symbols, branches: list[LegBranch], loops: LegLoops) -> list[LegBranch]:
    """The branches with the joints that follow by the loops of the leg."""
    if loops.following is not None:
        return [followed(s, branch, loops.following) for branch in branches]
    try:
        return [after for branch in branches for after in with_loops(s, branch)]
    except NotApplicable:  # a loop has no closed form
        return []


def _through_parallelogram(s: Symbols, frame: FrameRef, wanted: Pose, loops: LegLoops) -> list[LegBranch]:
    """The branches of the leg with one rod in the place of a parallelogram, which gives the position of the end."""
    serial = one_rod(s.robot, frame, loops)
    if serial is None:
        return []
    rod = Symbols(serial, s.graph)
    number = {joint.variable: joint.index for joint in s.robot.joints if joint.variable}
    leg_joint = {joint.index: number[joint.variable] for joint in rod.robot.joints if joint.variable}
    for closed in _closed(rod, END, ("position",)):
        rod_branches = _from_steps(closed, wanted)
        named = [
            LegBranch(
                {leg_joint[j]: x for j, x in b.turned.items()}, {leg_joint[j]: x for j, x in b.slid.items()}, b.ok
            )
            for b in rod_branches
        ]
        return _with_followers(s, named, loops)
    return []


# universal joint and slider


def _universal_slider(s: Symbols, frame: FrameRef, wanted: Pose) -> list[LegBranch]:
    """Revolute, revolute, prismatic joint with perpendicular axes through one point; the end is on the slider's axis.

    In the frame of the first axis the end is y = ρ (σ₃ S2 C1, σ₃ S2 S1, −σ₂ σ₃ C2), σ = sin α = ±1. The first two
    branches have ρ > 0, the others ρ < 0. Of each two, the second turns the links by π about the line: it is another
    way to mount the leg.
    """
    link, pose = carrier(s.robot, frame)
    _, e = bound_pose(s, pose)
    kinds = [joint.kind.value for joint in s.robot.joints]
    if kinds != ["revolute", "revolute", "prismatic"] or link != 3:
        return []
    first, second, third = s.robot.joints
    zero = (second.b, second.d, second.r, third.b, third.d, second.gamma, third.gamma)
    turns = [(s.graph.cos(s.bind(j.alpha)), s.graph.sin(s.bind(j.alpha))) for j in (second, third)]
    right = all(c.is_zero for c, _ in turns)
    if not (right and all(s.bind(x).is_zero for x in zero) and e[0].is_zero and e[1].is_zero):
        return []
    (_, s2), (_, s3) = turns
    axis = Symbols._turn(s, 2, "G", first, first.gamma), Symbols._turn(s, 0, "A", first, first.alpha)
    x = axis[0].inverse @ (wanted[1]) - Vector(s.graph, (0, 0, s.bind(first.b)))
    y = axis[1].inverse @ x - Vector(s.graph, (s.bind(first.d), 0, s.bind(first.r)))
    hh = y[0] * y[0] + y[1] * y[1]
    h, length = s.graph.sqrt(hh), s.graph.sqrt(hh + y[2] * y[2])
    rest = s.bind(third.r, {str(third.variable): s.graph.zero}) + e[2]
    exists = s.graph.less(s.graph.zero, h)
    return [
        LegBranch(
            {1: (y[0] / (side * h), y[1] / (side * h)), 2: (-(s2 * s3) * y[2] / rho, s3 * side * h / rho)},
            {3: rho - rest},
            exists,
        )
        for rho in (length, -length)
        for side in (s.graph.one, -s.graph.one)
    ]


# other legs


def _closed(s: Symbols, frame: FrameRef, tasks: Iterable[str]) -> Iterator[ClosedFormSteps]:
    """The steps that solve the leg, by the tasks that its attachment allows."""
    arm = chain(s, frame)
    for task in tasks:
        for degree in (2, 4):
            try:
                wanted = aim(arm, task, {})
                yield solve(arm, wanted.task, wanted.axis, {}, degree)
            except NotApplicable:
                continue


def _from_steps(closed: ClosedFormSteps, wanted: Pose) -> list[LegBranch]:
    graph = closed.chain.symbols.graph
    T = Matrix(graph, [[*row, x] for row, x in zip(*wanted, strict=True)] + [[0, 0, 0, 1]])
    near = dict.fromkeys(closed.order, graph.zero)
    place = make_place(closed, wanted_goal(closed, T), near)
    all_branches = []
    for branch in branches(place, closed.steps, {}):
        values = {j: _coordinate(closed.chain, j, x) for j, x in branch.values.items()}
        turned = {j: (x[0], x[1]) for j, x in values.items() if len(x) == 2}
        all_branches.append(LegBranch(turned, {j: x[0] for j, x in values.items() if len(x) == 1}, branch.ok))
    return all_branches


def _coordinate(chain: ScrewChain, joint: int, value: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Cosine and sine of θ, or the variable of a prismatic joint, from the unknown of the chain."""
    s, axis = chain.symbols, chain.axis(joint)
    if axis.prismatic:
        return ((value[0] - axis.offset) / axis.slopes[joint],)
    rest, (c, x) = constant_part(s, joint), value
    cosine, sine = s.graph.cos(axis.offset - rest), s.graph.sin(axis.offset - rest)
    return c * cosine + x * sine, x * cosine - c * sine
