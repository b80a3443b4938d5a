"""References to frames: the number of a link's frame, or the name of a frame that is fixed on a link."""

from __future__ import annotations

from numbers import Integral

from symoro.bind.symbols import Symbols
from symoro.errors import OptionError, RobotError
from symoro.ir.linalg import Matrix, Vector
from symoro.robot.base import IDENTITY
from symoro.robot.base import Pose as Table
from symoro.robot.robot import Robot

FrameRef = int | str
Pose = tuple[Matrix, Vector]
"""Orientation and origin of a frame."""


def chosen_frame(robot: Robot, frame: FrameRef | None) -> FrameRef | None:
    """A frame that a user chose; the name of a joint is its number. An unknown name is an error of an option."""
    if frame is not None and not isinstance(frame, str | Integral):
        raise OptionError("geometry.link", value=repr(frame))
    try:
        return None if frame is None else robot.frame_ref(frame)
    except RobotError as error:
        raise OptionError(error.finding) from None


def carrier(robot: Robot, frame: FrameRef) -> tuple[int, Table]:
    """The frame of the link that carries a frame, and the pose on it.

    For the frame of a cut joint it is the mate of that frame: the two are aligned where the loop is closed (K97 § 2.1),
    and the pose of the mate does not depend on the cut joint's variable.
    """
    if isinstance(frame, str):
        for known in robot.frames:
            if known.name == frame:
                return known.link, known.pose
        names = [known.name for known in robot.frames]
        raise OptionError("geometry.no_frame", robot=robot.name, name=repr(frame), allowed=names)
    mates = {cut.joint: cut.mate for cut in robot.cuts}
    return mates.get(frame, frame), IDENTITY


def bound_pose(s: Symbols, pose: Table) -> Pose:
    """A pose of the robot's description as expressions."""
    rows = [[s.bind(x) for x in row] for row in pose]
    return Matrix(s.graph, (row[:3] for row in rows[:3])), Vector(s.graph, (row[3] for row in rows[:3]))


def compose(first: Pose, second: Pose) -> Pose:
    return first[0] @ second[0], first[0] @ second[1] + first[1]


def invert(pose: Pose) -> Pose:
    A, P = pose
    return A.T, -(A.T @ P)
