"""Base parameters of a parallel robot: what a leg's last link has at its attachment belongs as well to the platform.

A mass at the attachment's point moves with the leg and with the platform, unless the attachment slides. So does a line
of masses along the axis of a revolute attachment, and every body at a fixed one; at a sliding one, what turns alike.
These are taken from the leg and given to the platform; then each leg is regrouped as a tree (GK88:20-22).
"""

from __future__ import annotations

from dataclasses import replace

from symoro.models.geometric.frames import FrameRef, carrier
from symoro.robot.arithmetic import minus, product
from symoro.robot.base import IDENTITY, Pose
from symoro.robot.bodies import joined, placed
from symoro.robot.link import Inertia
from symoro.robot.parallel import AttachmentKind, ParallelRobot, translation
from symoro.robot.robot import Robot
from symoro.robot.values import ZERO, Value


def with_moved_bodies(robot: ParallelRobot) -> ParallelRobot:
    """The same robot, with what the legs share with the platform on the platform."""
    platform, legs = robot.platform, []
    for i, (leg, attachment) in enumerate(zip(robot.legs, robot.attachments, strict=True)):
        rest, shared = _divided(leg, robot.end(i), attachment.kind)
        platform = joined(platform, placed(shared, attachment.pose))
        legs.append(rest)
    return replace(robot, platform=platform, legs=tuple(legs))


def _divided(leg: Robot, end: FrameRef, kind: AttachmentKind) -> tuple[Robot, Inertia]:
    """The leg without what it shares with the platform, and this body in the frame of the attachment."""
    link, pose = carrier(leg, end)
    body = leg.inertia(link)
    shared = _shared(placed(body, _inverse(pose)), kind)
    there = placed(shared, pose)
    rest = Inertia(**{name: _difference(value, getattr(there, name)) for name, value in body.items()})
    return replace(leg, inertias=(*leg.inertias[: link - 1], rest, *leg.inertias[link:])), shared


def _difference(a: Value, b: Value) -> Value:
    return ZERO if a == b else minus(a, b)


def _shared(body: Inertia, kind: AttachmentKind) -> Inertia:
    """The part of a body, in the frame of the attachment, that moves with the platform as well."""
    match kind:
        case AttachmentKind.FIXED:
            return body
        case AttachmentKind.REVOLUTE:  # masses along the axis z
            return Inertia(M=body.M, MZ=body.MZ, XX=body.YY, YY=body.YY)
        case AttachmentKind.PRISMATIC:  # what turns alike
            return replace(body, M=ZERO, MX=ZERO, MY=ZERO, MZ=ZERO)
    return Inertia(M=body.M)


def _inverse(pose: Pose) -> Pose:
    if pose == IDENTITY:
        return pose
    turned = tuple(zip(*(row[:3] for row in pose[:3]), strict=True))
    point = product(turned, [(row[3],) for row in pose[:3]])
    back = (*((*row, ZERO) for row in turned), IDENTITY[3])
    moved = translation([minus(ZERO, x) for (x,) in point])
    return product(moved, back)
