"""Forms and twists of a link seen from the next one, in all positions of the joint between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from symoro.models.identification.coefficients import Coefficient, Coefficients
from symoro.models.identification.inertia import (
    Map,
    Row,
    clean,
    image,
    inertia_shift,
    inertia_turn_x,
    inertia_turn_z,
    pullback,
    twist_shift,
    twist_turn,
)
from symoro.robot.joint import Joint
from symoro.robot.values import Value
from symoro.symbols import Symbols

Step: TypeAlias = tuple[str, Coefficient] | tuple[str, Coefficient, Coefficient]
"""A shift along an axis, or a turn about one by its cosine and sine."""


def steps_of(s: Symbols, field: Coefficients, joint: Joint) -> list[Step]:
    """From the antecedent to frame j, but for the motion of joint j."""

    def turn(axis: str, angle: Value) -> Step:
        return axis, *field.turn(angle, s.bind(angle))

    def shift(axis: str, length: Value) -> Step:
        return axis, field.value(length, s.bind(length))

    along = () if joint.prismatic else (shift("Z", joint.r),)
    about = () if joint.revolute else (turn("Z", joint.theta),)
    steps = (turn("Z", joint.gamma), shift("Z", joint.b), turn("X", joint.alpha), shift("X", joint.d), *about, *along)
    return [step for step in steps if not (step[1].is_one if len(step) == 3 else step[1].is_zero)]


def backward(steps: Iterable[Step]) -> list[Step]:
    """The way back."""
    return [(x[0], x[1], -x[2]) if len(x) == 3 else (x[0], -x[1]) for x in reversed([*steps])]


class Place:
    """Seen from the frame behind some steps and a joint, in all positions of the joint."""

    def __init__(self, field: Coefficients, steps: Iterable[Step], joint: Joint) -> None:
        self.field, self.joint = field, joint
        steps = [*steps]
        self.inertia_maps = inertia_maps(steps)
        self.twist_maps = [_twist_map(*step) for step in steps]

    def twists(self, twist: Row) -> Iterator[Row]:
        """A basis of what a twist becomes as joint j moves."""
        for change in self.twist_maps:
            twist = image(change, twist)
        if self.joint.revolute:
            yield {n: x for n, x in twist.items() if n in ("VZ", "WZ")}
            turning = {n: x for n, x in twist.items() if n not in ("VZ", "WZ")}
            yield turning
            yield _quarter(turning, (("VX", "VY"), ("WX", "WY")))
        else:
            yield twist
            if self.joint.prismatic:
                zero = self.field.zero
                yield clean((("VX", twist.get("WY", zero)), ("VY", -twist.get("WX", zero))))

    def forms(self, form: Row) -> tuple[Row, list[Row]]:
        """The part of a form that does not change with q_j, and a basis of the parts that do."""
        for change in self.inertia_maps:
            form = pullback(form, change)
        if self.joint.revolute:
            return self._turning(form)
        if self.joint.prismatic:
            return form, _sliding(form, self.field)
        return form, []

    def _turning(self, form: Row) -> tuple[Row, list[Row]]:
        """Under a rotation about z: XX + YY, ZZ, MZ and M stay, XZ YZ MX MY turn by q, XX − YY and XY by 2q."""
        zero, one = self.field.zero, self.field.one
        XX, YY = form.get("XX", zero), form.get("YY", zero)
        mean, difference = self.field.half * (XX + YY), XX - YY
        constant: Row = {n: x for n, x in form.items() if n in ("ZZ", "MZ", "M")}
        constant |= {} if mean.is_zero else {"XX": mean, "YY": mean}
        once: Row = {n: x for n, x in form.items() if n in ("XZ", "YZ", "MX", "MY")}
        changing = [once, _quarter(once, (("XZ", "YZ"), ("MX", "MY")))]
        if "XY" in form or not difference.is_zero:
            changing += [{"XX": one, "YY": -one}, {"XY": one}]
        return constant, changing


def inertia_maps(steps: Iterable[Step]) -> list[Map]:
    """The parameters of a body seen from before each step."""
    return [_inertia_map(*step) for step in steps]


def _inertia_map(axis: str, first: Coefficient, second: Coefficient | None = None) -> Map:
    if second is None:
        return inertia_shift(axis, first)
    return inertia_turn_x(first, second) if axis == "X" else inertia_turn_z(first, second)


def _twist_map(axis: str, first: Coefficient, second: Coefficient | None = None) -> Map:
    return twist_shift(axis, first) if second is None else twist_turn(axis, first, second)


def _sliding(form: Row, field: Coefficients) -> list[Row]:
    """The coefficients of r and r² of a form under a shift by r along z."""
    zero = field.zero
    XX, YY, XZ, YZ, MZ = (form.get(n, zero) for n in ("XX", "YY", "XZ", "YZ", "MZ"))
    both = XX + YY
    return [clean((("MX", -XZ), ("MY", -YZ), ("MZ", both + both), ("M", MZ))), clean((("M", both),))]


def _quarter(row: Row, pairs: tuple[tuple[str, str], ...]) -> Row:
    """Each pair turned by a right angle."""
    result: Row = {}
    for x, y in pairs:
        if y in row:
            result[x] = -row[y]
        if x in row:
            result[y] = row[x]
    return result
