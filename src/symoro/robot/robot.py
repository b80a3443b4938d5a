"""The description of a robot. It is immutable; `dataclasses.replace` makes a changed copy."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from enum import Enum
from importlib import import_module
from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from symoro.errors import NotThere, RobotError
from symoro.findings import Finding
from symoro.robot import topology
from symoro.robot.base import FIXED_BASE, IDENTITY, Base, Frame, Pose, Shape, translation
from symoro.robot.joint import Joint
from symoro.robot.link import Drive, Inertia, ValueLike, Wrench
from symoro.robot.values import ZERO, Apply, Bindings, Number, Symbol, Value, as_value, symbols

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from symoro.robot.rows import RowLike


GIVEN = PLATFORM, JOINTS, MOTORS = "platform", "joints", "motors"
"""The coordinates that can be given of a motion."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A cut of a loop: `joint` is the cut joint k, which is passive; `mate` is its frame k + B on the other side."""

    joint: int
    mate: int


class ClosureKind(Enum):
    """The joint without mass between two frames that a closure ties."""

    SPHERICAL = "spherical"
    UNIVERSAL = "universal"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    FIXED = "fixed"

    @property
    def freedoms(self) -> int:
        """How many relative motions it allows."""
        return {"spherical": 3, "universal": 2, "revolute": 1, "prismatic": 1, "fixed": 0}[self.value]


@dataclass(frozen=True, slots=True)
class Attachment:
    """Where a leg meets the platform, and how: frame A on the platform and frame B on the leg.

    `pose` is frame A in the platform's frame. B is the frame `frame` of the leg, its number or its name; None is the
    frame of the leg's last link. Spherical: A and B have one origin, and nothing else holds. Universal: besides, their
    axes z are perpendicular. Revolute: these are the same. Fixed: the frames are the same. Prismatic: B is A, moved
    along z.
    """

    kind: ClosureKind = ClosureKind.SPHERICAL
    pose: Pose = IDENTITY
    frame: int | str | None = None

    @classmethod
    def at(cls, point: Sequence[ValueLike], kind: str = "spherical", frame: int | str | None = None) -> Attachment:
        """An attachment at a point of the platform, with the axes of the platform's frame."""
        allowed = [one.value for one in ClosureKind]
        if kind not in allowed:
            raise RobotError("platforms.attachment_kind", kind=repr(kind), allowed=allowed)
        if isinstance(point, str) or len(point) != 3:
            raise RobotError("platforms.attachment_point", point=repr(point))
        return cls(ClosureKind(kind), translation(point), frame)

    @property
    def point(self) -> tuple[Value, ...]:
        """b, the attachment's origin in the platform's frame."""
        return tuple(row[3] for row in self.pose[:3])


@dataclass(frozen=True, slots=True)
class FrameRef:
    """A frame that a closure ties: `pose` in the frame `frame`, which is named by its number or its name.

    With a group, these are the number and the name in the group, and None is the frame of its last link.
    """

    frame: int | str | None
    pose: Pose = IDENTITY
    group: int | None = None


@dataclass(frozen=True, slots=True)
class Closure:
    """A joint without mass or motor between two frames: a loop is cut at it, or a leg meets the platform there.

    A cut has the frames k and k + B of the table, and its kind is that of joint k. Of a leg, a is on the platform and b
    in the group of the leg. Spherical: a and b have one origin, and nothing else holds. Universal: besides, their axes
    z are perpendicular. Revolute: these are the same. Fixed: the frames are the same. Prismatic: b is a, moved along z.
    """

    kind: ClosureKind
    a: FrameRef
    b: FrameRef

    @property
    def cut(self) -> Cut | None:
        """The cut of a loop that it is: it ties two frames of the table."""
        a, b = self.a.frame, self.b.frame
        return Cut(a, b) if self.b.group is None and isinstance(a, int) and isinstance(b, int) else None

    def renumbered(self, number: Callable[[int], int]) -> Closure:
        """The same closure where frames of the table have other numbers."""
        a, b = (
            replace(one, frame=number(one.frame)) if one.group is None and isinstance(one.frame, int) else one
            for one in (self.a, self.b)
        )
        return Closure(self.kind, a, b)


def cut_closures(joints: Sequence[Joint], cuts: Iterable[tuple[int, int]]) -> tuple[Closure, ...]:
    """The closures of loops that are cut at joints: the number of each cut joint, and that of its mate."""
    kinds = {joint.index: ClosureKind(joint.kind.value) for joint in joints if not joint.free}
    return tuple(Closure(kinds.get(k, ClosureKind.REVOLUTE), FrameRef(k), FrameRef(mate)) for k, mate in cuts)


@dataclass(frozen=True, slots=True)
class Group:
    """Joints that belong together, such as a leg: joint number n of it has the label `n` and `ending`, 2_1 of leg 1.

    A group that has one joint without a number, such as the platform, has its ending as label.
    """

    name: str
    joints: tuple[int, ...]
    ending: str
    numbered: bool = True
    title: str = ""
    source: str = ""

    def labels(self) -> Iterator[tuple[int, str]]:
        """Each joint with its label."""
        for n, j in enumerate(self.joints, 1):
            yield j, f"{n}{self.ending}" if self.numbered else self.ending


class Parts(NamedTuple):
    """The platform of a robot and its legs, each a robot of its own with its own numbers of joints."""

    platform: int
    legs: tuple[Robot, ...]
    attachments: tuple[Attachment, ...]
    first_joints: tuple[int, ...]
    """The number of joints before each leg: joint j of leg i is joint first_joints[i] + j of the tree."""
    motors: tuple[tuple[int, int], ...]
    """Leg, from 0, and joint of each motor of a leg, in the order of GAM."""
    tree: Robot
    """The platform on its free joint and the joints that belong to no leg, with their own numbers."""

    def end(self, i: int) -> int | str:
        """The frame of leg i, from 0, that is attached: its number, or its name."""
        leg, frame = self.legs[i], self.attachments[i].frame
        return topology.tips(leg)[-1].index if frame is None else leg.frame_ref(frame)


@dataclass(frozen=True, slots=True, repr=False)
class Robot:
    """Joints, links, base and loops of a robot, and numbers for its symbols.

    `joints` holds all frames 1 … NF in index order: the joints of the tree (1 … NL), then the cut joints, then their
    mates. `inertias`, `drives` and `wrenches` have one entry for each link 1 … NL; the default is 0.
    `gravity` is the acceleration of gravity in frame 0. `coupling` is the matrix between motors and joints; it is empty
    if each motor moves its own joint. `closures` tie frames: the two frames at the cut of a loop, or a leg and the
    platform. `groups` are joints that belong together, such as legs. `home` is a pose of the platform in frame 0 that
    the legs can reach, and `branch` the working mode: the branch of each leg, by its number; None: the first branches
    that reach the home pose. Of closed loops without a platform `home` is a closed configuration, the position of each
    variable (`with_home`), whose branch is the working mode. `given` are the coordinates that models take (`takes`).
    `notes` are the warnings and notes of the reader, `shapes` the visuals and collisions of its file; comparisons
    ignore both.
    """

    name: str
    joints: tuple[Joint, ...]
    inertias: tuple[Inertia, ...] = ()
    drives: tuple[Drive, ...] = ()
    wrenches: tuple[Wrench, ...] = ()
    base: Base = FIXED_BASE
    gravity: tuple[Value, ...] = (ZERO, ZERO, Symbol("G3"))
    frames: tuple[Frame, ...] = ()
    values: Bindings = field(default_factory=Bindings)
    title: str = ""
    source: str = ""
    notes: tuple[str, ...] = field(default=(), compare=False)
    coupling: tuple[tuple[Value, ...], ...] = ()
    shapes: tuple[Shape, ...] = field(default=(), compare=False)
    closures: tuple[Closure, ...] = ()
    groups: tuple[Group, ...] = ()
    home: Pose | Bindings = IDENTITY
    branch: tuple[int, ...] | None = None
    given: str | None = None
    _parts: Parts | None = field(default=None, init=False, compare=False)

    def __post_init__(self) -> None:
        for name, kind in (("inertias", Inertia), ("drives", Drive), ("wrenches", Wrench)):
            if not getattr(self, name):
                object.__setattr__(self, name, tuple(kind() for _ in range(self.link_count)))
        if isinstance(self.gravity, str) or not isinstance(self.gravity, Iterable):
            raise RobotError("descriptions.gravity", value=repr(self.gravity))
        if not all(isinstance(x, Number | Symbol | Apply) for x in self.gravity):
            object.__setattr__(self, "gravity", tuple(map(as_value, self.gravity)))
        if not isinstance(self.values, Bindings):
            object.__setattr__(self, "values", Bindings(self.values))

    def __getattr__(self, name: str) -> Any:
        """A robot has no models: an error says how they are asked for, or which attribute is nearly so called."""
        if isinstance(known := getattr(type(self), name, None), property):
            return known.__get__(self)  # the error of the property itself, which Python replaces by this call
        hint = ""
        if not name.startswith("_"):
            near = get_close_matches(name, (one for one in dir(type(self)) if not one.startswith("_")), 1, 0.8)
            models = "models are functions of a robot, as in symoro.inverse_dynamics(robot)"
            hint = f": is it {near[0]}?" if near else f": {models}"
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=self)

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

        table = of_dh(rows)
        return cls(name, **(table | fields | {"frames": (*table["frames"], *fields.get("frames", ()))}))

    def with_values(self, values: Mapping[str, ValueLike]) -> Self:
        """A copy with these numbers, or expressions of other symbols, for symbols; the other values stay."""
        new = Bindings(values)
        used = {name for value in (*parameters(self), *self.values.values(), *new.values()) for name in symbols(value)}
        variables = {joint.variable for joint in self.joints}
        known = {*used, *self.values} - variables
        for name in new:
            if name not in known:
                close = get_close_matches(name, sorted(known), n=3)
                hint = (
                    Finding("errors.did_you_mean", names=close)
                    if close
                    else Finding("errors.allowed", names=sorted(known))
                )
                code = "descriptions.value_of_variable" if name in variables else "descriptions.no_symbol"
                raise RobotError(code, robot=self.name, name=name, hint=hint)
        return replace(self, values=Bindings({**self.values, **new}))

    def attach(self, payload: Inertia, link: int | str) -> Self:
        """A copy with a payload fixed on a link: its inertia is added to that of the link.

        `payload` is about the origin of the link's frame; with the name of a frame, in that frame. 0 is the base,
        and the name of a joint is its link.
        """
        from symoro.robot.bodies import joined, placed

        if not isinstance(payload, Inertia):
            raise RobotError("descriptions.payload", value=repr(payload))
        link = self.frame_ref(link)
        if isinstance(link, str):
            frame = next(frame for frame in self.frames if frame.name == link)
            payload, link = placed(payload, frame.pose), frame.link
        whole = joined(self.inertia(link), payload)
        if link == 0:
            return replace(self, base=replace(self.base, inertia=whole))
        return replace(self, inertias=(*self.inertias[: link - 1], whole, *self.inertias[link:]))

    def exert(self, wrench: Wrench, link: int | str) -> Self:
        """A copy in which a link exerts a wrench on its environment, in its frame: an input of the dynamic models."""
        place = self._link(link)
        return replace(self, wrenches=(*self.wrenches[:place], wrench, *self.wrenches[place + 1 :]))

    # the working mode of closed loops

    def with_home(self, q: Mapping[str, ValueLike] | Sequence[float] | None) -> Self:
        """A copy whose loops are closed on the branch of a closed configuration; None: no branch is chosen.

        q has the positions of all joints of the tree in their order, or those of variables by their names.
        """
        if q is None:
            return replace(self, home=self.home_pose)
        if not isinstance(q, Mapping):
            names = [str(joint.variable) for joint in topology.with_variables(self)]
            if len(q) != len(names):
                raise RobotError("descriptions.home_size", robot=self.name, count=len(q), names=names)
            q = dict(zip(names, map(float, q), strict=True))
        return replace(self, home=Bindings(q))

    @property
    def home_positions(self) -> Bindings:
        """The closed configuration whose branch is the working mode; empty where no branch is chosen."""
        return self.home if isinstance(self.home, Bindings) else Bindings()

    @property
    def home_pose(self) -> Pose:
        """The home pose of the platform."""
        return IDENTITY if isinstance(self.home, Bindings) else self.home

    # given coordinates

    @property
    def may_take(self) -> tuple[str, ...]:
        """What `given` may be, the default first.

        Passive joints follow from the motors through closures alone: without any, every joint needs a motor.
        """
        if not self.platforms:
            follow = self.cuts or all(joint.actuated for joint in topology.with_variables(self))
            return (JOINTS, MOTORS) if follow else (JOINTS,)
        return GIVEN

    @property
    def takes(self) -> str:
        """The coordinates that models of the robot take.

        `joints`: q of all joints, a closed configuration where there are loops, with the velocities of the motors.
        `platform`: the pose T of the platform with V and VP. `motors`: positions of the motors alone, with their
        velocities; what is not given is found from them.
        """
        return self.given or self.may_take[0]

    def taking(self, given: str | None) -> Self:
        """A copy whose models take other coordinates; None: the default."""
        if given is not None and given not in self.may_take:
            raise RobotError("descriptions.cannot_take", robot=self.name, given=given, allowed=self.may_take)
        return self if given == self.given else replace(self, given=given)

    # platform and legs

    @property
    def platforms(self) -> tuple[int, ...]:
        """The links on free joints: only closures hold them."""
        return tuple(joint.index for joint in self.joints if joint.free)

    @property
    def parts(self) -> Parts:
        """The platform and its legs, each leg a robot of its own; an error where there are none."""
        if self._parts is None:
            object.__setattr__(self, "_parts", _parts(self))
        assert self._parts is not None
        return self._parts

    def in_branch(self, *numbers: int) -> Self:
        """A copy in another working mode: a branch, from 0, for each leg, or one for all; without numbers the first."""
        legs = len(self.legs)
        whole = all(hasattr(n, "__index__") and not isinstance(n, bool) and n >= 0 for n in numbers)
        if not legs or len(numbers) not in (0, 1, legs) or not whole:
            if not legs:
                raise RobotError("platforms.no_branch", robot=self.name, branch=numbers)
            raise RobotError("platforms.branch", robot=self.name, branch=numbers, legs=legs)
        branch = tuple(map(index, numbers))
        return replace(self, branch=(branch * legs if len(branch) == 1 else branch) or None)

    @property
    def legs(self) -> tuple[Robot, ...]:
        """The legs that carry a platform."""
        return self.parts.legs if self.platforms else ()

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        """How each leg is attached to the platform."""
        return self.parts.attachments if self.platforms else ()

    @property
    def motors(self) -> tuple[tuple[int, int], ...]:
        """Leg, from 0, and joint of each motor of a robot with a platform, in the order of GAM."""
        return self.parts.motors

    @property
    def first_joints(self) -> tuple[int, ...]:
        """The number of joints before each leg."""
        return self.parts.first_joints

    @property
    def platform(self) -> Inertia:
        """The inertial parameters of the platform."""
        return self.inertia(self.parts.platform)

    @property
    def platform_wrench(self) -> Wrench:
        """The wrench of the platform on its environment, in its frame."""
        return self.wrench(self.parts.platform)

    def end(self, i: int) -> int | str:
        """The frame of leg i, from 0, that is attached: its number, or its name."""
        return self.parts.end(i)

    # tables

    @property
    def cuts(self) -> tuple[Cut, ...]:
        """The closures that are cuts of loops: each cut joint with its mate."""
        return tuple(cut for closure in self.closures if (cut := closure.cut))

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
            raise RobotError("descriptions.no_such_joint", robot=self.name, joint=index, most=len(self.joints))
        return self.joints[index - 1]

    def frame_ref(self, frame: int | str) -> int | str:
        """A frame as models take it: its number, or the name of one of `frames`. The name of a joint is its number.

        A name that a frame and a joint have is the frame's.
        """
        if not isinstance(frame, str) or any(known.name == frame for known in self.frames):
            return frame
        return self._numbered(frame, "descriptions.no_frame_called", tuple(known.name for known in self.frames))

    def _numbered(self, name: str, none: str = "descriptions.no_joint_called", others: tuple[str, ...] = ()) -> int:
        """The number of the joint of this name; an error names what is allowed, `others` too.

        `none` is the code of the error where no joint has the name.
        """
        joints = [joint.index for joint in self.joints if joint.name == name]
        if len(joints) != 1:
            allowed = list(dict.fromkeys([*others, *(joint.name for joint in self.joints)]))
            code = "descriptions.several_called" if joints else none
            raise RobotError(code, robot=self.name, name=name, allowed=allowed)
        return joints[0]

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
            raise RobotError("descriptions.no_such_link", robot=self.name, link=link, most=self.link_count)
        return link - 1


#: Stands before the number of a joint that a leg does not have, so that `check` can say which one it is.
OUTSIDE = 10**6


def _parts(robot: Robot) -> Parts:
    """The platform and its legs: an error where the robot has no platform."""
    if not robot.platforms:
        raise NotThere("platforms.none", robot=robot.name)
    legs = [(i, group) for i, group in enumerate(robot.groups) if group.numbered]
    leg_robots = tuple(_leg(robot, i, group) for i, group in legs)
    return Parts(
        robot.platforms[0],
        leg_robots,
        tuple(Attachment(one.kind, one.a.pose, one.b.frame) for one in robot.closures if not one.cut),
        tuple(group.joints[0] - 1 for _, group in legs),
        tuple((i, j.index) for i, leg in enumerate(leg_robots) for j in topology.active(leg)),
        without(robot, {j for _, group in legs for j in group.joints}),
    )


def without(robot: Robot, left_out: Container[int]) -> Robot:
    """The tree without these joints; the others are numbered anew, in their order."""
    kept = [joint.index for joint in robot.joints if joint.index not in left_out]
    numbers = {0: 0} | {j: n for n, j in enumerate(kept, 1)}
    parents = {j: _new_number(numbers, robot.joint(j).parent) for j in kept}
    joints = (replace(robot.joint(j), index=numbers[j], parent=parents[j]) for j in kept)
    return Robot(
        robot.name,
        tuple(joints),
        tuple(robot.inertia(j) for j in kept),
        tuple(robot.drive(j) for j in kept),
        tuple(robot.wrench(j) for j in kept),
        robot.base.renumbered(lambda j: _new_number(numbers, j)),
        robot.gravity,
        frames=tuple(replace(f, link=numbers[f.link]) for f in robot.frames if f.link in numbers),
        values=robot.values,
    )


def _new_number(numbers: Mapping[int, int], j: int) -> int:
    """The new number of joint j; of a joint outside, one that says so."""
    return numbers.get(j, j - OUTSIDE)


def _leg(robot: Robot, i: int, group: Group) -> Robot:
    """The leg of a group, with its own numbers of joints."""
    numbers = {0: 0} | {j: n for n, j in enumerate(group.joints, 1)}
    in_leg = {j: _new_number(numbers, j) for j in (0, *group.joints, *(robot.joint(k).parent for k in group.joints))}
    prefix = f"leg {i} "
    joints = tuple(
        replace(
            robot.joint(j),
            index=in_leg[j],
            name=robot.joint(j).name.removeprefix(prefix),
            parent=in_leg[robot.joint(j).parent],
        )
        for j in group.joints
    )
    links = [j for j in group.joints if j <= robot.link_count]
    return Robot(
        group.name,
        joints,
        tuple(robot.inertia(j) for j in links),
        tuple(robot.drive(j) for j in links),
        tuple(robot.wrench(j) for j in links),
        gravity=robot.gravity,
        frames=tuple(
            replace(frame, name=frame.name.removeprefix(prefix), link=numbers.get(frame.link, frame.link - OUTSIDE))
            for frame in robot.frames
            if frame.name.startswith(prefix)
        ),
        values=Bindings({name: value for name, value in robot.values.items() if name.endswith(group.ending)}),
        title=group.title,
        source=group.source,
        closures=tuple(
            closure.renumbered(lambda j: numbers.get(j, j - OUTSIDE))
            for closure in robot.closures
            if closure.cut and closure.cut.joint in group.joints
        ),
    )


def parameters(item: Any) -> Iterator[Value]:
    """Every value inside a robot or a part of it, in order of declaration, without the robot's `values`."""
    if isinstance(item, Number | Symbol | Apply):
        yield item
    elif isinstance(item, tuple):
        for part in item:
            yield from parameters(part)
    elif hasattr(item, "__dataclass_fields__"):
        for part in fields(item):
            yield from parameters(getattr(item, part.name)) if part.init else ()
