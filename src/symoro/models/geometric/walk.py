"""Poses along a chain of joints by elementary rotations and translations; rotations about parallel axes are merged.

The pose of a frame in its antecedent is Rz(γ) Tz(b) Rx(α) Tx(d) Rz(θ) Tz(r) (K97 § 2). Two rotations about z with only
translations between them are one rotation by the sum of their angles; with a half turn about x between them, by the
difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from symoro.bind.symbols import Symbols
from symoro.ir.expr import Expr
from symoro.ir.linalg import Matrix, Rotation, Vector, identity, zeros
from symoro.lazy import lazy
from symoro.robot import topology

X, Z = 0, 2


@dataclass(frozen=True, slots=True)
class ScrewStep:
    """A rotation about, or a translation along, the x or the z axis of the frame reached so far."""

    turn: bool
    axis: int
    amount: Expr
    joint: int

    @property
    def inverse(self) -> ScrewStep:
        return replace(self, amount=-self.amount)


@dataclass(frozen=True, slots=True)
class Displacement:
    """A step that is known as a whole: the turn of a joint known by cosine and sine, or the pose of a free link.

    No rotation is merged with it.
    """

    R: Rotation
    P: Vector
    joint: int

    @property
    def inverse(self) -> Displacement:
        return replace(self, R=self.R.T, P=-(self.R.T @ self.P))


AnyStep = ScrewStep | Displacement


def outward_steps(s: Symbols, j: int, at_rest: bool = False) -> list[AnyStep]:
    """The steps from the antecedent of frame j to frame j (K97 § 2); with `at_rest` the joint's variable is zero."""
    if j in s.free:
        return [Displacement(s.R[j], s.P[j], j)]
    joint = s.robot.joint(j)
    rest = {joint.variable: s.graph.zero} if at_rest and joint.variable else {}
    parts = (
        (True, Z, joint.gamma), (False, Z, joint.b), (True, X, joint.alpha), (False, X, joint.d),
        (True, Z, joint.theta), (False, Z, joint.r),
    )  # fmt: skip
    steps: list[AnyStep] = [ScrewStep(turn, axis, s.bind(value, rest), j) for turn, axis, value in parts]
    if j in s.turned and not at_rest:
        steps[4] = Displacement(Rotation(s.graph, s.R[j].turns[-1:]), zeros(s.graph, 3), j)
    return [step for step in steps if isinstance(step, Displacement) or not step.amount.is_zero]


def inward_steps(s: Symbols, j: int) -> list[AnyStep]:
    """The steps from frame j to its antecedent."""
    return [step.inverse for step in reversed(outward_steps(s, j))]


@dataclass(frozen=True)
class FramePose:
    """The pose of a frame in the frame where the walk began.

    It holds the orientation before the last rotation, that rotation by its axis and angle, and the origin P.
    `flipped` means that a half turn about x follows the last rotation, which is then about z. It is kept apart so that
    the next rotation about z, whose axis is antiparallel, can be merged with the last one.
    """

    s: Symbols
    before: Matrix
    axis: int
    angle: Expr
    flipped: bool
    P: Vector

    @lazy
    def A(self) -> Matrix:
        """The orientation, its columns the unit vectors of the frame."""
        x, y, z = (self.before.column(k) for k in range(3))
        c, sn = self.s.graph.cos(self.angle), self.s.graph.sin(self.angle)
        if self.axis == X:
            y, z = y * c + z * sn, z * c - y * sn
        else:
            x, y = x * c + y * sn, y * c - x * sn
        if self.flipped:
            y, z = -y, -z
        return Matrix(self.s.graph, (x, y, z)).T

    def go(self, steps: Iterable[AnyStep]) -> FramePose:
        """The place after these steps."""
        place = self
        for step in steps:
            if isinstance(step, Displacement):
                place = place._displaced(step)
            else:
                place = place._turned(step) if step.turn else place._shifted(step)
        return place

    def _displaced(self, step: Displacement) -> FramePose:
        before, zero = (step.R.T @ self.A.T).T, self.s.graph.zero
        return replace(self, before=before, axis=Z, angle=zero, flipped=False, P=self.P + self.A @ step.P)

    def _shifted(self, step: ScrewStep) -> FramePose:
        return replace(self, P=self.P + self.A.column(step.axis) * step.amount)

    def _turned(self, step: ScrewStep) -> FramePose:
        if self.axis == Z and step.axis == X and _half_turn(step.amount):
            return replace(self, flipped=not self.flipped)
        if self.axis == step.axis:
            angle = self.angle - step.amount if self.flipped else self.angle + step.amount
            return replace(self, angle=angle)
        if self.flipped:  # a half turn and another turn about x
            unflipped = replace(self, flipped=False)
            return replace(unflipped, before=unflipped.A, axis=X, angle=self.s.graph.pi + step.amount)
        return replace(self, before=self.A, axis=step.axis, angle=step.amount)


def _half_turn(angle: Expr) -> bool:
    number = angle.constant
    return number is not None and number.pi and number.exact and Fraction(number.coefficient) % 2 == 1


def start(s: Symbols) -> FramePose:
    """The frame where a walk begins."""
    return FramePose(s, identity(s.graph, 3), Z, s.graph.zero, False, zeros(s.graph, 3))


def steps_between(s: Symbols, i: int, j: int) -> Iterator[tuple[int, list[AnyStep]]]:
    """The frames on the path from frame i to frame j, each with the steps from the frame before it."""
    way = topology.chain(s.robot, i, j)
    for joint in way.up:
        yield joint.parent, inward_steps(s, joint.index)
    for joint in way.down:
        yield joint.index, outward_steps(s, joint.index)


def places(s: Symbols, i: int, j: int) -> dict[int, FramePose]:
    """Every frame on the path from frame i to frame j, seen from frame i."""
    by_frame = {i: start(s)}
    last = by_frame[i]
    for k, steps in steps_between(s, i, j):
        last = by_frame[k] = last.go(steps)
    return by_frame


def place(s: Symbols, i: int, j: int) -> FramePose:
    """Frame j seen from frame i."""
    return places(s, i, j)[j]


def groups(s: Symbols, steps: Iterable[AnyStep]) -> list[tuple[int, FramePose]]:
    """The steps in groups, such that the rotations of a group are one rotation.

    Each group is given by the number of the joint where it begins and its place, seen from the end of the group before.
    """
    grouped: list[tuple[int, FramePose]] = []
    for step in steps:
        last = grouped[-1][1] if grouped else None
        after = last.go([step]) if last else None
        if last and after and after.before is last.before:
            grouped[-1] = grouped[-1][0], after
            continue
        begin = start(s)
        if last and last.flipped:  # a half turn at the end of a group moves into the next one, which turns about x
            grouped[-1] = grouped[-1][0], replace(last, flipped=False)
            begin = begin.go([ScrewStep(True, X, s.graph.pi, step.joint)])
        grouped.append((step.joint, begin.go([step])))
    return grouped
