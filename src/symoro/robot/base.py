"""The base of a robot, named frames, and what is drawn in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TypeAlias

from symoro.robot.link import Inertia, ValueLike, Wrench
from symoro.robot.values import ONE, ZERO, Value, as_value, is_zero

Pose: TypeAlias = tuple[tuple[Value, ...], ...]
"""A homogeneous transformation: four rows of four values."""

IDENTITY: Pose = tuple(tuple(ONE if row == column else ZERO for column in range(4)) for row in range(4))


def translation(point: Sequence[ValueLike]) -> Pose:
    """The pose of a frame that is only moved."""
    return (*((*row[:3], as_value(x)) for row, x in zip(IDENTITY[:3], point, strict=True)), IDENTITY[3])


WEIGHTLESS, NO_WRENCH = Inertia(), Wrench()
STILL: tuple[Value, ...] = (ZERO,) * 6


class BaseKind(Enum):
    """How the base moves: not at all, with a given motion, without being held, or on wheels."""

    FIXED = "fixed"
    MOVING = "moving"
    FLOATING = "floating"
    MOBILE = "mobile"


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel that rolls on the ground without slipping: revolute joint `joint`, its frame at the wheel's centre."""

    joint: int
    radius: Value


@dataclass(frozen=True, slots=True)
class Base:
    """Link 0: its pose in the world, its motion [v; ω] in frame 0, and its inertia and wrench if its motion is unknown.

    A base on wheels (`MOBILE`) moves on a plane with z0 upwards; its wheels determine the motion.
    """

    kind: BaseKind = BaseKind.FIXED
    pose: Pose = IDENTITY
    velocity: tuple[Value, ...] = STILL
    acceleration: tuple[Value, ...] = STILL
    inertia: Inertia = WEIGHTLESS
    wrench: Wrench = NO_WRENCH
    wheels: tuple[Wheel, ...] = ()

    @property
    def free(self) -> bool:
        """Whether the motion of the base is unknown (floating or on wheels), so that its inertia matters."""
        return self.kind in (BaseKind.FLOATING, BaseKind.MOBILE)

    def renumbered(self, number: Callable[[int], int]) -> Base:
        """The same base where joints have other numbers."""
        return replace(self, wheels=tuple(replace(wheel, joint=number(wheel.joint)) for wheel in self.wheels))

    @property
    def still(self) -> bool:
        """Whether velocity and acceleration are all 0."""
        return all(is_zero(value) for value in (*self.velocity, *self.acceleration))


FIXED_BASE = Base()


@dataclass(frozen=True, slots=True)
class Frame:
    """A named frame fixed on a link (0 is the base), such as a tool."""

    name: str
    link: int
    pose: Pose = IDENTITY


@dataclass(frozen=True, slots=True)
class Shape:
    """A visual or a collision of a link, as a URDF file says it, or a material (then `frame` is empty).

    `frame` is the named frame of the link, `text` the element of the file, `file` the path of the file, from which
    relative names of meshes start. Models do not use it: pictures and rewritten files do.
    """

    frame: str
    text: str
    file: str = ""
