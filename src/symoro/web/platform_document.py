"""Parallel robots as the page edits them: the platform, and how each leg is attached.

The rows of `joints` and `frames` are those of all legs, one leg after the other; `parallel.legs` says which belong to
a leg. Symbols of leg i end in _i, so that a value of such a name is one of the leg's.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from symoro.robot.joint import Joint
from symoro.robot.parallel import ParallelRobot
from symoro.robot.robot import Robot
from symoro.robot.values import Value, to_text
from symoro.web.cells import Lines, cut_cells, entries, frame_cells, joint_cells, matrix, quoted, value_cells
from symoro.web.requests import Document, Frame, Parallel
from symoro.web.requests import Joint as JointRow

Row = Callable[[Robot, Joint], dict[str, Any]]


def parallel_part(robot: ParallelRobot, row: Row) -> dict[str, Any]:
    """What a document has beside the tables of the legs; `row` gives the row of a joint."""
    return {
        "home": _rows(robot.home),
        "inertia": {name: to_text(value) for name, value in robot.platform.items()},
        "wrench": {name: to_text(value) for name, value in robot.platform_wrench.items()},
        "legs": [_leg(robot, i, row) for i in range(len(robot.legs))],
    }


def _leg(robot: ParallelRobot, i: int, row: Row) -> dict[str, Any]:
    """A leg: its attachment, the number of its joints, and the joints at which its loops are cut, with their mates."""
    leg, attachment, before = robot.legs[i], robot.attachments[i], robot.first_joints[i]
    closing = [row(leg, joint) for joint in leg.joints[leg.link_count :]]
    return {
        "name": leg.name,
        "title": leg.title,
        "source": leg.source,
        "kind": attachment.kind.value,
        "pose": _rows(attachment.pose),
        "end": attachment.frame,
        "joints": leg.link_count,
        "closing": [r | {"parent": r["parent"] and r["parent"] + before} for r in closing],
    }


def _rows(pose: Sequence[Sequence[Value]]) -> list[list[str]]:
    return [[to_text(value) for value in row] for row in pose]


# and back


def parallel_cells(document: Document, part: Parallel) -> Lines:
    """The lines of a parallel robot behind its name and gravity."""
    yield "kind", 'kind = "parallel"'
    yield "parallel", "[platform]"
    yield "parallel.home", f"home = {matrix(part.home)}"
    for key in ("inertia", "wrench"):
        yield from entries("platform", f"parallel.{key}", getattr(part, key))
    before = 0
    for i, leg in enumerate(part.legs, 1):
        yield from _attachment(part, i)
        yield from _joints(document, part, i, before)
        for k, frame in _frames(document, i, before):
            yield from frame_cells(frame, f"frames.{k}", "legs.frames")
        own = {name: text for name, text in document.values.items() if _owner(name, len(part.legs)) == i}
        yield from value_cells(own, "legs.values")
        before += leg.joints
    common = {name: text for name, text in document.values.items() if not _owner(name, len(part.legs))}
    yield from value_cells(common)


def _attachment(part: Parallel, i: int) -> Lines:
    leg, path = part.legs[i - 1], f"parallel.legs.{i}"
    yield path, "[[legs]]"
    for key in ("name", "title", "source"):
        yield f"{path}.{key}", f"{key} = {quoted(getattr(leg, key))}"
    yield f"{path}.kind", f"attachment = {quoted(leg.kind)}"
    yield f"{path}.pose", f"platform = {matrix(leg.pose)}"
    if leg.end is not None:
        yield f"{path}.end", f"end = {quoted(leg.end) if isinstance(leg.end, str) else leg.end}"


def _joints(document: Document, part: Parallel, i: int, before: int) -> Lines:
    """The joints of a leg by their numbers in the leg, and its cuts."""
    leg, path = part.legs[i - 1], f"parallel.legs.{i}"
    for k, row in enumerate(document.joints[before : before + leg.joints], before + 1):
        yield from joint_cells(_local(row, i, before), f"joints.{k}", True, "legs.joints")
    for k, row in enumerate(leg.closing, 1):
        yield from joint_cells(_local(row, i, before), f"{path}.closing.{k}", False, "legs.joints")
    count = len(leg.closing) // 2
    for k in range(leg.joints + 1, leg.joints + count + 1):
        yield from cut_cells(k, k + count, f"{path}.closing.{k - leg.joints}", "legs.cuts")


def _local(row: JointRow, i: int, before: int) -> JointRow:
    name = row.name.removeprefix(f"leg {i} ")
    return row.model_copy(update={"name": name, "parent": max(-1, row.parent - before) if row.parent else 0})


def _frames(document: Document, i: int, before: int) -> Iterator[tuple[int, Frame]]:
    """The frames of a leg, each with its place in the document."""
    prefix = f"leg {i} "
    for k, frame in enumerate(document.frames, 1):
        if frame.name.startswith(prefix):
            link = frame.link - before if frame.link else 0
            yield k, frame.model_copy(update={"name": frame.name.removeprefix(prefix), "link": link})


def _owner(name: str, legs: int) -> int:
    """The leg whose symbols end as this one does; 0 where there is none."""
    found = re.search(r"_([1-9]\d{0,2})$", name)
    return int(found[1]) if found and int(found[1]) <= legs else 0
