"""The description of a parallel robot: a platform, legs that are robots of their own, and how each leg is attached.

A parallel robot is also the tree of its legs, cut from the platform: its tables `joints`, `inertias` … hold all legs,
one after the other; loops of legs are cut there, too. So whatever reads tables of robots reads those of parallel
robots, too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Self

from symoro.errors import RobotError
from symoro.robot import topology
from symoro.robot.arithmetic import product
from symoro.robot.base import FIXED_BASE, IDENTITY, NO_WRENCH, Base, Frame, Pose, Shape
from symoro.robot.bodies import joined
from symoro.robot.joint import GEOMETRY, Joint
from symoro.robot.link import Drive, Given, Inertia, Wrench
from symoro.robot.robot import Cut, Robot, parameters
from symoro.robot.substitute import substituted
from symoro.robot.trigonometry import cosine, negative, sine
from symoro.robot.values import ZERO, Bindings, Symbol, Value, as_value, symbols


class AttachmentKind(Enum):
    """The joint without mass between the end of a leg and the platform."""

    SPHERICAL = "spherical"
    UNIVERSAL = "universal"
    REVOLUTE = "revolute"
    PRISMATIC = "prismatic"
    FIXED = "fixed"

    @property
    def freedoms(self) -> int:
        """How many ways the platform can move when the leg stands still."""
        return {"spherical": 3, "universal": 2, "revolute": 1, "prismatic": 1, "fixed": 0}[self.value]


@dataclass(frozen=True, slots=True)
class Attachment:
    """Where a leg meets the platform, and how: frame A on the platform and frame B on the leg.

    `pose` is frame A in the platform's frame. B is the frame `frame` of the leg, its number or its name; None is the
    frame of the leg's last link. Spherical: A and B have one origin, and nothing else holds. Universal: besides, their
    axes z are perpendicular. Revolute: these are the same. Fixed: the frames are the same. Prismatic: B is A, moved
    along z.
    """

    kind: AttachmentKind = AttachmentKind.SPHERICAL
    pose: Pose = IDENTITY
    frame: int | str | None = None

    @classmethod
    def at(cls, point: Sequence[Given], kind: str = "spherical", frame: int | str | None = None) -> Attachment:
        """An attachment at a point of the platform, with the axes of the platform's frame."""
        allowed = [one.value for one in AttachmentKind]
        if kind not in allowed:
            raise RobotError(f"an attachment of kind {kind!r} (allowed: {', '.join(allowed)})")
        if isinstance(point, str) or len(point) != 3:
            raise RobotError(f"an attachment at {point!r} (allowed: a point of three values)")
        return cls(AttachmentKind(kind), translation(point), frame)

    @property
    def point(self) -> tuple[Value, ...]:
        """b, the attachment's origin in the platform's frame."""
        return tuple(row[3] for row in self.pose[:3])


def translation(point: Sequence[Given]) -> Pose:
    """The pose of a frame that is only moved."""
    return (*((*row[:3], as_value(x)) for row, x in zip(IDENTITY[:3], point, strict=True)), IDENTITY[3])


def placed_frame(given: Mapping[str, Value]) -> Pose:
    """Rz(gamma) Tz(b) Rx(alpha) Tx(d) Rz(theta) Tz(r) (K97:1b), or a translation x, y, z."""
    if given.keys() <= {"x", "y", "z"}:
        return translation([given.get(name, ZERO) for name in "xyz"])
    gamma, b, alpha, d, theta, r = (given.get(name, ZERO) for name in GEOMETRY)
    pose = product(_about_z(gamma), translation((ZERO, ZERO, b)))
    pose = product(product(pose, _about_x(alpha)), translation((d, ZERO, ZERO)))
    return product(product(pose, _about_z(theta)), translation((ZERO, ZERO, r)))


def _about_z(angle: Value) -> Pose:
    c, s = cosine(angle), sine(angle)
    return ((c, negative(s), ZERO, ZERO), (s, c, ZERO, ZERO), *IDENTITY[2:])


def _about_x(angle: Value) -> Pose:
    c, s = cosine(angle), sine(angle)
    return (IDENTITY[0], (ZERO, c, negative(s), ZERO), (ZERO, s, c, ZERO), IDENTITY[3])


@dataclass(frozen=True, slots=True, repr=False, init=False)
class ParallelRobot(Robot):
    """A platform that legs carry. Symbols and variables of leg i end in _i: D1_1, q3_6.

    `platform` are the inertial parameters of the platform in its frame. `home` is a pose of the platform in frame 0
    that the legs can reach: where checks and searches begin. Gravity is that of the robot for all legs.
    `platform_wrench` is the wrench of the platform on its environment, in its frame; where it is not 0, it is an input.
    """

    joints: tuple[Joint, ...] = field(init=False)
    inertias: tuple[Inertia, ...] = field(init=False)
    drives: tuple[Drive, ...] = field(init=False)
    wrenches: tuple[Wrench, ...] = field(init=False)
    base: Base = field(init=False)
    frames: tuple[Frame, ...] = field(init=False)
    cuts: tuple[Cut, ...] = field(init=False)
    coupling: tuple[tuple[Value, ...], ...] = field(init=False)
    shapes: tuple[Shape, ...] = field(init=False, compare=False)
    platform: Inertia = field(kw_only=True)
    legs: tuple[Robot, ...] = field(kw_only=True)
    attachments: tuple[Attachment, ...] = field(kw_only=True)
    home: Pose = IDENTITY
    platform_wrench: Wrench = NO_WRENCH

    def __init__(
        self,
        platform: Inertia,
        legs: Sequence[Robot],
        attachments: Sequence[Attachment],
        name: str = "parallel-robot",
        *,
        home: Pose = IDENTITY,
        platform_wrench: Wrench = NO_WRENCH,
        gravity: tuple[Value, ...] = (ZERO, ZERO, Symbol("G3")),
        values: Mapping[str, Given] | None = None,
        title: str = "",
        source: str = "",
        notes: tuple[str, ...] = (),
    ) -> None:
        for i, leg in enumerate(legs, 1):
            if not isinstance(leg, Robot) or leg.parallel:
                raise RobotError(f"leg {i} is {leg!r} (allowed: a serial, tree or closed-loop robot)")
        own = tuple(replace(numbered(leg, i), gravity=gravity) for i, leg in enumerate(legs, 1))
        of_legs = {name: value for leg in own for name, value in leg.values.items()}
        fields: dict[str, Any] = {
            "platform": platform,
            "legs": own,
            "attachments": tuple(attachments),
            "name": name,
            "home": home,
            "platform_wrench": platform_wrench,
            "gravity": gravity,
            "values": Bindings({**of_legs, **Bindings(values)}),
            "title": title,
            "source": source,
            "notes": notes,
            "base": FIXED_BASE,
            "cuts": (),
            "coupling": (),
            "shapes": (),
            **_forest(own),
        }
        for key, value in fields.items():
            object.__setattr__(self, key, value)

    def __repr__(self) -> str:
        from symoro.robot.tables import structure

        title = f"{self.title}, " if self.title else ""
        return f"<ParallelRobot {self.name}: {title}{structure(self)}, {len(self.motors)} motors>"

    def attach(self, payload: Inertia, link: int | str = "platform") -> Self:
        """A copy with a payload on the platform, in the platform's frame."""
        if link != "platform":
            raise RobotError(f"{self.name}: a payload on {link!r} (allowed for a parallel robot: 'platform')")
        return replace(self, platform=joined(self.platform, payload))

    @property
    def parallel(self) -> bool:
        return True

    @property
    def first_joints(self) -> tuple[int, ...]:
        """The number of joints before each leg: joint j of leg i is joint first_joints[i] + j of the tree."""
        counts = [leg.link_count for leg in self.legs]
        return tuple(sum(counts[:i]) for i in range(len(counts)))

    def end(self, i: int) -> int | str:
        """The frame of leg i, from 0, that is attached: its number, or its name."""
        leg, frame = self.legs[i], self.attachments[i].frame
        return topology.tips(leg)[-1].index if frame is None else leg.frame_ref(frame)

    @property
    def motors(self) -> tuple[tuple[int, int], ...]:
        """Leg, from 0, and joint of each motor, in the order of GAM."""
        return tuple((i, j.index) for i, leg in enumerate(self.legs) for j in topology.active(leg))


def numbered(leg: Robot, i: int) -> Robot:
    """The leg with _i behind its symbols and variables; one that has it already stays."""
    variables = [joint.variable for joint in leg.joints if joint.variable]
    if variables and all(name.endswith(f"_{i}") for name in variables):
        return leg
    bare = replace(leg, gravity=(ZERO,) * 3)
    used = {name for value in (*parameters(bare), *leg.values.values()) for name in symbols(value)}
    given = {name: value for name, value in leg.values.items() if name in used or name not in _of_gravity(leg)}
    new: dict[str, Value] = {name: Symbol(f"{name}_{i}") for name in sorted({*used, *variables, *given})}
    values = {f"{name}_{i}": substituted(value, new) for name, value in given.items()}
    made = substituted(replace(bare, values=Bindings()), new)
    joints = tuple(replace(j, variable=f"{j.variable}_{i}") if j.variable else j for j in made.joints)
    return replace(made, joints=joints, values=Bindings(values))


def _of_gravity(robot: Robot) -> set[str]:
    return {name for value in robot.gravity for name in symbols(value)}


def _forest(legs: Sequence[Robot]) -> dict[str, Any]:
    """The tables of all legs on one base; their loops are cut."""
    joints: list[Joint] = []
    frames: list[Frame] = []
    for i, leg in enumerate(legs, 1):
        before = len(joints)
        frames += [replace(f, name=f"leg {i} {f.name}", link=f.link + before if f.link else 0) for f in leg.frames]
        joints += [
            replace(j, index=j.index + before, name=f"leg {i} {j.name}", parent=j.parent + before if j.parent else 0)
            for j in topology.tree_joints(leg)
        ]
    return {
        "joints": tuple(joints),
        "frames": tuple(frames),
        "inertias": tuple(x for leg in legs for x in leg.inertias),
        "drives": tuple(x for leg in legs for x in leg.drives),
        "wrenches": tuple(x for leg in legs for x in leg.wrenches),
    }
