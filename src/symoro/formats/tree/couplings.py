"""Coordinates of the joints of a tree as functions of variables: joints that follow others, and their drives."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symoro.findings import Finding
from symoro.formats._report import Report
from symoro.formats.tree.description import JointOf
from symoro.formats.tree.parameters import Angle, exact_length, number
from symoro.robot.arithmetic import times
from symoro.robot.link import Drive
from symoro.robot.values import ZERO, Apply, Symbol, Value


@dataclass(frozen=True, slots=True)
class Follows:
    """Coordinate = ratio · q of joint `master` + offset."""

    master: int
    ratio: float = 1.0
    offset: float = 0.0


class Couplings:
    """What each movable joint of a tree follows: itself, or another joint (a mimic joint); joints count from 1."""

    def __init__(self, joints: tuple[JointOf, ...], report: Report) -> None:
        self.joints = joints
        self.number = {joint.name: j for j, joint in enumerate(joints, 1)}
        self.follows = {j: self._follow(joint, report) for j, joint in enumerate(joints, 1)}

    def _follow(self, joint: JointOf, report: Report) -> Follows:
        """The end of the chain of joints that a joint follows."""
        ratio, offset, seen = 1.0, 0.0, [joint.name]
        while joint.mimic is not None:
            if joint.mimic.joint not in self.number:
                report.add(
                    Finding("trees.follows_nothing", joint=joint.name, other=joint.mimic.joint),
                    joint.line,
                    self.number[joint.name],
                )
                break
            offset, ratio = offset + ratio * joint.mimic.offset, ratio * joint.mimic.ratio
            joint = self.joints[self.number[joint.mimic.joint] - 1]
            if joint.name in seen:
                report.add(Finding("trees.circular", joints=seen), joint.line)
                break
            seen.append(joint.name)
        return Follows(self.number[joint.name], ratio, offset)

    def variable(self, j: int) -> str | None:
        """The variable of joint j; None if it follows another joint."""
        return f"q{j}" if self.follows[j].master == j else None

    def position(self, j: int, at_zero: Angle | float) -> Value:
        """θ or r of joint j, whose number is `at_zero` where the coordinate has the number `zero` of the file."""
        follows, moved = self.follows[j], self.follows[j].offset - self.joints[j - 1].zero
        if moved and isinstance(at_zero, Angle):
            at_zero = Angle.near(at_zero.radians + moved)
        elif not isinstance(at_zero, Angle):
            at_zero = exact_length(at_zero + moved)
        return moving(times(number(follows.ratio), Symbol(f"q{follows.master}")), at_zero)

    def drive(self, j: int) -> Drive:
        """Rotor inertia and friction of joint j and of all that follow it, as seen at its coordinate (K13:7.29)."""
        if self.variable(j) is None:
            return Drive()
        IA = FV = FS = 0.0
        for k, joint in enumerate(self.joints, 1):
            if self.follows[k].master == j:
                ratio = self.follows[k].ratio
                IA, FV = IA + ratio**2 * joint.armature, FV + ratio**2 * joint.damping
                FS += abs(ratio) * joint.friction
        N = self.joints[j - 1].reduction
        return Drive(number(IA), number(FV), number(FS), N=number(N) if N != 1 else ZERO)


def moving(variable: Value, constant: Angle | float) -> Value:
    """A variable and a constant as people write their sum: q1, q1 + pi/2, q1 - 0.3."""
    size = constant.radians if isinstance(constant, Angle) else constant
    if size == 0:
        return variable
    minus = replace(constant, radians=-size) if isinstance(constant, Angle) else -constant
    if isinstance(minus, Angle) and minus.twelfths is not None:
        minus = replace(minus, twelfths=-minus.twelfths)
    positive = constant if size > 0 else minus
    value = positive.value() if isinstance(positive, Angle) else number(positive)
    return Apply("+" if size > 0 else "-", (variable, value))
