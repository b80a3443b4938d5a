"""Symbols and numbers of a description: symbols for numbers, values for symbols, exact numbers for rounded ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any, TypeVar, cast

from symoro.errors import RobotError
from symoro.findings import Finding, Place
from symoro.robot._expression import MAX_DEPTH
from symoro.robot.arithmetic import negative
from symoro.robot.base import Pose
from symoro.robot.joint import ANGLES, GEOMETRY, Joint
from symoro.robot.link import Drive, Inertia
from symoro.robot.robot import Closure, Robot, parameters
from symoro.robot.values import (
    TOLERANCE,
    Apply,
    Bindings,
    Number,
    Symbol,
    Value,
    exact_angle,
    exact_length,
    is_zero,
    symbols,
    to_text,
)

# Replaces rounded numbers by the exact ones that they stand for: 1.5707963267948966 by pi/2, 6.1e-17 by 0.
#
# Readers of files call `snap`; a note reports every number that it changes. The tolerance is 1e-12 for geometry,
# gravity, poses and the motion of the base, and 1e-12 of the largest parameter of its kind in the link for inertial
# parameters.


_TENSOR, _MOMENTS, _MASS = ("XX", "XY", "XZ", "YY", "YZ", "ZZ"), ("MX", "MY", "MZ"), ("M",)
_Exact = Callable[[Fraction], Value | None]


def snap(robot: Robot) -> tuple[Robot, tuple[Finding, ...]]:
    """The robot with exact numbers, and a note for each number that changed."""
    snapper = _Snapper()
    base = replace(
        robot.base,
        pose=snapper.pose(Finding("descriptions.pose_of_base"), robot.base.pose, "pose"),
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
        frames=tuple(
            replace(f, pose=snapper.pose(Finding("descriptions.frame", name=f.name), f.pose, "frames"))
            for f in robot.frames
        ),
        closures=tuple(map(snapper.closure, robot.closures)),
        home=robot.home_positions or snapper.pose("home", robot.home_pose, "home"),
    )
    return snapped, tuple(snapper.notes)


class _Snapper:
    def __init__(self) -> None:
        self.notes: list[Finding] = []

    def value(
        self,
        name: str | Finding,
        value: Value,
        exact: _Exact,
        joint: int | None = None,
        cell: str | None = None,
        leg: int | None = None,
    ) -> Value:
        """The value with exact numbers; only a number that is the whole value or a term of a sum is replaced."""
        if isinstance(value, Symbol):
            return value
        if isinstance(value, Apply):
            if value.function not in ("+", "-", "neg") or value.depth > MAX_DEPTH - 3:
                return value
            return Apply(value.function, tuple(self.value(name, a, exact, joint, cell, leg) for a in value.arguments))
        better = exact(value.value)
        if better is None:
            return value
        place = Place(joint=joint, cell=cell or str(name), leg=leg)
        self.notes.append(Finding("values.exact", place=place, name=name, value=to_text(value), better=to_text(better)))
        return better

    def row(self, name: str, values: Sequence[Value]) -> tuple[Value, ...]:
        return tuple(self.value(name, value, exact_length) for value in values)

    def pose(self, name: str | Finding, pose: Pose, cell: str, leg: int | None = None) -> Pose:
        return tuple(tuple(self.value(name, x, exact_length, cell=cell, leg=leg) for x in row) for row in pose)

    def closure(self, closure: Closure) -> Closure:
        """A closure with an exact frame on the platform; the others have no pose of their own."""
        a = closure.a
        name = Finding("platforms.pose_of_attachment")
        return replace(closure, a=replace(a, pose=self.pose(name, a.pose, "platform", closure.b.group)))

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
            better |= {n: self.value(n, x, exact, link or None, f"inertia.{n}") for n, x in numbers.items()}
        return replace(inertia, **better)


# Symbols and numbers of a description: symbols for numbers, values for symbols.


# Replaces symbols by values, in a value or in a whole robot.


Part = TypeVar("Part")


def substituted(part: Part, values: Mapping[str, Value]) -> Part:
    """A copy of a value, or of a part of a robot, in which the given values replace symbols."""
    return cast(Part, _substituted(part, values))


def _substituted(part: Any, values: Mapping[str, Value]) -> Any:
    match part:
        case Symbol():
            return values.get(part.name, part)
        case Apply():
            return replace(part, arguments=_substituted(part.arguments, values))
        case tuple():
            return tuple(_substituted(one, values) for one in part)
        case Number():
            return part
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{f.name: _substituted(getattr(part, f.name), values) for f in fields(part) if f.init})
    return part


def with_numbers(robot: Robot, numbers: Mapping[str, Value]) -> Robot:
    """A copy of the robot in which the given values replace symbols; its own numbers for these symbols are removed."""
    values = {name: substituted(value, numbers) for name, value in robot.values.items() if name not in numbers}
    return replace(substituted(robot, numbers), values=values)  # type: ignore[arg-type]


def known_values(robot: Robot) -> dict[str, Value]:
    """The robot's values that have a number; a value that is an expression of others is written out without symbols."""
    values: dict[str, Value] = {}
    for name in robot.values.known():
        values[name] = substituted(robot.values[name], values)
    return values


# Symbols for the numbers of a description: the numbers stay, as values of the symbols.


GROUPS = ("geometry", "inertia", "drives")
LENGTHS = {"b": "B", "d": "D", "r": "RL"}
"""Length of a joint: letters of its symbol."""
_EQUAL = Fraction(1, 10**9)


def with_symbols(robot: Robot, groups: Collection[str] = GROUPS) -> Robot:
    """A copy in which the numbers of some groups are symbols that have these numbers as values.

    geometry: the lengths b, d, r; equal lengths are one symbol, also with opposite signs. inertia: the ten parameters
    of each link that has a mass. drives: rotor inertia and friction that are not 0. Angles stay numbers.
    """
    for group in groups:
        if group not in GROUPS:
            raise RobotError("descriptions.groups", group=group, allowed=GROUPS)
    if robot.platforms:
        raise RobotError("descriptions.symbols_of_legs", name=robot.name)
    names = _Names(robot)
    symbolic = robot
    if "geometry" in groups:
        symbolic = replace(symbolic, joints=tuple(_joint(joint, names) for joint in robot.joints))
    if "inertia" in groups:
        base = replace(robot.base, inertia=_inertia(0, robot.base.inertia, names))
        inertias = tuple(_inertia(j, inertia, names) for j, inertia in enumerate(robot.inertias, 1))
        symbolic = replace(symbolic, base=base if robot.base.free else robot.base, inertias=inertias)
    if "drives" in groups:
        symbolic = replace(symbolic, drives=tuple(_drive(j, drive, names) for j, drive in enumerate(robot.drives, 1)))
    return replace(symbolic, values=Bindings({**robot.values, **names.values}))


class _Names:
    """New symbols of a robot, and their numbers."""

    def __init__(self, robot: Robot) -> None:
        self.taken = {name for value in (*parameters(robot), *robot.values.values()) for name in symbols(value)}
        self.taken |= set(robot.values)
        self.values: dict[str, Value] = {}
        self.lengths: list[tuple[Fraction, Symbol]] = []

    def new(self, name: str, number: Number) -> Symbol:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        self.values[name] = number
        return Symbol(name)

    def length(self, name: str, number: Number) -> Value:
        """The symbol of a length: that of an equal one if there is one."""
        for known, symbol in self.lengths:
            if abs(number.value - known) <= _EQUAL * abs(known):
                return symbol
            if abs(number.value + known) <= _EQUAL * abs(known):
                return negative(symbol)
        new_symbol = self.new(name, number)
        self.lengths.append((number.value, new_symbol))
        return new_symbol


def _joint(joint: Joint, names: _Names) -> Joint:
    lengths: dict[str, Any] = {}
    for field, letters in LENGTHS.items():
        length: Value = getattr(joint, field)
        lengths[field] = _named(length, partial(names.length, f"{letters}{joint.index}"))
    return replace(joint, **lengths)


def _named(value: Value, name: Callable[[Number], Value]) -> Value:
    """A value with a symbol for its number: the whole value, or the constant term behind a variable."""
    if isinstance(value, Number):
        return value if is_zero(value) else name(value)
    if isinstance(value, Apply) and value.function in ("+", "-"):
        first, second = value.arguments
        return Apply(value.function, (first, name(second))) if isinstance(second, Number) else value
    return value


def _inertia(j: int, inertia: Inertia, names: _Names) -> Inertia:
    if is_zero(inertia.M) or not all(isinstance(value, Number) for _, value in inertia.items()):
        return inertia
    return Inertia(*(names.new(f"{name}{j}", value) for name, value in inertia.items() if isinstance(value, Number)))


def _drive(j: int, drive: Drive, names: _Names) -> Drive:
    estimated = [(name, value) for name, value in drive.items() if name != "N"]  # a reduction is known
    return Drive(**{name: _named(value, partial(names.new, f"{name}{j}")) for name, value in estimated}, N=drive.N)
