"""The description of a robot. It is immutable; `dataclasses.replace` makes a changed copy."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any

from symoro.errors import RobotError
from symoro.robot.base import FIXED_BASE, Base, Frame
from symoro.robot.joint import Joint
from symoro.robot.link import Drive, Inertia, Wrench
from symoro.robot.values import ZERO, Apply, Bindings, Number, Symbol, Value


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut of a loop: `joint` is the cut joint k, which is passive; `mate` is its frame k + B on the other side."""

    joint: int
    mate: int


@dataclass(frozen=True, slots=True)
class Robot:
    """Joints, links, base and loops of a robot, and numbers for its symbols.

    `joints` holds all frames 1 … NF in index order: the joints of the tree (1 … NL), then the cut joints, then their
    mates. `inertias`, `drives` and `wrenches` have one entry for each link 1 … NL; the default is 0.
    `gravity` is the acceleration of gravity in frame 0. `coupling` is the matrix between motors and joints; it is empty
    if each motor moves its own joint. `notes` are the warnings and notes of the reader; comparisons ignore them.
    """

    name: str
    joints: tuple[Joint, ...]
    inertias: tuple[Inertia, ...] = ()
    drives: tuple[Drive, ...] = ()
    wrenches: tuple[Wrench, ...] = ()
    base: Base = FIXED_BASE
    gravity: tuple[Value, ...] = (ZERO, ZERO, Symbol("G3"))
    frames: tuple[Frame, ...] = ()
    cuts: tuple[Cut, ...] = ()
    values: Bindings = field(default_factory=Bindings)
    title: str = ""
    source: str = ""
    notes: tuple[str, ...] = field(default=(), compare=False)
    coupling: tuple[tuple[Value, ...], ...] = ()

    def __post_init__(self) -> None:
        for name, kind in (("inertias", Inertia), ("drives", Drive), ("wrenches", Wrench)):
            if not getattr(self, name):
                object.__setattr__(self, name, tuple(kind() for _ in range(self.link_count)))
        if not isinstance(self.values, Bindings):
            object.__setattr__(self, "values", Bindings(self.values))

    @property
    def frame_count(self) -> int:
        """NF, the number of frames."""
        return len(self.joints)

    @property
    def link_count(self) -> int:
        """NL, the number of links without the base, and of the tree's joints."""
        return max(0, len(self.joints) - 2 * len(self.cuts))

    @property
    def joint_count(self) -> int:
        """NJ, the number of joints: those of the tree and the cut joints."""
        return max(0, len(self.joints) - len(self.cuts))

    def joint(self, index: int) -> Joint:
        """Joint and frame `index`, from 1."""
        if not 1 <= index <= len(self.joints):
            raise RobotError(f"{self.name} has no joint {index} (allowed: 1 to {len(self.joints)})")
        return self.joints[index - 1]

    def inertia(self, link: int) -> Inertia:
        """The inertial parameters of a link; 0 is the base."""
        return self.base.inertia if link == 0 else self.inertias[self._link(link)]

    def drive(self, link: int) -> Drive:
        """The drive of joint `link`."""
        return self.drives[self._link(link)]

    def wrench(self, link: int) -> Wrench:
        """The wrench of a link on its environment; 0 is the base."""
        return self.base.wrench if link == 0 else self.wrenches[self._link(link)]

    def _link(self, link: int) -> int:
        if not 1 <= link <= self.link_count:
            raise RobotError(f"{self.name} has no link {link} (allowed: 1 to {self.link_count})")
        return link - 1


def parameters(item: Any) -> Iterator[Value]:
    """Every value inside a robot or a part of it, in order of declaration, without the robot's `values`."""
    if isinstance(item, Number | Symbol | Apply):
        yield item
    elif isinstance(item, tuple):
        for part in item:
            yield from parameters(part)
    elif hasattr(item, "__dataclass_fields__"):
        for part in fields(item):
            yield from parameters(getattr(item, part.name))
