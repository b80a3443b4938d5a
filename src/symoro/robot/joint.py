"""A joint and the frame that it carries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from math import inf, pi
from typing import cast

from symoro.errors import ParameterError
from symoro.findings import Finding, Place
from symoro.robot.values import ZERO, Symbol, Value, evaluate, is_zero, symbols, to_text


class JointKind(Enum):
    """The motion that a joint allows; `sigma` is its number in the papers.

    A free joint allows every motion: its link, such as the platform of a parallel robot, has a pose and six velocities.
    """

    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    FIXED = "fixed"
    FREE = "free"

    @property
    def sigma(self) -> int:
        """σ: 0 revolute, 1 prismatic, 2 fixed; 3 is a free joint, which the papers do not have."""
        return list(JointKind).index(self)

    @property
    def moving(self) -> str | None:
        """The geometric parameter that holds the joint's variable; None for a fixed or a free joint."""
        return {JointKind.REVOLUTE: "theta", JointKind.PRISMATIC: "r"}.get(self)


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a joint's position, velocity and effort; None if there is no limit."""

    lower: Value | None = None
    upper: Value | None = None
    velocity: Value | None = None
    effort: Value | None = None


NO_LIMITS = Limits()
MOTION = {"velocity": "QP", "acceleration": "QDP", "effort": "GAM"}
"""Field of a joint: letters of its symbol, which carries the joint's index."""
NO_MOTOR = Finding("descriptions.follower_with_motor")
"""The problem of a follower that is described with a motor."""
_BY_INDEX = cast(Value, None)  # stands for a symbol that carries the joint's index


@dataclass(frozen=True, slots=True)
class Joint:
    """Joint j and frame j, placed from frame a(j) by Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) (K97 § 2).

    `theta` of a revolute joint, `r` of a prismatic one, is the joint's coordinate: an expression with the joint's
    variable in it, such as q2 + pi/2, -q2, N2*q2, or q2 - q1 with the variable of another joint. If it is 0, it is
    replaced by the variable; the default name of the variable is q<index>. A joint whose coordinate depends only on
    variables of other joints, such as 2*q1, follows them: it has no variable and no motor. `actuated`: the joint is
    active, that is, it has a motor. A fixed or a free joint has no variable and no motor. `velocity`, `acceleration`
    and `effort` are the entries QP, QDP and GAM of a file; their defaults are the symbols of those names.
    """

    index: int
    name: str
    parent: int
    kind: JointKind = JointKind.REVOLUTE
    actuated: bool = True
    elastic: bool = False
    gamma: Value = ZERO
    b: Value = ZERO
    alpha: Value = ZERO
    d: Value = ZERO
    theta: Value = ZERO
    r: Value = ZERO
    variable: str | None = None
    stiffness: Value = ZERO
    rest: Value = ZERO
    limits: Limits = NO_LIMITS
    velocity: Value = _BY_INDEX
    acceleration: Value = _BY_INDEX
    effort: Value = _BY_INDEX

    def __post_init__(self) -> None:
        for field, letters in MOTION.items():
            if getattr(self, field) is None:
                object.__setattr__(self, field, Symbol(f"{letters}{self.index}"))
        if not self.movable:
            object.__setattr__(self, "actuated", False)
            return
        default = f"q{self.index}"
        if self.variable is None and (is_zero(self.position) or default in symbols(self.position)):
            object.__setattr__(self, "variable", default)
        if is_zero(self.position):
            object.__setattr__(self, self.moving, Symbol(cast(str, self.variable)))
        if self.variable is None:
            object.__setattr__(self, "actuated", False)

    @property
    def label(self) -> str:
        """The name of the joint, else that of its variable: what messages and tables call it."""
        return self.name or str(self.variable)

    @property
    def revolute(self) -> bool:
        return self.kind is JointKind.REVOLUTE

    @property
    def prismatic(self) -> bool:
        return self.kind is JointKind.PRISMATIC

    @property
    def fixed(self) -> bool:
        return self.kind is JointKind.FIXED

    @property
    def free(self) -> bool:
        return self.kind is JointKind.FREE

    @property
    def movable(self) -> bool:
        """Whether it has one coordinate: θ of a revolute joint, r of a prismatic one."""
        return self.revolute or self.prismatic

    @property
    def is_follower(self) -> bool:
        """Whether it moves without a variable: its coordinate depends on variables of other joints."""
        return self.movable and self.variable is None

    @property
    def sigma(self) -> int:
        return self.kind.sigma

    @property
    def moving(self) -> str:
        """The name of the parameter that contains the variable: "r" for a prismatic joint, else "theta"."""
        return "r" if self.prismatic else "theta"

    @property
    def position(self) -> Value:
        """The parameter that contains the variable."""
        return self.r if self.prismatic else self.theta


GEOMETRY = ("gamma", "b", "alpha", "d", "theta", "r")
"""The geometric parameters, in the order of the transformation."""
ANGLES = frozenset({"gamma", "alpha", "theta"})
NO_NUMBERS: Mapping[str, float] = {}


def in_degrees(joint: Joint, numbers: Mapping[str, float]) -> Iterator[Finding]:
    """Warnings for the angles of a joint that look like degrees."""
    for name in (name for name in GEOMETRY if name in ANGLES):
        for finding in angle_in_degrees(name, getattr(joint, name), numbers):
            yield finding.at(joint=joint.index)


def angle_in_degrees(name: str, value: Value, numbers: Mapping[str, float] = NO_NUMBERS) -> Iterator[Finding]:
    """A warning for an angle of more than a turn, which looks like degrees."""
    try:
        angle = evaluate(value, numbers)
    except ParameterError:
        return
    if 2 * pi < abs(angle) < inf:
        yield Finding(
            "descriptions.degrees",
            place=Place(cell=name),
            name=name,
            value=to_text(value),
            angle=angle,
            radians=_turn(angle),
        )


def _turn(degrees: float) -> str:
    """An angle in degrees as a multiple of π: -pi/2 for −90."""
    part = Fraction(degrees / 180).limit_denominator(3600)
    over = f"/{part.denominator}" if part.denominator > 1 else ""
    return f"{'-' * (part < 0)}{f'{abs(part.numerator)}*' * (abs(part.numerator) != 1)}pi{over}"
