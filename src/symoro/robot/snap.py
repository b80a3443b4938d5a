"""Replaces rounded numbers by the exact ones that they stand for: 1.5707963267948966 by pi/2, 6.1e-17 by 0.

Readers of files call `snap`; a note reports every number that it changes. The tolerance is 1e-12 for geometry, gravity,
poses and the motion of the base, and 1e-12 of the largest parameter of its kind in the link for inertial parameters.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from symoro.errors import Problem
from symoro.robot._nodes import MAX_DEPTH
from symoro.robot.base import Pose
from symoro.robot.joint import ANGLES, GEOMETRY, Joint
from symoro.robot.link import Inertia
from symoro.robot.robot import Robot
from symoro.robot.values import TOLERANCE, Apply, Number, Symbol, Value, exact_angle, exact_length, to_text

_TENSOR, _MOMENTS, _MASS = ("XX", "XY", "XZ", "YY", "YZ", "ZZ"), ("MX", "MY", "MZ"), ("M",)
_Exact = Callable[[Fraction], Value | None]


def snap(robot: Robot) -> tuple[Robot, tuple[Problem, ...]]:
    """The robot with exact numbers, and a note for each number that changed."""
    snapper = _Snapper()
    base = replace(
        robot.base,
        pose=snapper.pose("pose of the base", robot.base.pose),
        velocity=snapper.row("V0", robot.base.velocity),
        acceleration=snapper.row("VP0", robot.base.acceleration),
        inertia=snapper.inertia(0, robot.base.inertia),
    )
    snapped = replace(
        robot,
        joints=tuple(map(snapper.joint, robot.joints)),
        inertias=tuple(snapper.inertia(link, inertia) for link, inertia in enumerate(robot.inertias, 1)),
        base=base,
        gravity=snapper.row("gravity", robot.gravity),
        frames=tuple(replace(f, pose=snapper.pose(f"frame {f.name!r}", f.pose)) for f in robot.frames),
    )
    return snapped, tuple(snapper.notes)


class _Snapper:
    def __init__(self) -> None:
        self.notes: list[Problem] = []

    def value(self, name: str, value: Value, exact: _Exact, joint: int | None = None) -> Value:
        """The value with exact numbers; only a number that is the whole value or a term of a sum is replaced."""
        if isinstance(value, Symbol):
            return value
        if isinstance(value, Apply):
            if value.function not in ("+", "-", "neg") or value.depth > MAX_DEPTH - 3:
                return value
            return Apply(value.function, tuple(self.value(name, a, exact, joint) for a in value.arguments))
        better = exact(value.value)
        if better is None:
            return value
        text = f"{name}: {to_text(value)} is taken as {to_text(better)}"
        self.notes.append(Problem(text, joint=joint, severity="note"))
        return better

    def row(self, name: str, values: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(self.value(name, value, exact_length) for value in values)

    def pose(self, name: str, pose: Pose) -> Pose:
        return tuple(self.row(name, row) for row in pose)

    def joint(self, joint: Joint) -> Joint:
        better: dict[str, Any] = {}
        for name in GEOMETRY:
            exact = exact_angle if name in ANGLES else exact_length
            better[name] = self.value(name, getattr(joint, name), exact, joint.index)
        return replace(joint, **better)

    def inertia(self, link: int, inertia: Inertia) -> Inertia:
        better: dict[str, Any] = {}
        for names in (_TENSOR, _MOMENTS, _MASS):
            numbers = {n: v for n in names if isinstance(v := getattr(inertia, n), Number)}
            largest = max((abs(number.value) for number in numbers.values()), default=Fraction(0))
            exact = partial(exact_length, tolerance=largest * TOLERANCE)
            better |= {name: self.value(name, number, exact, link or None) for name, number in numbers.items()}
        return replace(inertia, **better)
