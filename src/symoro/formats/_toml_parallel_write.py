"""Writes a parallel robot as TOML: one leg and a table of placements where legs are alike, else each leg."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from symoro.formats import _toml_write as out
from symoro.robot.base import IDENTITY, Pose
from symoro.robot.joint import GEOMETRY, Joint
from symoro.robot.parallel import Attachment, AttachmentKind, ParallelRobot
from symoro.robot.robot import Robot, parameters
from symoro.robot.substitute import substituted
from symoro.robot.values import ZERO, Bindings, Symbol, Value, is_zero, symbols


def write_parallel(robot: Robot) -> str:
    """The TOML text of a parallel robot; reading it gives the same robot."""
    assert isinstance(robot, ParallelRobot)
    lines = ["format = 1", 'kind = "parallel"', f"name = {out.string(robot.name)}"]
    lines += [f"{key} = {text}" for key, text in out.texts(robot)]
    lines.append(f"gravity = {out.array(robot.gravity)}")
    lines += ["", "[platform]", *(f"{key} = {text}" for key, text in _platform(robot))]
    lines += _legs(robot)
    of_legs = {name: value for leg in robot.legs for name, value in leg.values.items()}
    own = {name: value for name, value in robot.values.items() if of_legs.get(name) != value}
    lines += out.section("[values]", out.values(own))
    return "\n".join(lines) + "\n"


def _platform(robot: ParallelRobot) -> out.Texts:
    yield from out.table("inertia", robot.platform, "P")
    yield from out.table("wrench", robot.platform_wrench, "P")
    yield "home", _pose(robot.home)


def _pose(pose: Pose) -> str:
    """A point, or the rows of a frame that is turned."""
    point = tuple(row[3] for row in pose[:3])
    moved = (*((*row[:3], x) for row, x in zip(IDENTITY[:3], point, strict=True)), IDENTITY[3])
    return out.array(point) if pose == moved else out.matrix(pose)


def _legs(robot: ParallelRobot) -> Iterator[str]:
    bare = [_bare(leg, i) for i, leg in enumerate(robot.legs, 1)]
    if not bare or any(leg is None for leg in bare):
        yield from _different(robot)
        return
    placements = [{name: getattr(leg.joints[0], name) for name in _places(leg.joints[0])} for leg in bare if leg]
    same = {name for name in placements[0] if all(place.get(name) == placements[0][name] for place in placements)}
    alike = [_moved(leg, same) for leg in bare if leg]
    if any(leg != alike[0] for leg in alike):
        yield from _different(robot)
        return
    first, *others = robot.attachments
    shared = {
        key: text for key, text in _attachment(first).items() if all(_attachment(a).get(key) == text for a in others)
    }
    yield from ("", "[leg]", *_named(alike[0]), *(f"{key} = {text}" for key, text in shared.items()))
    yield from out.body(alike[0], "leg.")
    for place, attachment in zip(placements, robot.attachments, strict=True):
        base = {name: value for name, value in place.items() if name not in same and not is_zero(value)}
        yield from _placement(attachment, base, set(shared))


def _different(robot: ParallelRobot) -> Iterator[str]:
    """Each leg with its own tables, in which symbols and variables have the number of the leg."""
    for leg, attachment in zip(robot.legs, robot.attachments, strict=True):
        yield from _placement(attachment, {}, set())
        yield from _named(leg)
        yield from out.body(leg, "legs.")


def _placement(attachment: Attachment, base: dict[str, Value], shared: set[str]) -> Iterator[str]:
    yield from ("", "[[legs]]")
    if base:
        yield f"base = {out.inline(base)}"
    yield f"platform = {_pose(attachment.pose)}"
    yield from (f"{key} = {text}" for key, text in _attachment(attachment).items() if key not in shared)


def _attachment(attachment: Attachment) -> dict[str, str]:
    found = {} if attachment.kind is AttachmentKind.SPHERICAL else {"attachment": out.string(attachment.kind.value)}
    frame = attachment.frame
    if frame is not None:
        found["end"] = out.string(frame) if isinstance(frame, str) else str(frame)
    return found


def _named(leg: Robot) -> Iterator[str]:
    if leg.name != "leg":
        yield f"name = {out.string(leg.name)}"
    yield from (f"{key} = {text}" for key, text in out.texts(leg))


# legs alike


def _bare(leg: Robot, i: int) -> Robot | None:
    """The leg without the numbers of its symbols and variables; None where one does not have it."""
    suffix = f"_{i}"
    plain = replace(leg, gravity=(ZERO,) * 3)
    variables = [joint.variable for joint in leg.joints if joint.variable]
    used = {name for value in (*parameters(plain), *leg.values.values()) for name in symbols(value)}
    names = {*used, *variables, *leg.values}
    if not all(name.endswith(suffix) for name in names):
        return None
    new: dict[str, Value] = {name: Symbol(name.removesuffix(suffix)) for name in names}
    values = {name.removesuffix(suffix): substituted(value, new) for name, value in leg.values.items()}
    made = substituted(replace(plain, values=Bindings()), new)
    joints = tuple(replace(j, variable=j.variable.removesuffix(suffix)) if j.variable else j for j in made.joints)
    return replace(made, joints=joints, values=Bindings(values))


def _places(joint: Joint) -> list[str]:
    """The parameters of a leg's first joint that place it."""
    return [name for name in GEOMETRY if not (joint.movable and name == joint.moving)]


def _moved(leg: Robot, same: set[str]) -> Robot:
    """The leg with its first joint at the place that all legs share."""
    first, *others = leg.joints
    zero: dict[str, Any] = {name: ZERO for name in _places(first) if name not in same}
    return replace(leg, joints=(replace(first, **zero), *others))
