"""Limits of the motors of a robot: those of its description, else usual ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from symoro.identification.arrays import Array
from symoro.identification.subject.subject import Subject
from symoro.interface import robot_numbers
from symoro.robot.joint import Joint
from symoro.robot.values import evaluate, symbols


@dataclass(frozen=True)
class Box:
    """Limits of each coordinate: positions from `low` to `high`, speeds and accelerations."""

    low: Array
    high: Array
    speed: Array
    acceleration: Array


def usual_box(subject: Subject, joints: Sequence[Joint]) -> Box:
    """The limits of the description, else usual ones."""
    turns = np.array([joint.revolute for joint in joints], dtype=bool)
    usual = np.where(turns, 2.0, 0.3)
    low, high, speed = (
        np.array([limit_of(subject, j, name, u) for j, u in zip(joints, x, strict=True)])
        for name, x in (("lower", -usual), ("upper", usual), ("velocity", np.where(turns, 3.0, 0.5)))
    )
    return Box(low, high, speed, np.where(turns, 10.0, 2.0))


def limit_of(subject: Subject, joint: Joint, name: str, usual: float) -> float:
    value, numbers = getattr(joint.limits, name), robot_numbers(subject.robot)
    return evaluate(value, numbers) if value is not None and symbols(value) <= numbers.keys() else usual
