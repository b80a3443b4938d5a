"""The chain of a robot: screws about x and z, and the loop of displacements with base and tool divided off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import atan2, pi

import numpy as np
from numpy.typing import NDArray

from symoro.bind.symbols import Symbols
from symoro.errors import NotApplicable
from symoro.ir.expr import Constant, Expr
from symoro.ir.graph import Graph
from symoro.ir.linalg import Matrix, Turn, Vector, identity, zeros
from symoro.models.geometric.frames import FrameRef, Pose, bound_pose, carrier, compose
from symoro.models.geometric.walk import X, Z
from symoro.robot import topology
from symoro.robot.joint import Joint
from symoro.robot.robot import Robot

# Sequences of screws about the x and z axes, and their shortest form between the axes of joints.


#: An angle, or a length in parts of the arm's, below this is taken as zero.
NEGLIGIBLE = 1e-9


@dataclass(frozen=True, slots=True)
class Screw:
    """A rotation about and a translation along the x or the z axis; `joint` is the joint that moves along it, or 0."""

    axis: int
    turn: Expr
    shift: Expr
    joint: int = 0


def merged(screws: Iterable[Screw]) -> Iterator[Screw]:
    """Neighbours about the same axis are one screw, unless both are joints."""
    last: Screw | None = None
    for screw in screws:
        if last and last.axis == screw.axis and not (last.joint and screw.joint):
            turn, shift = last.turn + screw.turn, last.shift + screw.shift
            last = replace(last, turn=turn, shift=shift, joint=last.joint or screw.joint)
        elif screw.joint or not (screw.turn.is_zero and screw.shift.is_zero):
            if last:
                yield last
            last = screw
    if last:
        yield last


def rounded(screws: Sequence[Screw]) -> Iterator[Screw]:
    """Right angles and zeros in place of numbers that are nearly so."""
    lengths = (screw.shift.constant for screw in screws)
    length = sum(abs(float(x)) for x in lengths if x is not None) or 1.0
    for screw in screws:
        yield replace(screw, turn=_right_angle(screw.turn), shift=_nonzero(screw.shift, length))


def _right_angle(x: Expr) -> Expr:
    if x.constant is None:
        return x
    quarters = round(float(x.constant) * 2 / pi)
    near = abs(float(x.constant) - quarters * pi / 2) <= NEGLIGIBLE
    return x.graph.constant(Constant(Fraction(quarters, 2), pi=quarters != 0)) if near else x


def _nonzero(x: Expr, length: float) -> Expr:
    return x.graph.zero if x.constant is not None and abs(float(x.constant)) <= NEGLIGIBLE * length else x


def straightened(graph: Graph, screws: Iterable[Screw]) -> Iterator[Screw]:
    """Several screws between two joints as three: along the first axis, the common normal, along the second axis.

    Symbols stay as they are: the common normal of a link with a fixed joint has no short formula.
    """
    between: list[Screw] = []
    inside = False
    for screw in screws:
        if not screw.joint:
            between.append(screw)
            continue
        yield from _shortest(graph, between) if inside else between
        yield screw
        between, inside = [], True
    yield from between


def _shortest(graph: Graph, screws: Sequence[Screw]) -> Iterator[Screw]:
    numbers = [(s.axis, s.turn.constant, s.shift.constant) for s in screws]
    if sum(axis == X for axis, _, _ in numbers) < 2:
        yield from screws
        return
    pose = np.eye(4)
    for axis, turn, shift in numbers:
        if turn is None or shift is None:
            yield from screws
            return
        pose = pose @ matrix(axis, float(turn), float(shift))
    for axis, angle, length in common_normal(pose):
        yield Screw(axis, graph.constant(angle), graph.constant(length))


def matrix(axis: int, turn: float, shift: float) -> NDArray[np.float64]:
    """The displacement of a screw."""
    c, s, pose = np.cos(turn), np.sin(turn), np.eye(4)
    j, k = (axis + 1) % 3, (axis + 2) % 3
    pose[j, j] = pose[k, k] = c
    pose[j, k], pose[k, j], pose[axis, 3] = -s, s, shift
    return pose


def common_normal(pose: NDArray[np.float64]) -> Iterator[tuple[int, float, float]]:
    """Rz(a) Tz(b), Rx(α) Tx(d), Rz(c) Tz(e) whose product is the pose; parallel axes have b = 0."""
    axis, point = pose[:3, 2], pose[:3, 3]
    parallel = np.hypot(axis[0], axis[1]) <= NEGLIGIBLE
    a = atan2(point[1], point[0]) if parallel else atan2(axis[0], -axis[1])
    across = np.array([np.cos(a), np.sin(a), 0.0])
    if parallel and np.hypot(point[0], point[1]) <= NEGLIGIBLE:
        a, across = 0.0, np.array([1.0, 0.0, 0.0])
    alpha = atan2(axis @ np.cross([0.0, 0.0, 1.0], across) * -1.0, axis[2])
    d = float(across @ point)
    e = 0.0 if parallel else float((point - d * across) @ np.array([axis[0], axis[1], 0]) / (axis[:2] @ axis[:2]))
    b = float(point[2] - e * axis[2])
    first = matrix(Z, a, b) @ matrix(X, alpha, d)
    last = np.linalg.inv(first) @ pose
    yield Z, a, b
    yield X, alpha, d
    yield Z, atan2(last[1, 0], last[0, 0]), float(last[2, 3])


# The chain of a robot's joints as a loop of displacements, in which base and tool are divided out.
#
# With base B and tool E, the wanted pose T = B Z1 A2 Z2 … An Zn E gives U = B⁻¹ T E⁻¹ = Z1 A2 Z2 … An Zn. The motion of
# joint j is Z_j = Rz(θ) Tz(r), and A_j = Rx(α) Tx(d) is the common normal between the axes j − 1 and j. Whatever a
# frame has along or about a joint's axis commutes with Z_j and goes into it, so that A_j is what the axes themselves
# say.


@dataclass(frozen=True, slots=True)
class Axis:
    """A joint of the chain: θ, or r if it is prismatic, is unknown; `constant` is the other one of the two in Z_j.

    The unknown is Σ slope_k q_k + offset over the variables k in `slopes`.
    """

    joint: int
    prismatic: bool
    constant: Expr
    offset: Expr
    slopes: dict[int, Expr]


@dataclass(frozen=True, slots=True)
class ScrewChain:
    """U = Z1 A2 Z2 … An Zn with T = base U tool; `links` are A2 … An.

    `exact` are the screws between `start` and `end` as the robot has them, before anything is rounded or moved.
    """

    symbols: Symbols
    axes: tuple[Axis, ...]
    links: tuple[tuple[Screw, ...], ...]
    base: Pose
    tool: Pose
    exact: tuple[Screw, ...]
    start: Pose
    end: Pose

    def axis(self, joint: int) -> Axis:
        return next(axis for axis in self.axes if axis.joint == joint)


def chain(s: Symbols, frame: FrameRef | None) -> ScrewChain:
    """The chain from the world to a link's frame or a named frame; to the only tip where none is given."""
    link, on_link = carrier(s.robot, tip(s.robot) if frame is None else frame)
    start, end = bound_pose(s, s.robot.base.pose), bound_pose(s, on_link)
    exact = tuple(merged(_screws(s, topology.path(s.robot, link))))
    if not any(screw.joint for screw in exact):
        raise NotApplicable("geometry.still_frame", robot=s.robot.name, frame=frame or link)
    return _straight(s, exact, start, end, frozenset())


def ring(s: Symbols, loop: topology.CutLoop) -> ScrewChain:
    """The chain around a closed loop, from its root to the cut joint and back from its mate: its pose is 1 (K97:2)."""
    there, back = list(_screws(s, loop.to_joint)), list(_screws(s, loop.to_mate))
    inverted = [replace(screw, turn=-screw.turn, shift=-screw.shift) for screw in reversed(back)]
    exact = tuple(merged([*there, *inverted]))
    still = pose(s, ())
    return _straight(s, exact, still, still, frozenset(screw.joint for screw in back))


def _straight(s: Symbols, exact: tuple[Screw, ...], start: Pose, end: Pose, backward: frozenset[int]) -> ScrewChain:
    """The chain of these screws; the joints in `backward` move against their variable."""
    screws = list(merged(rounded(list(merged(straightened(s.graph, exact))))))
    joints = [n for n, screw in enumerate(screws) if screw.joint]
    first, last = joints[0], joints[-1]
    before, behind = screws[: first + 1], screws[last + (first == last) :]
    return ScrewChain(
        symbols=s,
        axes=tuple(_axis(s, screws[n], n in (first, last), screws[n].joint in backward) for n in joints),
        links=tuple(tuple(screws[a + 1 : b]) for a, b in pairwise(joints)),
        base=compose(start, pose(s, before)),
        tool=compose(pose(s, behind), end),
        exact=exact,
        start=start,
        end=end,
    )


def tip(robot: Robot) -> int:
    """The only link without a successor."""
    tips = topology.tips(robot)
    if len(tips) != 1:
        numbers = [tip.index for tip in tips]
        raise NotApplicable("geometry.tips", robot=robot.name, count=len(tips), tips=numbers)
    return tips[0].index


def _screws(s: Symbols, path: Sequence[Joint]) -> Iterator[Screw]:
    """Rz(γ) Tz(b), Rx(α) Tx(d), Rz(θ) Tz(r) of each joint on the way (K97 § 2), with every variable at zero."""
    rest = {joint.variable: s.graph.zero for joint in s.robot.joints if joint.variable}
    for joint in path:
        yield Screw(Z, s.bind(joint.gamma, rest), s.bind(joint.b, rest))
        yield Screw(X, s.bind(joint.alpha, rest), s.bind(joint.d, rest))
        yield Screw(Z, s.bind(joint.theta, rest), s.bind(joint.r, rest), joint.index if joint.movable else 0)


def _axis(s: Symbols, screw: Screw, outer: bool, backward: bool) -> Axis:
    """The joint of a screw; the constants of the first and the last one are in the base and the tool."""
    joint = s.robot.joint(screw.joint)
    turn, shift = (s.graph.zero, s.graph.zero) if outer else (screw.turn, screw.shift)
    constant, offset = (turn, shift) if joint.prismatic else (shift, turn)
    slopes = _slopes(s, joint)
    for k, slope in slopes.items():
        if slope.constant is None:
            raise NotApplicable("geometry.slope_varies", robot=s.robot.name, joint=joint.index, variable=k)
    if joint.index not in slopes:
        raise NotApplicable("geometry.follows", robot=s.robot.name, joint=joint.index)
    signed = {k: -slope if backward else slope for k, slope in slopes.items()}
    return Axis(joint.index, joint.prismatic, constant, offset, signed)


def _slopes(s: Symbols, joint: Joint) -> dict[int, Expr]:
    """The slopes of a joint's coordinate; a cut joint moves with its own variable."""
    return s.slopes.get(joint.index, {joint.index: s.graph.one})


def pose(s: Symbols, screws: Sequence[Screw]) -> Pose:
    """The product of constant screws."""
    A, P = identity(s.graph, 3), zeros(s.graph, 3)
    for screw in reversed(screws):
        turn = Turn(screw.axis, s.graph.cos(screw.turn), s.graph.sin(screw.turn))
        along = Vector(s.graph, (screw.shift if k == screw.axis else 0 for k in range(3)))
        A = Matrix(s.graph, (turn @ column for column in A.T)).T
        P = turn @ P + along
    return A, P
