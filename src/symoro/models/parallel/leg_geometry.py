"""The inverse geometry of a leg: its joints for a pose of its end, as sines, cosines and lengths.

A leg of universal joint and slider has a closed form of two square roots. The steps of other legs are those of the
inverse geometric model of arms. Where there is no closed form, Newton's method finds the joints (`leg_newton`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from symoro.errors import NotApplicable
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Vector
from symoro.models.geometric.frames import FrameRef, Pose, bound_pose, carrier
from symoro.models.geometric.inverse.branches import branches
from symoro.models.geometric.inverse.chain import Chain, chain
from symoro.models.geometric.inverse.closed import Closed, make_place, solve, wanted_goal
from symoro.models.geometric.inverse.tasks import aim
from symoro.models.parallel.leg_branch import LegBranch, constant_part, followed, with_loops
from symoro.models.parallel.leg_loops import LegLoops
from symoro.models.parallel.parallelogram import END, one_rod
from symoro.models.parallel.slider import with_slider
from symoro.robot import topology
from symoro.robot.parallel import AttachmentKind
from symoro.symbols import Symbols

#: What of the pose of a leg's end is tried, by the kind of attachment and in this order.
TASKS = {
    AttachmentKind.SPHERICAL: ("position",),
    AttachmentKind.UNIVERSAL: ("position",),
    AttachmentKind.REVOLUTE: ("position", "axis-z"),
    AttachmentKind.PRISMATIC: ("pose",),
    AttachmentKind.FIXED: ("pose", "position"),
}


def leg_branches(s: Symbols, frame: FrameRef, kind: AttachmentKind, wanted: Pose, loops: LegLoops) -> list[LegBranch]:
    """All branches of a leg for a wanted pose of its frame; none where there is no closed form."""
    slides = kind is AttachmentKind.PRISMATIC
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
        found = [_of_joints(branch, s) for branch in _from_steps(closed, wanted)]
        return _with_followers(s, found, loops)
    return []


def _of_joints(branch: LegBranch, s: Symbols) -> LegBranch:
    """The branch without a slider that the leg itself does not have."""
    slid = {j: x for j, x in branch.slid.items() if j in s.variables}
    return LegBranch(branch.turned, slid, branch.ok)


def _with_followers(s: Symbols, found: list[LegBranch], loops: LegLoops) -> list[LegBranch]:
    """The branches with the joints that follow by the loops of the leg."""
    if loops.following is not None:
        return [followed(s, branch, loops.following) for branch in found]
    try:
        return [after for branch in found for after in with_loops(s, branch)]
    except NotApplicable:  # a loop has no closed form
        return []


def _through_parallelogram(s: Symbols, frame: FrameRef, wanted: Pose, loops: LegLoops) -> list[LegBranch]:
    """The branches of the leg with one rod in the place of a parallelogram, which gives the position of the end."""
    serial = one_rod(s.robot, frame, loops)
    if serial is None:
        return []
    rod = Symbols(serial, s.graph)
    number = {joint.variable: joint.index for joint in s.robot.joints if joint.variable}
    own = {joint.index: number[joint.variable] for joint in rod.robot.joints if joint.variable}
    for closed in _closed(rod, END, ("position",)):
        found = _from_steps(closed, wanted)
        named = [
            LegBranch({own[j]: x for j, x in b.turned.items()}, {own[j]: x for j, x in b.slid.items()}, b.ok)
            for b in found
        ]
        return _with_followers(s, named, loops)
    return []


# universal joint and slider


def _universal_slider(s: Symbols, frame: FrameRef, wanted: Pose) -> list[LegBranch]:
    """Revolute, revolute, prismatic joint with perpendicular axes through one point; the end is on the slider's axis.

    In the frame of the first axis the end is y = ρ (σ₃ S2 C1, σ₃ S2 S1, −σ₂ σ₃ C2), σ = sin α = ±1, ρ > 0. The second
    branch turns the links by π about the line: it is another way to mount the leg.
    """
    link, pose = carrier(s.robot, frame)
    _, e = bound_pose(s, pose)
    kinds = [joint.kind.value for joint in s.robot.joints]
    if kinds != ["revolute", "revolute", "prismatic"] or link != 3 or not s.plain:
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
            {1: (y[0] / (side * h), y[1] / (side * h)), 2: (-(s2 * s3) * y[2] / length, s3 * side * h / length)},
            {3: length - rest},
            exists,
        )
        for side in (s.graph.one, -s.graph.one)
    ]


# other legs


def _closed(s: Symbols, frame: FrameRef, tasks: Iterable[str]) -> Iterator[Closed]:
    """The steps that solve the leg, by the tasks that its attachment allows."""
    arm = chain(s, frame)
    for task in tasks:
        for degree in (2, 4):
            try:
                found = aim(arm, task, {})
                yield solve(arm, found.task, found.axis, {}, degree)
            except NotApplicable:
                continue


def _from_steps(closed: Closed, wanted: Pose) -> list[LegBranch]:
    graph = closed.chain.symbols.graph
    T = Matrix(graph, [[*row, x] for row, x in zip(*wanted, strict=True)] + [[0, 0, 0, 1]])
    near = dict.fromkeys(closed.order, graph.zero)
    place = make_place(closed, wanted_goal(closed, T), near)
    found = []
    for branch in branches(place, closed.steps, {}):
        values = {j: _coordinate(closed.chain, j, x) for j, x in branch.values.items()}
        turned = {j: (x[0], x[1]) for j, x in values.items() if len(x) == 2}
        found.append(LegBranch(turned, {j: x[0] for j, x in values.items() if len(x) == 1}, branch.ok))
    return found


def _coordinate(chain: Chain, joint: int, value: tuple[Expr, ...]) -> tuple[Expr, ...]:
    """Cosine and sine of θ, or the variable of a prismatic joint, from the unknown of the chain."""
    s, axis = chain.symbols, chain.axis(joint)
    if axis.prismatic:
        return ((value[0] - axis.offset) / axis.slopes[joint],)
    rest, (c, x) = constant_part(s, joint), value
    cosine, sine = s.graph.cos(axis.offset - rest), s.graph.sin(axis.offset - rest)
    return c * cosine + x * sine, x * cosine - c * sine
