"""The description of a robot. It is immutable; `dataclasses.replace` makes a changed copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from importlib import import_module
from typing import TYPE_CHECKING, Any, Self

from symoro.errors import RobotError
from symoro.robot.base import FIXED_BASE, Base, Frame, Shape
from symoro.robot.joint import Joint
from symoro.robot.link import Drive, Given, Inertia, Wrench
from symoro.robot.values import ZERO, Apply, Bindings, Number, Symbol, Value, symbols

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from symoro.robot.rows import RowLike


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut of a loop: `joint` is the cut joint k, which is passive; `mate` is its frame k + B on the other side."""

    joint: int
    mate: int


@dataclass(frozen=True, slots=True, repr=False)
class Robot:
    """Joints, links, base and loops of a robot, and numbers for its symbols.

    `joints` holds all frames 1 … NF in index order: the joints of the tree (1 … NL), then the cut joints, then their
    mates. `inertias`, `drives` and `wrenches` have one entry for each link 1 … NL; the default is 0.
    `gravity` is the acceleration of gravity in frame 0. `coupling` is the matrix between motors and joints; it is empty
    if each motor moves its own joint. `notes` are the warnings and notes of the reader, `shapes` the visuals and
    collisions of its file; comparisons ignore both.
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
    shapes: tuple[Shape, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        for name, kind in (("inertias", Inertia), ("drives", Drive), ("wrenches", Wrench)):
            if not getattr(self, name):
                object.__setattr__(self, name, tuple(kind() for _ in range(self.link_count)))
        if not isinstance(self.values, Bindings):
            object.__setattr__(self, "values", Bindings(self.values))

    def __repr__(self) -> str:
        from symoro.robot.tables import one_line  # who only computes does not need it

        return one_line(self)

    def _repr_html_(self) -> str:
        from symoro.robot.tables import html

        return html(self)

    def plot(self, q: ArrayLike | None = None, **options: Any) -> Figure:
        """A picture of the robot at a configuration q; the options are those of `symoro.draw`."""
        draw = import_module("symoro.report.picture").draw  # pictures are above robots: they are named, not imported
        figure: Figure = draw(self, q, **options)
        return figure

    # other ways to describe a robot

    @classmethod
    def from_mdh(cls, rows: Sequence[RowLike], name: str = "robot", **fields: Any) -> Self:
        """A robot from modified DH parameters, a row for each joint: Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r).

        A row is a mapping or a tuple (alpha, d, theta, r) or (alpha, d, theta, r, kind). The keys of a mapping, all
        optional, are those of the TOML format: name, parent (the number or the name of a row; the row before), kind,
        gamma, b, alpha, d, theta, r, offset, variable, actuated, elastic, stiffness, rest, inertia, drive, wrench.
        theta of a revolute and r of a prismatic joint are q1, q2 … where they are left out or 0; `offset` is added.
        `fields` are other fields of the robot, such as values or gravity.
        """
        from symoro.robot.rows import of_mdh  # robots from files do not need it

        return cls(name, **(of_mdh(rows) | fields))

    @classmethod
    def from_dh(cls, rows: Sequence[RowLike], name: str = "robot", **fields: Any) -> Self:
        """A serial robot from standard DH parameters, a row for each joint: Rz(theta) Tz(d) Tx(a) Rx(alpha).

        A row is a mapping or a tuple (theta, d, a, alpha) or (theta, d, a, alpha, kind). Its keys are those of
        `from_mdh` with theta, d, a, alpha for the geometry, and without parent. Frame j of the robot is at joint j. An
        inertia in a row is in the table's own frame, at the end of the link, and is converted; "symbolic" gives the
        parameters in frame j. The frame at the end of the last link is the named frame "flange".
        """
        from symoro.robot.rows import of_dh

        made = of_dh(rows)
        return cls(name, **(made | fields | {"frames": (*made["frames"], *fields.get("frames", ()))}))

    def with_values(self, values: Mapping[str, Given]) -> Self:
        """A copy with these numbers, or expressions of other symbols, for symbols; the other values stay."""
        new = Bindings(values)
        used = {name for value in (*parameters(self), *self.values.values(), *new.values()) for name in symbols(value)}
        variables = {joint.variable for joint in self.joints}
        known = {*used, *self.values} - variables
        for name in new:
            if name not in known:
                close = get_close_matches(name, sorted(known), n=3)
                hint = f"did you mean {' or '.join(close)}?" if close else f"allowed: {', '.join(sorted(known))}"
                reason = "is the variable of a joint" if name in variables else "is not a symbol of the robot"
                raise RobotError(f"{self.name}: {name} {reason} ({hint})")
        return replace(self, values=Bindings({**self.values, **new}))

    def attach(self, payload: Inertia, link: int | str) -> Self:
        """A copy with a payload fixed on a link: its inertia is added to that of the link.

        `payload` is about the origin of the link's frame; with the name of a frame, in that frame. 0 is the base,
        and the name of a joint is its link.
        """
        from symoro.robot.bodies import joined, placed

        link = self.frame_ref(link)
        if isinstance(link, str):
            frame = next(frame for frame in self.frames if frame.name == link)
            payload, link = placed(payload, frame.pose), frame.link
        whole = joined(self.inertia(link), payload)
        if link == 0:
            return replace(self, base=replace(self.base, inertia=whole))
        return replace(self, inertias=(*self.inertias[: link - 1], whole, *self.inertias[link:]))

    @property
    def parallel(self) -> bool:
        """Whether it is a `ParallelRobot`: a platform on legs, whose tables are those of the legs."""
        return False

    # tables

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

    def joint(self, index: int | str) -> Joint:
        """Joint and frame `index`, from 1, or the joint of this name."""
        if isinstance(index, str):
            index = self._numbered(index)
        if not 1 <= index <= len(self.joints):
            raise RobotError(f"{self.name} has no joint {index} (allowed: 1 to {len(self.joints)})")
        return self.joints[index - 1]

    def frame_ref(self, frame: int | str) -> int | str:
        """A frame as models take it: its number, or the name of one of `frames`. The name of a joint is its number.

        A name that a frame and a joint have is the frame's.
        """
        if not isinstance(frame, str) or any(known.name == frame for known in self.frames):
            return frame
        return self._numbered(frame, "no joint or frame", tuple(known.name for known in self.frames))

    def _numbered(self, name: str, nothing: str = "no joint", others: tuple[str, ...] = ()) -> int:
        """The number of the joint of this name; an error names what is allowed, `others` too."""
        found = [joint.index for joint in self.joints if joint.name == name]
        if len(found) != 1:
            allowed = ", ".join(dict.fromkeys([*others, *(joint.name for joint in self.joints)]))
            what = "several joints" if found else nothing
            raise RobotError(f"{self.name} has {what} called {name!r} (allowed: {allowed})")
        return found[0]

    def inertia(self, link: int | str) -> Inertia:
        """The inertial parameters of a link by its number, 0 is the base, or by the name of its joint."""
        return self.base.inertia if link == 0 else self.inertias[self._link(link)]

    def drive(self, link: int | str) -> Drive:
        """The drive of joint `link`, its number or its name."""
        return self.drives[self._link(link)]

    def wrench(self, link: int | str) -> Wrench:
        """The wrench of a link on its environment by its number, 0 is the base, or by the name of its joint."""
        return self.base.wrench if link == 0 else self.wrenches[self._link(link)]

    def _link(self, link: int | str) -> int:
        if isinstance(link, str):
            link = self._numbered(link)
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
